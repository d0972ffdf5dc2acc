// Selects, dates, radio buttons and checkboxes.

import { h } from "./dom.js";
import { putBack, registerField } from "./fields.js";
import { freshId, hooks, naming, press } from "./press.js";
import { plainText, renderText } from "./text.js";

/** Draw a static_select. */
export function staticSelect(element, site) {
  const chosen = element.initial_option?.value ?? "";
  const node = h(
    "select",
    { class: "select", ...naming(element, site), ...hooks(element, site) },
    h("option", { value: "", hidden: !site.clearable }, plainText(element.placeholder) || "Select an option"),
    selectOptions(element),
  );
  node.value = chosen;
  return changing(node, element, site, {
    read: () => node.value || null,
    write: (value) => {
      node.value = value ?? "";
    },
  });
}

function selectOptions(element) {
  const option = (each) => h("option", { value: each.value }, plainText(each.text));
  if (!element.option_groups) return (element.options ?? []).map(option);
  return element.option_groups.map((group) =>
    h("optgroup", { label: plainText(group.label) }, group.options.map(option)),
  );
}

/** Draw a datepicker. */
export function datepicker(element, site) {
  const node = h("input", {
    type: "date",
    class: "input input-date",
    value: element.initial_date,
    ...naming(element, site),
    ...hooks(element, site),
  });
  return changing(node, element, site, {
    read: () => node.value || null,
    write: (value) => {
      node.value = value ?? "";
    },
  });
}

/** Draw radio_buttons (kind "radio") or checkboxes (kind "checkbox"). */
export function choices(element, site, kind) {
  const name = freshId("choice");
  const first = new Set(
    [element.initial_option, ...(element.initial_options ?? [])]
      .filter(Boolean)
      .map((option) => option.value),
  );
  const node = h(
    "div",
    {
      class: "choices",
      role: kind === "radio" ? "radiogroup" : "group",
      "aria-labelledby": site.labelledBy,
      "aria-describedby": site.describedBy,
      "aria-label": site.labelledBy ? null : element.action_id,
      "data-action-id": element.action_id,
    },
    (element.options ?? []).map((option) =>
      choice(option, element, site, { kind, name, checked: first.has(option.value) }),
    ),
  );
  const boxes = () => [...node.querySelectorAll("input")];
  const picked = () =>
    boxes()
      .filter((box) => box.checked)
      .map((box) => box.value);
  const write = (value) =>
    boxes().forEach((box) => {
      box.checked = [value].flat().includes(box.value);
    });
  return changing(node, element, site, {
    read: () => (kind === "radio" ? (picked()[0] ?? null) : picked()),
    write,
  });
}

function choice(option, element, site, { kind, name, checked }) {
  const box = h("input", {
    type: kind,
    name,
    value: option.value,
    "data-focus-key": `${site.blockId}/${element.action_id}/${option.value}`,
  });
  box.checked = checked;
  const detail =
    option.description &&
    h("span", { class: "choice-detail" }, renderText(option.description, site.directory));
  return h(
    "label",
    { class: "choice" },
    box,
    h("span", {}, h("span", { class: "choice-text" }, renderText(option.text, site.directory)), detail),
  );
}

// A control that holds one value: registered as a field, and sent when it has changed unless it is quiet.
function changing(node, element, site, { read, write }) {
  const progress = { settled: read(), typing: false };
  const settle = (value) => {
    write(value);
    progress.settled = value;
  };
  registerField(node, { blockId: site.blockId, actionId: element.action_id, read, write: settle, progress });
  if (site.quiet) return node;
  onSettled(node, progress, async () => {
    if (JSON.stringify(read()) === JSON.stringify(progress.settled)) return;
    const before = progress.settled;
    progress.settled = read();
    await press(node, element, site, progress.settled, () => putBack(node, before));
  });
  return node;
}

// Browsers report a change at each key in a date or a closed select; only Enter or leaving it ends the typing.
function onSettled(node, progress, send) {
  const single = node.matches("select, input");
  node.addEventListener("pointerdown", () => {
    progress.typing = false;
  });
  node.addEventListener("keydown", (event) => {
    progress.typing = single && event.key !== "Enter";
    if (event.key === "Enter") send();
  });
  node.addEventListener("change", () => progress.typing || send());
  node.addEventListener("focusout", () => {
    if (progress.typing) send();
    progress.typing = false;
  });
}
