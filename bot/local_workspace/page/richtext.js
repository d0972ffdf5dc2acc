// rich_text blocks: sections, lists, preformatted text and quotes.

import { fillDateTemplate } from "./dates.js";
import { h } from "./dom.js";
import { emojiFor } from "./emoji.js";
import { linkNode, mentionNode } from "./mrkdwn.js";
import { unsupported } from "./unsupported.js";

const STYLE_TAGS = { bold: "strong", italic: "em", strike: "s", underline: "u", code: "code" };
const BULLETS = ["disc", "circle", "square"];
const NUMBERS = ["decimal", "lower-alpha", "lower-roman"];

const PARTS = {
  rich_text_section: (part, directory) => h("div", { class: "rich-section" }, inlines(part, directory)),
  rich_text_preformatted: (part, directory) => h("pre", { class: "mrkdwn-pre" }, inlines(part, directory)),
  rich_text_quote: (part, directory) => h("blockquote", {}, inlines(part, directory)),
  rich_text_list: listNode,
};

const INLINES = {
  text: (piece) => document.createTextNode(piece.text ?? ""),
  link: (piece) => linkNode(piece.url ?? "", piece.text ?? null),
  user: (piece, directory) =>
    mentionNode(directory.userMention(piece.user_id), directory.isMe(piece.user_id)),
  usergroup: (piece, directory) =>
    mentionNode(directory.groupMention(piece.usergroup_id), directory.inMyGroups(piece.usergroup_id)),
  channel: (piece, directory) => mentionNode(directory.channelMention(piece.channel_id)),
  broadcast: (piece) => mentionNode(`@${piece.range}`, true),
  emoji: (piece) => document.createTextNode(emojiText(piece)),
  date: (piece) =>
    h(
      "time",
      { title: piece.fallback },
      fillDateTemplate(piece.timestamp, piece.format ?? "") ?? piece.fallback ?? "",
    ),
  color: (piece) => h("code", {}, piece.value ?? ""),
};

/** Render a rich_text block. */
export function renderRichText(block, directory) {
  return h(
    "div",
    { class: "rich-text" },
    (block.elements ?? []).map((part) => renderPart(part, directory)),
  );
}

function renderPart(part, directory) {
  return Object.hasOwn(PARTS, part.type) ? PARTS[part.type](part, directory) : unsupported(part.type);
}

function inlines(part, directory) {
  return (part.elements ?? []).map((piece) => {
    if (!Object.hasOwn(INLINES, piece.type)) return unsupported(piece.type);
    return styled(INLINES[piece.type](piece, directory), piece.style ?? {});
  });
}

function styled(node, style) {
  return Object.keys(STYLE_TAGS)
    .filter((name) => style[name] === true)
    .reduce((inner, name) => h(STYLE_TAGS[name], {}, inner), node);
}

function emojiText(piece) {
  if (piece.unicode)
    return String.fromCodePoint(...piece.unicode.split("-").map((code) => Number.parseInt(code, 16)));
  return emojiFor(piece.name) ?? `:${piece.name}:`;
}

function listNode(part, directory) {
  const ordered = part.style === "ordered";
  const depth = part.indent ?? 0;
  const kind = (ordered ? NUMBERS : BULLETS)[depth % 3];
  const items = (part.elements ?? []).map((item) => h("li", {}, inlines(item, directory)));
  const list = h(
    ordered ? "ol" : "ul",
    { class: part.border ? "bordered" : null, start: ordered ? (part.offset ?? 0) + 1 : null },
    items,
  );
  list.style.listStyleType = kind;
  list.style.marginInlineStart = `${depth * 24}px`;
  return list;
}
