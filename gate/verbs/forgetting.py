"""Forget what no budget's window reaches any more, in batches, so that calls come in between."""

from __future__ import annotations

import json
from datetime import timedelta

from gate.clock import to_us
from gate.store.port import Reader
from gate.verbs.backfill import PAGE, kept
from gate.verbs.turn import AMONG, Turn

_SERIES = 50
"""How many series one transaction looks at most through."""

_DAY = timedelta(days=1)
_DAY_US = _DAY // timedelta(microseconds=1)


def last_of_yesterday(reader: Reader, us: int) -> int:
    """Return when the newest run was that is a day old, in microseconds; 0 where there is none.

    Windows are reckoned back from there, not from the time alone: a clock that is wrong for less than a day
    takes nothing away which counts again once the right time is accepted.

    Args:
        reader: Where to read.
        us: The time, in microseconds.
    """
    span = reader.one("SELECT min(n) AS first, max(n) AS last FROM ledger") or {}
    first, last = span.get("first") or 0, span.get("last") or 0
    while first < last:  # runs stand in the order of their time
        middle = (first + last + 1) // 2
        row = reader.one(_NEXT, (middle,))
        if row is not None and row["at"] <= us - _DAY_US:
            first = row["n"]
        else:
            last = middle - 1
    row = reader.one(_NEXT, (first,))
    return row["at"] if row is not None and row["at"] <= us - _DAY_US else 0


_NEXT = "SELECT n, at FROM ledger WHERE n >= ? ORDER BY n LIMIT 1"


def stale(reader: Reader, newest: int) -> list[int]:
    """Return the series with a charge that no window reaches any more.

    Args:
        reader: Where to read; it looks at every series once, so not inside a transaction.
        newest: What ``last_of_yesterday`` returned.
    """
    return [row["id"] for row in reader.all(_STALE, (newest - _kept_us(reader),))]


_STALE = "SELECT s.id FROM series s WHERE (SELECT min(c.at) FROM charges c WHERE c.series = s.id) <= ?"


def _kept_us(reader: Reader) -> int:
    return kept(reader) // timedelta(microseconds=1)


def prune(turn: Turn, series: list[int], newest: int) -> int:
    """Forget a batch of what no window reaches any more; return how much went.

    Args:
        turn: The open turn.
        series: What ``stale`` found; those that are done with are taken out.
        newest: What ``last_of_yesterday`` returned.
    """
    cutoff = min(newest, turn.us - _DAY_US) - _kept_us(turn.tx)  # a longer window may have come since
    return _old_charges(turn, series, cutoff) + _old_runs(turn, cutoff) + _leftovers(turn)


def _old_charges(turn: Turn, series: list[int], cutoff: int) -> int:
    some = series[:_SERIES]
    ids = json.dumps(some)
    gone = turn.tx.run(
        "DELETE FROM charges WHERE (series, at, n) IN "  # noqa: S608 - constant
        f"(SELECT series, at, n FROM charges WHERE series {AMONG} AND at <= ? LIMIT ?)",
        (ids, cutoff, PAGE),
    )
    if gone == PAGE:
        return gone
    turn.tx.run(
        f"DELETE FROM series WHERE id {AMONG} "  # noqa: S608 - constant
        "AND NOT EXISTS (SELECT 1 FROM charges c WHERE c.series = series.id)",
        (ids,),
    )
    del series[:_SERIES]
    return gone + len(some)


def _old_runs(turn: Turn, cutoff: int) -> int:
    """Forget the first runs of the ledger, which stand in the order of their time."""
    return turn.tx.run(
        "DELETE FROM ledger WHERE at <= ? AND n IN (SELECT n FROM ledger ORDER BY n LIMIT ?)", (cutoff, PAGE)
    )


def _leftovers(turn: Turn) -> int:
    """Forget budgets that no policy has any more with all of theirs, and headroom that has ended."""
    old = to_us(turn.now - _DAY)
    dead = turn.tx.all(
        "SELECT s.id FROM series s JOIN budgets b ON b.id = s.budget "
        "WHERE b.active = 0 AND b.made_at <= ? LIMIT ?",
        (old, _SERIES),
    )
    for row in dead:
        turn.tx.run("DELETE FROM charges WHERE series = ?", (row["id"],))
        turn.tx.run("DELETE FROM series WHERE id = ?", (row["id"],))
    if not dead:
        turn.tx.run("DELETE FROM budgets WHERE active = 0 AND made_at <= ?", (old,))
        turn.tx.run("DELETE FROM headroom WHERE until <= ?", (turn.us,))
    return len(dead)
