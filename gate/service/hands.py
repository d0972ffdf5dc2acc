"""What this process has in hand: the actions whose tools it runs, or is just about to."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_Grip = Callable[[], object | None]
"""Returns who has an action in hand, or None once they are gone."""


class Hands:
    """Know who has which action in hand, from before its row says that it runs until its end is recorded.

    An owner that is gone has nothing in hand any more, however it went: an interrupt may come between any two
    steps of a call, and then only this tells that nobody is left who would settle it.

    A collection of garbage may throw a call away at any line here, which gives it back in this very thread:
    so the lock lets its holder in again, and nothing is gone through that may change meanwhile.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._held: dict[str, list[_Grip]] = {}
        self._durable: dict[str, bool] = {}
        self._taken: set[str] = set()
        self._known: dict[str, tuple[tuple[str, ...], str | None]] = {}

    @contextmanager
    def reach(
        self, action_id: str, *, durable: bool, owner: object | None = None
    ) -> Iterator[Callable[[bool], None]]:
        """Have an action in hand for the length of a block, and after it if the block said that it runs.

        Several callers may reach for one action at once; only what a caller took itself is given back.

        Args:
            action_id: Which action.
            durable: Whether a crash of the machine may not lose its end.
            owner: Whose end is the end of its being in hand, too; None: it stays in hand until it is dropped.
        """
        grip: _Grip = (lambda: self) if owner is None else weakref.ref(owner)
        with self._lock:
            self._held.setdefault(action_id, []).append(grip)
            self._durable.setdefault(action_id, durable)
        kept = False

        def keep(runs: bool) -> None:
            nonlocal kept
            kept = runs

        try:
            yield keep
        finally:
            if not kept:
                self._let_go(action_id, grip)

    def take(self, action_id: str) -> bool:
        """Begin to run an action in hand; False where it is in nobody's hand or was begun before."""
        with self._lock:
            free = action_id in self._held and action_id not in self._taken
            self._taken.update({action_id} if free else ())
            return free

    @contextmanager
    def taken(self, action_id: str) -> Iterator[None]:
        """Let an action that was taken be begun later after all, where the block raises."""
        try:
            yield
        except BaseException:
            with self._lock:
                self._taken.discard(action_id)
            raise

    def drop(self, action_id: str) -> None:
        """Give one action back; one that is not in hand is no error."""
        with self._lock:
            self._forget(action_id)

    def make_durable(self, action_id: str) -> None:
        """Let the end of an action in hand survive a crash of the machine."""
        with self._lock:
            if action_id in self._durable:
                self._durable[action_id] = True

    def note(self, action_id: str, secrets: tuple[str, ...], revision: str | None) -> None:
        """Keep what people may not see of a call, and who judged it, for as long as it is in hand."""
        with self._lock:
            if action_id in self._held:
                self._known[action_id] = secrets, revision

    def secrets(self, action_id: str) -> tuple[str, ...] | None:
        """Return what people may not see of a call in hand; None where that is not known here."""
        with self._lock:
            known = self._known.get(action_id)
            return None if known is None else known[0]

    def revision(self, action_id: str) -> str | None:
        """Return the policy that judged a call in hand; None where that is not known here."""
        with self._lock:
            known = self._known.get(action_id)
            return None if known is None else known[1]

    def ids(self) -> frozenset[str]:
        """Return every action in hand now."""
        with self._lock:
            for action_id, grips in self._held.copy().items():
                if not any(map(_holds, grips)):
                    self._forget(action_id)
            return frozenset(self._held)

    def durable(self, action_id: str) -> bool:
        """Tell whether the end of an action must survive a crash of the machine; True where it is unknown."""
        with self._lock:
            return self._durable.get(action_id, True)

    def _let_go(self, action_id: str, grip: _Grip) -> None:
        with self._lock:
            left = [each for each in self._held.get(action_id, ()) if each is not grip]
            if left:
                self._held[action_id] = left
            else:
                self._forget(action_id)

    def _forget(self, action_id: str) -> None:
        self._held.pop(action_id, None)
        self._durable.pop(action_id, None)
        self._taken.discard(action_id)
        self._known.pop(action_id, None)


def _holds(grip: _Grip) -> bool:
    return grip() is not None
