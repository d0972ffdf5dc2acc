"""Who may decide a hold: the one authorisation function of buttons, modals, commands and the home tab."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from bot.directory import Directory, LookupFailed, User
from gate.errors import NotEligible
from gate.model import Approver, Decision, HoldRecord, Person, Requirement
from gate.requirements import first_unmeetable, standing


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


class Eligibility:
    """Judge people by what Slack says about them now.

    Args:
        directory: Where people, groups and channels are looked up.
        team: Id of the workspace the app is installed in.
    """

    def __init__(self, directory: Directory, team: str) -> None:
        self._directory = directory
        self._team = team

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
            if not satisfied:
                raise NotEligible(
                    "The agent acts for you here, so somebody else must answer.", code="asked_for"
                )
        if not satisfied:
            raise _not_among(failures)
        return Eligible(self._same(record, user), frozenset(map(str, satisfied)))

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
            return Eligible(self._known(user), frozenset(map(str, satisfied)))

        return await self._twice(who, judged)

    async def _twice(self, who: Clicker, judge: Callable[[User], Awaitable[Eligible]]) -> Eligible:
        """Judge somebody as they were known within the last minute, and as they are now only if that passes.

        So whoever may decide nothing does not use up, press by press, what Slack lets be asked.
        """
        known = self._directory.knows(who.user)
        eligible = await judge(await self._person(who, fresh=False, lost=_NOT_RECORDED))
        return await judge(await self._person(who)) if known else eligible

    async def may_see(self, record: HoldRecord, who: Clicker) -> Person:
        """Return who somebody is if they may see a hold: its approvers, and the members of its channels.

        They are looked up as within the last minute: deciding asks anew.

        Raises:
            NotEligible: They may not see it.
        """
        user = await self._person(who, fresh=False, lost=_NOT_RECORDED)
        await self._check_sight(record, user)
        return self._same(record, user)

    async def _check_sight(self, record: HoldRecord, user: User) -> None:
        failures: list[LookupFailed] = []
        if await self._in_channel(record, user, failures):
            return
        named = {approver for need in record.requirements for approver in need.approvers}
        satisfied, failed = await self._satisfied(user, self._open_to(user, named))
        if not satisfied:  # what Slack never tells would only tell those who may not see it what is asked for
            raise _not_among([each for each in (*failed, *failures) if each.transient])

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

    async def _person(self, who: Clicker, *, fresh: bool = True, lost: str = "") -> User:
        if who.workflow:
            raise NotEligible("A workflow cannot answer; a person has to press the button.", code="bot")
        look_up = self._directory.user if fresh else self._directory.known_user
        try:
            user = await look_up(who.user)
        except LookupFailed as failed:
            told = lost or (_NOT_RECORDED if fresh else "nothing can be listed now.")
            raise NotEligible(f"{failed}, so {told}", code="lookup_failed") from failed
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

    def _known(self, user: User) -> Person:
        """Return the one identity of somebody, whatever a payload calls their workspace."""
        return Person(user.home or self._team, user.id, user.name)

    def _same(self, record: HoldRecord, user: User) -> Person:
        """Return the identity that a person's earlier answer on this hold is kept under, or their one now.

        A workspace that joins an organisation gives its people other ids while a hold waits.
        """
        given = (each.person for each in record.decisions if each.person.user in user.ids)
        return replace(next(given, self._known(user)), name=user.name)

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


_NOT_RECORDED = "your answer was not recorded. Try again."


def approvals(record: HoldRecord) -> list[Decision]:
    """Return the approvals of a hold's current version."""
    return [each for each in record.decisions if each.said == "approve"]


def _later(record: HoldRecord, need: Requirement) -> tuple[Approver, ...]:
    """Return whom a requirement is still handed over to, if that comes before the hold ends."""
    if need.hand_over is None or need.hand_over_at is None or need.hand_over_at >= record.expires_at:
        return ()
    return () if need.handed else need.hand_over.approvers


def channels_of(record: HoldRecord) -> tuple[str, ...]:
    """Return the channels a hold belongs to: those its requirements name and those that show it."""
    named = [channel for need in record.requirements for channel in need.channels]
    return tuple(dict.fromkeys([*named, *(card.channel for card in record.cards)]))


def asked_for(record: HoldRecord, ids: frozenset[str]) -> bool:
    """Tell whether somebody with these ids is the person the agent acts for."""
    whom = record.on_behalf_of
    if whom is not None and whom.kind == "person" and whom.id in ids:
        return True
    return record.asked_by is not None and record.asked_by.user in ids


def without_own(needs: Sequence[Requirement], satisfied: set[Approver]) -> set[Approver]:
    """Keep the entries that count for the person the agent acts for."""
    barred = {each for need in needs if not need.on_behalf_of_may_approve for each in need.approvers}
    return satisfied - barred


NOT_AMONG = "You are not among the approvers of this hold."


def _not_among(failures: Sequence[LookupFailed], otherwise: str = NOT_AMONG) -> NotEligible:
    if failures:
        return NotEligible(f"{failures[0]}, so nothing was recorded. Try again.", code="lookup_failed")
    return NotEligible(otherwise, code="not_eligible")
