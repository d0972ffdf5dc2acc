"""Commit what several threads write at once: one wait for the disk for all of them.

While one thread waits for the disk, others queue for the writer. Each of them writes in its turn, behind a
savepoint of its own, into one transaction; the last whom nobody follows commits it for all. Nobody goes on
before that commit is on the disk, and what one of them takes back is taken back alone. A thread that nobody
follows begins and commits by itself, as if there were no others.
"""

from __future__ import annotations

import sqlite3
import threading

from gate.store.connections import roll_back
from gate.store.faults import RAW, Raw

MOST = 32
"""How many write into one transaction at most, so that the first does not wait for ever."""

PATIENCE = 0.02
"""How long a thread waits for those that follow, in seconds, before it looks whether any does."""


class Shared:
    """One transaction that several threads write into.

    Attributes:
        over: Set once it is committed, or cannot be.
        done: Whether it is surely on the disk.
        fault: Why it cannot be; None where that is not known.
        count: How many wrote into it.
        inside: Whether somebody's part of it is begun, and not whole.
        sent: Whether its commit was begun.
    """

    __slots__ = ("count", "done", "fault", "inside", "over", "sent")

    def __init__(self) -> None:
        self.over = threading.Event()
        self.done = False
        self.fault: Raw | None = None
        self.count = 1
        self.inside = self.sent = False


class Sharing:
    """Let threads follow each other into one transaction; the writer's lock is held but for ``come``.

    An interrupt may strike between any two lines. What it leaves behind is a transaction that whoever waits
    for it, or begins another, finds open: parts that are whole are committed then, and no others.
    """

    def __init__(self) -> None:
        self._coming: set[int] = set()
        self.open: Shared | None = None

    def come(self) -> None:
        """Say that this thread is about to take the writer's lock, and would follow another."""
        self._coming.add(threading.get_ident())

    def arrive(self) -> None:
        """Say that this thread has the writer's lock."""
        self._coming.discard(threading.get_ident())

    def follow(self, connection: sqlite3.Connection) -> bool:
        """Begin a part of the transaction that others left open; False where that is none to write into."""
        shared = self.open
        if shared is None or shared.inside or shared.sent or not connection.in_transaction:
            return False
        connection.execute("SAVEPOINT part")
        shared.inside = True
        return True

    def leave(self, connection: sqlite3.Connection, *, alone: bool) -> Shared | None:
        """End this thread's part; commit where nobody follows.

        Args:
            connection: The writer, inside a transaction.
            alone: Whether nobody may follow.

        Returns:
            What has to be waited for; None where this thread was alone, and has committed.
        """
        shared = self.open
        if shared is None:
            if alone or not self._coming:
                connection.execute("COMMIT")
                return None
            shared = self.open = Shared()
        else:
            shared.inside = False  # first: from here on this part is whole
            connection.execute("RELEASE part")
            shared.count += 1
        if not self._coming or shared.count >= MOST:
            self.commit(connection)
        return shared

    def undo(self, connection: sqlite3.Connection, error: BaseException) -> None:
        """Take this thread's part back, and commit that of the others: it may have read what they wrote.

        Args:
            connection: The writer.
            error: Why it is taken back; everybody's, where SQLite took the whole transaction back for it.

        Raises:
            sqlite3.Error, MemoryError: That of the others cannot be committed.
        """
        shared = self.open
        if shared is None:
            roll_back(connection)
            return
        if not connection.in_transaction and not shared.sent:
            shared.fault = error if isinstance(error, RAW) else None
        self.commit(connection)
        if shared.fault is not None and isinstance(error, Exception):  # an interrupt stays one
            raise shared.fault

    def commit(self, connection: sqlite3.Connection) -> None:
        """Commit what others left open, and tell them; a part that is not whole is taken back before."""
        shared = self.open
        if shared is None:
            return
        try:
            if shared.fault is None:
                _commit(connection, shared)
        except RAW as error:
            shared.fault = error
        if shared.fault is not None:
            roll_back(connection)
        shared.done = shared.fault is None
        shared.over.set()
        self.open = None

    def give_up(self, shared: Shared, connection: sqlite3.Connection | None) -> None:
        """Commit a transaction that nobody followed into, though somebody had said so."""
        self._coming.clear()
        if self.open is shared and connection is not None:
            self.commit(connection)


def _commit(connection: sqlite3.Connection, shared: Shared) -> None:
    if shared.inside:
        connection.execute("ROLLBACK TO part")
        shared.inside = False
    if connection.in_transaction or not shared.sent:  # else an interrupt struck right after the commit
        shared.sent = True
        connection.execute("COMMIT")  # fails where the transaction was lost
