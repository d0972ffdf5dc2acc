"""What no gate on SQLite can go below: a bare durable commit, and a dict lookup."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from statistics import median
from time import perf_counter

ROW = "x" * 400
"""About as long as the record of an allowed call."""


def commit_us(folder: Path, rounds: int) -> float:
    """Return the median time of one durable commit of one row, in microseconds."""
    rows = sqlite3.connect(folder / "floor.db", isolation_level=None)
    rows.execute("PRAGMA journal_mode = WAL")
    rows.execute("PRAGMA synchronous = FULL")
    rows.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, body TEXT)")
    took = []
    for _ in range(rounds):
        start = perf_counter()
        rows.execute("BEGIN IMMEDIATE")
        rows.execute("INSERT INTO t (body) VALUES (?)", (ROW,))
        rows.execute("COMMIT")
        took.append(perf_counter() - start)
    rows.close()
    return median(took) * 1e6


def lookup_us(rounds: int) -> float:
    """Return the median time of one dict lookup, in microseconds."""
    known = {str(number): number for number in range(1000)}
    took = []
    for number in range(rounds):
        key = str(number % 1000)
        start = perf_counter()
        known[key]
        took.append(perf_counter() - start)
    return median(took) * 1e6
