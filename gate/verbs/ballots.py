"""One person's answer, and whether it counts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gate.clock import from_us
from gate.errors import IllegalMove, NotEligible
from gate.lifecycle import OPEN, State
from gate.model import Person, Requirement, Route, Said
from gate.policy.policyset import PolicySet, handed_to
from gate.store.port import Row
from gate.verbs import ends, freezing, look, versions
from gate.verbs.turn import ACTION, Turn, action_row


@dataclass(frozen=True, slots=True)
class Ballot:
    """What one person answered, as Slack delivered it.

    Attributes:
        hold: Hold id.
        store: Id of the store that made the card.
        nonce: Mark of the version the person saw.
        person: Who, as Slack authenticated them.
        satisfies: Approver entries that the person satisfies, as looked up just now.
        said: Their answer.
        comment: Their words, or the quick reason they chose.
        route: Where the answer came from.
        headroom: Whether they also let the next calls pass that would be over the same budget.
    """

    hold: str
    store: str
    nonce: str
    person: Person
    satisfies: frozenset[str]
    said: Said
    comment: str
    route: Route
    headroom: bool = False

    @property
    def actor(self) -> str:
        """Return who answers, as the log names them."""
        return f"{self.person.team}/{self.person.user}"


def current(turn: Turn, ballot: Ballot, store: str) -> Row:
    """Return the row of the hold if it may still be answered at this version.

    Raises:
        IllegalMove: It may not: it is another store's, unknown, late, decided or changed.
    """
    if ballot.store != store:
        raise IllegalMove(
            "This card belongs to another installation of the gate; nothing was recorded.", code="other_store"
        )
    row = turn.tx.one(ACTION + "WHERE a.id = ? AND h.version IS NOT NULL", (ballot.hold,))
    if row is None:
        raise IllegalMove(
            "This hold is not known here any more; nothing was recorded and nothing ran.", code="unknown_hold"
        )
    if row["state"] in OPEN and ends.expire(turn, row):
        raise _late(action_row(turn.tx, row["id"]))
    if row["state"] not in OPEN:
        raise _ended(turn, row, ballot)
    if ballot.nonce != row["nonce"]:
        raise _changed(turn, row, ballot)
    return row


def _late(row: Row) -> IllegalMove:
    """Say what ended a hold whose end nobody had announced yet."""
    if row["code"] == "expired_unanswered":
        why = f"the time to answer ended at {_at(row['expires_at'])}."
    elif row["code"] == "expired_unused":
        why = f"it was approved, but not started before {_at(row['use_by'])}."
    else:
        why = f"no card had been posted by {_at(min(row['deliver_by'], row['expires_at']))}, so it had ended."
    return IllegalMove(f"Too late: {why} Nothing ran.", code="late")


_CAME_OF: Mapping[str, frozenset[State]] = {
    "deny": frozenset({State.DENIED}),
    "approve": frozenset({State.RUNNING, State.SUCCEEDED, State.FAILED, State.IN_DOUBT}),
}
"""The states that an answer of each kind leads to."""


def _ended(turn: Turn, row: Row, ballot: Ballot) -> IllegalMove:
    said = look.decisions(turn.tx, row["id"], row["version"])
    mine = any((each.person, each.said) == (ballot.person, ballot.said) for each in said)
    stands = mine and row["state"] in _CAME_OF.get(ballot.said, ())
    by = "".join(f" by {called(each.person)}" for each in said if each.said == "deny")
    late = row["state"] in (State.EXPIRED, State.UNDELIVERED)
    when = f" at {_at(row['ended_at'])}" if row["ended_at"] else ""
    yours = "Your answer stands." if stands else "Your answer was not recorded."
    return IllegalMove(
        f"{'Too late: it' if late else 'It'} is already {row['state']}{by}{when}. {yours}",
        code="late" if late else "already_decided",
    )


def _changed(turn: Turn, row: Row, ballot: Ballot) -> IllegalMove:
    known = turn.tx.one("SELECT 1 FROM versions WHERE action = ? AND nonce = ?", (row["id"], ballot.nonce))
    newest = turn.tx.one(
        "SELECT made_at FROM versions WHERE action = ? AND version = ?", (row["id"], row["version"])
    )
    if known and newest:
        editor = versions.changed_by(turn.tx, row["id"], row["version"])
        by = f" by {called(editor)}" if editor else ""
        return IllegalMove(
            f"It was changed{by} at {_at(newest['made_at'])}; look at the card again. Nothing was recorded.",
            code="changed",
        )
    return IllegalMove(
        "More is required of it now than when this was shown; look at the card again. Nothing was recorded.",
        code="changed",
    )


def counts_in(row: Row, ballot: Ballot, policy: PolicySet) -> frozenset[int]:
    """Return the indexes of the requirements this person counts in.

    Raises:
        NotEligible: They count in none.
    """
    needs = look.requirements(row)
    mine = [index for index, each in enumerate(needs) if _satisfies(each, ballot, policy)]
    if row["on_behalf_of"].startswith("email:") and not row["asker"]:
        raise NotEligible(
            "Whom the agent acts for is still being looked up; try again.", code="lookup_failed"
        )
    allowed = [index for index in mine if needs[index].on_behalf_of_may_approve or not _asked(row, ballot)]
    if mine and not allowed:
        raise NotEligible("The agent acts for you here, so somebody else must answer.", code="asked_for")
    if not allowed:
        raise not_among(needs, ballot.satisfies)
    return frozenset(allowed)


def not_among(needs: Sequence[Requirement], satisfies: frozenset[str]) -> NotEligible:
    """Return the refusal of somebody who is no approver, or not yet: it is handed over to them later.

    Args:
        needs: What the hold requires.
        satisfies: The approver entries that they satisfy.
    """
    for each in needs:
        later = not each.handed and each.hand_over_at is not None
        if later and any(str(entry) in satisfies for entry in handed_to(each)):
            return NotEligible(
                f"You may answer from {each.hand_over_at:%H:%M:%S UTC} on, if the approvers have not by "
                "then. Nothing was recorded.",
                code="not_eligible",
            )
    return NotEligible("You are not among the approvers of this hold.", code="not_eligible")


def _satisfies(each: Requirement, ballot: Ballot, policy: PolicySet) -> bool:
    """Tell whether a person is among the approvers as stored, and as the policy has them now."""
    now = filter(None, (policy.requirement_of(rule) for rule in each.rules))
    lists = [each.approvers, *((*one.approvers, *(handed_to(one) if each.handed else ())) for one in now)]
    return all(any(str(approver) in ballot.satisfies for approver in approvers) for approvers in lists)


def _asked(row: Row, ballot: Ballot) -> bool:
    """Tell whether this is the person the agent acts for; no team's id makes two people of one user's."""
    return bool(row["asker"]) and bool(json.loads(row["asker"])[1] == ballot.person.user)


def quorums(needs: Sequence[Requirement], policy: PolicySet) -> list[int]:
    """Return what each requirement needs: the larger of its stored and its present quorum."""
    now = [[policy.requirement_of(rule) for rule in each.rules] for each in needs]
    return [
        max(each.quorum, *(current.quorum for current in found if current is not None), 0)
        for each, found in zip(needs, now, strict=True)
    ]


def check_way(turn: Turn, row: Row, ballot: Ballot, counts: frozenset[int], before: frozenset[int]) -> None:
    """Refuse an answer that lacks what its rules ask of it.

    Args:
        turn: The open turn.
        row: The action's joined row.
        ballot: The answer.
        counts: Indexes of the requirements it counts in.
        before: Those in which the person counts already; see ``given``.

    Raises:
        IllegalMove: It is none, was not needed any more, or lacks a comment or the full view.
    """
    if ballot.said not in ("approve", "deny"):
        raise IllegalMove(f"{ballot.said!r} is neither approve nor deny; nothing was recorded.")
    if ballot.said == "deny":
        check_comment(row, ballot, counts)
        return
    if row["state"] == State.APPROVED:
        why = "You have approved this already; it may run once, now." if before else _NOT_NEEDED
        raise IllegalMove(why, code="already_decided")
    check_approval(turn, row, ballot, counts)
    if counts <= before:
        raise IllegalMove(
            "You have approved this already; it still waits for others.", code="already_decided"
        )


_NOT_NEEDED = "It is approved already; your answer was not needed."


def check_comment(row: Row, ballot: Ballot, counts: frozenset[int]) -> None:
    """Refuse an answer without the comment that a requirement it counts in asks for.

    Raises:
        IllegalMove: It is refused.
    """
    needs = [look.requirements(row)[index] for index in counts]
    if any(ballot.said in each.comment_required for each in needs) and not ballot.comment.strip():
        raise IllegalMove(
            f"The policy asks for a comment to {ballot.said}; nothing was recorded.", code="comment_required"
        )


def check_approval(turn: Turn, row: Row, ballot: Ballot, counts: frozenset[int]) -> None:
    """Refuse an approval that lacks a comment or a look its rules ask for, and any while frozen.

    Raises:
        IllegalMove: It is refused.
    """
    check_comment(row, ballot, counts)
    frozen = freezing.freeze_of(turn.tx, row["agent"], row["session"])
    if frozen is not None:
        raise IllegalMove(
            f"{freezing.describe(frozen)}: it cannot be approved now, but denied.", code="frozen"
        )
    if row["view_required"] and not _has_viewed(turn, row, ballot.person):
        raise IllegalMove(
            "Open 'View everything' first: a value that decides does not stand on the card.",
            code="view_required",
        )


def _has_viewed(turn: Turn, row: Row, person: Person) -> bool:
    found = turn.tx.one(
        "SELECT 1 FROM views_opened WHERE action = ? AND version = ? AND team = ? AND user = ?",
        (row["id"], row["version"], person.team, person.user),
    )
    return found is not None


def given(turn: Turn, row: Row, person: Person) -> frozenset[int]:
    """Return the requirements in which a person counts already; one added later needs them again."""
    found = turn.tx.one(
        "SELECT counts FROM decisions WHERE action = ? AND version = ? AND team = ? AND user = ?",
        (row["id"], row["version"], person.team, person.user),
    )
    return frozenset(json.loads(found["counts"])) if found else frozenset()


def called(person: Person) -> str:
    """Return a person's name with their id, since anybody may take anybody's name."""
    return f"{person.name} ({person.user})" if person.name else person.user


def _at(microseconds: int) -> str:
    return from_us(microseconds).strftime("%H:%M:%S UTC")
