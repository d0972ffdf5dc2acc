"""What somebody may see in lists: the home tab and the command, looked up as within the last minute."""

from __future__ import annotations

from collections.abc import Sequence

from bot.directory import User
from bot.eligibility import Clicker, Eligibility, asked_for, without_own
from gate.errors import NotEligible
from gate.model import Approver, HoldRecord, Person


class Sight(Eligibility):
    """Judge people for lists too, by the same rules; the arguments are those of ``Eligibility``."""

    async def person(self, who: Clicker) -> Person:
        """Return the one identity of somebody, as their answers are kept under.

        Raises:
            NotEligible: They are nobody whose answers count.
        """
        return self._known(await self._person(who, fresh=False))

    async def sorted(
        self, records: Sequence[HoldRecord], who: Clicker
    ) -> tuple[list[HoldRecord], list[HoldRecord]]:
        """Return the holds that somebody may answer, and the others that they may see; for lists.

        People are looked up as within the last minute: deciding asks anew.

        Raises:
            NotEligible: They may see none, whatever it is.
        """
        user = await self._person(who, fresh=False)
        mine: list[HoldRecord] = []
        others: list[HoldRecord] = []
        for record in records:
            if await self._may_answer(record, user):
                mine.append(record)
            elif await self._in_channel(record, user, []):
                others.append(record)
        return mine, others

    async def _may_answer(self, record: HoldRecord, user: User) -> bool:
        named = {approver for need in record.requirements for approver in need.approvers}
        try:
            satisfied, _ = await self._satisfied(user, self._open_to(user, named))
        except NotEligible:
            return False
        if satisfied and asked_for(record, user.ids):
            satisfied = without_own(record.requirements, satisfied)
        return bool(satisfied)

    async def are(self, lists: Sequence[Sequence[Approver]], who: Clicker) -> list[bool]:
        """Tell for each list of approver entries whether somebody is one of them; for lists.

        Raises:
            NotEligible: They are nobody whose answers count.
        """
        user = await self._person(who, fresh=False)
        told = []
        for entries in lists:
            try:
                satisfied, _ = await self._satisfied(user, self._open_to(user, set(entries)))
            except NotEligible:
                satisfied = set()
            told.append(bool(satisfied))
        return told
