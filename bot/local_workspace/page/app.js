// The page's start: who is reading, what is shown, and what goes to the workspace.

import * as api from "./api.js";
import { makeDirectory } from "./directory.js";
import { readValues } from "./fields.js";
import { makeModalStack } from "./modals.js";
import { makeUnread, readAddress, writeAddress } from "./place.js";
import { showPeople, showSidebar } from "./sidebar.js";
import { makeStage } from "./stage.js";
import { makeTroubles } from "./troubles.js";

const byId = (id) => document.getElementById(id);
const app = { linked: null, me: null, place: { kind: "channel", id: null }, thread: null, state: null, directory: null, running: null, again: false };
const unread = makeUnread();

/** Run a call to the workspace; resolve to {result, trouble}, where trouble is a sentence or null. */
async function attempt(call) {
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

const troubleOf = async (call) => (await attempt(call)).trouble;

// Everything is done as the person for whom it was drawn, even while the page is changing to another one.
const reader = () => app.directory.me;

function messageSurface(message) {
  const user = reader();
  const act = (element, blockId, value, node) => {
    const values = readValues(node.closest("[data-values-root]"));
    return troubleOf(() => api.click({ user, channel: message.channel, ts: message.ts, action_id: element.action_id, block_id: blockId, value, values }));
  };
  return { directory: app.directory, act };
}

function actInView(view, element, blockId, value, values) {
  return troubleOf(() => api.clickView({ user: reader(), view_id: view.id, action_id: element.action_id, block_id: blockId, value, values }));
}

function homeSurface(view) {
  const act = (element, blockId, value, node) => actInView(view, element, blockId, value, readValues(node.closest("[data-values-root]")));
  return { directory: app.directory, act };
}

async function submitView(view, values) {
  const { result, trouble } = await attempt(() => api.submitView({ user: reader(), view_id: view.id, values }));
  return { errors: result?.errors ?? null, trouble };
}

function send(channel, thread, text) {
  const where = { user: reader(), channel: channel.id, thread_ts: thread };
  if (!text.startsWith("/")) return troubleOf(() => api.say({ ...where, text }));
  if (thread) return Promise.resolve("Slash commands do not work in threads. Use the channel's own line.");
  return troubleOf(() => api.slash({ ...where, command: text }));
}

const stage = makeStage({
  send, messageSurface, homeSurface, directory: () => app.directory, openThread, openNav: () => showNav(true),
  dismiss: (message) => attempt(() => api.dismiss({ user: reader(), channel: message.channel, ts: message.ts })),
});
const modals = makeModalStack({
  directory: () => app.directory, act: actInView, submit: submitView,
  close: (view, clear) => attempt(() => api.closeView({ user: reader(), view_id: view.id, clear })),
});
const troubles = makeTroubles(byId("troubles"));

/** Fetch the state and draw it. One fetch at a time; a change during a fetch brings another one after it. */
async function refresh() {
  if (app.running) {
    app.again = true;
    return app.running;
  }
  app.running = refreshUntilQuiet().finally(() => { app.running = null; });
  return app.running;
}

async function refreshUntilQuiet() {
  do {
    app.again = false;
    const state = await fetchFor(app.me);
    showLine(state !== null);
    if (state && state.as_user === app.me) draw(state);
    else if (state) app.again = true;
  } while (app.again);
}

// Somebody who is no longer there is nobody: the state for nobody tells who there is to be.
async function fetchFor(me) {
  try {
    return await api.fetchState(me);
  } catch (problem) {
    if (problem.code !== "user_not_found") return null;
    app.me = null;
    return fetchFor(null);
  }
}

function draw(state) {
  app.state = state;
  if (!chooseWho(state)) return;
  app.directory = makeDirectory(state, app.me);
  choosePlace(state);
  byId("notice").textContent = state.notice;
  unread.note(app.me, state.channels);
  unread.see(app.me, state.channels.find((channel) => channel.id === app.place.id));
  showPeople(byId("person"), byId("person-detail"), state, app.me);
  showSidebar(byId("sidebar"), { ...app, isUnread: (channel) => unread.isUnread(app.me, channel), go });
  stage({ state, place: app.place, thread: app.thread });
  troubles(state.troubles);
  modals(state.views, app.me);
  if (app.linked) goToLinked();
  document.body.dataset.counter = state.counter;
}

function chooseWho(state) {
  const able = state.users.filter((user) => user.can_act);
  const wanted = able.find((user) => user.id === app.me) ?? able[0];
  if (wanted && state.as_user === wanted.id) return true;
  if (wanted) become(wanted.id);
  return false;
}

function choosePlace(state) {
  const here = app.place.kind === "home" || state.channels.some((channel) => channel.id === app.place.id);
  if (here) return;
  app.place = { kind: "channel", id: (state.channels.find((channel) => !channel.is_im) ?? state.channels[0])?.id ?? null };
  app.thread = null;
  moved();
}

function become(user) {
  app.me = user;
  moved();
  if (app.place.kind === "home") attempt(() => api.openHome({ user }));
  return refresh();
}

function go(place) {
  app.place = place;
  app.thread = null;
  showNav(false);
  moved();
  draw(app.state);
  if (place.kind === "home") attempt(() => api.openHome({ user: app.me }));
}

function openThread(ts) {
  const from = app.thread;
  app.thread = ts;
  moved();
  draw(app.state);
  if (ts) byId("thread-composer").querySelector("input").focus();
  else document.querySelector(`[data-focus-key="replies-${from}"], [data-focus-key="thread-${from}"]`)?.focus();
}

// A permalink leads to its message once, after the first drawing.
function goToLinked() {
  const message = document.querySelector(`[data-ts="${CSS.escape(app.linked)}"]`);
  app.linked = null;
  message?.classList.add("linked");
  message?.scrollIntoView({ block: "center" });
}

const moved = () => writeAddress(app);

function showNav(open) {
  byId("app").classList.toggle("nav-open", open);
  byId("nav-button")?.setAttribute("aria-expanded", String(open));
  if (open) byId("sidebar").querySelector("[aria-current], button")?.focus();
}

function showLine(up) {
  byId("line").hidden = up;
}

function start() {
  const address = readAddress();
  Object.assign(app, { me: address.me, linked: address.message, thread: address.thread, place: address.home ? { kind: "home" } : { kind: "channel", id: address.channel } });
  byId("person").addEventListener("change", (event) => become(event.target.value));
  byId("scrim").addEventListener("click", () => showNav(false));
  byId("sidebar").addEventListener("keydown", (event) => event.key === "Escape" && showNav(false));
  if (app.me && address.home) attempt(() => api.openHome({ user: app.me }));
  api.listen((counter) => counter !== app.state?.counter && refresh(), (up) => { showLine(up); if (up) refresh(); });
}

start();
