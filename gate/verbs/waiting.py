"""Who waits for which action: one row for each live wait."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from datetime import timedelta

from gate import processes
from gate.clock import to_us
from gate.processes import Identity
from gate.store import rows
from gate.store.port import Reader
from gate.verbs.turn import Turn

HEARTBEAT = timedelta(seconds=2)
"""How often each process says that it lives."""

SILENCE = 10 * HEARTBEAT
"""After so long without a heartbeat a process counts as silent."""


def enter(turn: Turn, action: str, *, calls: bool = True) -> int:
    """Record that this process waits for an action, and return the waiter's number.

    Args:
        turn: The open turn.
        action: What is waited for.
        calls: Whether a call waits that would run it; False for one who only waits to know.
    """
    number = secrets.randbits(62)  # never given twice, so that ending one wait late ends no other
    return turn.tx.insert("waiters", n=number, action=action, process=turn.process, calls=calls)


def leave(turn: Turn, waiter: int) -> str:
    """Record that a wait ended; a number of 0 or one that is gone changes nothing.

    Returns:
        Id of the action that was waited for; empty where nothing changed.
    """
    row = turn.tx.one("DELETE FROM waiters WHERE n = ? RETURNING action", (waiter,)) if waiter else None
    return str(row["action"]) if row else ""


def live(turn: Turn, action: str) -> bool:
    """Tell whether any call that still lives waits for an action."""
    since = to_us(turn.now - SILENCE)
    for row in turn.tx.all(_WAITERS + " AND w.calls = 1", (action,)):
        if row["process"] == turn.process:
            found = row["n"] in turn.waits()
        else:
            found = row["beat_at"] > since and not _is_dead(row["identity"])
        if found:
            return True
    return False


def any_left(reader: Reader, action: str) -> bool:
    """Tell whether anybody waits for an action whose process is not surely dead."""
    return any(not _is_dead(row["identity"]) for row in reader.all(_WAITERS, (action,)))


def forget_gone(turn: Turn, mine: Iterable[int]) -> dict[str, str]:
    """Take away the waits that are nobody's any more.

    Args:
        turn: The open turn.
        mine: Numbers of this process's waits that are still somebody's.

    Returns:
        For each action that somebody waited for so, why they are gone.
    """
    gone = dict.fromkeys(_forget(turn, turn.process, mine), "The caller that waited for it is gone.")
    others = turn.tx.all(
        "SELECT id, identity FROM processes WHERE id <> ? AND id IN (SELECT process FROM waiters)",
        (turn.process,),
    )
    for row in others:
        if _is_dead(row["identity"]):
            gone |= dict.fromkeys(_forget(turn, row["id"]), "The process that waited for it has died.")
    return gone


def _forget(turn: Turn, process: int, kept: Iterable[int] = ()) -> list[str]:
    """Take away a process's waits, but for some; return what was waited for."""
    which, those = (
        "process = ? AND n NOT IN (SELECT value FROM json_each(?))",
        (process, json.dumps(list(kept))),
    )
    found = turn.tx.all(f"SELECT action FROM waiters WHERE {which}", those)  # noqa: S608 - constants
    if found:
        turn.tx.run(f"DELETE FROM waiters WHERE {which}", those)  # noqa: S608 - constants
    return [row["action"] for row in found]


_WAITERS = (
    "SELECT w.n, w.process, p.beat_at, p.identity FROM waiters w JOIN processes p ON p.id = w.process "
    "WHERE w.action = ? AND p.closed_at IS NULL"
)


def _is_dead(identity: str) -> bool:
    return processes.is_dead(rows.load(Identity, identity))
