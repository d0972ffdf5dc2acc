// Builds DOM nodes. Data only ever becomes text nodes and attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element. `attrs` keys starting with "on" are listeners; null, false and undefined are left out. */
export function h(tag, attrs = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs ?? {})) setAttribute(node, name, value);
  node.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return node;
}

function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
  else node.setAttribute(name, value === true ? "" : String(value));
}

const ICONS = {
  close: "M5 5 L15 15 M15 5 L5 15",
  menu: "M3 5.5 H17 M3 10 H17 M3 14.5 H17",
  dots: "M4.5 10 h.01 M10 10 h.01 M15.5 10 h.01",
  back: "M12.5 4.5 L7 10 L12.5 15.5",
  send: "M3.5 10 H14 M9.5 5.5 L14.5 10 L9.5 14.5",
  lock: "M5.5 9.5 H14.5 V16 H5.5 Z M7.5 9.5 V6.5 a2.5 2.5 0 0 1 5 0 V9.5",
  hash: "M4 7.5 H16.5 M3.5 12.5 H16 M8.5 3.5 L6.5 16.5 M13.5 3.5 L11.5 16.5",
  home: "M3.5 9.5 L10 4 L16.5 9.5 M5.5 8.5 V16 H14.5 V8.5",
  file: "M6 3.5 H11.5 L14.5 6.5 V16.5 H6 Z M11.5 3.5 V6.5 H14.5",
  reply: "M4 4.5 H16 V13 H9.5 L6.5 16 V13 H4 Z",
  eye: "M2.5 10 C5 5.8 15 5.8 17.5 10 C15 14.2 5 14.2 2.5 10 Z M10 8 a2 2 0 1 0 .01 0",
  alert: "M10 3.5 L17.5 16.5 H2.5 Z M10 8.5 V12 M10 14.2 h.01",
  chat: "M3.5 4.5 H16.5 V13.5 H8.5 L5 16.5 V13.5 H3.5 Z",
};

/** Make a decorative icon by name; it is hidden from assistive technology. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  const attrs = {
    viewBox: "0 0 20 20",
    "aria-hidden": "true",
    focusable: "false",
    class: `icon icon-${name}`,
  };
  for (const [key, value] of Object.entries(attrs)) svg.setAttribute(key, value);
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** Make a button that shows only an icon; `label` is its accessible name. */
export function iconButton(name, label, attrs = {}) {
  return h(
    "button",
    { type: "button", class: "icon-button", "aria-label": label, title: label, ...attrs },
    icon(name),
  );
}

/**
 * Bring `parent`'s children in line with `items`, keeping the node of every item whose signature is unchanged.
 *
 * Kept nodes are not touched at all, so what a person typed, selected or focused in them stays.
 * `items` is a list of {key, signature, build(previousNode | null)}.
 */
export function reconcile(parent, items) {
  const restoreFocus = rememberFocus(parent);
  const before = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  removeAllBut(new Set(items.map((item) => item.key)), before);
  let place = parent.firstElementChild;
  for (const item of items) {
    const previous = before.get(item.key) ?? null;
    const node = keepOrBuild(previous, item);
    if (previous && previous !== node) {
      if (place === previous) place = node;
      previous.replaceWith(node);
    }
    if (place === node) place = node.nextElementSibling;
    else parent.insertBefore(node, place);
  }
  restoreFocus();
}

// What is gone leaves first: then nothing that stays has to move, and a moved node loses the focus.
function removeAllBut(wanted, before) {
  for (const [key, node] of before) if (!wanted.has(key)) node.remove();
}

// A replaced node's successor takes over the focus and the caret, found by its data-focus-key.
function rememberFocus(parent) {
  const active = document.activeElement;
  const key = parent.contains(active) ? active.dataset.focusKey : undefined;
  if (!key) return () => {};
  const { selectionStart, selectionEnd } = active;
  return () => {
    if (document.activeElement === active) return;
    const heir = active.isConnected ? active : byFocusKey(parent, key);
    heir?.focus({ preventScroll: true });
    if (heir && typeof selectionStart === "number" && typeof heir.selectionStart === "number")
      heir.setSelectionRange(selectionStart, selectionEnd);
  };
}

function keepOrBuild(previous, item) {
  if (previous && previous.dataset.signature === item.signature) return previous;
  const node = item.build(previous);
  if (previous && previous !== node) heirs.set(previous, node);
  node.dataset.key = item.key;
  node.dataset.signature = item.signature;
  return node;
}

const heirs = new WeakMap();
const byFocusKey = (root, key) => root.querySelector(`[data-focus-key="${CSS.escape(key)}"]`);
const byField = (root, field) => root.querySelector(`[data-field="${CSS.escape(field)}"]`);

/**
 * Find what stands now where the control `node` stood when a person used it: the node itself, the same control in
 * what was built anew around it, else all that was built anew; null where that is gone.
 */
export function heirOf(node) {
  if (node.isConnected) return node;
  let old = node;
  while (old && !heirs.has(old)) old = old.parentElement;
  if (!old) return null;
  const root = heirs.get(old);
  const { focusKey, field } = node.dataset;
  return heirOf((focusKey && byFocusKey(root, focusKey)) || (field && byField(root, field)) || root);
}

/** A short, stable fingerprint of any JSON value, for `reconcile`. */
export function signatureOf(value) {
  const text = JSON.stringify(value) ?? "";
  let hash = 5381;
  for (let i = 0; i < text.length; i += 1) hash = ((hash * 33) ^ text.charCodeAt(i)) >>> 0;
  return `${text.length}.${hash.toString(36)}`;
}
