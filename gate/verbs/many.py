"""End many holds at once: the same moves and records as one by one, with a few statements for all of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gate import audit
from gate.errors import IllegalMove
from gate.lifecycle import State, Verb, check_move
from gate.store.port import Row
from gate.values import on_one_line
from gate.verbs.turn import GATE, Turn


@dataclass(frozen=True, slots=True)
class Ending:
    """How one hold ends.

    Attributes:
        verb: What ends it.
        state: State after.
        code: Outcome code.
        reason: Why, in one sentence.
    """

    verb: Verb
    state: State
    code: str
    reason: str

    @property
    def told(self) -> str:
        """Return what people read under its card."""
        return f"{self.state.capitalize()}: {self.reason} Nothing ran."


Ended = Sequence[tuple[Row, Ending]]
"""Rows with ``id``, ``session``, ``state`` and ``version`` as of this transaction, and how each ends."""


def end(turn: Turn, found: Ended) -> int:
    """End holds by the gate itself: one conditional update and one record each; return how many.

    Raises:
        IllegalMove: One of them is not in its state any more; nothing of it is written then.
    """
    if found:
        _move(turn, found)
        turn.close_holds([row["id"] for row, _ in found])
        _record(turn, found)
        _tell(turn, found)
    return len(found)


def _move(turn: Turn, found: Ended) -> None:
    for row, ending in found:
        check_move(State(row["state"]), ending.verb, ending.state)
    changed = turn.tx.many(
        "UPDATE actions SET state = ?, code = ?, reason = ?, ended_at = ? WHERE id = ? AND state = ?",
        [
            (ending.state, ending.code, ending.reason, turn.us, row["id"], row["state"])
            for row, ending in found
        ],
    )
    if changed != len(found):
        raise IllegalMove(f"{len(found) - changed} of the holds are not open any more; look again.")
    turn.touched.update(row["id"] for row, _ in found)
    turn.moved.update(row["session"] for row, _ in found)


def _record(turn: Turn, found: Ended) -> None:
    bodies = {(row["state"], ending): _body(row["state"], ending) for row, ending in found}
    told = [(row["id"], bodies[row["state"], ending]) for row, ending in found]
    turn.head = audit.append_many(turn.tx, turn.head, turn.now, told, actor=GATE, labels=turn.labels)


def _body(start: str, ending: Ending) -> dict[str, Any]:
    return {
        "kind": ending.verb,
        "move": {"from": start, "to": ending.state},
        "code": ending.code,
        "reason": ending.reason,
    }


def _tell(turn: Turn, found: Ended) -> None:
    """Refresh the cards and say the same in their threads; a refresh that still waits serves for both."""
    us, ids = turn.us, json.dumps([row["id"] for row, _ in found])
    waits = turn.tx.all(
        "SELECT action FROM notices WHERE kind = 'refresh' AND done_at IS NULL AND leased_until <= ? "
        "AND action IN (SELECT value FROM json_each(?))",
        (us, ids),
    )
    fresh = {row["action"] for row in waits}
    rows: list[tuple[Any, ...]] = []
    for row, ending in found:
        about = (row["id"], row["session"], row["version"])
        if row["id"] not in fresh:
            rows.append(("refresh", *about, "", us, us))
        rows.append(("reply", *about, on_one_line(ending.told), us, us))
    turn.tx.many(
        "INSERT INTO notices (kind, action, session, version, channel, text, made_at, due_at) "
        "VALUES (?, ?, ?, ?, '', ?, ?, ?)",
        rows,
    )
