// The middle and right of the page: one channel, the app's home, and one thread.

import { blockItems } from "./blocks.js";
import { makeComposer } from "./composer.js";
import { h, icon, iconButton, reconcile, signatureOf } from "./dom.js";
import { messageItems } from "./messages.js";
import { followEnd } from "./scroll.js";
import { channelIcon, channelName } from "./sidebar.js";

const byId = (id) => document.getElementById(id);

/**
 * Make the stage. desk = {send(channel, threadTs, text), messageSurface(message), homeSurface(view), directory(),
 * openThread(ts | null), dismiss(message), openNav()}. Return show({state, place, thread}).
 */
export function makeStage(desk) {
  const open = { channel: null, thread: null };
  const composer = makeComposer({ testid: "composer", send: (text) => desk.send(open.channel, null, text) });
  const replies = makeComposer({
    testid: "thread-composer",
    send: (text) => desk.send(open.channel, open.thread, text),
  });
  const keepChannel = followEnd(byId("timeline"));
  const keepThread = followEnd(byId("thread-list"));
  byId("composer").append(composer.node);
  byId("thread-composer").append(replies.node);
  return function show({ state, place, thread }) {
    const channel =
      place.kind === "channel" ? (state.channels.find((each) => each.id === place.id) ?? null) : null;
    const root = channel?.messages.find((message) => message.ts === thread) ?? null;
    Object.assign(open, { channel, thread: root?.ts ?? null });
    showHead(state, channel, place, desk);
    if (place.kind === "home") showHome(state.home, desk);
    else showChannel(channel, state, composer, desk);
    keepChannel(channel?.id ?? place.kind, { fromTop: place.kind === "home" });
    showThread(channel, root, state, replies, desk);
    keepThread(root?.ts ?? null);
  };
}

function showHead(state, channel, place, desk) {
  const home = place.kind === "home";
  const title = home ? state.app.name : channel ? channelName(channel, desk.directory()) : "Nothing here";
  const note = home ? "App Home" : channel ? memberNote(channel) : "";
  const build = () =>
    h(
      "div",
      { class: "stage-head-row" },
      iconButton("menu", "Channels", {
        id: "nav-button",
        "aria-expanded": "false",
        "aria-controls": "sidebar",
        "data-testid": "nav-button",
        onclick: desk.openNav,
      }),
      icon(home ? "home" : channel ? channelIcon(channel) : "alert"),
      h("h1", {}, title),
      h("span", { class: "muted head-note" }, note),
    );
  reconcile(byId("stage-head"), [{ key: "head", signature: signatureOf([title, note, home]), build }]);
}

function memberNote(channel) {
  if (channel.is_archived) return "archived";
  return channel.is_im
    ? "direct message"
    : `${channel.members.length} ${channel.members.length === 1 ? "member" : "members"}`;
}

function showChannel(channel, state, composer, desk) {
  const items = channel
    ? messageItems(
        [...channel.messages, ...channel.ephemerals.filter((each) => !each.thread_ts)],
        messageDesk(desk, desk.openThread),
      )
    : [];
  reconcile(
    byId("timeline"),
    items.length
      ? items
      : [empty(channel ? "Nothing has been posted here yet." : "This person can see no channel.")],
  );
  byId("composer").hidden = !channel;
  if (channel) composer.show(composerPlace(channel, null, state, desk));
}

function messageDesk(desk, openThread) {
  return { directory: desk.directory(), surfaceFor: desk.messageSurface, openThread, dismiss: desk.dismiss };
}

function empty(text) {
  return {
    key: "empty",
    signature: text,
    build: () => h("p", { class: "empty", "data-testid": "empty" }, text),
  };
}

function composerPlace(channel, thread, state, desk) {
  const name = `${channel.is_im ? "" : "#"}${channelName(channel, desk.directory())}`;
  const command = state.app.commands[0];
  return {
    key: `${desk.directory().me}/${channel.id}/${thread ?? ""}`,
    label: thread ? "Reply in the thread" : `Message or slash command in ${name}`,
    placeholder: thread ? "Reply …" : `Message ${name}${command ? `, or type ${command}` : ""}`,
    commands: thread ? [] : state.app.commands,
    closed: channel.is_archived
      ? "This channel is archived."
      : channel.is_member
        ? null
        : "You are not a member of this channel.",
  };
}

function showHome(home, desk) {
  const empties = [empty("The app has published no home for this person yet.")];
  const items = home
    ? [
        {
          key: home.id,
          signature: signatureOf([home, desk.directory().signature]),
          build: (previous) => homeNode(home, previous, desk),
        },
      ]
    : empties;
  byId("composer").hidden = true;
  reconcile(byId("timeline"), items);
}

function homeNode(home, previous, desk) {
  const node =
    previous ?? h("div", { class: "home blocks", "data-testid": "home", "data-values-root": true });
  node.dataset.viewId = home.id;
  reconcile(node, blockItems(home.blocks, desk.homeSurface(home)));
  return node;
}

function showThread(channel, root, state, composer, desk) {
  const panel = byId("thread");
  panel.hidden = !root;
  byId("app").classList.toggle("thread-open", Boolean(root));
  if (!root) return;
  const title = `${channel.is_im ? "" : "#"}${channelName(channel, desk.directory())}`;
  reconcile(byId("thread-head"), [{ key: "head", signature: title, build: () => threadHead(title, desk) }]);
  const own = channel.ephemerals.filter((each) => each.thread_ts === root.ts);
  reconcile(byId("thread-list"), messageItems([root, ...root.replies, ...own], messageDesk(desk, null)));
  composer.show(composerPlace(channel, root.ts, state, desk));
}

function threadHead(title, desk) {
  return h(
    "div",
    { class: "stage-head-row" },
    h("h2", {}, "Thread"),
    h("span", { class: "muted" }, title),
    iconButton("close", "Close the thread", {
      "data-testid": "thread-close",
      onclick: () => desk.openThread(null),
    }),
  );
}
