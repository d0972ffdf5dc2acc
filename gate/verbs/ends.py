"""End holds that nobody decides any more: expired, undelivered, cancelled."""

from __future__ import annotations

from gate.errors import IllegalMove
from gate.lifecycle import OPEN, State, Verb
from gate.store.port import Row
from gate.verbs.turn import ACTION, GATE, Turn, action_row

SWEEP_BATCH = 500
"""How many holds one transaction of the sweep ends at most."""


def sweep(turn: Turn) -> int:
    """End a batch of holds that are past their deadline, and return how many."""
    due = turn.tx.all(
        ACTION + "WHERE h.deadline IS NOT NULL AND h.deadline <= ? ORDER BY h.deadline LIMIT ?",
        (turn.us, SWEEP_BATCH),
    )
    return sum(expire(turn, row) for row in due)


def expire(turn: Turn, row: Row) -> bool:
    """End one open hold if it is past its deadline, and tell whether it was.

    Args:
        turn: The open turn.
        row: The action's joined row.
    """
    if row["state"] == State.APPROVED and turn.us >= row["use_by"]:
        _end(turn, row, Verb.EXPIRE, State.EXPIRED, "expired_unused", "Approved, but not started in time.")
    elif row["state"] != State.PENDING:
        return False
    elif row["accepted_at"] is None and turn.us >= min(row["deliver_by"], row["expires_at"]):
        text = "No card could be posted in time, so nobody was asked."
        _end(turn, row, Verb.UNDELIVER, State.UNDELIVERED, "not_delivered_in_time", text)
    elif turn.us >= row["expires_at"]:
        _end(turn, row, Verb.EXPIRE, State.EXPIRED, "expired_unanswered", "Nobody answered in time.")
    else:
        return False
    return True


def undeliver(turn: Turn, action_id: str, *, code: str, reason: str) -> None:
    """End a pending hold because nobody could be asked.

    One that is not pending stays as it is, and one that is past its deadline ends as that says.
    """
    row = action_row(turn.tx, action_id)
    if row["state"] == State.PENDING and not expire(turn, row):
        _end(turn, row, Verb.UNDELIVER, State.UNDELIVERED, code, reason)


def cancel(turn: Turn, action_id: str, *, code: str, reason: str, actor: str) -> None:
    """Take an open hold back.

    Raises:
        IllegalMove: It is not open.
    """
    row = action_row(turn.tx, action_id)
    if row["state"] not in OPEN:
        raise IllegalMove(f"The hold {action_id} is {row['state']}; only one that is open can be cancelled.")
    _end(turn, row, Verb.CANCEL, State.CANCELLED, code, reason, actor=actor)


def cancel_open(turn: Turn, *, code: str, reason: str, actor: str, session: str | None = None) -> int:
    """Take every open hold back, or those of one session, and return how many."""
    found = turn.tx.all(
        ACTION + "WHERE a.state IN ('pending', 'approved') AND (? IS NULL OR a.session = ?)",
        (session, session),
    )
    for row in found:
        _end(turn, row, Verb.CANCEL, State.CANCELLED, code, reason, actor=actor)
    return len(found)


def _end(
    turn: Turn, row: Row, verb: Verb, state: State, code: str, reason: str, *, actor: str = GATE
) -> None:
    turn.move(row, verb, state, actor=actor, code=code, reason=reason)
    turn.tell_people(row, f"{state.capitalize()}: {reason} Nothing ran.")
