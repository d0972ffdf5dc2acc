"""The SQLite store: a writer behind a lock, and a read-only connection for waiting and listing."""

from __future__ import annotations

import os
import random
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path

from gate import forks
from gate.clock import monotonic, pause
from gate.errors import StoreBusy, StoreError
from gate.store import files, keys, migrations
from gate.store.connections import BUSY_SECONDS, connect, refuse_others, roll_back, snapshot
from gate.store.faults import RawErrors, is_busy
from gate.store.port import Reader, Tx
from gate.store.sharing import PATIENCE, Shared, Sharing
from gate.store.statements import Rows

_graveyard: list[sqlite3.Connection] = []
"""Connections inherited over a fork: a child may neither use nor close them."""


class SqliteStore:
    """Keep the rows of one gate in one SQLite file.

    Args:
        path: The database file, or ``:memory:``.
        create: Whether an empty place becomes a new store.
        renew_key: Whether a new key replaces the old or lost one.
        migrate: Whether an older schema is brought to this version's instead of refused.

    Raises:
        StoreError: The store cannot be opened, its key is missing, or its schema is not this version's.
    """

    def __init__(
        self, path: Path | str, *, create: bool = True, renew_key: bool = False, migrate: bool = False
    ) -> None:
        self.path = None if str(path) == ":memory:" else Path(path).absolute()
        self._renew, self._migrate = renew_key, migrate
        self._lock = threading.RLock()
        self._read_lock = threading.RLock()
        self._writer: sqlite3.Connection | None = None
        self._durable: bool | None = None  # how the writer commits now; None: not told yet
        self._sharing = Sharing()
        self._times_opened = 0
        self._parted = False  # closed for a fork, and not opened again yet
        self._inside = False  # whether the thread that forks is inside a transaction
        self._cut = False  # whether this process was made by such a fork
        forks.opened(self, lambda: self._open(create))

    def _open(self, create: bool) -> None:
        if self.path is not None:
            if not create and files.is_missing(self.path):
                raise StoreError(
                    f"There is no store at {self.path}. Start an agent or a bot first, "
                    "or name another one with --db, GATE_DB or db=."
                )
            files.prepare(self.path)
        self._pid, self._parted = os.getpid(), False
        with RawErrors(self.path):
            self._writer, self._durable = connect(self.path, read_only=False), None
            self._file = files.identity(self.path) if self.path else (0, 0)
            self._prepare_schema(create)
            self._read = connect(self.path, read_only=True) if self.path else self._writer
        self._times_opened += 1

    def _prepare_schema(self, create: bool) -> None:
        with self.transaction() as tx:
            schema = migrations.schema_of(tx)
            refuse_others(tx, self.path)
            if schema == 0 and not create:
                raise StoreError(
                    f"{self.path} is empty, not a store. Start an agent or a bot first, "
                    "or name another one with --db, GATE_DB or db=."
                )
            if 0 < schema < migrations.NEWEST and not self._migrate:
                raise StoreError(
                    f"The store has schema {schema}; run 'gate db migrate'.", code="older_schema"
                )
            migrations.migrate(tx)
            self._take_key(tx, schema == 0)

    def _take_key(self, tx: Tx, new: bool) -> None:
        wanted = keys.known(tx)
        try:
            self.key = keys.at_start(self.path, wanted, new=new)
        except StoreError:
            if not self._renew:
                raise
            self.key, self.key_id = os.urandom(files.KEY_BYTES), wanted  # until it is renewed
            return
        if not wanted:
            keys.note(tx, self.key)
        self.key_id = keys.id_of(self.key)

    def follow_key(self, wanted: str) -> None:
        """Take the key that another process has put in the place of the one at hand; see the port."""
        if wanted != self.key_id and self.path is not None:
            self.key = keys.take(self.path, wanted)
            self.key_id = (
                wanted  # last: whoever reads it before the key has the key that it names, or a newer
            )

    def renew_key(self, tx: Tx) -> None:
        """Replace the key together with a transaction; see the port."""
        key = os.urandom(files.KEY_BYTES)
        if self.path is not None:
            keys.stage(self.path, key)
        keys.note(tx, key)
        if self.path is None:
            self.key, self.key_id = key, keys.id_of(key)

    @contextmanager
    def transaction(self, *, durable: bool = True, shared: bool = False) -> Iterator[Tx]:
        """Begin a writing transaction; see the port."""
        self._follow_fork()
        until, nested = monotonic() + BUSY_SECONDS, _is_mine(self._lock)
        alone = not (shared and durable and self.path)
        while True:
            if not alone:
                self._sharing.come()
            # Taken by ``with`` alone: no interrupt finds a place between taking and releasing.
            with self._lock, RawErrors(self.path):
                self._sharing.arrive()
                connection = self._usable_writer(nested)
                try:
                    begun = self._begin(connection, durable, alone)
                    if begun:
                        yield Rows(connection)
                        left = self._sharing.leave(connection, alone=alone)
                except BaseException as error:
                    self._sharing.undo(connection, error)
                    raise
            if begun:
                self._await(left)
                return
            if monotonic() >= until:
                raise StoreBusy(
                    f"Another process has held the store {self.path} for {BUSY_SECONDS:.0f} s; nothing ran. "
                    "'fuser -v' with its path lists who has it open: end what hangs, then call again."
                )
            pause(random.uniform(0.001, 0.01))  # noqa: S311 - jitter, no secret

    def _await(self, left: Shared | None) -> None:
        """Wait until what this thread wrote is on the disk."""
        if left is None:
            return
        try:
            left.over.wait(PATIENCE)
        finally:
            if not left.over.is_set():
                with self._lock:
                    self._sharing.give_up(left, self._writer)
        if not left.done:
            with RawErrors(self.path):
                raise left.fault or sqlite3.OperationalError("a transaction was lost")

    def _begin(self, connection: sqlite3.Connection, durable: bool, alone: bool) -> bool:
        """Begin a transaction, or a part of one; False where another process holds the store."""
        if not alone and self._sharing.follow(connection):
            return True
        self._sharing.commit(connection)
        try:
            if self._durable is not durable:
                self._durable = None  # not known, where an interrupt strikes in between
                connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if is_busy(error):
                return False
            raise
        return True

    def _usable_writer(self, nested: bool) -> sqlite3.Connection:
        """Return the writer, or say why it cannot be used now.

        What an interrupt left open, this thread not being inside a transaction, is rolled back first.
        """
        connection = self._writer
        if connection is None:
            raise StoreError("The gate is closed; nothing ran. Open it again.", code="closed")
        if connection.in_transaction and not nested and not self._sharing.open:
            roll_back(connection)
        if nested and (connection.in_transaction or self._sharing.open):
            raise StoreError("A transaction was begun inside another; nothing ran.", code="nested")
        self._check_file()
        return connection

    def _check_file(self) -> None:
        """Make sure that the path still has the file that was opened."""
        if self.path is not None and files.identity(self.path) != self._file:
            raise StoreError(
                f"The file at {self.path} is not the store that was opened. Nothing ran. "
                "Put the old file back, or restart to use the new one.",
                code="store_replaced",
            )

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        """Read committed rows; see the port."""
        self._follow_fork()
        lock = self._lock if self._read is self._writer else self._read_lock
        nested = _is_mine(lock)
        with lock, RawErrors(self.path):
            if self._writer is None:
                raise StoreError("The gate is closed. Open it again.", code="closed")
            self._check_file()
            apart = self._read is not self._writer
            with snapshot(self._read) if apart and not nested else nullcontext():
                yield Rows(self._read)

    def version(self) -> int | None:
        """Return a number that is another one once anybody has committed; see the port."""
        self._follow_fork()
        if self._read is self._writer:
            return None
        nested = _is_mine(self._read_lock)
        with self._read_lock, RawErrors(self.path):
            if nested or self._writer is None:
                return None
            self._check_file()
            roll_back(self._read)
            (found,) = self._read.execute("PRAGMA data_version").fetchone()
            return self._times_opened << 32 | int(found)  # each connection counts for itself

    def backup(self, target: Path) -> None:
        """Copy the store as it stands into a new file (0600), with its key beside it, and check the copy.

        Raises:
            IllegalMove: A file is there already (code ``exists``).
            StoreError: The copy cannot be written, or the store is damaged.
        """
        if self.path is None:
            raise StoreError("A store in memory cannot be backed up; name a file.")
        self._follow_fork()
        with files.new_file(target) as handle:
            os.close(handle)
            with RawErrors(target), closing(sqlite3.connect(target)) as copy:
                with self._read_lock:
                    self._check_file()
                    self._read.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
                _refuse_damaged(copy, target)
                copy.row_factory = sqlite3.Row
                self.follow_key(keys.known(Rows(copy)))
            files.sync(target)
            files.write_key(target, self.key)

    def again(self) -> SqliteStore:
        """Return the same file opened once more, also where this is closed.

        Raises:
            StoreError: Another file or none lies at its path, or it cannot be opened.
        """
        self._check_file()
        return SqliteStore(self.path or ":memory:", create=False)

    def close(self) -> None:
        """Close both connections; a child of a fork only forgets them."""
        if os.getpid() != self._pid:
            return
        with self._lock, self._read_lock:
            self._disconnect()
            self._parted = False

    def _disconnect(self) -> None:
        if self._writer is not None:
            self._sharing.commit(self._writer)
            connections = {id(each): each for each in (self._read, self._writer)}.values()
            self._writer = None
            for connection in connections:
                connection.close()

    def _follow_fork(self) -> None:
        """Open what this process has not open: a forked child everything, a parent what it let go of."""
        if os.getpid() == self._pid and not self._parted:
            return
        if self.path is None:
            raise StoreError("A store in memory cannot be used in a forked process; name a file.")
        if self._cut:
            raise StoreError(
                f"This process was forked inside a transaction of the store {self.path}, so it cannot use "
                "that store. Nothing ran. Fork outside of transactions."
            )
        before = self._pid
        with self._lock, self._read_lock:  # whoever comes meanwhile waits for these
            try:
                if os.getpid() != self._pid:
                    self._open(create=False)
                elif self._parted:
                    self._reconnect()
            except BaseException:
                self._pid = before
                raise

    def _reconnect(self) -> None:
        """Open again, in the same process, what was closed for a fork."""
        with RawErrors(self.path):
            self._check_file()
            self._read = connect(self.path, read_only=True)
            self._writer, self._durable = connect(self.path, read_only=False), None
        self._times_opened, self._parted = self._times_opened + 1, False

    def is_mine(self) -> bool:
        """Tell whether this thread is inside a transaction, or reads."""
        return _is_mine(self._lock) or _is_mine(self._read_lock)

    def hold(self, seconds: float) -> bool:
        """Take both locks for a fork, or none, and note whether this thread is inside a transaction."""
        self._inside = self.is_mine()
        if not self._lock.acquire(timeout=seconds):
            return False
        if self._read_lock.acquire(timeout=seconds):
            return True
        self._lock.release()
        return False

    def let_go(self) -> None:
        """Release both locks."""
        self._read_lock.release()
        self._lock.release()

    def before_fork(self) -> None:
        """Close for a fork; see ``forks``. A store that its thread is using stays, and no child gets it."""
        if self._writer is not None and self.path is not None and not self._inside:
            self._parted = True
            with suppress(sqlite3.Error):
                self._disconnect()

    def after_fork_in_parent(self) -> None:
        """Open again, at the latest with the next use."""
        if self._parted:
            with suppress(StoreError):
                self._reconnect()

    def after_fork_in_child(self) -> None:
        """Have fresh locks, and nothing of the parent's."""
        if self._writer is not None:
            _graveyard.extend((self._writer, self._read))
            self._writer, self._cut = None, self.path is not None
        self._sharing = Sharing()
        self._lock, self._read_lock = threading.RLock(), threading.RLock()


def _refuse_damaged(copy: sqlite3.Connection, target: Path) -> None:
    (found,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise StoreError(
            f"The store is damaged: {found}. The copy {target} was not kept. Put an older backup in place.",
            code="store_damaged",
        )


def _is_mine(lock: threading.RLock) -> bool:
    """Tell whether this thread holds a lock already."""
    return bool(lock._is_owned())  # type: ignore[attr-defined]
