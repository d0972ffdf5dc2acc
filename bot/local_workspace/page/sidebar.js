// The list of channels and the app's home on the left, and the choice of who one is at the top.

import { flagsOf, isOutsider } from "./directory.js";
import { h, icon, reconcile, signatureOf } from "./dom.js";

/** Fill the choice of people; those who cannot act are shown but cannot be chosen. */
export function showPeople(select, detail, state, me) {
  const can = state.users.filter((user) => user.can_act);
  const cannot = state.users.filter((user) => !user.can_act);
  const option = (user) =>
    h("option", { value: user.id, disabled: !user.can_act }, personText(user, state.team.id));
  const groups = [
    ["People", can],
    ["Cannot act here", cannot],
  ].filter(([, users]) => users.length);
  const signature = signatureOf([state.users, state.team.id]);
  if (select.dataset.signature !== signature) {
    select.replaceChildren(...groups.map(([label, users]) => h("optgroup", { label }, users.map(option))));
    select.dataset.signature = signature;
  }
  select.value = me;
  const user = state.users.find((each) => each.id === me);
  detail.replaceChildren(...(user ? badges(user, state.team.id) : []));
}

function personText(user, team) {
  const home = isOutsider(user, team) ? [user.team_id] : [];
  return [user.real_name || user.name, user.id, ...flagsOf(user, team), ...home].join(" · ");
}

function badges(user, team) {
  const flags = flagsOf(user, team);
  if (flags.length === 0) return [h("span", { class: "flag flag-plain" }, "member")];
  return flags.map((flag) => h("span", { class: "flag", title: flag }, flag));
}

/**
 * Draw the list. desk = {state, me, place, isUnread(channel), directory, go(place)}.
 * A place is {kind: "channel", id} or {kind: "home"}.
 */
export function showSidebar(nav, desk) {
  const channels = desk.state.channels.filter((channel) => !channel.is_im);
  const talks = desk.state.channels.filter((channel) => channel.is_im);
  reconcile(nav, [
    {
      key: "name",
      signature: desk.state.team.name,
      build: () => h("p", { class: "team-name" }, desk.state.team.name),
    },
    ...group(
      "Channels",
      channels.map((channel) => channelLink(channel, desk)),
    ),
    ...group(
      "Direct messages",
      talks.map((channel) => channelLink(channel, desk)),
    ),
    ...group("Apps", [homeLink(desk)]),
  ]);
}

function group(title, links) {
  if (links.length === 0) return [];
  return [{ key: title, signature: title, build: () => h("h2", { class: "nav-title" }, title) }, ...links];
}

function link({ key, place, picture, name, note, current, unread, attrs }, desk) {
  const build = () =>
    h(
      "button",
      {
        type: "button",
        class: unread ? "nav-link unread" : "nav-link",
        "aria-current": current ? "page" : null,
        "data-focus-key": key,
        ...attrs,
        onclick: () => desk.go(place),
      },
      icon(picture),
      h("span", { class: "nav-name" }, name),
      note && h("span", { class: "nav-note" }, note),
      unread && h("span", { class: "visually-hidden" }, " (new messages)"),
    );
  return { key, signature: signatureOf([name, note, current, unread, picture]), build };
}

function channelLink(channel, desk) {
  const current = desk.place.kind === "channel" && desk.place.id === channel.id;
  return link(
    {
      key: `channel-${channel.id}`,
      place: { kind: "channel", id: channel.id },
      picture: channelIcon(channel),
      name: channelName(channel, desk.directory),
      note: channel.is_archived ? "archived" : null,
      current,
      unread: !current && desk.isUnread(channel),
      attrs: { "data-testid": "channel-link", "data-channel-id": channel.id },
    },
    desk,
  );
}

function homeLink(desk) {
  return link(
    {
      key: "home",
      place: { kind: "home" },
      picture: "home",
      name: desk.state.app.name,
      note: "Home",
      current: desk.place.kind === "home",
      unread: false,
      attrs: { "data-testid": "home-link" },
    },
    desk,
  );
}

/** The icon that tells a channel's kind. */
export const channelIcon = (channel) => (channel.is_im ? "chat" : channel.is_private ? "lock" : "hash");

/** The name to show for a channel: its own, or for a direct message the other side's, which is the app's for me. */
export function channelName(channel, directory) {
  if (!channel.is_im) return channel.name;
  return channel.user === directory.me ? directory.app : directory.userName(channel.user);
}
