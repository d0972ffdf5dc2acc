// Fetches what the reader sees, one fetch at a time, until nothing has changed meanwhile.

import { fetchState } from "./api.js";

const RETRY_MS = 1000;

/**
 * Make refresh(). who() names the reader (null: not known yet), forget() is called where the workspace does not know
 * that reader, draw(state) draws, answers(yes) says whether the workspace answered; where it did not, it is asked
 * again by and by, since nothing may change there for long.
 */
export function makeRefresher({ who, forget, draw, answers }) {
  let running = null;
  let again = false;
  let retry = null;
  const untilQuiet = async () => {
    do {
      again = false;
      const state = await fetchFor(who(), forget);
      answers(state !== null);
      clearTimeout(retry);
      if (!state) retry = setTimeout(refresh, RETRY_MS);
      if (state && state.as_user === who()) draw(state);
      else if (state) again = true;
    } while (again);
  };
  function refresh() {
    again = true;
    running ??= untilQuiet().finally(() => {
      running = null;
    });
    return running;
  }
  return refresh;
}

// Somebody who is no longer there is nobody: the state for nobody tells who there is to be.
async function fetchFor(reader, forget) {
  try {
    return await fetchState(reader);
  } catch (problem) {
    if (problem.code !== "user_not_found" || reader === null) return null;
    forget();
    return fetchFor(null, forget);
  }
}
