"""Execute statements of the gate again by plain ``sqlite3``: what is left without the gate's own code."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bench.roads import Desk


class Statement(NamedTuple):
    """What was executed.

    Attributes:
        sql: Its text.
        params: Its parameters, or those of each of many executions.
        many: Whether it was executed many times.
    """

    sql: str
    params: Sequence[Any]
    many: bool = False


class Recording:
    """Stand in for a connection and note what is executed; everything else is the connection's own."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.noted: list[Statement] = []

    def execute(self, sql: str, params: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Execute a statement and note it."""
        self.noted.append(Statement(sql, tuple(params)))
        return self._connection.execute(sql, params)

    def executemany(self, sql: str, params: Sequence[Sequence[Any]]) -> sqlite3.Cursor:
        """Execute a statement many times and note it."""
        self.noted.append(Statement(sql, list(params), many=True))
        return self._connection.executemany(sql, params)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@contextmanager
def recording(store: Any) -> Iterator[list[Statement]]:
    """Note what a store's writer executes within a block."""
    notes = Recording(store._writer)
    store._writer = notes
    try:
        yield notes.noted
    finally:
        store._writer = notes._connection


def statements(desk: Desk) -> list[Statement]:
    """Return what one allowed call executes, from the first BEGIN to the last COMMIT."""
    with recording(desk.gate.service.store) as noted:
        desk.allowed()
    return noted


def connect(db: Path) -> sqlite3.Connection:
    """Open a closed store plainly, with the gate's own pragmas."""
    rows = sqlite3.connect(db, isolation_level=None, check_same_thread=False, cached_statements=256)
    rows.execute("PRAGMA journal_mode = WAL")
    rows.execute("PRAGMA foreign_keys = ON")
    rows.execute("PRAGMA synchronous = FULL")
    return rows


def again(rows: sqlite3.Connection, noted: Sequence[Statement]) -> None:
    """Execute on a copy what was noted on the store that it is a copy of."""
    for sql, params, many in noted:
        if many:
            rows.executemany(sql, params)
        else:
            rows.execute(sql, params).fetchall()


class Replay:
    """The statements of one call, for another action each time, on the store that they were noted on.

    Args:
        db: A closed store.
        noted: The statements.
    """

    def __init__(self, db: Path, noted: Sequence[Statement]) -> None:
        self._rows = connect(db)
        self._noted, self._number = noted, 0
        self._action = next(each.params[0] for each in noted if each.sql.startswith("INSERT INTO actions"))
        (self._run,) = self._rows.execute("SELECT max(n) FROM ledger").fetchone()
        self._records = {each.params[0] for each in noted if each.sql.startswith("INSERT INTO audit ")}

    def call(self) -> None:
        """Execute them once more."""
        self._number += 1
        again(self._rows, [each._replace(params=[*map(self._new, each.params)]) for each in self._noted])

    def _new(self, value: Any) -> Any:
        """Return a value as the next call would have it: its action, its records and its run are new."""
        if isinstance(value, str):
            return value.replace(self._action, f"{self._number:016d}")
        if value in self._records:
            return value + 2 * self._number
        return value + self._number if value == self._run else value

    def close(self) -> None:
        """Close the store."""
        self._rows.close()
