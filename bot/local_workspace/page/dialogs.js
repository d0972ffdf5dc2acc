// Dialogs above the page: one in front at a time, focus kept inside, and given back afterwards.

import { h } from "./dom.js";
import { plainText, renderText } from "./text.js";

const FOCUSABLE = "button, [href], input, select, textarea, [tabindex]:not([tabindex='-1'])";
const open = [];

const layer = () => document.getElementById("layer");

/**
 * Put a dialog in front. `escape` is called on the Escape key, and for a `question` also when another person comes.
 * Return {close(), isOpen()}.
 */
export function openDialog(dialog, { escape, focus = null, question = false }) {
  const backdrop = h("div", { class: "backdrop" }, dialog);
  const entry = { dialog, backdrop, escape, question, returnTo: focusMark() };
  open.push(entry);
  layer().append(entry.backdrop);
  settle();
  (focus ?? dialog).focus();
  return { close: () => closeEntry(entry), isOpen: () => open.includes(entry) };
}

function closeEntry(entry) {
  const at = open.indexOf(entry);
  if (at < 0) return;
  const elsewhere = document.activeElement !== document.body && !entry.dialog.contains(document.activeElement);
  open.splice(at, 1);
  entry.backdrop.remove();
  settle();
  if (!elsewhere) giveBack(entry.returnTo);
}

// Only the front dialog takes part; the page and the dialogs behind it are inert.
function settle() {
  document.getElementById("app").inert = open.length > 0;
  open.forEach((entry, index) => {
    entry.backdrop.inert = index < open.length - 1;
  });
}

function focusMark() {
  const node = document.activeElement;
  return { node, key: node?.dataset?.focusKey ?? null };
}

function giveBack({ node, key }) {
  const target = node?.isConnected
    ? node
    : key && document.querySelector(`[data-focus-key="${CSS.escape(key)}"]`);
  if (target && !target.closest("[inert]")) target.focus();
  else open.at(-1)?.dialog.focus();
}

// Keys count when they come from the front dialog, or from nowhere because the focused control went away.
function onKey(event) {
  const entry = open.at(-1);
  if (!entry || !(entry.dialog.contains(event.target) || event.target === document.body)) return;
  if (event.key === "Escape") {
    event.preventDefault();
    event.stopPropagation();
    entry.escape();
  } else if (event.key === "Tab") keepInside(event, entry.dialog);
}

function keepInside(event, dialog) {
  const stops = focusables(dialog);
  const edge = event.shiftKey ? stops[0] : stops.at(-1);
  const atEdge = document.activeElement === edge || (event.shiftKey && document.activeElement === dialog);
  if (stops.length > 0 && !atEdge) return;
  event.preventDefault();
  (event.shiftKey ? stops.at(-1) : stops[0])?.focus();
}

document.addEventListener("keydown", onKey);

/** The controls inside `root` that the keyboard reaches, in order. */
export function focusables(root) {
  return [...root.querySelectorAll(FOCUSABLE)].filter((node) => !node.disabled && node.offsetParent !== null);
}

/** Ask as a confirm object says. Resolve to true when the person confirms; the safe answer has the focus. */
export function confirmDialog(object, directory) {
  return new Promise((resolve) => {
    const answer = (yes) => {
      handle.close();
      resolve(yes);
    };
    const deny = h(
      "button",
      { type: "button", class: "button", "data-testid": "confirm-deny", onclick: () => answer(false) },
      plainText(object.deny) || "Cancel",
    );
    const style = object.style === "danger" ? "button-danger" : "button-primary";
    const yes = h(
      "button",
      {
        type: "button",
        class: `button ${style} solid`,
        "data-testid": "confirm-yes",
        onclick: () => answer(true),
      },
      plainText(object.confirm) || "OK",
    );
    const handle = openDialog(confirmShell(object, directory, [deny, yes]), {
      escape: () => answer(false),
      focus: deny,
      question: true,
    });
  });
}

/** Answer no to what was asked and is still open: a question is one person's, and nobody else answers it. */
export function takeQuestionsBack() {
  for (const entry of open.filter((each) => each.question)) entry.escape();
}

function confirmShell(object, directory, buttons) {
  return h(
    "div",
    {
      class: "dialog confirm",
      role: "alertdialog",
      "aria-modal": "true",
      "aria-labelledby": "confirm-title",
      "aria-describedby": "confirm-text",
      tabindex: "-1",
      "data-testid": "confirm",
    },
    h("h2", { id: "confirm-title", class: "confirm-title" }, plainText(object.title)),
    h("div", { id: "confirm-text", class: "confirm-text text" }, renderText(object.text, directory)),
    h("div", { class: "dialog-foot" }, buttons),
  );
}
