// Names of people, groups and channels, as one person sees them.

import { signatureOf } from "./dom.js";

/** Make a directory from a control state; unknown ids are shown as they are. */
export function makeDirectory(state, me) {
  const users = new Map(state.users.map((user) => [user.id, user]));
  const groups = new Map(state.groups.map((group) => [group.id, group]));
  const channels = new Map(state.channels.map((channel) => [channel.id, channel]));
  const userName = (id) => users.get(id)?.real_name || users.get(id)?.name || id;
  return {
    me,
    app: state.app.name,
    user: (id) => users.get(id) ?? null,
    userName,
    isMe: (id) => id === me,
    inMyGroups: (id) => groups.get(id)?.users.includes(me) ?? false,
    userMention: (id) => `@${userName(id)}`,
    groupMention: (id) => `@${groups.get(id)?.handle ?? id}`,
    channelMention: (id, label = null) => `#${channels.get(id)?.name || label || id}`,
    signature: signatureOf([
      me,
      state.users,
      state.groups,
      state.channels.map((channel) => [channel.id, channel.name]),
    ]),
  };
}

/** What sets a person apart from a plain member, in words. */
export function flagsOf(user, homeTeam) {
  return [
    user.deleted && "deactivated",
    user.is_bot && "bot",
    user.is_ultra_restricted ? "single-channel guest" : user.is_restricted && "guest",
    isOutsider(user, homeTeam) && "other team",
  ].filter(Boolean);
}

/** Whether somebody belongs to another team. */
export const isOutsider = (user, homeTeam) => user.is_stranger || user.team_id !== homeTeam;
