// Draws Block Kit blocks. A surface says who reads, and what happens when an element is used.
//
// surface = {directory, act(element, blockId, value, node), tell(sentence)}; act resolves to a trouble sentence or
// null, and tell shows it where the block is gone.

import { confirmDialog } from "./dialogs.js";
import { h, heirOf, signatureOf } from "./dom.js";
import { renderElement } from "./elements.js";
import { carryValues } from "./fields.js";
import { freshId } from "./press.js";
import { renderRichText } from "./richtext.js";
import { plainText, renderText } from "./text.js";
import { unsupported } from "./unsupported.js";

const RENDERERS = {
  header: (block) => h("h3", { class: "block-header" }, plainText(block.text)),
  section,
  context,
  divider: () => h("hr", {}),
  actions: (block, surface) => h("div", { class: "block-actions" }, elements(block, surface)),
  rich_text: (block, surface) => renderRichText(block, surface.directory),
  input,
};

/** Say how to draw `blocks` as items for `reconcile`; inputs that stay keep what was typed. */
export function blockItems(blocks, surface) {
  return (blocks ?? []).map((block, index) => ({
    key: block.block_id || `#${index}`,
    signature: signatureOf([block, surface.directory.signature]),
    build: (previous) => carryValues(previous, renderBlock(block, surface)),
  }));
}

/** Draw one block; an unknown type, or a block that cannot be drawn, becomes a red box. */
export function renderBlock(block, surface) {
  const attrs = {
    class: `block block-type-${block.type}`,
    "data-block-id": block.block_id,
    "data-block-type": block.type,
  };
  return h(
    "div",
    attrs,
    Object.hasOwn(RENDERERS, block.type) ? guarded(block, surface) : unsupported(block.type),
  );
}

function guarded(block, surface) {
  try {
    return RENDERERS[block.type](block, surface);
  } catch (problem) {
    return unsupported(block.type, `cannot be drawn: ${problem.message}`);
  }
}

function siteFor(block, surface, extra = {}) {
  return {
    blockId: block.block_id ?? "",
    directory: surface.directory,
    confirm: (object) => confirmDialog(object, surface.directory),
    dispatch: async (element, value, node) =>
      showTrouble(node, await surface.act(element, block.block_id, value, node), surface),
    ...extra,
  };
}

/** Show, or clear, the warning under the block in which an element was used, however often it was drawn since. */
function showTrouble(node, sentence, surface) {
  const now = heirOf(node);
  const block = now?.closest(".block") ?? now?.querySelector(".message-body") ?? now;
  block?.querySelector(":scope > .trouble-line")?.remove();
  if (!sentence) return;
  if (!block) surface.tell(sentence);
  else block.append(h("p", { class: "trouble-line", role: "alert", "data-testid": "trouble-line" }, sentence));
}

function elements(block, surface) {
  return (block.elements ?? []).map((element) => renderElement(element, siteFor(block, surface)));
}

function section(block, surface) {
  const fields = (block.fields ?? []).map((field) =>
    h("div", { class: "field" }, renderText(field, surface.directory)),
  );
  const text = h(
    "div",
    { class: "section-text" },
    block.text && h("div", { class: "text" }, renderText(block.text, surface.directory)),
    fields.length > 0 && h("div", { class: "fields" }, fields),
  );
  const accessory =
    block.accessory &&
    h("div", { class: "section-accessory" }, renderElement(block.accessory, siteFor(block, surface)));
  return h("div", { class: "block-section" }, text, accessory);
}

function context(block, surface) {
  const parts = (block.elements ?? []).map((element) => {
    const text = element.type === "mrkdwn" || element.type === "plain_text";
    return text
      ? h("span", { class: "context-text" }, renderText(element, surface.directory))
      : unsupported(element.type);
  });
  return h("div", { class: "block-context" }, parts);
}

function input(block, surface) {
  const ids = { controlId: freshId("control"), labelledBy: freshId("label"), describedBy: freshId("about") };
  const group = ["radio_buttons", "checkboxes"].includes(block.element?.type);
  const label = h(
    group ? "div" : "label",
    { class: "input-label", id: ids.labelledBy, for: group ? null : ids.controlId },
    plainText(block.label),
    block.optional && h("span", { class: "optional" }, " (optional)"),
  );
  const control = renderElement(
    block.element,
    siteFor(block, surface, {
      ...ids,
      quiet: block.dispatch_action !== true,
      clearable: block.optional === true,
    }),
  );
  const hint = block.hint && h("p", { class: "hint" }, plainText(block.hint));
  const about = h(
    "div",
    { id: ids.describedBy },
    hint,
    h("p", { class: "input-error", "data-testid": "input-error", hidden: true }),
  );
  return h("div", { class: "block-input" }, label, control, about);
}

/** Show errors under the input blocks they name, and clear the others. Return the first wrong block, or null. */
export function showErrors(root, errors) {
  let first = null;
  for (const block of root.querySelectorAll(".block-type-input")) {
    const problem = errors?.[block.dataset.blockId] ?? null;
    const line = block.querySelector(".input-error");
    line.textContent = problem ?? "";
    line.hidden = problem === null;
    block.classList.toggle("wrong", problem !== null);
    block
      .querySelectorAll("input, select, textarea")
      .forEach((control) => control.setAttribute("aria-invalid", String(problem !== null)));
    if (problem !== null) first ??= block;
  }
  return first;
}
