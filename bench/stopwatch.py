"""Add up how long a store's statements take: what no other code of the gate could spare."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from gate.service import Service


class Stopwatch:
    """Seconds that the statements of one store took.

    Attributes:
        spent: Seconds until now.
    """

    def __init__(self) -> None:
        self.spent = 0.0

    def now(self) -> float:
        """Return the seconds until now, to be used as a clock."""
        return self.spent


class _Watched:
    """Stand in for a connection and time what is executed; everything else is the connection's own."""

    def __init__(self, connection: sqlite3.Connection, watch: Stopwatch) -> None:
        self._connection, self._watch = connection, watch

    def execute(self, sql: str, params: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Execute a statement and add the time that it took."""
        start = perf_counter()
        try:
            return self._connection.execute(sql, params)
        finally:
            self._watch.spent += perf_counter() - start

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@contextmanager
def watched(service: Service) -> Iterator[Stopwatch]:
    """Time the statements of a service's store for a while."""
    store: Any = service.store
    writer, read, watch = store._writer, store._read, Stopwatch()
    store._writer, store._read = _Watched(writer, watch), _Watched(read, watch)
    try:
        yield watch
    finally:
        store._writer, store._read = writer, read
