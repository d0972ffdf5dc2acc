"""Which waits of this process are still somebody's."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable


class Waits:
    """Know who waits by which number, from before its row is committed until the wait ends.

    An owner that is gone waits no more, however it went: an interrupt may come right after the row of its
    wait was committed, and then only this tells that nobody is left who would end it.

    A collection of garbage may throw a waiting call away at any line here, which ends its wait in this very
    thread: so the lock lets its holder in again, and nothing is gone through that may change meanwhile.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._owners: dict[int, Callable[[], object | None]] = {}
        self._over: set[int] = set()

    def keep(self, number: int, owner: object | None) -> None:
        """Note a wait; without an owner it lasts until it is dropped."""
        with self._lock:
            self._owners[number] = (lambda: self) if owner is None else weakref.ref(owner)

    def drop(self, number: int) -> bool:
        """Forget a wait, and tell whether it was one of this process."""
        with self._lock:
            return self._owners.pop(number, None) is not None

    def end(self, number: int) -> bool:
        """Note that a wait ended and its caller was told so, and tell whether it was one of this process.

        Until ``ended`` says that the store knows it too, nobody takes it for a wait whose caller is gone.
        """
        with self._lock:
            known = self._owners.pop(number, None) is not None
            self._over.update({number} if known else ())
            return known

    def ended(self, numbers: Iterable[int]) -> None:
        """Forget waits that ended, since the store has no row of them any more."""
        with self._lock:
            self._over.difference_update(numbers)

    def standing(self) -> tuple[frozenset[int], frozenset[int]]:
        """Return every wait that is still somebody's, and those that ended without the store knowing it."""
        somebodys = self.ids()  # first: one that ends in between is among both
        with self._lock:
            return somebodys, frozenset(self._over)

    def ids(self) -> frozenset[int]:
        """Return the numbers of every wait that is still somebody's."""
        with self._lock:
            for number, owner in self._owners.copy().items():
                if owner() is None:
                    self._owners.pop(number, None)
            return frozenset(self._owners)
