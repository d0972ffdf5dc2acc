"""Who may decide a hold: the one authorisation function of buttons, modals, commands and the home tab."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bot.directory import LookupFailed, User
from bot.identity import answered_as_another, asked_for, known, on_hold, without_own
from bot.reach import Reach
from bot.untold import untold
from gate.errors import NotEligible
from gate.model import Approver, HoldRecord, Person

NOTHING_DONE = "nothing was shown or recorded"
"""What comes of a press of somebody whom Slack does not tell of."""


@dataclass(frozen=True, slots=True)
class Clicker:
    """Who pressed or typed, as Slack's payload says.

    Attributes:
        team: Team id of the person; the workspace's where the payload has none.
        user: User id.
        workflow: Whether a workflow step acted rather than a person.
    """

    team: str
    user: str
    workflow: bool = False


@dataclass(frozen=True, slots=True)
class Eligible:
    """A person who may decide a hold.

    Attributes:
        person: Who.
        satisfies: The approver entries they satisfy, as looked up just now.
    """

    person: Person
    satisfies: frozenset[str]


class Eligibility(Reach):
    """Judge people by what Slack says about them now.

    Args:
        directory: Where people, groups and channels are looked up.
        team: Id of the workspace the app is installed in.
    """

    async def looked_up(self, who: Clicker, *, fresh: bool = True) -> User | None:
        """Return somebody for many answers of one press, as Slack tells now; None for who counts nowhere.

        Args:
            who: Who pressed.
            fresh: Whether that must be asked now; else as within the last minute, where nothing is decided.
        """
        try:
            return await self._person(who, fresh=fresh)
        except NotEligible:
            return None

    async def check(
        self, record: HoldRecord, who: Clicker, also: Sequence[Approver] = (), *, user: User | None = None
    ) -> Eligible:
        """Return what makes somebody an approver of a hold.

        Args:
            record: The hold.
            who: Who wants to decide.
            also: Approver entries of the policy in force that may matter beside the hold's own.
            user: Who that is, looked up for this press; None looks them up now.

        Returns:
            The person and the approver entries they satisfy, at least one.

        Raises:
            NotEligible: They may not decide it; the message is for them.
        """
        if user is not None:
            return await self._checked(record, user, also)
        return await self._twice(who, lambda found: self._checked(record, found, also))

    async def _checked(self, record: HoldRecord, user: User, also: Sequence[Approver]) -> Eligible:
        named = {*also, *(approver for need in record.requirements for approver in need.approvers)}
        satisfied, failures = await self._satisfied(user, self._open_to(user, named))
        if satisfied and asked_for(record, user.ids):
            satisfied = without_own(record.requirements, satisfied)
            if not satisfied or answered_as_another(record, user):
                raise NotEligible(
                    "The agent acts for you here, so somebody else must answer.", code="asked_for"
                )
        if not satisfied:
            raise _not_among(failures)
        return Eligible(on_hold(record, user, self._team), frozenset(map(str, satisfied)))

    async def among(self, entries: Sequence[Approver], who: Clicker, otherwise: str) -> Eligible:
        """Return what makes somebody one of some people, such as the operators, by the rules of ``check``.

        Args:
            entries: The approver entries.
            who: Who wants to act.
            otherwise: What to tell somebody who is none of them.

        Raises:
            NotEligible: They are none of them, or nobody whose answers count.
        """

        async def judged(user: User) -> Eligible:
            satisfied, failures = await self._satisfied(user, self._open_to(user, set(entries)))
            if not satisfied:
                raise _not_among(failures, otherwise)
            return Eligible(known(user, self._team), frozenset(map(str, satisfied)))

        return await self._twice(who, judged)

    async def _twice(self, who: Clicker, judge: Callable[[User], Awaitable[Eligible]]) -> Eligible:
        """Judge somebody as they were known within the last minute, and as they are now only if that passes.

        So whoever may decide nothing does not use up, press by press, what Slack lets be asked.
        """
        before = self._directory.knows(who.user)
        eligible = await judge(await self._person(who, fresh=False))
        return await judge(await self._person(who)) if before else eligible

    async def may_see(self, record: HoldRecord, who: Clicker) -> Person:
        """Return who somebody is if they may see a hold: its approvers, and the members of its channels.

        They are looked up as within the last minute: deciding asks anew.

        Raises:
            NotEligible: They may not see it.
        """
        user = await self._person(who, fresh=False)
        await self._check_sight(record, user)
        return on_hold(record, user, self._team)

    async def _check_sight(self, record: HoldRecord, user: User) -> None:
        failures: list[LookupFailed] = []
        if await self._in_channel(record, user, failures):
            return
        named = {approver for need in record.requirements for approver in need.approvers}
        satisfied, failed = await self._satisfied(user, self._open_to(user, named))
        if not satisfied:  # what Slack never tells would only tell those who may not see it what is asked for
            raise _not_among([each for each in (*failed, *failures) if each.transient])

    async def counts(self, who: Clicker) -> None:
        """Check that somebody's answers could count at all, looked up as within the last minute.

        Raises:
            NotEligible: They count nowhere; the words are those of ``check`` and ``may_see``.
        """
        await self._person(who, fresh=False)

    async def _person(self, who: Clicker, *, fresh: bool = True, then: str = NOTHING_DONE) -> User:
        if who.workflow:
            raise NotEligible("A workflow cannot answer; a person has to press the button.", code="bot")
        look_up = self._directory.user if fresh else self._directory.known_user
        try:
            user = await look_up(who.user)
        except LookupFailed as failed:
            raise untold([failed], then) from failed
        if user.deleted:
            raise NotEligible("This account is deactivated, so its answer does not count.", code="deleted")
        if user.bot:
            raise NotEligible("Apps and bots cannot answer; a person has to.", code="bot")
        if who.team not in {self._team, *user.teams}:
            raise NotEligible(
                f"This account acts from {who.team}, a workspace it does not belong to here, so its answer "
                "does not count.",
                code="stranger",
            )
        return user


NOT_AMONG = "You are not among the approvers of this hold."


def _not_among(failures: Sequence[LookupFailed], otherwise: str = NOT_AMONG) -> NotEligible:
    return untold(failures) if failures else NotEligible(otherwise, code="not_eligible")
