"""Hand a hold over to more people once nobody has met what it asks, and remind those still needed once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from gate.clock import from_us
from gate.lifecycle import State
from gate.model import Requirement
from gate.policy.policyset import PolicySet
from gate.requirements import standing
from gate.store import rows
from gate.store.port import Row
from gate.verbs import ballots, look
from gate.verbs.turn import ACTION, GATE, Turn, action_row


@dataclass(frozen=True, slots=True)
class Handed:
    """What came of handing a hold over.

    Attributes:
        done: Whether any requirement of the hold was handed over, now or before.
        again_at: When to look again, UTC; None where nothing more comes.
    """

    done: bool = False
    again_at: datetime | None = None


def hand_over(turn: Turn, hold: str, policy: PolicySet) -> Handed:
    """Add to each requirement that is due and not met the people it is handed over to.

    Nothing else of a requirement changes: who could answer still can, its quorum stays, and nobody counts in
    any other requirement for it. Under a newer revision that hands it over later, or not at all, it waits, or
    stays as it is.

    Args:
        turn: The open turn.
        hold: Hold id; one that is unknown or not pending stays as it is.
        policy: The policy in force.
    """
    row = turn.tx.one(ACTION + "WHERE a.id = ?", (hold,))
    if row is None or row["state"] != State.PENDING or turn.us >= row["expires_at"]:
        return Handed()
    needs = look.requirements(row)
    open_ones = _unmet(turn, row, needs, policy)
    times = {index: at for index in open_ones if (at := _due(needs[index], policy)) is not None}
    now = [index for index, at in times.items() if at <= turn.now]
    if now:
        _write(turn, row, needs, now)
    later = [at for at in times.values() if at > turn.now]
    return Handed(bool(now) or any(each.handed for each in needs), min(later, default=None))


def up_to_date(turn: Turn, row: Row, policy: PolicySet) -> Row:
    """Return the row of an open hold after it was handed over as far as that is due; see ``hand_over``."""
    if not any(each.hand_over for each in look.requirements(row)):
        return row  # most holds, before each answer
    hand_over(turn, row["id"], policy)
    return action_row(turn.tx, row["id"])


def _unmet(turn: Turn, row: Row, needs: Sequence[Requirement], policy: PolicySet) -> list[int]:
    given = turn.tx.all(
        "SELECT counts FROM decisions WHERE action = ? AND version = ? AND said = 'approve'",
        (row["id"], row["version"]),
    )
    counts = [frozenset(json.loads(each["counts"])) for each in given]
    stands = standing(needs, counts, ballots.quorums(needs, policy))
    return [index for index, each in enumerate(stands) if not each.met and not each.requirement.handed]


def _due(need: Requirement, policy: PolicySet) -> datetime | None:
    """Return when a requirement is handed over, by what it was asked with and by the policy of now."""
    if need.hand_over is None or need.hand_over_at is None:
        return None
    asked, after = need.hand_over_at - need.hand_over.after, need.hand_over.after
    for current in filter(None, map(policy.requirement_of, need.rules)):
        if current.hand_over is None:
            return None
        after = max(after, current.hand_over.after)
    return asked + after


def _write(turn: Turn, row: Row, needs: Sequence[Requirement], which: Sequence[int]) -> None:
    after = tuple(_handed(each) if index in which else each for index, each in enumerate(needs))
    turn.tx.run(
        "UPDATE versions SET requirements = ? WHERE action = ? AND version = ?",
        (rows.dump(tuple[Requirement, ...], after), row["id"], row["version"]),
    )
    for index in which:
        to = needs[index].hand_over
        assert to is not None
        turn.log(
            "hand_over", actor=GATE, action=row["id"], rules=list(needs[index].rules), version=row["version"],
            approvers=[str(each) for each in to.approvers],
        )  # fmt: skip
    turn.notify("refresh", row)


def _handed(need: Requirement) -> Requirement:
    assert need.hand_over is not None
    everybody = tuple(dict.fromkeys((*need.approvers, *need.hand_over.approvers)))
    return replace(need, approvers=everybody, handed=True)


def begin(turn: Turn, notice_id: int) -> bool:
    """Tell whether a message that must not be posted twice may be posted now; True once for each try.

    Not where the hold is not pending any more, where another try may have posted it, or where a later
    reminder of the same hold is due already.
    """
    row = turn.tx.one(
        "SELECT n.*, a.state, h.expires_at FROM notices n JOIN actions a ON a.id = n.action "
        "JOIN holds h ON h.action = n.action WHERE n.id = ?",
        (notice_id,),
    )
    if row is None or row["done_at"] is not None or row["error"] == POSTING or any(_moot(turn, row)):
        return False
    turn.tx.run("UPDATE notices SET error = ? WHERE id = ?", (POSTING, notice_id))
    if row["kind"] == "remind":
        turn.log("remind", actor=GATE, action=row["action"], due=from_us(row["due_at"]).isoformat())
    return True


POSTING = "posting"
"""Stands as the error of a notice while a try may have posted it."""


def _moot(turn: Turn, row: Row) -> Iterator[bool]:
    yield row["state"] != State.PENDING
    yield turn.us >= row["expires_at"]
    later = turn.tx.one(
        "SELECT 1 FROM notices WHERE action = ? AND kind = 'remind' AND done_at IS NULL AND due_at <= ? "
        "AND due_at > ?",
        (row["action"], turn.us, row["due_at"]),
    )
    yield row["kind"] == "remind" and later is not None
