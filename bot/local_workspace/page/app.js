// The page's start: who is reading, what is shown, and what goes to the workspace.

import { makeActs } from "./acts.js";
import { listen } from "./api.js";
import { takeQuestionsBack } from "./dialogs.js";
import { makeDirectory } from "./directory.js";
import { makeModalStack } from "./modals.js";
import { makeUnread, readAddress, writeAddress } from "./place.js";
import { makeRefresher } from "./refresher.js";
import { showPeople, showSidebar } from "./sidebar.js";
import { makeStage } from "./stage.js";
import { makeTroubles } from "./troubles.js";

const byId = (id) => document.getElementById(id);
const app = {
  linked: null,
  me: null,
  place: { kind: "channel", id: null },
  thread: null,
  state: null,
  directory: null,
};
const unread = makeUnread();

const refresh = makeRefresher({
  who: () => app.me,
  forget: () => {
    app.me = null;
  },
  draw,
  answers: (yes) => showLine({ answers: yes }),
});
const directory = () => app.directory;
const troubles = makeTroubles(byId("troubles"));
const acts = makeActs({ directory, refresh, tell: troubles.tell });
const stage = makeStage({ ...acts, directory, openThread, openNav: () => showNav(true) });
const modals = makeModalStack({
  directory,
  act: acts.inView,
  submit: acts.submitView,
  close: acts.closeView,
});

function draw(state) {
  app.state = state;
  if (!chooseWho(state)) return;
  app.directory = makeDirectory(state, app.me);
  choosePlace(state);
  byId("notice").textContent = state.notice;
  unread.note(app.me, state.channels);
  unread.see(
    app.me,
    state.channels.find((channel) => channel.id === app.place.id),
  );
  showPeople(byId("person"), byId("person-detail"), state, app.me);
  showSidebar(byId("sidebar"), { ...app, isUnread: (channel) => unread.isUnread(app.me, channel), go });
  stage({ state, place: app.place, thread: app.thread });
  troubles.show(state.troubles);
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
  app.place = {
    kind: "channel",
    id: (state.channels.find((channel) => !channel.is_im) ?? state.channels[0])?.id ?? null,
  };
  app.thread = null;
  moved();
}

function become(user) {
  takeQuestionsBack();
  app.me = user;
  moved();
  if (app.place.kind === "home") acts.openHome(user);
  return refresh();
}

function go(place) {
  app.place = place;
  app.thread = null;
  showNav(false);
  moved();
  draw(app.state);
  if (place.kind === "home") acts.openHome(app.me);
}

function openThread(ts) {
  const from = app.thread;
  app.thread = ts;
  moved();
  draw(app.state);
  if (ts) byId("thread-composer").querySelector("input").focus();
  else
    document.querySelector(`[data-focus-key="replies-${from}"], [data-focus-key="thread-${from}"]`)?.focus();
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
  else if (byId("sidebar").contains(document.activeElement)) byId("nav-button")?.focus();
}

// The live line and the answers come and go each for itself: the page is up to date with both alone.
const line = { live: true, answers: true };

function showLine(news) {
  Object.assign(line, news);
  byId("line").hidden = line.live && line.answers;
}

// A workspace that was started again has no home for anybody before it is opened.
function comeBack() {
  refresh();
  if (app.me && app.place.kind === "home") acts.openHome(app.me);
}

function start() {
  const address = readAddress();
  Object.assign(app, {
    me: address.me,
    linked: address.message,
    thread: address.thread,
    place: address.home ? { kind: "home" } : { kind: "channel", id: address.channel },
  });
  byId("person").addEventListener("change", (event) => become(event.target.value));
  byId("scrim").addEventListener("click", () => showNav(false));
  byId("sidebar").addEventListener("keydown", (event) => event.key === "Escape" && showNav(false));
  listen(
    (counter) => counter !== app.state?.counter && refresh(),
    (up) => {
      showLine({ live: up });
      if (up) comeBack();
    },
  );
}

start();
