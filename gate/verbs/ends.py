"""End holds that nobody decides any more: expired, undelivered, cancelled."""

from __future__ import annotations

from gate.errors import IllegalMove
from gate.lifecycle import OPEN, State, Verb
from gate.store.port import Row
from gate.verbs import headroom, many
from gate.verbs.many import Ending
from gate.verbs.turn import ACTION, GATE, Turn, action_row

SWEEP_BATCH = 1000
"""How many holds one transaction of the sweep ends at most; calls wait about 40 ms for one."""


def sweep(turn: Turn) -> int:
    """End a batch of holds that are past their deadline, and return how many."""
    us = turn.us
    due = turn.tx.all(_DUE, (us, SWEEP_BATCH))
    due.sort(key=lambda row: row["id"])  # as indices are sorted: each is passed through once
    return many.end(turn, [(row, ending) for row in due if (ending := _due(us, row)) is not None])


_DUE = (
    "SELECT a.id, a.session, a.state, h.version, h.expires_at, h.deliver_by, h.accepted_at, h.use_by "
    "FROM holds h JOIN actions a ON a.id = h.action "
    "WHERE h.deadline IS NOT NULL AND h.deadline <= ? ORDER BY h.deadline LIMIT ?"
)


def expire(turn: Turn, row: Row) -> bool:
    """End one open hold if it is past its deadline, and tell whether it was.

    Args:
        turn: The open turn.
        row: The action's joined row.
    """
    ending = _due(turn.us, row)
    if ending is None:
        return False
    _end(turn, row, ending)
    return True


_UNUSED = Ending(Verb.EXPIRE, State.EXPIRED, "expired_unused", "Approved, but not started in time.")
_UNANSWERED = Ending(Verb.EXPIRE, State.EXPIRED, "expired_unanswered", "Nobody answered in time.")
_NOT_POSTED = Ending(
    Verb.UNDELIVER,
    State.UNDELIVERED,
    "not_delivered_in_time",
    "No card could be posted in time, so nobody was asked.",
)


def _due(us: int, row: Row) -> Ending | None:
    """Return how a hold ends that is past its deadline at a time; None for any other action."""
    if row["state"] == State.APPROVED and us >= row["use_by"]:
        return _UNUSED
    if row["state"] != State.PENDING:
        return None
    if row["accepted_at"] is None and us >= min(row["deliver_by"], row["expires_at"]):
        return _NOT_POSTED
    return _UNANSWERED if us >= row["expires_at"] else None


def undeliver(turn: Turn, action_id: str, *, code: str, reason: str) -> None:
    """End a pending hold because nobody could be asked.

    One that is not pending stays as it is, and one that is past its deadline ends as that says.
    """
    row = action_row(turn.tx, action_id)
    if row["state"] == State.PENDING and not expire(turn, row):
        _end(turn, row, Ending(Verb.UNDELIVER, State.UNDELIVERED, code, reason))


def cancel(turn: Turn, action_id: str, *, code: str, reason: str, actor: str) -> None:
    """Take an open hold back.

    Raises:
        IllegalMove: It is not open.
    """
    row = action_row(turn.tx, action_id)
    if row["state"] not in OPEN:
        raise IllegalMove(f"The hold {action_id} is {row['state']}; only one that is open can be cancelled.")
    _end(turn, row, Ending(Verb.CANCEL, State.CANCELLED, code, reason), actor=actor)


def cancel_open(turn: Turn, *, code: str, reason: str, actor: str, session: str | None = None) -> int:
    """Take every open hold back, or those of one session, and return how many."""
    found = turn.tx.all(
        ACTION + "WHERE a.state IN ('pending', 'approved') AND (? IS NULL OR a.session = ?)",
        (session, session),
    )
    for row in found:
        _end(turn, row, Ending(Verb.CANCEL, State.CANCELLED, code, reason), actor=actor)
    return len(found)


def _end(turn: Turn, row: Row, ending: Ending, *, actor: str = GATE) -> None:
    turn.move(row, ending.verb, ending.state, actor=actor, code=ending.code, reason=ending.reason)
    if ending.verb == Verb.CANCEL:
        headroom.revoke(turn, row["id"])
    turn.tell_people(row, ending.told)
