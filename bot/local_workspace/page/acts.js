// Everything that a person does on the page, as calls to the workspace.

import * as api from "./api.js";
import { heirOf } from "./dom.js";
import { readValues } from "./fields.js";

/**
 * Make the acts. directory() says for whom the page is drawn: everything is done as that person, even while the
 * page is changing to another one. refresh() fetches and draws the state, and is awaited after each call.
 * tell(sentence) shows a trouble whose own place is no longer there.
 * Acts resolve to a trouble sentence or null, submitView to {errors, trouble}.
 */
export function makeActs({ directory, refresh, tell }) {
  const attempt = (call) => attemptAnd(refresh, call);
  const troubleOf = async (call) => (await attempt(call)).trouble;
  const as = (body) => ({ user: directory().me, ...body });
  const inView = (view, element, blockId, value, values) => {
    const body = as({ view_id: view.id, ...used(element, blockId, value), values });
    return troubleOf(() => api.clickView(body));
  };
  return {
    messageSurface: (message) => ({ ...messageSurface(message, directory(), troubleOf), tell }),
    homeSurface: (view) => ({
      directory: directory(),
      tell,
      act: (element, blockId, value, node) => inView(view, element, blockId, value, valuesAround(node)),
    }),
    inView,
    submitView: async (view, values) => {
      const { result, trouble } = await attempt(() => api.submitView(as({ view_id: view.id, values })));
      return { errors: result?.errors ?? null, trouble };
    },
    closeView: (view, clear) => troubleOf(() => api.closeView(as({ view_id: view.id, clear }))),
    dismiss: (message) => troubleOf(() => api.dismiss(as({ channel: message.channel, ts: message.ts }))),
    openHome: (user) => troubleOf(() => api.openHome({ user })),
    send: (channel, thread, text) => send(as({ channel: channel.id, thread_ts: thread }), text, troubleOf),
  };
}

async function attemptAnd(refresh, call) {
  try {
    const result = await call();
    await refresh();
    return { result, trouble: result.trouble ?? null };
  } catch (problem) {
    if (!(problem instanceof api.ApiError)) throw problem;
    await refresh();
    return { result: null, trouble: problem.message };
  }
}

const used = (element, blockId, value) => ({ action_id: element.action_id, block_id: blockId, value });

// A person may answer a dialog after what lies behind it was drawn anew.
function valuesAround(node) {
  const root = (heirOf(node) ?? node).closest("[data-values-root]");
  return root ? readValues(root) : {};
}

function messageSurface(message, directory, troubleOf) {
  const place = { user: directory.me, channel: message.channel, ts: message.ts };
  const act = (element, blockId, value, node) =>
    troubleOf(() => api.click({ ...place, ...used(element, blockId, value), values: valuesAround(node) }));
  return { directory, act };
}

function send(where, text, troubleOf) {
  if (!text.startsWith("/")) return troubleOf(() => api.say({ ...where, text }));
  if (where.thread_ts) return "Slash commands do not work in threads. Use the channel's own line.";
  return troubleOf(() => api.slash({ ...where, command: text }));
}
