// Dates and times in the reader's own time zone.

const DAY_MS = 86_400_000;

const FORMATS = {
  date_num: { year: "numeric", month: "2-digit", day: "2-digit" },
  date: { year: "numeric", month: "long", day: "numeric" },
  date_short: { year: "numeric", month: "short", day: "numeric" },
  date_long: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
  time: { hour: "numeric", minute: "2-digit" },
  time_secs: { hour: "numeric", minute: "2-digit", second: "2-digit" },
};

/** Fill a `<!date…>` template such as "{date_short_pretty} at {time}"; null where the timestamp is no number. */
export function fillDateTemplate(seconds, template) {
  const moment = new Date(Number(seconds) * 1000);
  if (String(seconds).trim() === "" || Number.isNaN(moment.getTime())) return null;
  return template.replace(/\{(\w+)\}/g, (whole, token) => formatToken(moment, token) ?? whole);
}

function formatToken(moment, token) {
  if (token === "date_num") return isoDate(moment);
  if (token === "ago") return ago(moment);
  if (token.endsWith("_pretty"))
    return nearDay(moment) ?? formatToken(moment, token.slice(0, -"_pretty".length));
  return Object.hasOwn(FORMATS, token) ? moment.toLocaleString(undefined, FORMATS[token]) : null;
}

function isoDate(moment) {
  const pad = (number) => String(number).padStart(2, "0");
  return `${moment.getFullYear()}-${pad(moment.getMonth() + 1)}-${pad(moment.getDate())}`;
}

function nearDay(moment) {
  return { "-1": "yesterday", 0: "today", 1: "tomorrow" }[daysFromToday(moment)] ?? null;
}

function daysFromToday(moment) {
  const midnight = (date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return (midnight(moment) - midnight(new Date())) / DAY_MS;
}

function ago(moment) {
  const seconds = Math.round((Date.now() - moment.getTime()) / 1000);
  const [size, unit] = [
    [86_400, "day"],
    [3600, "hour"],
    [60, "minute"],
    [1, "second"],
  ].find(([s]) => Math.abs(seconds) >= s) ?? [1, "second"];
  return new Intl.RelativeTimeFormat(undefined).format(-Math.trunc(seconds / size), unit);
}

const momentOf = (ts) => new Date(Number(ts) * 1000);

/** The clock time of a message timestamp, such as "14:05". */
export const clockTime = (ts) => momentOf(ts).toLocaleTimeString(undefined, FORMATS.time);

/** The full date and time of a message timestamp. */
export const fullTime = (ts) =>
  momentOf(ts).toLocaleString(undefined, { ...FORMATS.date_long, ...FORMATS.time_secs });

/** The heading of a message's day: "Today", "Yesterday" or the date. */
export function dayHeading(ts) {
  const near = nearDay(momentOf(ts));
  if (near) return near[0].toUpperCase() + near.slice(1);
  return momentOf(ts).toLocaleDateString(undefined, { weekday: "long", month: "long", day: "numeric" });
}

/** A key that two timestamps share when they fall on the same local day. */
export const dayKey = (ts) => isoDate(momentOf(ts));
