// Keeps a list of messages at its newest end while the reader is there, whatever grows or shrinks.

const NEAR_END_PX = 80;

/**
 * Follow the end of `list`. Return keep(place), to be called after each drawing.
 * A reader who comes to another place starts at its end, or at its top where `fromTop` is true.
 */
export function followEnd(list) {
  let atEnd = true;
  let here = null;
  const toEnd = () => {
    list.scrollTop = list.scrollHeight;
  };
  list.addEventListener("scroll", () => {
    atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_END_PX;
  });
  const stay = () => atEnd && toEnd();
  new ResizeObserver(stay).observe(list);
  new MutationObserver(stay).observe(list, { childList: true, subtree: true });
  return function keep(place, { fromTop = false } = {}) {
    const arrived = here !== place;
    here = place;
    if (arrived) atEnd = !fromTop;
    if (atEnd) toEnd();
    else if (arrived) list.scrollTop = 0;
  };
}
