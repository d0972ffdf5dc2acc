// Messages in a channel or a thread: author line, blocks or text, files, replies, and what only one person sees.

import { blockItems } from "./blocks.js";
import { clockTime, dayHeading, dayKey, fullTime } from "./dates.js";
import { h, icon, iconButton, reconcile, signatureOf } from "./dom.js";
import { carryValues } from "./fields.js";
import { renderMrkdwn } from "./mrkdwn.js";

const SIZE_UNITS = ["bytes", "kB", "MB", "GB"];

/**
 * Say how to draw a list of messages as items for `reconcile`, with a heading before each day.
 * desk = {directory, surfaceFor(message), openThread(ts) | null, dismiss(message)}; openThread is null inside a thread.
 */
export function messageItems(messages, desk) {
  const items = [];
  let day = null;
  for (const message of [...messages].sort((a, b) => Number(a.ts) - Number(b.ts))) {
    if (dayKey(message.ts) !== day && desk.openThread) items.push(dayItem(message.ts));
    day = dayKey(message.ts);
    items.push(messageItem(message, desk));
  }
  return items;
}

function dayItem(ts) {
  const heading = dayHeading(ts);
  return {
    key: `day-${dayKey(ts)}`,
    signature: heading,
    build: () => h("div", { class: "day" }, h("span", {}, heading)),
  };
}

function messageItem(message, desk) {
  const { replies, ...own } = message;
  const lastReply = replies?.at(-1)?.ts ?? null;
  return {
    key: `${message.ephemeral_for ? "only-you" : "message"}-${message.ts}`,
    signature: signatureOf([own, lastReply, desk.directory.signature, desk.openThread !== null]),
    build: (previous) => carryValues(previous, messageNode(message, desk)),
  };
}

function messageNode(message, desk) {
  const mine = message.ephemeral_for !== null && message.ephemeral_for !== undefined;
  const attrs = {
    class: mine ? "message ephemeral" : "message",
    role: "article",
    "data-ts": message.ts,
    "data-values-root": true,
    "data-testid": mine ? "ephemeral" : "message",
    "aria-label": `${message.username}, ${clockTime(message.ts)}`,
  };
  if (message.deleted) return h("div", { ...attrs, class: "message deleted" }, tombstone(message, desk));
  const body = h(
    "div",
    { class: "message-body" },
    mine && onlyYou(message, desk),
    author(message),
    content(message, desk),
    (message.files ?? []).map(fileLine),
    footer(message, desk),
  );
  return h("div", attrs, avatar(message), body, desk.openThread && !mine && threadButton(message, desk));
}

function tombstone(message, desk) {
  return [
    h("span", { class: "avatar avatar-gone" }, icon("close")),
    h(
      "div",
      { class: "message-body" },
      h("p", { class: "gone" }, "This message was deleted."),
      footer(message, desk),
    ),
  ];
}

function onlyYou(message, desk) {
  const dismiss = h(
    "button",
    { type: "button", class: "link-button", "data-testid": "dismiss", onclick: () => desk.dismiss(message) },
    "Dismiss",
  );
  return h("p", { class: "only-you" }, icon("eye"), " Only visible to you · ", dismiss);
}

/** A coloured square with the author's initial. */
export function avatar({ username, user, bot_id: botId }) {
  const tone = [...String(user ?? username)].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % 8;
  return h(
    "span",
    { class: `avatar avatar-${botId ? "app" : tone}`, "aria-hidden": "true" },
    [...(username || "?")][0].toUpperCase(),
  );
}

function author(message) {
  return h(
    "div",
    { class: "author" },
    h("span", { class: "author-name" }, message.username),
    message.bot_id && h("span", { class: "badge" }, "APP"),
    h("time", { class: "when", title: fullTime(message.ts) }, clockTime(message.ts)),
  );
}

function content(message, desk) {
  const box = h("div", { class: "blocks" });
  if (message.blocks?.length) reconcile(box, blockItems(message.blocks, desk.surfaceFor(message)));
  else box.append(h("div", { class: "text" }, messageText(message, desk)));
  if (message.edited)
    (lastText(box) ?? box).append(h("span", { class: "edited", "data-testid": "edited" }, " (edited)"));
  return box;
}

function messageText(message, desk) {
  return message.mrkdwn === false ? message.text : renderMrkdwn(message.text ?? "", desk.directory);
}

// Slack puts the edited mark at the end of the last words; after other blocks it gets a line of its own.
function lastText(box) {
  const last = box.lastElementChild;
  return last?.classList.contains("text")
    ? last
    : last?.querySelector(":scope > .block-context, :scope > .block-section .text");
}

function fileLine(file) {
  return h(
    "p",
    { class: "file", "data-testid": "file" },
    icon("file"),
    h("span", { class: "file-name" }, file.title || file.name),
    h("span", { class: "file-size" }, sizeText(file.size ?? 0)),
  );
}

function sizeText(bytes) {
  const power = bytes < 1000 ? 0 : Math.min(SIZE_UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Math.round((bytes / 1000 ** power) * 10) / 10} ${SIZE_UNITS[power]}`;
}

function footer(message, desk) {
  if (!message.reply_count || !desk.openThread) return null;
  const count = message.reply_count === 1 ? "1 reply" : `${message.reply_count} replies`;
  const last = message.replies?.at(-1);
  return h(
    "button",
    {
      type: "button",
      class: "replies",
      "data-testid": "reply-count",
      "data-focus-key": `replies-${message.ts}`,
      onclick: () => desk.openThread(message.ts),
    },
    icon("chat"),
    h("strong", {}, count),
    last && h("span", { class: "muted" }, ` Last at ${clockTime(last.ts)}`),
  );
}

function threadButton(message, desk) {
  return iconButton("reply", "Reply in thread", {
    class: "icon-button thread-button",
    "data-testid": "thread-open",
    "data-focus-key": `thread-${message.ts}`,
    onclick: () => desk.openThread(message.ts),
  });
}
