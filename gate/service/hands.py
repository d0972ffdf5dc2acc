"""What this process has in hand: the actions whose tools it runs, or is just about to."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Hands:
    """Count who has which action in hand, from before its row says that it runs until its end is recorded."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: Counter[str] = Counter()
        self._durable: dict[str, bool] = {}

    @contextmanager
    def reach(self, action_id: str, *, durable: bool) -> Iterator[Callable[[bool], None]]:
        """Have an action in hand for the length of a block, and after it if the block said that it runs.

        Several callers may reach for one action at once; only what a caller took itself is given back.

        Args:
            action_id: Which action.
            durable: Whether a crash of the machine may not lose its end.
        """
        with self._lock:
            self._held[action_id] += 1
            self._durable.setdefault(action_id, durable)
        kept = False

        def keep(runs: bool) -> None:
            nonlocal kept
            kept = runs

        try:
            yield keep
        finally:
            if not kept:
                self.drop(action_id)

    def drop(self, action_id: str) -> None:
        """Give one action back; one that is not in hand is no error."""
        with self._lock:
            self._held[action_id] -= 1
            if self._held[action_id] <= 0:
                del self._held[action_id]
                self._durable.pop(action_id, None)

    def make_durable(self, action_id: str) -> None:
        """Let the end of an action in hand survive a crash of the machine."""
        with self._lock:
            if action_id in self._durable:
                self._durable[action_id] = True

    def ids(self) -> frozenset[str]:
        """Return every action in hand now."""
        with self._lock:
            return frozenset(self._held)

    def durable(self, action_id: str) -> bool:
        """Tell whether the end of an action must survive a crash of the machine; True where it is unknown."""
        with self._lock:
            return self._durable.get(action_id, True)
