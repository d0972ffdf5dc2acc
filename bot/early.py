"""Say before a form is filled in what the store would refuse of the approval that it asks for."""

from __future__ import annotations

from bot.desk import Desk
from bot.eligibility import Eligible
from gate.errors import IllegalMove
from gate.lifecycle import State
from gate.model import HoldRecord

NOT_NEEDED = "It is approved already; your answer was not needed."
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
    if record.state is not State.PENDING:
        raise IllegalMove(NOT_NEEDED, code="already_decided")
    if _given(record, eligible):
        raise IllegalMove(GIVEN, code="already_decided")
    await check_unfrozen(desk, record)


async def check_unfrozen(desk: Desk, record: HoldRecord) -> None:
    """Refuse any approval while the hold's session is frozen.

    Raises:
        IllegalMove: It is.
    """
    frozen = await desk.run(desk.service.frozen, record.agent, record.session)
    if frozen:
        raise IllegalMove(f"{frozen}: it cannot be approved now, but denied.", code="frozen")


def _given(record: HoldRecord, eligible: Eligible) -> bool:
    """Tell whether somebody has approved wherever they count."""
    mine = {
        index
        for index, need in enumerate(record.requirements)
        if any(str(each) in eligible.satisfies for each in need.approvers)
    }
    said = [each for each in record.decisions if each.person == eligible.person and each.said == "approve"]
    return any(mine <= each.counts for each in said)
