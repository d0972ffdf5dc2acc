"""What becomes of a hold when its caller is gone: it goes on, unless a rule says cancel."""

from __future__ import annotations

from gate.lifecycle import OPEN
from gate.store.port import Row
from gate.verbs import ends, look, waiting
from gate.verbs.turn import GATE, Turn, action_row


def leave(turn: Turn, waiter: int, *, gone: bool) -> None:
    """Record that a wait ended.

    Args:
        turn: The open turn.
        waiter: Number of the wait; one that is unknown changes nothing.
        gone: Whether its caller is gone, rather than told that the hold is still pending.
    """
    action = waiting.leave(turn, waiter)
    if action and gone:
        caller_gone(turn, action, "The caller that waited for it is gone.")


def stand_by(turn: Turn, action_id: str) -> int:
    """Record that somebody waits to know what becomes of a hold; return the number of the wait.

    Only where that matters: 0 for what is not cancelled when its callers are gone.
    """
    row = action_row(turn.tx, action_id)
    return waiting.enter(turn, action_id, calls=False) if cancels(row) else 0


def caller_gone(turn: Turn, action_id: str, reason: str) -> None:
    """Cancel an open hold whose rules say so, unless somebody else may still wait for it.

    Only proof counts: a process that is merely silent may still wait, and then the hold goes on.

    Args:
        turn: The open turn, in which the wait was taken away.
        action_id: What was waited for.
        reason: Why nobody waits any more.
    """
    row = action_row(turn.tx, action_id)
    if not cancels(row) or waiting.any_left(turn.tx, action_id) or ends.expire(turn, row):
        return
    ends.cancel(turn, action_id, code="caller_gone", reason=reason, actor=GATE)


def cancels(row: Row) -> bool:
    """Tell whether a hold is open and any of its requirements cancels it when its caller is gone."""
    return (
        bool(row["version"])
        and row["state"] in OPEN
        and any(each.on_caller_gone == "cancel" for each in look.requirements(row))
    )
