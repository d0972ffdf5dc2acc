// Slack's message markup, turned into DOM nodes. Every piece of data ends up in a text node or a checked link.

import { fillDateTemplate } from "./dates.js";
import { h } from "./dom.js";
import { withEmoji } from "./emoji.js";

const SAFE_LINK = /^(https?:\/\/|mailto:)/i;
const STYLES = { "*": "strong", _: "em", "~": "s" };
const BEFORE_STYLE = /[\s(\[{"'“‘.,;:!?\-–—/|>*_~]/;
const AFTER_STYLE = /[\s)\]}"'”’.,;:!?\-–—/|<*_~]/;
const BARE_URL = /https?:\/\/[^\s<>|"'`]*[^\s<>|"'`.,;:!?)\]}]/gi;
const BARE_CALL = /(?<![\w@])@(here|channel|everyone)\b/g;

/** Decode the three entities that Slack knows, once, so that "&amp;lt;" reads "&lt;". */
export function unescape(text) {
  return text.replace(/&(amp|lt|gt);/g, (_, name) => ({ amp: "&", lt: "<", gt: ">" })[name]);
}

/** Make a link, or plain text where the address is not one that may be followed. */
export function linkNode(url, label) {
  const shown = label ?? url.replace(/^mailto:/i, "");
  if (!SAFE_LINK.test(url))
    return h("span", { class: "dead-link", title: "This address is not followed" }, shown);
  return h("a", { href: url, target: "_blank", rel: "noopener noreferrer", title: url }, shown);
}

/** Make a mention; `mine` marks the reader's own. */
export function mentionNode(text, mine = false) {
  return h("span", { class: mine ? "mention mention-me" : "mention" }, text);
}

/** Render mrkdwn text as a list of nodes. `directory` names people, groups and channels by id. */
export function renderMrkdwn(text, directory, { verbatim = false } = {}) {
  const options = { directory, verbatim };
  return String(text)
    .split("```")
    .flatMap((part, index, parts) => {
      const fenced = index % 2 === 1;
      if (fenced && index === parts.length - 1) return renderLines("```" + part, options);
      return fenced ? fence(part, options) : renderLines(trimAroundFence(part, index, parts.length), options);
    });
}

function fence(part, options) {
  if (part === "") return [document.createTextNode("``````")];
  return [
    h("pre", { class: "mrkdwn-pre" }, codeContent(part.replace(/^\n/, "").replace(/\n$/, ""), options)),
  ];
}

function trimAroundFence(part, index, count) {
  const after = index > 0 ? part.replace(/^\n/, "") : part;
  return index < count - 1 ? after.replace(/\n$/, "") : after;
}

// Quotes are made of whole lines; ">>>" quotes everything after it.
function renderLines(text, options) {
  if (text === "") return [];
  const runs = [];
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; i += 1) {
    const rest = lines[i].match(/^(?:&gt;|>){3}\s?/);
    if (rest) {
      runs.push({ quote: true, lines: [lines[i].slice(rest[0].length), ...lines.slice(i + 1)] });
      break;
    }
    addLine(runs, lines[i]);
  }
  return runs.flatMap((run) => renderRun(run, options));
}

function addLine(runs, line) {
  const mark = line.match(/^(?:&gt;|>)\s?/);
  const quote = mark !== null;
  const last = runs.at(-1);
  const content = quote ? line.slice(mark[0].length) : line;
  if (last && last.quote === quote) last.lines.push(content);
  else runs.push({ quote, lines: [content] });
}

function renderRun(run, options) {
  const nodes = inline(run.lines.join("\n"), options);
  return run.quote ? [h("blockquote", {}, nodes)] : nodes;
}

// Left to right: an angle token, a code span or a styled span, whichever opens first; the rest is plain.
function inline(text, options) {
  const nodes = [];
  let plain = "";
  let at = 0;
  const flush = () => {
    if (plain) nodes.push(...plainText(plain, options));
    plain = "";
  };
  while (at < text.length) {
    const found =
      angleToken(text, at, options) ?? codeSpan(text, at, options) ?? styledSpan(text, at, options);
    if (found) {
      flush();
      nodes.push(found.node);
      at = found.end;
    } else {
      plain += text[at];
      at += 1;
    }
  }
  flush();
  return nodes;
}

function angleToken(text, at, options) {
  if (text[at] !== "<") return null;
  const end = text.indexOf(">", at);
  if (end < 0 || end === at + 1) return null;
  const node = tokenNode(text.slice(at + 1, end), options);
  return node ? { node, end: end + 1 } : null;
}

function codeSpan(text, at, options) {
  if (text[at] !== "`") return null;
  const end = text.indexOf("`", at + 1);
  const body = text.slice(at + 1, end);
  if (end < 0 || body === "" || body.includes("\n")) return null;
  return { node: h("code", {}, codeContent(body, options)), end: end + 1 };
}

function styledSpan(text, at, options) {
  const mark = text[at];
  if (!Object.hasOwn(STYLES, mark) || (at > 0 && !BEFORE_STYLE.test(text[at - 1]))) return null;
  const end = closingMark(text, at, mark);
  if (end < 0) return null;
  return { node: h(STYLES[mark], {}, inline(text.slice(at + 1, end), options)), end: end + 1 };
}

function closingMark(text, at, mark) {
  if (at + 1 >= text.length || /\s/.test(text[at + 1]) || text[at + 1] === mark) return -1;
  for (let i = at + 2; i < text.length && text[i] !== "\n"; i += 1) {
    const closes = text[i] === mark && !/\s/.test(text[i - 1]);
    if (closes && (i + 1 === text.length || AFTER_STYLE.test(text[i + 1]))) return i;
  }
  return -1;
}

// Angle tokens stay live inside code, as they do in Slack.
function codeContent(text, options) {
  const pieces = text.split(/(<[^<>\n]+>)/);
  return pieces.map((piece) => {
    const token =
      piece.startsWith("<") && piece.endsWith(">") ? tokenNode(piece.slice(1, -1), options) : null;
    return token ?? document.createTextNode(unescape(piece));
  });
}

function tokenNode(body, { directory }) {
  const bar = body.indexOf("|");
  const target = bar < 0 ? body : body.slice(0, bar);
  const label = bar < 0 ? null : unescape(body.slice(bar + 1));
  if (target.startsWith("@"))
    return mentionNode(directory.userMention(target.slice(1)), directory.isMe(target.slice(1)));
  if (target.startsWith("#")) return mentionNode(directory.channelMention(target.slice(1), label));
  if (target.startsWith("!")) return commandNode(target.slice(1), label, directory);
  return /^[a-z][a-z0-9+.-]*:/i.test(target) ? linkNode(unescape(target), label) : null;
}

function commandNode(command, label, directory) {
  const [name, ...args] = command.split("^");
  if (name === "date") return dateNode(args, label);
  if (name === "subteam")
    return mentionNode(directory.groupMention(args[0] ?? ""), directory.inMyGroups(args[0] ?? ""));
  if (["here", "channel", "everyone"].includes(name)) return mentionNode(`@${name}`, true);
  return mentionNode(label ?? `<${command}>`);
}

function dateNode([seconds, template, link], fallback) {
  const shown = template === undefined ? null : fillDateTemplate(seconds, unescape(template));
  const text = shown ?? fallback ?? "";
  if (link) return linkNode(unescape(link), text);
  return h(
    "time",
    { datetime: shown ? new Date(Number(seconds) * 1000).toISOString() : null, title: fallback },
    text,
  );
}

function plainText(text, { verbatim }) {
  if (verbatim) return [document.createTextNode(withEmoji(unescape(text)))];
  return splitBy(
    text,
    BARE_URL,
    (match) => linkNode(unescape(match[0])),
    (rest) =>
      splitBy(
        rest,
        BARE_CALL,
        (match) => mentionNode(match[0], true),
        (words) => [document.createTextNode(withEmoji(unescape(words)))],
      ),
  );
}

function splitBy(text, pattern, matched, between) {
  const nodes = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) nodes.push(...between(text.slice(at, match.index)));
    nodes.push(matched(match));
    at = match.index + match[0].length;
  }
  if (at < text.length) nodes.push(...between(text.slice(at)));
  return nodes;
}
