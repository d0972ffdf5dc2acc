"""The order book that the demo's tools work on: one small SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Order:
    """One order.

    Attributes:
        id: Such as ``ORD-1``.
        total: Amount in ``currency``.
        currency: ISO 4217 code.
        status: ``open``, ``delivered`` or ``cancelled``.
    """

    id: str
    total: Decimal
    currency: str
    status: str


class OrderBook:
    """Keep orders, refunds and replies in one file.

    Args:
        path: The file; made with three orders where there is none.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._open() as rows:
            rows.executescript(
                """
                CREATE TABLE IF NOT EXISTS orders (
                  id TEXT PRIMARY KEY, total TEXT, currency TEXT, status TEXT);
                CREATE TABLE IF NOT EXISTS refunds (
                  id INTEGER PRIMARY KEY, order_id TEXT, amount TEXT, reason TEXT);
                CREATE TABLE IF NOT EXISTS replies (id INTEGER PRIMARY KEY, thread TEXT, text TEXT);
                INSERT OR IGNORE INTO orders VALUES ('ORD-1', '400.00', 'EUR', 'delivered'),
                  ('ORD-2', '14000.00', 'EUR', 'delivered'), ('ORD-3', '89.90', 'EUR', 'open');
                """
            )

    def order(self, id_: str) -> Order:
        """Return one order.

        Raises:
            LookupError: There is no such order.
        """
        with self._open() as rows:
            found = rows.execute(
                "SELECT id, total, currency, status FROM orders WHERE id = ?", (id_,)
            ).fetchone()
        if found is None:
            raise LookupError(f"no order {id_}")
        return Order(found[0], Decimal(found[1]), found[2], found[3])

    def cancel(self, id_: str) -> None:
        """Mark one order as cancelled."""
        with self._open() as rows:
            rows.execute("UPDATE orders SET status = 'cancelled' WHERE id = ?", (id_,))

    def refund(self, id_: str, amount: Decimal, reason: str) -> str:
        """Book one refund and return its id."""
        with self._open() as rows:
            made = rows.execute(
                "INSERT INTO refunds (order_id, amount, reason) VALUES (?, ?, ?)", (id_, str(amount), reason)
            )
        return f"RF-{made.lastrowid}"

    def reply(self, thread: str, text: str) -> None:
        """Write one reply to a customer."""
        with self._open() as rows:
            rows.execute("INSERT INTO replies (thread, text) VALUES (?, ?)", (thread, text))

    def count(self, table: str) -> int:
        """Return how many refunds or replies there are."""
        if table not in ("refunds", "replies"):
            raise ValueError(table)
        with self._open() as rows:
            return int(rows.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path)) as connection, connection:
            yield connection
