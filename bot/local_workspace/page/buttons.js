// Buttons and overflow menus.

import { h, icon } from "./dom.js";
import { openMenu } from "./menu.js";
import { hooks, press } from "./press.js";
import { plainText } from "./text.js";

/** Draw a button; one with an address also opens it. */
export function button(element, site) {
  const text = plainText(element.text);
  const style = ["primary", "danger"].includes(element.style) ? ` button-${element.style}` : "";
  const node = h(
    "button",
    {
      type: "button",
      class: `button${style}`,
      title: text,
      "aria-label": element.accessibility_label,
      ...hooks(element, site),
      onclick: () => {
        if (/^https?:\/\//i.test(element.url ?? ""))
          window.open(element.url, "_blank", "noopener,noreferrer");
        press(node, element, site, undefined);
      },
    },
    h("span", { class: "button-text" }, text),
  );
  return node;
}

/** Draw a button that opens a menu. */
export function overflow(element, site) {
  const choose = (option) => press(node, element, site, option.value);
  const node = h(
    "button",
    {
      type: "button",
      class: "button button-overflow",
      "aria-label": "More actions",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      ...hooks(element, site),
      onclick: () =>
        openMenu(
          node,
          (element.options ?? []).map((option) => menuItem(option, choose)),
        ),
    },
    icon("dots"),
  );
  return node;
}

function menuItem(option, choose) {
  return {
    label: plainText(option.text),
    detail: plainText(option.description),
    value: option.value,
    choose: () => choose(option),
  };
}
