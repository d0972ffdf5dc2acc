"""Who could ever answer a hold, and whose answer it still needs; nothing is decided here."""

from __future__ import annotations

from bot.directory import LookupFailed, User
from bot.identity import asked_for
from bot.membership import Membership
from gate.model import Approver, Decision, HoldRecord, Requirement
from gate.requirements import first_unmeetable, standing


class Reach(Membership):
    """Count people, looked up as within the last minute; the arguments are those of ``Membership``."""

    async def unmeetable(self, record: HoldRecord) -> tuple[Requirement, int] | None:
        """Return a requirement that not enough people could ever meet, and how many could; None if all can.

        Whoever has approved counts where they did, also if they could not any more.

        Raises:
            LookupFailed: Slack did not tell, and may tell later.
        """
        counts = await self._could_answer(record)
        for each in approvals(record):
            user = await self._one_id(each.person.user)
            counts[user] = counts.get(user, frozenset()) | each.counts
        short = first_unmeetable(record.requirements, counts.values())
        if short is None:
            return None
        index = record.requirements.index(short)
        return short, sum(index in met for met in counts.values())

    async def still_needed(self, record: HoldRecord) -> tuple[Approver, ...]:
        """Return whose answer a pending hold still needs, of those who can give one.

        People stand for themselves, groups for their members; of a channel at most ten members stand.

        Raises:
            LookupFailed: Slack did not tell, and may tell later.
        """
        found: dict[Approver, None] = {}
        counts = [each.counts for each in approvals(record)]
        for index, stands in enumerate(standing(record.requirements, counts)):
            for approver in () if stands.met else stands.requirement.approvers:
                free = await self._free(record, index, approver)
                whole = free and approver.kind == "group"
                found |= dict.fromkeys(
                    [approver] if whole else [Approver("user", each) for each in free[:10]]
                )
        return tuple(found)

    async def _free(self, record: HoldRecord, index: int, approver: Approver) -> list[str]:
        """Return who of one entry could still count in a requirement."""
        need = record.requirements[index]
        given = [each.person.user for each in approvals(record) if index in each.counts]
        done = {await self._one_id(each) for each in given}
        try:
            named = sorted(await self._people_of(approver))
        except LookupFailed as failed:
            if failed.transient:
                raise
            return []
        listed = approver.kind == "user"
        counting = {each: await self._counting(record, need, each, listed) for each in named}
        return [each for each, user in counting.items() if user and user.id not in done]

    async def problems(self, approver: Approver) -> str | None:
        """Return why an approver entry names nobody who may approve; None where it names somebody."""
        try:
            named = await self._people_of(approver)
            if not named:
                return f"{approver} has no members"
            for user_id in sorted(named):
                if self._may_ever(await self._directory.known_user(user_id), listed=approver.kind == "user"):
                    return None
        except LookupFailed as failed:
            return str(failed)
        return f"{approver} is nobody who may approve: deleted, a bot, a guest, or of another workspace"

    async def _could_answer(self, record: HoldRecord) -> dict[str, frozenset[int]]:
        """Return which requirements each possible approver counts in, by their one id; plenty are enough."""
        plenty = sum(need.quorum for need in record.requirements)
        counts: dict[str, set[int]] = {}
        for index, need in enumerate(record.requirements):
            found: set[str] = set()
            for user_id, listed in (await self._named(record, need)).items():
                if len(found) >= plenty:
                    break
                if user := await self._counting(record, need, user_id, listed):
                    counts.setdefault(user.id, set()).add(index)
                    found.add(user.id)
        return {user: frozenset(met) for user, met in counts.items()}

    async def _named(self, record: HoldRecord, need: Requirement) -> dict[str, bool]:
        """Return the ids a requirement names, and whether each is named by its own id."""
        named: dict[str, bool] = {}
        for approver in (*need.approvers, *_later(record, need)):
            try:
                for user_id in sorted(await self._people_of(approver)):
                    named[user_id] = named.get(user_id, False) or approver.kind == "user"
            except LookupFailed as failed:
                if failed.transient:
                    raise
        return named

    async def _counting(
        self, record: HoldRecord, need: Requirement, user_id: str, listed: bool
    ) -> User | None:
        """Return who an id is if they could count in a requirement."""
        user = await self._known_or_gone(user_id)
        if user is None or (asked_for(record, user.ids) and not need.on_behalf_of_may_approve):
            return None
        return user if self._may_ever(user, listed=listed) else None

    async def _one_id(self, user_id: str) -> str:
        """Return the one id of somebody who answered, whichever of theirs that was kept under."""
        user = await self._known_or_gone(user_id)
        return user.id if user else user_id

    async def _known_or_gone(self, user_id: str) -> User | None:
        try:
            return await self._directory.known_user(user_id)
        except LookupFailed as failed:
            if failed.transient:
                raise
            return None


def approvals(record: HoldRecord) -> list[Decision]:
    """Return the approvals of a hold's current version."""
    return [each for each in record.decisions if each.said == "approve"]


def _later(record: HoldRecord, need: Requirement) -> tuple[Approver, ...]:
    """Return whom a requirement is still handed over to, if that comes before the hold ends."""
    if need.hand_over is None or need.hand_over_at is None or need.hand_over_at >= record.expires_at:
        return ()
    return () if need.handed else need.hand_over.approvers
