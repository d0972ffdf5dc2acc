// The interactive elements of Block Kit. Each gets a `site`: where it stands and what a press does.
//
// site = {blockId, directory, dispatch(element, value, node), confirm(object), quiet?, controlId?, labelledBy?, describedBy?}
//   dispatch sends the element's action; quiet inputs (those of input blocks) send nothing on change.

import { h, icon } from "./dom.js";
import { registerField } from "./fields.js";
import { openMenu } from "./menu.js";
import { plainText, renderText } from "./text.js";
import { unsupported } from "./unsupported.js";

const RENDERERS = {
  button,
  overflow,
  static_select: staticSelect,
  datepicker,
  radio_buttons: (element, site) => choices(element, site, "radio"),
  checkboxes: (element, site) => choices(element, site, "checkbox"),
  plain_text_input: textInput,
  number_input: numberInput,
};

let serial = 0;

/** A fresh id for tying labels and hints to controls. */
export function freshId(prefix) {
  serial += 1;
  return `${prefix}-${serial}`;
}

/** Render one element; a type that is not drawn becomes a red box. */
export function renderElement(element, site) {
  return Object.hasOwn(RENDERERS, element?.type) ? RENDERERS[element.type](element, site) : unsupported(element?.type);
}

function hooks(element, site) {
  return {
    "data-action-id": element.action_id, "data-block-id": site.blockId, "data-focus-key": `${site.blockId}/${element.action_id}`,
    "data-first": element.focus_on_load === true,
  };
}

function naming(element, site) {
  if (site.labelledBy) return { id: site.controlId, "aria-describedby": site.describedBy };
  return { "aria-label": plainText(element.placeholder) || element.action_id };
}

// Ask first where the element has a confirm dialog; `undo` puts the control back when the person cancels.
async function press(node, element, site, value, undo = () => {}) {
  if (element.confirm && !(await site.confirm(element.confirm))) {
    undo();
    return;
  }
  node.setAttribute("aria-busy", "true");
  await site.dispatch(element, value, node);
  node.removeAttribute("aria-busy");
}

function button(element, site) {
  const text = plainText(element.text);
  const style = ["primary", "danger"].includes(element.style) ? ` button-${element.style}` : "";
  const node = h("button", {
    type: "button", class: `button${style}`, title: text, "aria-label": element.accessibility_label, ...hooks(element, site),
    onclick: () => {
      if (/^https?:\/\//i.test(element.url ?? "")) window.open(element.url, "_blank", "noopener,noreferrer");
      press(node, element, site, undefined);
    },
  }, h("span", { class: "button-text" }, text));
  return node;
}

function overflow(element, site) {
  const choose = (option) => press(node, element, site, option.value);
  const node = h("button", {
    type: "button", class: "button button-overflow", "aria-label": "More actions", "aria-haspopup": "menu", "aria-expanded": "false",
    ...hooks(element, site), onclick: () => openMenu(node, (element.options ?? []).map((option) => menuItem(option, choose))),
  }, icon("dots"));
  return node;
}

function menuItem(option, choose) {
  return { label: plainText(option.text), detail: plainText(option.description), value: option.value, choose: () => choose(option) };
}

function staticSelect(element, site) {
  const chosen = element.initial_option?.value ?? "";
  const node = h("select", { class: "select", ...naming(element, site), ...hooks(element, site) },
    h("option", { value: "" }, plainText(element.placeholder) || "Select an option"), selectOptions(element));
  node.value = chosen;
  return changing(node, element, site, { read: () => node.value || null, write: (value) => { node.value = value ?? ""; } });
}

function selectOptions(element) {
  const option = (each) => h("option", { value: each.value }, plainText(each.text));
  if (!element.option_groups) return (element.options ?? []).map(option);
  return element.option_groups.map((group) => h("optgroup", { label: plainText(group.label) }, group.options.map(option)));
}

function datepicker(element, site) {
  const node = h("input", { type: "date", class: "input input-date", value: element.initial_date, ...naming(element, site), ...hooks(element, site) });
  return changing(node, element, site, { read: () => node.value || null, write: (value) => { node.value = value ?? ""; } });
}

function choices(element, site, kind) {
  const name = freshId("choice");
  const first = new Set([element.initial_option, ...(element.initial_options ?? [])].filter(Boolean).map((option) => option.value));
  const node = h("div", {
    class: "choices", role: kind === "radio" ? "radiogroup" : "group", "aria-labelledby": site.labelledBy,
    "aria-describedby": site.describedBy, "aria-label": site.labelledBy ? null : element.action_id, "data-action-id": element.action_id,
  }, (element.options ?? []).map((option) => choice(option, element, site, { kind, name, checked: first.has(option.value) })));
  const boxes = () => [...node.querySelectorAll("input")];
  const picked = () => boxes().filter((box) => box.checked).map((box) => box.value);
  const write = (value) => boxes().forEach((box) => { box.checked = [value].flat().includes(box.value); });
  return changing(node, element, site, { read: () => (kind === "radio" ? picked()[0] ?? null : picked()), write });
}

function choice(option, element, site, { kind, name, checked }) {
  const box = h("input", { type: kind, name, value: option.value, "data-focus-key": `${site.blockId}/${element.action_id}/${option.value}` });
  box.checked = checked;
  const detail = option.description && h("span", { class: "choice-detail" }, renderText(option.description, site.directory));
  return h("label", { class: "choice" }, box, h("span", {}, h("span", { class: "choice-text" }, renderText(option.text, site.directory)), detail));
}

// A control that holds one value: registered as a field, and sent on change unless it is quiet.
function changing(node, element, site, { read, write }) {
  let settled = read();
  const settle = (value) => { write(value); settled = value; };
  registerField(node, { blockId: site.blockId, actionId: element.action_id, read, write: settle });
  if (!site.quiet) {
    node.addEventListener("change", async () => {
      await press(node, element, site, read(), () => write(settled));
      settled = read();
    });
  }
  return node;
}

function textInput(element, site) {
  const shared = { class: "input", placeholder: plainText(element.placeholder), minlength: element.min_length, maxlength: element.max_length };
  const attrs = { ...shared, ...naming(element, site), ...hooks(element, site) };
  const node = element.multiline ? h("textarea", { rows: 4, ...attrs }) : h("input", { type: "text", autocomplete: "off", ...attrs });
  node.value = element.initial_value ?? "";
  return typing(node, element, site);
}

function numberInput(element, site) {
  const node = h("input", {
    type: "text", inputmode: element.is_decimal_allowed ? "decimal" : "numeric", autocomplete: "off", class: "input input-number",
    placeholder: plainText(element.placeholder), ...naming(element, site), ...hooks(element, site),
  });
  node.value = element.initial_value ?? "";
  return typing(node, element, site);
}

function typing(node, element, site) {
  const read = () => node.value || null;
  registerField(node, { blockId: site.blockId, actionId: element.action_id, read, write: (value) => { node.value = value ?? ""; } });
  if (!site.quiet) {
    const triggers = element.dispatch_action_config?.trigger_actions_on ?? ["on_enter_pressed"];
    if (triggers.includes("on_character_entered")) node.addEventListener("input", () => press(node, element, site, read()));
    if (triggers.includes("on_enter_pressed")) node.addEventListener("keydown", (event) => event.key === "Enter" && press(node, element, site, read()));
  }
  return node;
}
