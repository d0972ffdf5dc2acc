// Text objects: plain_text is never parsed (emoji names excepted), mrkdwn is.

import { withEmoji } from "./emoji.js";
import { renderMrkdwn } from "./mrkdwn.js";

/** The characters of a plain_text object; `:names:` become pictures unless `emoji` is false. */
export function plainText(object) {
  if (!object) return "";
  const text = String(object.text ?? "");
  return object.emoji === false ? text : withEmoji(text);
}

/** Render any text object as a list of nodes. */
export function renderText(object, directory) {
  if (object?.type === "mrkdwn")
    return renderMrkdwn(object.text ?? "", directory, { verbatim: object.verbatim === true });
  return [document.createTextNode(plainText(object))];
}
