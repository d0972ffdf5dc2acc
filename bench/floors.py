"""What no gate on SQLite can go below: a bare durable commit, and a dict lookup."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from statistics import median
from time import perf_counter_ns

ROW_BYTES = 400
"""About as long as the record of an allowed call."""


class Rows:
    """Plain SQLite that writes one row a transaction, with the gate's own pragmas.

    Args:
        file: The database; made new.
        durable: Whether each commit reaches the disk.
    """

    def __init__(self, file: Path, *, durable: bool = True) -> None:
        self._rows = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self._rows.execute("PRAGMA journal_mode = WAL")
        self._rows.execute("PRAGMA foreign_keys = ON")
        self._rows.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        self._rows.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, body TEXT)")

    def write(self, body: str) -> None:
        """Commit one row."""
        self._rows.execute("BEGIN IMMEDIATE")
        self._rows.execute("INSERT INTO t (body) VALUES (?)", (body,))
        self._rows.execute("COMMIT")

    def close(self) -> None:
        """Close it."""
        self._rows.close()


class Commits:
    """The bare durable commit, taken again and again in between what is measured."""

    def __init__(self, folder: Path) -> None:
        self._rows, self._body = Rows(folder / "floor.db"), "x" * ROW_BYTES
        self.took: list[float] = []

    def take(self, times: int = 10) -> None:
        """Take it some times more."""
        for _ in range(times):
            start = perf_counter_ns()
            self._rows.write(self._body)
            self.took.append((perf_counter_ns() - start) / 1000)

    def median_us(self, since: int = 0) -> float:
        """Return the median of what was taken since, in µs."""
        return median(self.took[since:])

    def close(self) -> None:
        """Close its database."""
        self._rows.close()


class Lookups:
    """A plain dict lookup, taken likewise; many at once, since the clock is coarser."""

    MANY = 1000

    def __init__(self) -> None:
        self._known = {str(number): number for number in range(self.MANY)}
        self._keys = list(self._known)
        self.took: list[float] = []

    def take(self) -> None:
        """Take it once more."""
        known, keys = self._known, self._keys
        start = perf_counter_ns()
        for key in keys:
            known[key]
        self.took.append((perf_counter_ns() - start) / 1000 / self.MANY)

    def median_us(self, since: int = 0) -> float:
        """Return the median of what was taken since, in µs."""
        return median(self.took[since:])
