"""Who waits for which action: one row for each live wait."""

from __future__ import annotations

from datetime import timedelta

from gate.clock import to_us
from gate.verbs.turn import Turn

HEARTBEAT = timedelta(seconds=2)
"""How often each process says that it lives."""

SILENCE = 10 * HEARTBEAT
"""After so long without a heartbeat a process counts as silent."""


def enter(turn: Turn, action: str) -> int:
    """Record that this process waits for an action, and return the waiter's number."""
    return turn.tx.insert("waiters", action=action, process=turn.process)


def leave(turn: Turn, waiter: int) -> None:
    """Record that a wait ended; a number of 0 or one that is gone changes nothing."""
    turn.tx.run("DELETE FROM waiters WHERE n = ?", (waiter,))


def live(turn: Turn, action: str) -> bool:
    """Tell whether anybody who still lives waits for an action."""
    since = to_us(turn.now - SILENCE)
    found = turn.tx.one(
        "SELECT 1 FROM waiters w JOIN processes p ON p.id = w.process "
        "WHERE w.action = ? AND p.closed_at IS NULL AND (p.id = ? OR p.beat_at > ?)",
        (action, turn.process, since),
    )
    return found is not None
