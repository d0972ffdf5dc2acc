// The workspace's control API, and the live line that says when something changed.

const OFFLINE = "The local workspace does not answer. Start it again; this page then goes on by itself.";
const UNREADABLE =
  "The local workspace's answer could not be read. Look what happened before you try again.";
const RETRY_MS = [250, 500, 1000, 2000, 4000];

/** Something the workspace refused: a sentence for the person, and a code ("offline" where nothing answered). */
export class ApiError extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

async function ask(path, init) {
  let response;
  try {
    response = await fetch(path, { cache: "no-store", ...init });
  } catch {
    throw new ApiError(OFFLINE, "offline");
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && !answer) throw new ApiError(UNREADABLE, "unreadable");
  if (!response.ok || answer.ok === false)
    throw new ApiError(answer?.message ?? `The local workspace answered ${response.status}.`, answer?.error);
  return answer;
}

const post = (verb) => (body) =>
  ask(`/control/${verb}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

/** Fetch what `user` sees; without a user, what everybody sees. */
export const fetchState = (user) =>
  ask(`/control/state${user ? `?as_user=${encodeURIComponent(user)}` : ""}`);

export const click = post("click");
export const clickView = post("click_view");
export const submitView = post("submit_view");
export const closeView = post("close_view");
export const slash = post("slash");
export const say = post("say");
export const openHome = post("open_home");
export const dismiss = post("dismiss");

/** Keep a live line open, reconnecting for ever. `onChange` runs at each change, `onLine(up)` when the line comes or goes. */
export function listen(onChange, onLine) {
  let failures = 0;
  const connect = () => {
    const socket = new WebSocket(
      `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/control/live`,
    );
    socket.onopen = () => {
      failures = 0;
      onLine(true);
    };
    socket.onmessage = (event) => onChange(JSON.parse(event.data).counter);
    socket.onclose = () => {
      onLine(false);
      setTimeout(connect, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]);
      failures += 1;
    };
  };
  connect();
}
