"""The turns that every verb takes: one store, one transaction, one time, one process."""

from __future__ import annotations

import getpass
import logging
import os
import platform
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from gate import forks
from gate.audit import Head
from gate.clock import Clock, SystemClock, from_us
from gate.errors import GateError, StoreError
from gate.lifecycle import Seen
from gate.service.hands import Hands
from gate.service.waits import Waits
from gate.store import migrations
from gate.store.port import Tx
from gate.store.sqlite import SqliteStore
from gate.verbs import bursts, living, publishing, timing
from gate.verbs.claim import End
from gate.verbs.turn import MustLast, Turn

Kind = Literal["agent", "bot", "cli"]

log = logging.getLogger("gate")

_becoming = threading.RLock()
"""Held by the thread of a forked child that makes the child a process of its own."""


class Turns:
    """Hold what all verbs share, and open their transactions.

    Attributes:
        clock: Where the time comes from.
        store: The rows.
        observers: Called after each commit with the actions it held or moved, by id, and where to.
    """

    def __init__(
        self,
        db: Path | str,
        *,
        clock: Clock | None,
        kind: Kind,
        by: str,
        create: bool,
        renew_key: bool,
    ) -> None:
        self.clock = clock or SystemClock()
        self.kind = kind
        self.actor = by or f"{kind}:{_login()}"
        self.observers: list[Callable[[Mapping[str, Seen]], None]] = []
        self._hands, self._waits = Hands(), Waits()
        self._unsettled: dict[str, End] = {}
        self._labels = {"host": platform.node(), "process": os.getpid(), "version": package_version()}
        self.store = SqliteStore(db, create=create, renew_key=renew_key)
        self._pid, self._process = os.getpid(), 0
        self._head, self._left = 0, False

    @property
    def path(self) -> Path | None:
        """Return the store's file; None for one in memory."""
        return self.store.path

    def meta(self, key: str) -> str | None:
        """Return a fact about the store, such as ``store_id`` or ``workspace_team``."""
        with self.store.reader() as reader:
            row = reader.one("SELECT value FROM meta WHERE key = ?", (key,))
        return row["value"] if row else None

    @contextmanager
    def _turn(
        self, *, durable: bool = True, shared: bool = False, store: SqliteStore | None = None
    ) -> Iterator[Turn]:
        """Open one turn, on this store where no other opening of it is given; tell the observers after it."""
        self._follow_fork()
        used, turn = store or self.store, None
        try:
            with used.transaction(durable=durable, shared=shared) as tx:
                turn = self._begin(tx, self._process)
                begun = turn.head
                yield turn
                if turn.moved:
                    bursts.follow(turn)
        except StoreError:
            # Where a commit says that it failed, the log tells whether it did.
            if turn is None or turn.head is begun or not has(used, turn.head):
                raise
        self._head = max(self._head, turn.head.seq)
        if turn.touched:
            for observer in list(self.observers):
                afterwards(partial(observer, turn.touched))

    def _lasting(
        self,
        verb: Callable[[Turn], bool],
        *,
        durable: bool,
        shared: bool = False,
        store: SqliteStore | None = None,
    ) -> None:
        """Run a verb in one turn; where it tells that more than that came of it, again in a durable one."""
        try:
            with self._turn(durable=durable, shared=shared, store=store) as turn:
                if verb(turn) and not durable:
                    raise MustLast
        except MustLast:
            with self._turn(store=store) as turn:
                verb(turn)

    def _begin(self, tx: Tx, process: int) -> Turn:
        """Begin a turn at the time that counts, on a log that is not shorter than this process knows it."""
        own, newest = self.clock.now(), timing.look(tx)
        migrations.refuse_newer(newest.schema, tx)
        self.store.follow_key(newest.key_id)
        publishing.refuse_shorter(newest.head.seq, self._head, self.path)
        now = max(own, from_us(newest.mark))
        return Turn(
            tx,
            now,
            process,
            self._labels,
            own,
            head=newest.head,
            revision=newest.revision,
            waits=self._waits.ids,
        )

    def now(self) -> datetime:
        """Return the time that counts: process time, or the store's newest where that is later; UTC."""
        with self.store.reader() as reader:
            return timing.time_of(reader, self.clock.now())

    def _follow_fork(self) -> None:
        """Become a process of its own in a forked child; what the parent had in hand stays the parent's."""
        if os.getpid() == self._pid:
            return
        with _becoming:
            if os.getpid() != self._pid:
                self._become()

    def _become(self) -> None:
        pid = os.getpid()
        self._labels = self._labels | {"process": pid}
        self._hands, self._waits, self._unsettled, self.observers = Hands(), Waits(), {}, []
        self._left = False
        with self.store.transaction() as tx:
            process = living.register(self._begin(tx, 0), self.kind)
        # The pid comes last: until then every other thread of the child waits for this one.
        self._process = process
        self._pid = pid


def has(store: SqliteStore, head: Head) -> bool:
    """Tell whether a store's log surely has a record; False where it cannot be read."""
    if store.path is None:  # what is in memory is read where it was written, committed or not
        return False
    with suppress(GateError), store.reader() as reader:
        row = reader.one("SELECT hash FROM audit WHERE seq = ?", (head.seq,))
        return row is not None and row["hash"] == head.hash
    return False


def afterwards(work: Callable[[], object]) -> None:
    """Do what comes after a commit; it never raises, since what was committed stands."""
    try:
        work()
    except GateError as fault:
        log.warning("It was recorded; what comes after that has to wait: %s", fault)
    except Exception:
        log.exception("It was recorded; what comes after that failed.")


def package_version() -> str:
    """Return the version of the installed package; ``unknown`` where it is not installed."""
    try:
        return version("slack-approval-gate")
    except PackageNotFoundError:
        return "unknown"


def _renew_lock() -> None:
    """Give a forked child a lock that no thread of the parent holds."""
    global _becoming
    _becoming = threading.RLock()


def _login() -> str:
    try:
        return f"{getpass.getuser()}@{platform.node()}"
    except (OSError, KeyError):
        return platform.node()


forks.in_child(_renew_lock)
