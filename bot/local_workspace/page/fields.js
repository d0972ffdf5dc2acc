// Remembers which node holds which input, so that values can be read, carried over and shown as wrong.

import { heirOf } from "./dom.js";

const FIELDS = new WeakMap();

/**
 * Register `node` as the input `field`: {blockId, actionId, read(), write(value), progress}. Return the node.
 * What a control knows of a change that was not sent yet, it keeps in `progress`; a successor goes on with it.
 */
export function registerField(node, field) {
  node.dataset.field = `${field.blockId}/${field.actionId}`;
  FIELDS.set(node, { ...field, initial: JSON.stringify(field.read()) });
  return node;
}

function fieldsIn(root) {
  return [...root.querySelectorAll("[data-field]")].map((node) => FIELDS.get(node));
}

/** Read every input under `root` as {block_id: {action_id: value}}. */
export function readValues(root) {
  const values = {};
  for (const field of fieldsIn(root)) {
    values[field.blockId] ??= {};
    values[field.blockId][field.actionId] = field.read();
  }
  return values;
}

/** Carry what a person has put in from a node that is about to be replaced into its successor. */
export function carryValues(before, after) {
  if (!before) return after;
  const known = new Map(fieldsIn(before).map((field) => [`${field.blockId}/${field.actionId}`, field]));
  for (const field of fieldsIn(after)) {
    const old = known.get(`${field.blockId}/${field.actionId}`);
    if (!old || JSON.stringify(old.read()) === old.initial) continue;
    field.write(old.read());
    if (field.progress && old.progress) {
      Object.assign(field.progress, old.progress);
      old.progress.typing = false; // it loses the focus with its node, and that ends no typing
    }
  }
  return after;
}

/** Put a value into an input, or into the one that stands in its place now. */
export const putBack = (node, value) => FIELDS.get(heirOf(node))?.write(value);
