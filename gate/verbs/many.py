"""End many holds at once: the same moves and records as one by one, with a few statements for all of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from gate import audit
from gate.errors import IllegalMove
from gate.lifecycle import State, Verb, check_move
from gate.store.port import Row
from gate.values import on_one_line
from gate.verbs.turn import GATE, Turn


@dataclass(frozen=True, slots=True, eq=False)
class Ending:
    """How holds end; each is like itself alone.

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

_Way = tuple[str, Ending]
"""The state that holds are in, and how they end: what is the same for most of them is worked out once."""


def end(turn: Turn, found: Ended) -> int:
    """End holds by the gate itself: one conditional update and one record each; return how many.

    Raises:
        IllegalMove: One of them is not in its state any more; nothing of it is written then.
    """
    if found:
        ids: dict[_Way, list[str]] = {}
        for row, ending in found:
            ids.setdefault((row["state"], ending), []).append(row["id"])
        _move(turn, ids)
        turn.touched.update((row["id"], (ending.state, row["version"])) for row, ending in found)
        turn.moved.update(row["session"] for row, _ in found)
        refreshed = turn.close_holds([row["id"] for row, _ in found])
        _record(turn, found, ids)
        _tell(turn, found, ids, refreshed)
    return len(found)


def _move(turn: Turn, ids: Mapping[_Way, Sequence[str]]) -> None:
    for (start, ending), those in ids.items():
        check_move(State(start), ending.verb, ending.state)
        changed = turn.tx.run(
            "UPDATE actions SET state = ?, code = ?, reason = ?, ended_at = ? "
            "WHERE id IN (SELECT value FROM json_each(?)) AND state = ?",
            (ending.state, ending.code, ending.reason, turn.us, json.dumps(those), start),
        )
        if changed != len(those):
            raise IllegalMove(f"{len(those) - changed} of the holds are not open any more; look again.")


def _record(turn: Turn, found: Ended, ways: Iterable[_Way]) -> None:
    bodies = {way: _body(*way) for way in ways}
    told = [(row["id"], bodies[row["state"], ending]) for row, ending in found]
    turn.head = audit.append_many(turn.tx, turn.head, turn.now, told, actor=GATE, labels=turn.labels)


def _body(start: str, ending: Ending) -> dict[str, Any]:
    return {
        "kind": ending.verb,
        "move": {"from": start, "to": ending.state},
        "code": ending.code,
        "reason": ending.reason,
    }


def _tell(turn: Turn, found: Ended, ways: Iterable[_Way], refreshed: Set[str]) -> None:
    """Refresh the cards and say the same in their threads; a refresh that still waits serves for both."""
    us, texts = turn.us, {ending: on_one_line(ending.told) for _, ending in ways}
    rows: list[tuple[Any, ...]] = []
    for row, ending in found:
        about = (row["id"], row["session"], row["version"])
        if row["id"] not in refreshed:
            rows.append(("refresh", *about, "", us, us))
        rows.append(("reply", *about, texts[ending], us, us))
    turn.tx.many(
        "INSERT INTO notices (kind, action, session, version, channel, text, made_at, due_at) "
        "VALUES (?, ?, ?, ?, '', ?, ?, ?)",
        rows,
    )
