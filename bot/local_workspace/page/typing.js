// Lines of text and numbers.

import { h } from "./dom.js";
import { registerField } from "./fields.js";
import { hooks, naming, press } from "./press.js";
import { plainText } from "./text.js";

/** Draw a plain_text_input of one or several lines; words that are too many are refused, never cut off. */
export function textInput(element, site) {
  const placeholder = plainText(element.placeholder);
  const attrs = { class: "input", placeholder, ...naming(element, site), ...hooks(element, site) };
  const node = element.multiline
    ? h("textarea", { rows: 4, ...attrs })
    : h("input", { type: "text", autocomplete: "off", ...attrs });
  node.value = element.initial_value ?? "";
  return typing(node, element, site);
}

/** Draw a number_input; it stays text, so that a number is sent exactly as it was typed. */
export function numberInput(element, site) {
  const node = h("input", {
    type: "text",
    inputmode: element.is_decimal_allowed ? "decimal" : "numeric",
    autocomplete: "off",
    class: "input input-number",
    placeholder: plainText(element.placeholder),
    ...naming(element, site),
    ...hooks(element, site),
  });
  node.value = element.initial_value ?? "";
  return typing(node, element, site);
}

function typing(node, element, site) {
  const read = () => node.value || null;
  registerField(node, {
    blockId: site.blockId,
    actionId: element.action_id,
    read,
    write: (value) => {
      node.value = value ?? "";
    },
  });
  if (!site.quiet) sendWhileTyping(node, element, () => press(node, element, site, read()));
  return node;
}

function sendWhileTyping(node, element, send) {
  const triggers = element.dispatch_action_config?.trigger_actions_on ?? ["on_enter_pressed"];
  if (triggers.includes("on_character_entered")) node.addEventListener("input", send);
  if (!triggers.includes("on_enter_pressed")) return;
  node.addEventListener("keydown", (event) => event.key === "Enter" && send());
}
