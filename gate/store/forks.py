"""Keep open stores out of forks: what SQLite remembers of a file's locks must not be inherited.

SQLite keeps in memory which locks its process has on a file, and takes them for real only once. A forked
child inherits that memory but no lock, so whatever it opened would rest on locks that nobody holds: a parent
that closes would take the write-ahead log away, and nobody would ever see what the child records after that.
So every store lets go of its file before a fork, and each process opens it for itself after.
"""

from __future__ import annotations

import logging  # noqa: F401 - it asks about forks too: loaded first, its lock is taken after those of stores
import os
import threading
import weakref
from collections.abc import Callable
from typing import Protocol


class Forked(Protocol):
    """What has to be asked about forks."""

    def hold(self) -> None:
        """Take every lock."""
        ...

    def before_fork(self) -> None:
        """Let go of the file, with every lock taken; nothing is raised."""
        ...

    def after_fork_in_parent(self) -> None:
        """Take the file up again and release the locks."""
        ...

    def after_fork_in_child(self) -> None:
        """Have locks that no thread of the parent holds; the file is taken up when it is needed."""
        ...


_stores: weakref.WeakSet[Forked] = weakref.WeakSet()
_lock = threading.RLock()
"""Held over a fork, so that no store comes in between that let nothing go."""

_held: list[Forked] = []
"""The stores that a fork under way holds."""


def opened(store: Forked, begin: Callable[[], None]) -> None:
    """Begin a store at no time at which a fork is under way, and have it asked about every later one."""
    with _lock:
        begin()
        _stores.add(store)


_under_way = False
"""Whether a fork was asked about: what is loaded between the hooks of one hears of its end alone."""


def before() -> None:
    """Ask every store before a fork."""
    global _under_way
    _lock.acquire()
    _under_way = True
    for store in list(_stores):
        store.hold()
        _held.append(store)
    for store in _held:
        store.before_fork()


def after_in_parent() -> None:
    """Let every store go on where the fork was made."""
    global _under_way
    if not _under_way:
        return
    while _held:
        _held.pop().after_fork_in_parent()
    _under_way = False
    _lock.release()


def after_in_child() -> None:
    """Make every store that of a new process."""
    global _lock, _under_way
    _lock, _under_way = threading.RLock(), False
    while _held:
        _held.pop().after_fork_in_child()


os.register_at_fork(before=before, after_in_parent=after_in_parent, after_in_child=after_in_child)
