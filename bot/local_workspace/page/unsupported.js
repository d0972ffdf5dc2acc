// What the page cannot draw is said out loud, never left out.

import { h } from "./dom.js";

/** A red box that names the type of a block or element that this page does not draw. */
export function unsupported(type, problem = "is not drawn here") {
  return h(
    "div",
    { class: "unsupported", "data-testid": "unsupported", "data-type": String(type) },
    h("code", {}, String(type)),
    ` ${problem}`,
  );
}
