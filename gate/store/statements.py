"""Run statements on one connection, and give rows by column name."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import Any

from gate.store.port import Params, Row


class Rows:
    """Run statements on one connection; see ``port.Tx``.

    Args:
        connection: The connection, whose transaction is the caller's.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def one(self, sql: str, params: Params = ()) -> Row | None:
        """Return the first row, or None."""
        row = self._connection.execute(sql, params).fetchone()
        return None if row is None else _by_name(row)

    def all(self, sql: str, params: Params = ()) -> list[Row]:
        """Return every row, all read at once: an interrupt that is kept with its frames keeps no cursor open.

        One that stays open would hold the connection at an old state, from which nobody can write any more.
        """
        return [_by_name(row) for row in self._connection.execute(sql, params).fetchall()]

    def run(self, sql: str, params: Params = ()) -> int:
        """Execute one statement and return how many rows it changed."""
        return self._connection.execute(sql, params).rowcount

    def many(self, sql: str, params: Sequence[Params]) -> int:
        """Execute one statement for each of many parameters and return how many rows that changed."""
        return self._connection.executemany(sql, params).rowcount

    def insert(self, table: str, **columns: Any) -> int:
        """Insert one row and return its rowid."""
        sql = _insertion(table, tuple(columns))
        return self._connection.execute(sql, tuple(columns.values())).lastrowid or 0


@cache
def _insertion(table: str, columns: tuple[str, ...]) -> str:
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - names come from code


def _by_name(row: sqlite3.Row) -> Row:
    """Return a row as a dict; ``dict(row)`` would look for each name among all of them."""
    return dict(zip(row.keys(), row, strict=True))
