"""Say before a form is filled in what the store would refuse of the answer that it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.desk import Desk
from bot.eligibility import Eligible
from gate.errors import IllegalMove
from gate.lifecycle import State
from gate.model import Decision, HoldRecord, Requirement
from gate.policy.policyset import handed_to
from gate.verbs.ballots import called, not_among

NOT_NEEDED = "It is approved already; your answer was not needed."
COUNTED = "You have approved this already; it may run once, now."
GIVEN = "You have approved this already; it still waits for others."


async def check_approval(desk: Desk, record: HoldRecord, eligible: Eligible) -> None:
    """Refuse an approval that could not count now, whatever is written beside it.

    Args:
        desk: What the bot works with.
        record: The hold, open and of the version that was pressed.
        eligible: Who wants to approve it.

    Raises:
        IllegalMove: It is approved, by this person already as far as they count, or frozen.
    """
    mine = _approvals(record, eligible)
    if record.state is not State.PENDING:
        raise IllegalMove(COUNTED if mine else NOT_NEEDED, code="already_decided")
    if any(_wherever(record.requirements, eligible) <= each.counts for each in mine):
        raise IllegalMove(GIVEN, code="already_decided")
    await check_unfrozen(desk, record)


def check_asked(record: HoldRecord, eligible: Eligible, now: datetime) -> None:
    """Refuse whom a hold does not ask, or not yet, though the policy names them.

    Args:
        record: The hold.
        eligible: Who wants to answer it.
        now: The store's time, UTC.

    Raises:
        NotEligible: It asks others.
    """
    due = [each.hand_over_at is not None and each.hand_over_at <= now for each in record.requirements]
    asked = [
        entry
        for need, handed in zip(record.requirements, due, strict=True)
        for entry in (*need.approvers, *(handed_to(need) if handed else ()))
    ]
    if not any(str(each) in eligible.satisfies for each in asked):
        raise not_among(record.requirements, eligible.satisfies)


def ended(record: HoldRecord) -> IllegalMove:
    """Return the refusal of any answer to a hold that is over: how it ended, and who denied it."""
    late = record.state in (State.EXPIRED, State.UNDELIVERED)
    by = "".join(f" by {called(each.person)}" for each in record.decisions if each.said == "deny")
    return IllegalMove(
        f"{'Too late: it' if late else 'It'} is already {record.state.value.replace('_', ' ')}{by}."
        " Nothing more was recorded.",
        code="late" if late else "already_decided",
    )


async def check_unfrozen(desk: Desk, record: HoldRecord) -> None:
    """Refuse any approval while the hold's session is frozen.

    Raises:
        IllegalMove: It is.
    """
    frozen = await desk.run(desk.service.frozen, record.agent, record.session)
    if frozen:
        raise IllegalMove(f"{frozen}: it cannot be approved now, but denied.", code="frozen")


def _approvals(record: HoldRecord, eligible: Eligible) -> list[Decision]:
    return [each for each in record.decisions if each.person == eligible.person and each.said == "approve"]


def _wherever(needs: Sequence[Requirement], eligible: Eligible) -> frozenset[int]:
    """Return where somebody may count, also from a hand-over on that the store makes before it judges."""
    return frozenset(
        index
        for index, need in enumerate(needs)
        if any(str(each) in eligible.satisfies for each in (*need.approvers, *handed_to(need)))
    )
