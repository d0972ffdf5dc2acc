// A pop-up menu beside a button, worked by mouse, touch or keyboard.

import { h } from "./dom.js";

/** Open a menu at `anchor`. Items are {label, detail, value, choose()}; Escape or a press elsewhere closes it. */
export function openMenu(anchor, items) {
  const menu = h(
    "div",
    { class: "menu", role: "menu", "data-testid": "menu" },
    items.map((item) => entry(item, () => finish(item.choose))),
  );
  const entries = [...menu.children];
  const outside = (event) => !menu.contains(event.target) && finish();
  function finish(choose) {
    menu.remove();
    document.removeEventListener("pointerdown", outside, true);
    anchor.setAttribute("aria-expanded", "false");
    anchor.focus();
    choose?.();
  }
  menu.addEventListener("keydown", (event) => onKey(event, entries, finish));
  document.addEventListener("pointerdown", outside, true);
  document.getElementById("layer").append(menu);
  anchor.setAttribute("aria-expanded", "true");
  place(menu, anchor);
  entries[0]?.focus();
}

function entry(item, onclick) {
  return h(
    "button",
    { type: "button", role: "menuitem", class: "menu-item", "data-value": item.value, onclick },
    h("span", {}, item.label),
    item.detail && h("span", { class: "menu-detail" }, item.detail),
  );
}

function onKey(event, entries, finish) {
  const at = entries.indexOf(document.activeElement);
  const target = { ArrowDown: at + 1, ArrowUp: at - 1 + entries.length, Home: 0, End: entries.length - 1 }[
    event.key
  ];
  if (target !== undefined) entries[target % entries.length].focus();
  else if (event.key === "Escape" || event.key === "Tab") finish();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function place(menu, anchor) {
  const at = anchor.getBoundingClientRect();
  const size = menu.getBoundingClientRect();
  const below = at.bottom + 4 + size.height <= window.innerHeight;
  menu.style.top = `${below ? at.bottom + 4 : Math.max(4, at.top - 4 - size.height)}px`;
  menu.style.left = `${Math.max(8, Math.min(at.left, window.innerWidth - size.width - 8))}px`;
}
