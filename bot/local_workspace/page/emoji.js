// The emoji names that this page draws as pictures; every other name stays as it was written.

const NAMES = {
  white_check_mark: "✅", heavy_check_mark: "✔️", x: "❌", no_entry: "⛔", no_entry_sign: "🚫", warning: "⚠️",
  hourglass: "⌛", hourglass_flowing_sand: "⏳", alarm_clock: "⏰", clock1: "🕐", stopwatch: "⏱️", calendar: "📅",
  lock: "🔒", unlock: "🔓", key: "🔑", shield: "🛡️", eyes: "👀", mag: "🔍", bell: "🔔", no_bell: "🔕",
  rotating_light: "🚨", octagonal_sign: "🛑", question: "❓", exclamation: "❗", information_source: "ℹ️",
  red_circle: "🔴", large_green_circle: "🟢", large_yellow_circle: "🟡", large_orange_circle: "🟠",
  large_blue_circle: "🔵", white_circle: "⚪", black_circle: "⚫", thumbsup: "👍", "+1": "👍", thumbsdown: "👎", "-1": "👎",
  raised_hand: "✋", wave: "👋", pray: "🙏", clap: "👏", tada: "🎉", rocket: "🚀", fire: "🔥", zap: "⚡", bulb: "💡",
  memo: "📝", page_facing_up: "📄", paperclip: "📎", link: "🔗", speech_balloon: "💬", email: "📧", envelope: "✉️",
  moneybag: "💰", money_with_wings: "💸", credit_card: "💳", package: "📦", wastebasket: "🗑️", gear: "⚙️",
  robot_face: "🤖", bust_in_silhouette: "👤", busts_in_silhouette: "👥", arrow_right: "➡️", arrow_left: "⬅️",
  point_right: "👉", repeat: "🔁", arrows_counterclockwise: "🔄", pushpin: "📌", bar_chart: "📊", smile: "😄",
  slightly_smiling_face: "🙂", thinking_face: "🤔", heart: "❤️", star: "⭐", snowflake: "❄️", ice_cube: "🧊",
};

const PATTERN = /:([a-z0-9_+'-]+):/g;

/** Return the picture of an emoji name, or null where this page has none. */
export function emojiFor(name) {
  return Object.hasOwn(NAMES, name) ? NAMES[name] : null;
}

/** Replace the known `:names:` in a text. */
export function withEmoji(text) {
  return text.replace(PATTERN, (whole, name) => emojiFor(name) ?? whole);
}
