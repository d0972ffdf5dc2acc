// What Slack would have shown the person when the app answered late, wrongly or not at all.

import { clockTime } from "./dates.js";
import { h, icon, iconButton, reconcile } from "./dom.js";

const SHOWN = 3;

/** Make the list of trouble banners; what was dismissed stays away. Return show(troubles). */
export function makeTroubles(node) {
  let dismissedUpTo = 0;
  let latest = [];
  function show(troubles) {
    latest = troubles;
    const fresh = troubles.filter((trouble) => trouble.id > dismissedUpTo).slice(-SHOWN);
    reconcile(
      node,
      fresh.map((trouble) => ({
        key: `trouble-${trouble.id}`,
        signature: trouble.text,
        build: () => banner(trouble, dismiss),
      })),
    );
  }
  function dismiss(trouble) {
    dismissedUpTo = Math.max(dismissedUpTo, trouble.id);
    show(latest);
  }
  return show;
}

function banner(trouble, dismiss) {
  return h(
    "div",
    { class: "trouble", "data-testid": "trouble", "data-kind": trouble.kind },
    icon("alert"),
    h("p", {}, trouble.text, " ", h("time", { class: "muted" }, clockTime(trouble.at))),
    iconButton("close", "Dismiss", { "data-testid": "trouble-dismiss", onclick: () => dismiss(trouble) }),
  );
}
