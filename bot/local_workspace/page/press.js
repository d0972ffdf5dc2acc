// What every element has in common: its hooks, its name, and the way from a press to the app.
//
// A `site` says where an element stands and what a press does:
//   {blockId, directory, dispatch(element, value, node), confirm(object)} and, in input blocks, also
//   {controlId, labelledBy, describedBy, quiet, clearable}. A quiet input sends nothing by itself; a clearable
//   select can be put back to nothing.

import { plainText } from "./text.js";

let serial = 0;

/** A fresh id for tying labels and hints to controls. */
export function freshId(prefix) {
  serial += 1;
  return `${prefix}-${serial}`;
}

/** The attributes by which the page and its tests find an element again. */
export function hooks(element, site) {
  return {
    "data-action-id": element.action_id,
    "data-block-id": site.blockId,
    "data-focus-key": `${site.blockId}/${element.action_id}`,
    "data-first": element.focus_on_load === true,
  };
}

/** The attributes that give a control its accessible name. */
export function naming(element, site) {
  if (site.labelledBy) return { id: site.controlId, "aria-describedby": site.describedBy };
  return { "aria-label": plainText(element.placeholder) || element.action_id };
}

/** Send an element's value, asking first where it has a confirm dialog; `undo` puts the control back on "no". */
export async function press(node, element, site, value, undo = () => {}) {
  if (element.confirm && !(await site.confirm(element.confirm))) {
    undo();
    return;
  }
  node.setAttribute("aria-busy", "true");
  await site.dispatch(element, value, node);
  node.removeAttribute("aria-busy");
}
