// Fetches what the reader sees, one fetch at a time, until nothing has changed meanwhile.

import { fetchState } from "./api.js";

/**
 * Make refresh(). who() names the reader (null: not known yet), forget() is called where the workspace does not know
 * that reader, draw(state) draws, showLine(up) says whether the workspace answered.
 */
export function makeRefresher({ who, forget, draw, showLine }) {
  let running = null;
  let again = false;
  const untilQuiet = async () => {
    do {
      again = false;
      const state = await fetchFor(who(), forget);
      showLine(state !== null);
      if (state && state.as_user === who()) draw(state);
      else if (state) again = true;
    } while (again);
  };
  return function refresh() {
    again = true;
    running ??= untilQuiet().finally(() => {
      running = null;
    });
    return running;
  };
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
