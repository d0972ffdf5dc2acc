// Where the reader is and who the reader is, kept in the address so that two tabs can be two people.

/** Read {me, channel, home, thread} from the address. */
export function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  return { me: parts.get("as"), channel: parts.get("channel"), home: parts.has("home"), thread: parts.get("thread") };
}

/** Write who and where into the address, without a step in the history. */
export function writeAddress({ me, place, thread }) {
  const parts = new URLSearchParams({ as: me });
  if (place.kind === "home") parts.set("home", "");
  else parts.set("channel", place.id ?? "");
  if (thread) parts.set("thread", thread);
  history.replaceState(null, "", `#${parts}`);
}

/** Remembers what was seen in each channel by each person since the page was loaded. */
export function makeUnread() {
  const seen = new Map();
  const latest = (channel) => Math.max(0, ...[...channel.messages, ...channel.ephemerals].flatMap((message) => [message, ...(message.replies ?? [])]).map((message) => Number(message.ts)));
  return {
    note: (me, channels) => channels.forEach((channel) => seen.has(`${me}/${channel.id}`) || seen.set(`${me}/${channel.id}`, latest(channel))),
    see: (me, channel) => channel && seen.set(`${me}/${channel.id}`, latest(channel)),
    isUnread: (me, channel) => latest(channel) > (seen.get(`${me}/${channel.id}`) ?? 0),
  };
}
