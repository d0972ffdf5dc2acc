"""Before a hold's first card: who asked, can anybody answer (also later), and can it be shown at all."""

from __future__ import annotations

from bot.desk import Desk
from bot.directory import Directory, LookupFailed, User
from bot.identity import known
from bot.views.card import must_view
from bot.views.everything import fits_view
from gate.lifecycle import State
from gate.model import HoldRecord, Requirement

TOO_LARGE = "The values that decide are too large to be shown to anybody."


class Delivery:
    """Make sure that a card is worth posting.

    Args:
        desk: What the bot works with.
        directory: Where addresses are looked up.
    """

    def __init__(self, desk: Desk, directory: Directory) -> None:
        self._desk, self._directory = desk, directory

    async def ready(self, record: HoldRecord) -> bool:
        """Prepare a hold for its card; False where it ended because nobody can be asked.

        Raises:
            LookupFailed: Slack did not tell what is needed, and may tell later.
        """
        if record.state is not State.PENDING:
            return True
        if not record.cards and not await self._knows_who_asked(record):
            return False
        if record.asked_by is None and record.on_behalf_of is not None:
            record = await self._desk.run(self._desk.service.hold, record.id)  # who asked may not answer
        if not await self._desk.run(fits_view, record):
            await self._end(record, "too_large_to_show", TOO_LARGE)
            return False
        if not record.cards and not await self._can_be_met(record):
            return False
        if not record.view_required and await self._desk.run(must_view, record):
            await self._desk.run(self._desk.service.require_view, record.id)
        return True

    async def still_met(self, record: HoldRecord) -> bool:
        """Count again who could answer a pending hold; False where it ended because nobody can.

        Raises:
            LookupFailed: Slack did not tell what is needed, and may tell later.
        """
        return record.state is not State.PENDING or await self._can_be_met(record)

    async def _knows_who_asked(self, record: HoldRecord) -> bool:
        whom = record.on_behalf_of
        if whom is None or whom.kind != "email" or record.asked_by is not None:
            return True
        user = await self._by_email(whom.id)
        person = None
        if user is not None and not user.deleted and not user.bot:
            person = known(user, self._desk.team)
        await self._desk.run(self._desk.service.who_asked, record.id, person)
        return person is not None

    async def _by_email(self, email: str) -> User | None:
        try:
            return await self._directory.by_email(email)
        except LookupFailed as failed:
            if failed.transient:
                raise
            return None

    async def _can_be_met(self, record: HoldRecord) -> bool:
        short = await self._desk.eligibility.unmeetable(record)
        if short is None:
            return True
        await self._end(record, "nobody_can_approve", nobody(*short))
        return False

    async def _end(self, record: HoldRecord, code: str, reason: str) -> None:
        await self._desk.run(self._desk.service.undeliver, record.id, code=code, reason=reason)


def nobody(requirement: Requirement, could: int) -> str:
    """Say which requirement cannot be met, and how far it could be."""
    who = ", ".join(map(str, requirement.approvers))
    wanted = "1 approval" if requirement.quorum == 1 else f"{requirement.quorum} approvals"
    alone = " by people who count in no other requirement" if requirement.distinct else ""
    have = {0: "nobody there can answer", 1: "only 1 person there can answer"}.get(
        could, f"only {could} people there can answer"
    )
    return f"{', '.join(requirement.rules)} needs {wanted} from {who}{alone}, but {have}."
