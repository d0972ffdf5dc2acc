"""Which approver entries somebody satisfies, and which may count for them, as Slack tells now."""

from __future__ import annotations

from collections.abc import Iterable

from bot.directory import Directory, LookupFailed, User
from gate.errors import NotEligible
from gate.model import Approver, HoldRecord


class Membership:
    """Judge whose entries somebody is among.

    Args:
        directory: Where people, groups and channels are looked up.
        team: Id of the workspace the app is installed in.
    """

    def __init__(self, directory: Directory, team: str) -> None:
        self._directory = directory
        self._team = team

    def _open_to(self, user: User, entries: Iterable[Approver]) -> set[Approver]:
        """Return the entries that may count for somebody; an outsider's own id alone, however it is grouped.

        Raises:
            NotEligible: None may.
        """
        if not user.guest and self._inside(user):
            return set(entries)
        own = {entry for entry in entries if entry.kind == "user" and entry.id in user.ids}
        if own:
            return own
        if user.guest:
            raise NotEligible("Guests cannot answer unless the policy names them.", code="guest")
        raise NotEligible(
            "People of other workspaces cannot answer unless the policy names them.", code="stranger"
        )

    def _inside(self, user: User) -> bool:
        return self._at_home(user) and not user.stranger

    def _at_home(self, user: User) -> bool:
        return self._team in user.teams

    def _may_ever(self, user: User, *, listed: bool) -> bool:
        if user.deleted or user.bot:
            return False
        return listed or (self._inside(user) and not user.guest)

    async def _people_of(self, approver: Approver) -> frozenset[str]:
        if approver.kind == "user":
            return frozenset({approver.id})
        if approver.kind == "group":
            return await self._directory.group(approver.id)
        return await self._directory.closed_members(approver.id)

    async def _satisfied(
        self, user: User, entries: Iterable[Approver]
    ) -> tuple[set[Approver], list[LookupFailed]]:
        satisfied: set[Approver] = set()
        failures: list[LookupFailed] = []
        for approver in entries:
            try:
                if user.ids & await self._people_of(approver):
                    satisfied.add(approver)
            except LookupFailed as failed:
                failures.append(failed)
        return satisfied, failures

    async def _in_channel(self, record: HoldRecord, user: User, failures: list[LookupFailed]) -> bool:
        for channel in channels_of(record):
            try:
                if user.ids & await self._directory.members(channel):
                    return True
            except LookupFailed as failed:
                failures.append(failed)
        return False


def channels_of(record: HoldRecord) -> tuple[str, ...]:
    """Return the channels a hold belongs to: those its requirements name and those that show it."""
    named = [channel for need in record.requirements for channel in need.channels]
    return tuple(dict.fromkeys([*named, *(card.channel for card in record.cards)]))
