// Where the reader is and who the reader is, kept in the address so that two tabs can be two people.

const PERMALINK = /^\/archives\/(\w+)\/p(\d+)(\d{6})$/;

/** Read {me, channel, home, thread, message} from the address; a permalink names its channel and message. */
export function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const [, channel, seconds, micros] = location.pathname.match(PERMALINK) ?? [];
  const message = channel ? `${seconds}.${micros}` : null;
  const thread = parts.get("thread") ?? new URLSearchParams(location.search).get("thread_ts");
  return {
    me: parts.get("as"),
    channel: parts.get("channel") ?? channel ?? null,
    home: parts.has("home"),
    thread,
    message,
  };
}

/** Write who and where into the address, without a step in the history. */
export function writeAddress({ me, place, thread }) {
  const parts = new URLSearchParams({ as: me });
  if (place.kind === "home") parts.set("home", "");
  else parts.set("channel", place.id ?? "");
  if (thread) parts.set("thread", thread);
  history.replaceState(null, "", `/#${parts}`);
}

/** Remembers what was seen in each channel by each person since the page was loaded. */
export function makeUnread() {
  const seen = new Map();
  const latest = (channel) =>
    Math.max(
      0,
      ...[...channel.messages, ...channel.ephemerals]
        .flatMap((message) => [message, ...(message.replies ?? [])])
        .map((message) => Number(message.ts)),
    );
  return {
    note: (me, channels) =>
      channels.forEach(
        (channel) => seen.has(`${me}/${channel.id}`) || seen.set(`${me}/${channel.id}`, latest(channel)),
      ),
    see: (me, channel) => channel && seen.set(`${me}/${channel.id}`, latest(channel)),
    isUnread: (me, channel) => latest(channel) > (seen.get(`${me}/${channel.id}`) ?? 0),
  };
}
