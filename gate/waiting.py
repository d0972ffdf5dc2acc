"""Wait for many actions with one thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType

from gate.errors import GateError
from gate.lifecycle import Seen
from gate.threads import begun

INTERVAL = 0.03
"""Seconds between two looks at everything that is waited for."""

log = logging.getLogger("gate")


class Watch:
    """One wait for one action; ``fire`` ends it, once.

    Args:
        action_id: Which action.
        seen: State and version that the waiter knows; anything else ends the wait.
        call: Called when it ends, from any thread, and again only after an interrupt; None for none.

    Attributes:
        found: What the action was moved to, where whoever ended the wait knows it; else None.
    """

    def __init__(self, action_id: str, seen: Seen, call: Callable[[], None] | None = None) -> None:
        self.action_id = action_id
        self.seen = seen
        self.found: Seen | None = None
        self._call = call
        self._fired = False
        # A lock is let go in one step of the interpreter; inside an event, which is written in Python, an
        # interrupt would leave another lock behind, on which the thread of all waits would stay for ever.
        self._lasts = threading.Lock()
        self._lasts.acquire()

    def fire(self, found: Seen | None = None) -> None:
        """End the wait, since the action was moved to what is given, or for whatever else."""
        if self._fired:
            return
        self.found = found
        with suppress(RuntimeError):  # another thread did so just now
            self._lasts.release()
        try:
            if self._call is not None:
                self._call()
        except Exception:
            self._fired = True
            raise
        self._fired = True  # last: after an interrupt before it, all of this is done again

    def wait(self, timeout: float | None) -> bool:
        """Block until the wait ends or the time (seconds, None: no end) is over; tell whether it ended."""
        if self._fired or self._lasts.acquire(timeout=-1 if timeout is None else max(0.0, timeout)):
            return True
        return self._fired


class Poller:
    """Watch all waited actions with one query at a time, in one thread that lives while there are any.

    Args:
        states: Returns state and version of actions by id, in one query.
        version: Returns what is another number once anything was written; None where nobody can tell. While
            it stays the same, those that were looked at are not looked at again.
        interval: Seconds between two looks.
    """

    def __init__(
        self,
        states: Callable[[Sequence[str]], Mapping[str, Seen]],
        version: Callable[[], int | None] = lambda: None,
        *,
        interval: float = INTERVAL,
    ) -> None:
        self._states, self._version = states, version
        self._looked: tuple[int | None, int] = (None, 0)
        self._added = 0
        self._interval = interval
        self._watches: set[Watch] = set()
        # Callers take the lock itself, in one step of the interpreter: an interrupt inside a condition's own
        # ``__enter__``, which is written in Python, would leave it locked for ever.
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._thread: threading.Thread | None = None
        self._failing = False
        self.released = False

    def add(self, watch: Watch) -> None:
        """Begin to watch; a change that has already happened ends the wait too, and so does the release."""
        with self._lock:
            if not self.released:
                self._watches.add(watch)
                self._added += 1
                self._start()
        if self.released:
            watch.fire()

    def _start(self) -> None:
        if self._thread is None:
            thread = threading.Thread(target=self._run, name="gate-poller", daemon=True)
            begun(thread.start)  # one that cannot be started is tried again by the next wait
            self._thread = thread

    def remove(self, watch: Watch) -> None:
        """Stop watching; a watch that is gone already is no error."""
        with self._lock:
            self._watches.discard(watch)

    def wake(self, moved: Mapping[str, Seen]) -> None:
        """End the waits for actions that this process has just moved, by id with where to."""
        with self._lock:
            watches = [watch for watch in self._watches if watch.action_id in moved]
        self._end(watches, moved)

    def release(self) -> None:
        """End every wait, and each that comes later, whatever the state of its action."""
        with self._lock:
            self.released = True
            watches = tuple(self._watches)
        self._end(watches)

    def _end(self, watches: Collection[Watch], moved: Mapping[str, Seen] = MappingProxyType({})) -> None:
        """End waits; those that an interrupt leaves out are watched as before."""
        for watch in watches:
            watch.fire(moved.get(watch.action_id))
        if watches:
            with self._lock:
                self._watches.difference_update(watches)
                self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._watches:
                    self._thread = None
                    return
            try:
                self._look()
            except Exception as error:  # whatever it is, the thread goes on for those who wait
                self._tell(error)
            with self._lock:
                self._changed.wait_for(lambda: not self._watches, self._interval)

    def _look(self) -> None:
        with self._lock:
            watches, added = tuple(self._watches), self._added
        version = self._version()  # read first: whatever is written from here on makes it another
        same = version is not None and self._looked == (version, added)
        states = {} if same else self._states([watch.action_id for watch in watches])
        for watch in watches:
            found = states.get(watch.action_id, watch.seen)
            if found != watch.seen:
                watch.fire(found)
                self.remove(watch)
        self._looked = (version, added)
        self._failing = False

    def _tell(self, error: Exception) -> None:
        """Log that the store cannot be read, once for as long as that lasts."""
        if not self._failing and not self.released:
            unexpected = None if isinstance(error, GateError) else error
            log.warning("Waiting goes on, though the store cannot be read: %s", error, exc_info=unexpected)
        self._failing = True
