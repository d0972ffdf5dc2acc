"""Begin what was allowed: at once, and only while everything stands as it stood when it was allowed."""

from __future__ import annotations

import json
from datetime import timedelta

from gate.lifecycle import State, Verb
from gate.model import ActionRecord, Ruling
from gate.model.own_rules import FREEZE, TOO_LATE, blocked_code
from gate.store.port import Reader, Row
from gate.verbs import freezing, ledger, look, ruling
from gate.verbs.turn import GATE, Turn, action_row

BEGIN_WITHIN = timedelta(minutes=1)
"""How long what was allowed may be begun: budgets have counted it as of then."""

_ROW = (
    "SELECT a.agent, a.session, a.declared_read, a.submitted_at, a.state, s.ended_at AS session_ended "
    "FROM actions a JOIN sessions s ON s.id = a.session WHERE a.id = ?"
)


def obstacle(reader: Reader, action_id: str, us: int, revision: str | None) -> Ruling | None:
    """Return why an allowed action may not be begun any more; None where it may.

    Args:
        reader: Where to read.
        action_id: Which action.
        us: The time, in microseconds.
        revision: The policy that allowed it; None where nobody knows.
    """
    row = reader.one(_ROW, (action_id,))
    if row is None or row["state"] != State.RUNNING:
        return Ruling(TOO_LATE, "block", "It is not running any more.")
    frozen = None if row["declared_read"] else freezing.freeze_of(reader, row["agent"], row["session"])
    if frozen is not None:
        return Ruling(FREEZE, "block", freezing.said_of(frozen))
    said = _changed(reader, row, us, revision)
    return Ruling(TOO_LATE, "block", said) if said else None


def _changed(reader: Reader, row: Row, us: int, revision: str | None) -> str:
    """Return what is not any more as it was when an action was allowed; empty for nothing."""
    if row["session_ended"] is not None:
        return "It was allowed, and its session has ended since."
    if ruling.current(reader) != revision:
        return "It was allowed, and the policy has changed since."
    if us - row["submitted_at"] > BEGIN_WITHIN // timedelta(microseconds=1):
        return "It was allowed, and not begun within a minute."
    return ""


def stop(turn: Turn, action_id: str, revision: str | None) -> ActionRecord | None:
    """Block an allowed action that is in hand here and has not begun, where it may not be begun any more.

    It takes back what the action was charged, since it never runs.

    Args:
        turn: The open turn.
        action_id: Which action.
        revision: The policy that allowed it; None where nobody knows.

    Returns:
        The action as it is then, blocked or ended before; None where nothing stops it.
    """
    why = obstacle(turn.tx, action_id, turn.us, revision)
    if why is None:
        return None
    row = action_row(turn.tx, action_id)
    if row["state"] == State.RUNNING:
        turn.move(
            row, Verb.CLAIM, State.BLOCKED, actor=GATE, code=blocked_code([why.rule]), reason=why.reason,
            rules=[why.rule],
        )  # fmt: skip
        turn.tx.run("UPDATE actions SET rules = ? WHERE id = ?", (json.dumps([why.rule]), action_id))
        ledger.release(turn, action_id)
    return look.record(turn.tx, action_row(turn.tx, action_id))
