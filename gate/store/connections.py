"""Connect to a store's file, and begin or leave what stands open on a connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlite_utils import Database

from gate.clock import monotonic, pause
from gate.errors import StoreError
from gate.store import migrations
from gate.store.faults import RAW, is_busy
from gate.store.port import Reader
from gate.store.statements import Rows

BUSY_SECONDS = 10.0
"""How long a transaction is tried for before StoreBusy."""

TRY_MS = 50
"""How long one try to write waits inside SQLite; between tries the process's own lock is free."""


def connect(path: Path | None, *, read_only: bool) -> sqlite3.Connection:
    """Open a connection whose transactions are begun by hand and whose rows know their columns' names.

    Args:
        path: The database file; None for one in memory.
        read_only: Whether writing is refused.

    Raises:
        StoreError: The file is a database of something else (code ``not_a_store``).
    """
    connection = sqlite3.connect(
        path or ":memory:",
        timeout=BUSY_SECONDS if read_only else TRY_MS / 1000,  # a read waits for a log's recovery alone
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    connection.row_factory = sqlite3.Row
    database = Database(connection, execute_plugins=False)
    database.execute("PRAGMA foreign_keys = ON")
    if read_only:
        database.execute("PRAGMA query_only = ON")
    elif path is not None:
        _wal(database, path)
    return connection


def refuse_others(reader: Reader, path: Path | None) -> None:
    """Refuse a database that another program made, before anything in it is changed."""
    if migrations.schema_of(reader) == 0 and reader.one("SELECT 1 FROM sqlite_master"):
        raise StoreError(
            f"{path} is a database of something else, not a store. Nothing was changed. "
            "Name the right file with GATE_DB or db=.",
            code="not_a_store",
        )


def _wal(database: Database, path: Path) -> None:
    """Switch to the write-ahead log, waiting for others who do the same."""
    until = monotonic() + BUSY_SECONDS
    while True:
        try:
            if database.journal_mode == "wal":
                return
            refuse_others(Rows(database.conn), path)
            database.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or monotonic() >= until:
                raise
            pause(0.01)


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Let every read of a block see one state, whatever other connections write meanwhile.

    A snapshot that an interrupt left behind is ended first, since it would show that old state for ever.
    """
    roll_back(connection)
    try:
        connection.execute("BEGIN")
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def roll_back(connection: sqlite3.Connection) -> None:
    """Roll back; where that fails, SQLite has done so, or it is done again before the connection is used."""
    with suppress(*RAW):
        if connection.in_transaction:
            connection.execute("ROLLBACK")
