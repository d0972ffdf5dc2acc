"""Make a store old: many more records, calls and ledger entries, in the bytes that the gate itself writes.

A few calls go through the gate; their rows are then written again and again under other ids, with the chain,
the running totals and the head of the log as they would be.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

from gate.audit_export import link

Row = Mapping[str, Any]


def lengthen(db: Path, *, calls: int, entries: int) -> None:
    """Write the newest call of a closed store again: so many times, the last ones with their charges."""
    with closing(sqlite3.connect(db, isolation_level=None)) as rows:
        rows.row_factory = sqlite3.Row
        rows.execute("PRAGMA synchronous = OFF")
        rows.execute("BEGIN IMMEDIATE")
        action = _all(rows, "SELECT * FROM actions ORDER BY rowid DESC LIMIT 1")[0]
        _put(rows, "actions", [*action], (tuple((action | {"id": ident}).values()) for ident in _ids(calls)))
        _charge(rows, action["id"], calls, entries)
        _log(rows, action["id"], calls)
        rows.execute("COMMIT")
        rows.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _ids(count: int) -> Iterator[str]:
    return (f"{number:016d}" for number in range(count))


def _all(rows: sqlite3.Connection, sql: str, params: Sequence[Any] = ()) -> list[dict[str, Any]]:
    return [dict(row) for row in rows.execute(sql, params)]


def _put(rows: sqlite3.Connection, table: str, names: Sequence[str], many: Iterator[tuple[Any, ...]]) -> None:
    marks = ", ".join("?" * len(names))
    rows.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", many)


def _charge(rows: sqlite3.Connection, action: str, calls: int, entries: int) -> None:
    """Write the ledger's entry of a call again, and its charges with the totals that follow."""
    entry = _all(rows, "SELECT * FROM ledger WHERE action = ?", (action,))[0]
    charges = _all(rows, "SELECT * FROM charges WHERE n = ?", (entry["n"],))
    last = _all(rows, "SELECT max(n) AS n FROM ledger")[0]["n"]
    numbers = range(last + 1, last + 1 + entries)
    idents = (f"{number:016d}" for number in range(calls - entries, calls))
    _put(
        rows, "ledger", [*entry],
        (
            tuple((entry | {"n": n, "action": ident}).values())
            for n, ident in zip(numbers, idents, strict=True)
        ),
    )  # fmt: skip
    for charge in charges:
        newest = _all(
            rows,
            "SELECT at, total FROM charges WHERE series = ? ORDER BY at DESC, n DESC LIMIT 1",
            (charge["series"],),
        )[0]
        amount, total = Decimal(charge["amount"]), Decimal(newest["total"])
        _put(
            rows, "charges", [*charge],
            (
                tuple((charge | {"at": newest["at"], "n": n, "total": str(total + amount * k)}).values())
                for k, n in enumerate(numbers, 1)
            ),
        )  # fmt: skip


def _log(rows: sqlite3.Connection, action: str, calls: int) -> None:
    """Write the records of a call again, chained behind the newest."""
    head = _all(rows, "SELECT seq, hash FROM audit_head")[0]
    bodies = [
        row["body"] for row in _all(rows, "SELECT body FROM records WHERE action = ? ORDER BY seq", (action,))
    ]
    state = {"seq": head["seq"], "hash": head["hash"]}

    def records() -> Iterator[tuple[Any, ...]]:
        for ident in _ids(calls):
            for body in bodies:
                text = body.replace(action, ident)
                state["seq"], state["hash"] = state["seq"] + 1, link(state["hash"], text)
                yield state["seq"], text, state["hash"]

    _put(rows, "audit", ("seq", "body", "hash"), records())
    rows.execute("UPDATE audit_head SET seq = ?, hash = ?", (state["seq"], state["hash"]))
