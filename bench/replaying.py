"""Execute the statements of one call again by plain ``sqlite3``: what is left without the gate's own code."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.roads import Desk

Statement = tuple[str, tuple[Any, ...]]


class Recording:
    """Stand in for a connection and note what is executed; everything else is the connection's own."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.noted: list[Statement] = []

    def execute(self, sql: str, params: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Execute a statement and note it."""
        self.noted.append((sql, tuple(params)))
        return self._connection.execute(sql, params)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def statements(desk: Desk) -> list[Statement]:
    """Return what one allowed call executes, from the first BEGIN to the last COMMIT."""
    store: Any = desk.gate.service.store
    recording = Recording(store._writer)
    store._writer = recording
    try:
        desk.allowed()
    finally:
        store._writer = recording._connection
    return recording.noted


class Replay:
    """The statements of one call, for another action each time, on the store that they were noted on.

    Args:
        db: A closed store.
        noted: The statements.
    """

    def __init__(self, db: Path, noted: Sequence[Statement]) -> None:
        self._rows = sqlite3.connect(db, isolation_level=None, check_same_thread=False, cached_statements=256)
        self._rows.execute("PRAGMA foreign_keys = ON")
        self._rows.execute("PRAGMA synchronous = FULL")
        self._noted, self._number = noted, 0
        self._action = next(params[0] for sql, params in noted if sql.startswith("INSERT INTO actions"))
        (self._run,) = self._rows.execute("SELECT max(n) FROM ledger").fetchone()
        self._records = {params[0] for sql, params in noted if sql.startswith("INSERT INTO audit ")}

    def call(self) -> None:
        """Execute them once more."""
        self._number += 1
        for sql, params in self._noted:
            self._rows.execute(sql, [self._new(each) for each in params]).fetchall()

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
