// The person's stack of modals: the top one is shown, those below keep what was typed.

import { blockItems, showErrors } from "./blocks.js";
import { focusables, openDialog } from "./dialogs.js";
import { h, iconButton, reconcile, signatureOf } from "./dom.js";
import { readValues } from "./fields.js";
import { plainText } from "./text.js";

/**
 * Make the modal stack. desk = {directory(), act(view, element, blockId, value, values), submit(view, values), close(view, clear)}.
 * submit resolves to {errors, trouble}. Return show(views, me), to be called with every state.
 */
export function makeModalStack(desk) {
  const known = new Map();
  let front = null;
  return function show(views, me) {
    const mine = new Set(views.map((view) => view.id));
    for (const [id, modal] of known) if (modal.owner === me && !mine.has(id)) known.delete(id);
    const top = views.at(-1) ?? null;
    if (front && front.view.id !== top?.id) {
      leave(front);
      front = null;
    }
    if (!top) return;
    const modal = known.get(top.id) ?? makeModal(top, me);
    known.set(top.id, modal);
    update(modal, top, views.length, desk);
    if (!front) enter(modal, desk);
    else if (document.activeElement === document.body) modal.node.focus();
    front = modal;
  };
}

function makeModal(view, owner) {
  const parts = {
    head: h("header", { class: "dialog-head" }),
    trouble: h("p", { class: "trouble-line", role: "alert", hidden: true, "data-testid": "modal-trouble" }),
    body: h("div", { class: "dialog-body", "data-values-root": true }),
    foot: h("footer", { class: "dialog-foot" }),
  };
  const node = h(
    "form",
    {
      class: "dialog modal",
      role: "dialog",
      "aria-modal": "true",
      tabindex: "-1",
      novalidate: true,
      "data-testid": "modal",
      "data-view-id": view.id,
    },
    parts.head,
    parts.trouble,
    parts.body,
    parts.foot,
  );
  return { view, owner, node, ...parts, handle: null, lastFocus: null, errors: null, pending: false };
}

function enter(modal, desk) {
  modal.node.onsubmit = (event) => {
    event.preventDefault();
    submit(modal, desk);
  };
  modal.node.onkeydown = (event) => shortcuts(event, modal, desk);
  const focus = modal.node.contains(modal.lastFocus) ? modal.lastFocus : null;
  modal.handle = openDialog(modal.node, { escape: () => close(modal, desk, false), focus });
  if (!focus) firstField(modal)?.focus();
}

function leave(modal) {
  modal.lastFocus = modal.node.contains(document.activeElement) ? document.activeElement : null;
  modal.handle.close();
  modal.handle = null;
}

function firstField(modal) {
  const fields = focusables(modal.body).filter((control) => control.matches("input, textarea, select"));
  return fields.find((field) => "first" in field.dataset) ?? fields[0] ?? null;
}

// Enter alone never submits: the answer may be a consent.
function shortcuts(event, modal, desk) {
  if (event.key !== "Enter" || !event.target.matches("input")) return;
  event.preventDefault();
  if (event.ctrlKey || event.metaKey) submit(modal, desk);
}

function update(modal, view, depth, desk) {
  if (modal.view.hash !== view.hash) modal.errors = null;
  modal.view = view;
  modal.node.setAttribute("aria-label", plainText(view.title));
  reconcile(modal.head, [headItem(modal, view, depth, desk)]);
  reconcile(modal.body, blockItems(view.blocks, surface(modal, desk)));
  reconcile(modal.foot, [footItem(modal, view, desk)]);
  // What is wrong is shown once it is the answer's turn, together with the focus and a form that can be sent again.
  if (!modal.pending) showErrors(modal.body, { ...view.errors, ...modal.errors });
}

function surface(modal, desk) {
  return {
    directory: desk.directory(),
    tell: (sentence) => tell(modal, sentence),
    act: (element, blockId, value) => desk.act(modal.view, element, blockId, value, readValues(modal.body)),
  };
}

function headItem(modal, view, depth, desk) {
  const build = () =>
    h(
      "div",
      { class: "dialog-head-row" },
      depth > 1 &&
        iconButton("back", "Back", {
          "data-testid": "modal-back",
          "data-focus-key": "modal-back",
          onclick: () => close(modal, desk, false),
        }),
      h("h2", { class: "dialog-title" }, plainText(view.title)),
      iconButton("close", depth > 1 ? "Close all" : "Close", {
        "data-testid": "modal-x",
        "data-focus-key": "modal-x",
        onclick: () => close(modal, desk, depth > 1),
      }),
    );
  return { key: "head", signature: signatureOf([view.title, depth]), build };
}

function footItem(modal, view, desk) {
  const build = () =>
    h(
      "div",
      { class: "dialog-foot-row" },
      h(
        "button",
        {
          type: "button",
          class: "button",
          "data-testid": "modal-close",
          "data-focus-key": "modal-close",
          onclick: () => close(modal, desk, false),
        },
        plainText(view.close) || (view.submit ? "Cancel" : "Close"),
      ),
      view.submit &&
        h(
          "button",
          {
            type: "submit",
            class: "button button-primary solid",
            disabled: view.submit_disabled,
            "aria-busy": modal.pending ? "true" : null,
            "data-testid": "modal-submit",
            "data-focus-key": "modal-submit",
          },
          plainText(view.submit),
        ),
    );
  return {
    key: "foot",
    signature: signatureOf([view.submit, view.close, view.submit_disabled, modal.pending]),
    build,
  };
}

async function submit(modal, desk) {
  if (modal.pending || !modal.view.submit || modal.view.submit_disabled) return;
  setPending(modal, desk, true);
  const { errors, trouble } = await desk.submit(modal.view, readValues(modal.body));
  modal.errors = errors;
  tell(modal, trouble);
  setPending(modal, desk, false);
  const wrong = showErrors(modal.body, errors ?? {});
  if (wrong) focusables(wrong)[0]?.focus();
}

async function close(modal, desk, all) {
  tell(modal, await desk.close(modal.view, all));
}

function tell(modal, sentence) {
  modal.trouble.textContent = sentence ?? "";
  modal.trouble.hidden = !sentence;
}

function setPending(modal, desk, pending) {
  modal.pending = pending;
  reconcile(modal.foot, [footItem(modal, modal.view, desk)]);
}
