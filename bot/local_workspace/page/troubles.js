// What Slack would have shown the person when the app answered late, wrongly or not at all.

import { clockTime } from "./dates.js";
import { h, icon, iconButton, reconcile } from "./dom.js";

const SHOWN = 3;

/**
 * Make the list of trouble banners; what was dismissed stays away.
 * Return {show(troubles), tell(sentence)}: the workspace's own, and one that only this page knows.
 */
export function makeTroubles(node) {
  let dismissedUpTo = 0; // a time: a workspace that was started again counts its troubles from the first
  let latest = [];
  const told = [];
  function show(troubles) {
    latest = troubles;
    const fresh = [...troubles, ...told]
      .filter((trouble) => trouble.at > dismissedUpTo)
      .sort((a, b) => a.at - b.at)
      .slice(-SHOWN);
    reconcile(
      node,
      fresh.map((trouble) => ({
        key: `trouble-${trouble.at}`,
        signature: trouble.text,
        build: () => banner(trouble, dismiss),
      })),
    );
  }
  function dismiss(trouble) {
    dismissedUpTo = Math.max(dismissedUpTo, trouble.at);
    show(latest);
  }
  function tell(sentence) {
    told.push({ at: Date.now() / 1000, kind: "page", text: sentence });
    show(latest);
  }
  return { show, tell };
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
