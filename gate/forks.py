"""What a fork of this process waits for, in what order, and what its child gets: the one hook of the gate.

Two things must not be inherited. *Half a module*: a forked child has none of its parent's other threads, and
would wait for ever for the rest of what one of them was loading. *An open store*: SQLite remembers which
locks its process has on a file, and takes them for real only once. A child inherits that memory but no lock,
so whatever it opened would rest on locks that nobody holds: a parent that closes would take the write-ahead
log away, and nobody would ever see what the child records after that. So a fork waits for what is being
loaded, every store lets go of its file before it, and each process opens it for itself after.

The order of locks: what is loaded, what is opened, then of each store its writer and its reader. A fork takes
them all or none, and holds none while it waits: whoever has one of them, and needs another, gets it. Only one
kind of thread would be waited for in vain: one that forks too, inside a transaction of its own. Whoever is
inside of none lets it go first; of two that are, each leaves the other's store open, and no child gets it.

An interrupt that comes meanwhile is put off until all locks are released.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Protocol
from weakref import ref

from gate import interrupts
from gate.clock import pause

PATIENCE = 0.05
"""How long a fork waits for one lock before it gives the others back, in seconds."""

GIVE_WAY = 0.001
"""How long it leaves all of them to others then, in seconds."""


class Forked(Protocol):
    """What has to be asked about forks."""

    def is_mine(self) -> bool:
        """Tell whether this thread holds any of its locks."""
        ...

    def hold(self, seconds: float) -> bool:
        """Take every lock of it, or none; wait for each so long."""
        ...

    def let_go(self) -> None:
        """Release every lock of it."""
        ...

    def before_fork(self) -> None:
        """Let go of the file, with every lock taken; nothing is raised."""
        ...

    def after_fork_in_parent(self) -> None:
        """Take the file up again, with every lock taken; nothing is raised."""
        ...

    def after_fork_in_child(self) -> None:
        """Have locks that no thread of the parent holds; the file is taken up when it is needed."""
        ...


_loading, _opening = threading.RLock(), threading.RLock()
_stores: tuple[ref[Forked], ...] = ()
_renewals: list[Callable[[], object]] = []

_inside: dict[int, list[Forked]] = {}
"""By thread that forks or waits for it: the stores in whose transactions it is."""

_under_way: list[tuple[ExitStack, list[Forked]]] = []
"""What each fork under way holds, and which stores let go for it; a signal's handler may fork inside one."""

_minded = False


def whole() -> AbstractContextManager[object]:
    """Return a block in which modules are loaded; a fork waits for its end.

    So it does for pydantic's validators while they are made: there are locks of its own in that, for which a
    child would wait as it would for half a module.
    """
    if not _minded:
        mind()
    return _loading


def opened(store: Forked, begin: Callable[[], None]) -> None:
    """Begin a store at no time at which a fork is under way, and have it asked about every later one."""
    global _stores
    mind()
    with _opening:
        begin()
        _stores = (*(known for known in _stores if known() is not None), ref(store))


def in_child(renew: Callable[[], object]) -> None:
    """Have something called in every forked child, before anything else of the gate goes on there."""
    _renewals.append(renew)


def mind() -> None:
    """Have every fork from now on ask here.

    It is done with the first gate or store, before any thread calls: a fork asks only whom it knew as it
    began.
    """
    global _minded
    with _loading:
        if _minded:
            return
        # These ask about forks too, and who asked last is asked first: a fork takes the locks of the gate
        # before theirs, as who logs inside a transaction does.
        import concurrent.futures.thread  # noqa: F401
        import logging  # noqa: F401

        os.register_at_fork(before=before, after_in_parent=after_in_parent, after_in_child=after_in_child)
        _minded = True


def before() -> None:
    """Wait until everything is held, and have every store let go of its file."""
    interrupts.put_off()
    _inside[threading.get_ident()] = [store for store in _living() if store.is_mine()]
    while not _take_all():
        pause(GIVE_WAY)
    for store in _under_way[-1][1]:
        store.before_fork()


def _take_all() -> bool:
    """Take every lock in the order of all forks, or none."""
    held = []
    with ExitStack() as taken:
        for lock in (_loading, _opening):
            if not lock.acquire(timeout=PATIENCE):
                return False
            taken.callback(lock.release)
        for store in _living():
            if store.hold(PATIENCE):
                taken.callback(store.let_go)
                held.append(store)
            elif not _forks_too(store):
                return False
        _under_way.append((taken.pop_all(), held))
    return True


def _living() -> list[Forked]:
    return [store for known in _stores if (store := known()) is not None]


def _forks_too(store: Forked) -> bool:
    """Tell whether a thread is inside a transaction of a store, and waits for this fork to fork itself."""
    me = threading.get_ident()
    return bool(_inside.get(me)) and any(
        store in stores for thread, stores in list(_inside.items()) if thread != me
    )


def after_in_parent() -> None:
    """Let every store go on where the fork was made."""
    _inside.pop(threading.get_ident(), None)
    if _under_way:  # else it was asked between the hooks of a fork, and hears of its end alone
        taken, closed = _under_way.pop()
        with taken:
            for store in closed:
                store.after_fork_in_parent()
    interrupts.go_on()


def after_in_child() -> None:
    """Make everything that of a new process."""
    global _loading, _opening
    _loading, _opening = threading.RLock(), threading.RLock()
    _inside.clear()
    _under_way.clear()
    for store in _living():
        store.after_fork_in_child()
    for renew in _renewals:
        renew()
    interrupts.go_on(again=False)  # its parent is interrupted, which began the fork
