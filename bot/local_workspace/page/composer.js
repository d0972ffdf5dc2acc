// The line at the bottom of a channel or thread: a message, or a slash command.

import { h, icon } from "./dom.js";
import { freshId } from "./press.js";

/**
 * Make a composer. Drafts are kept per place; before the first place is shown nothing can be written.
 * send(text) resolves to a sentence for the person where something went wrong, else null.
 * Return {node, show({key, label, placeholder, commands, closed})}; `closed` is the reason why nothing can be written here.
 */
export function makeComposer({ testid, send }) {
  const drafts = new Map();
  const sending = new Map();
  const parts = composerParts(testid);
  let place = null;
  const submit = async (event) => {
    event.preventDefault();
    const text = parts.input.value.trim();
    if (text === "") return;
    const from = place.key;
    if (sending.get(from) === text) return; // pressed twice: the same line is on its way
    sending.set(from, text);
    parts.form.setAttribute("aria-busy", "true");
    const problem = await send(text);
    if (sending.get(from) === text) sending.delete(from);
    if (sending.size === 0) parts.form.removeAttribute("aria-busy");
    if (!problem && drafts.get(from)?.trim() === text) drafts.delete(from);
    if (place.key === from) finish(parts, problem, drafts.get(from) ?? "");
  };
  parts.form.addEventListener("submit", submit);
  parts.input.addEventListener("input", () => drafts.set(place.key, parts.input.value));
  return {
    node: parts.form,
    show: (next) => {
      place = showPlace(parts, drafts, place, next);
    },
  };
}

function composerParts(testid) {
  const id = freshId("composer");
  const input = h("input", {
    id,
    type: "text",
    autocomplete: "off",
    list: `${id}-commands`,
    "data-testid": `${testid}-input`,
  });
  const label = h("label", { for: id, class: "visually-hidden" });
  const commands = h("datalist", { id: `${id}-commands` });
  const button = h(
    "button",
    { type: "submit", class: "icon-button send", "aria-label": "Send", title: "Send" },
    icon("send"),
  );
  const problem = h("p", {
    class: "trouble-line",
    role: "alert",
    hidden: true,
    "data-testid": `${testid}-problem`,
  });
  const closed = h("p", { class: "composer-closed", hidden: true });
  const row = h("div", { class: "composer-row", hidden: true }, input, button);
  return {
    form: h("form", { class: "composer", "data-testid": testid }, label, problem, row, closed, commands),
    input,
    label,
    commands,
    problem,
    row,
    closed,
  };
}

// What was typed while the last line was on its way stays.
function finish(parts, problem, draft) {
  parts.problem.textContent = problem ?? "";
  parts.problem.hidden = !problem;
  if (!problem && parts.input.value !== draft) parts.input.value = draft;
}

function showPlace(parts, drafts, place, next) {
  parts.label.textContent = next.label;
  parts.input.placeholder = next.placeholder;
  parts.row.hidden = Boolean(next.closed);
  parts.closed.hidden = !next.closed;
  parts.closed.textContent = next.closed ?? "";
  if (place?.key === next.key) return next;
  parts.commands.replaceChildren(...next.commands.map((command) => h("option", { value: `${command} ` })));
  finish(parts, null, drafts.get(next.key) ?? "");
  return next;
}
