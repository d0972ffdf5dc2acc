// The interactive elements of Block Kit, by type.

import { button, overflow } from "./buttons.js";
import { choices, datepicker, staticSelect } from "./pickers.js";
import { numberInput, textInput } from "./typing.js";
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

/** Draw one element at a site (see press.js); a type that is not drawn becomes a red box. */
export function renderElement(element, site) {
  return Object.hasOwn(RENDERERS, element?.type)
    ? RENDERERS[element.type](element, site)
    : unsupported(element?.type);
}
