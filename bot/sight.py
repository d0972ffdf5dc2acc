"""What somebody may see in lists: the home tab and the command, looked up as within the last minute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.directory import LookupFailed, User
from bot.eligibility import Clicker, Eligibility
from bot.identity import asked_for, every, without_own
from gate.errors import NotEligible
from gate.model import Approver, HoldRecord, Person


@dataclass(frozen=True, slots=True)
class Listed:
    """The holds that somebody may see.

    Attributes:
        mine: Those that they may answer.
        others: The others.
        lacking: What Slack did not tell just now, so that a hold may be missing or stand among the others;
            empty for nothing.
    """

    mine: tuple[HoldRecord, ...]
    others: tuple[HoldRecord, ...]
    lacking: str = ""

    @property
    def every(self) -> tuple[HoldRecord, ...]:
        """Return both."""
        return (*self.mine, *self.others)


class Sight(Eligibility):
    """Judge people for lists too, by the same rules; the arguments are those of ``Eligibility``."""

    async def _listing(self, who: Clicker) -> User:
        """Return somebody who wants to read, looked up as within the last minute."""
        return await self._person(who, fresh=False, then="nothing can be listed")

    async def identities(self, who: Clicker) -> tuple[Person, ...]:
        """Return each identity that somebody's answers may be kept under.

        Raises:
            NotEligible: They are nobody whose answers count.
        """
        return every(await self._listing(who), self._team)

    async def belongs(self, entries: Sequence[Approver], who: Clicker) -> bool:
        """Tell whether somebody may read what concerns everybody: no guest and no outsider not named here.

        Args:
            entries: Every approver entry of the policy.
            who: Who wants to read.

        Raises:
            NotEligible: They are nobody whose answers count.
        """
        try:
            return bool(self._open_to(await self._listing(who), entries))
        except NotEligible as refused:
            if refused.code in ("guest", "stranger"):
                return False
            raise

    async def sorted(self, records: Sequence[HoldRecord], who: Clicker) -> Listed:
        """Return the holds that somebody may answer, and the others that they may see; for lists.

        People are looked up as within the last minute: deciding asks anew.

        Raises:
            NotEligible: They may see none, whatever it is.
        """
        user = await self._listing(who)
        mine: list[HoldRecord] = []
        others: list[HoldRecord] = []
        failures: list[LookupFailed] = []
        for record in records:
            if await self._may_answer(record, user, failures):
                mine.append(record)
            elif await self._in_channel(record, user, failures):
                others.append(record)
        return Listed(tuple(mine), tuple(others), _lacking(failures))

    async def _may_answer(self, record: HoldRecord, user: User, failures: list[LookupFailed]) -> bool:
        named = {approver for need in record.requirements for approver in need.approvers}
        try:
            satisfied, failed = await self._satisfied(user, self._open_to(user, named))
        except NotEligible:
            return False
        failures += failed
        if satisfied and asked_for(record, user.ids):
            satisfied = without_own(record.requirements, satisfied)
        return bool(satisfied)

    async def are(self, lists: Sequence[Sequence[Approver]], who: Clicker) -> list[bool]:
        """Tell for each list of approver entries whether somebody is one of them; for lists.

        Raises:
            NotEligible: They are nobody whose answers count.
        """
        user = await self._listing(who)
        told = []
        for entries in lists:
            try:
                satisfied, _ = await self._satisfied(user, self._open_to(user, set(entries)))
            except NotEligible:
                satisfied = set()
            told.append(bool(satisfied))
        return told


def _lacking(failures: Sequence[LookupFailed]) -> str:
    """Say what Slack may tell in a moment; what it will never tell is no news to each reader of a list."""
    passing = next((str(each) for each in failures if each.transient), "")
    return f"{passing}, so holds may be missing here at the moment." if passing else ""
