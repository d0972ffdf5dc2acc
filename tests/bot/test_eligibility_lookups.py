"""Who may answer, judged by what Slack says now: groups, channels, caches, and what is not believed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.directory import KEEP, Directory, LookupFailed
from bot.eligibility import Clicker, Eligibility
from bot.local_workspace import LocalWorkspace
from gate.errors import NotEligible
from gate.model import Approver, Decision, HoldRecord, Person, Principal, Requirement
from tests.bot.records import FINANCE, refund
from tests.patience import PATIENCE

T = TypeVar("T")
HOME = "T0LOCAL"
ALICE = Clicker(HOME, "U0ALICE")
BOB = Clicker(HOME, "U0BOB")


class Hand:
    """A clock that is moved by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def asking(
    workspace: LocalWorkspace, work: Callable[[Eligibility, Directory, Hand], Coroutine[Any, Any, T]]
) -> T:
    """Run something that looks people up."""

    async def run() -> T:
        client = AsyncWebClient(
            token=workspace.bot_token, base_url=workspace.api_url, retry_handlers=[], timeout=int(PATIENCE)
        )
        hand = Hand()
        directory = Directory(client, hand)
        return await work(Eligibility(directory, HOME), directory, hand)

    return asyncio.run(run())


def hold(*approvers: Approver, **changes: Any) -> HoldRecord:
    """Return a hold that these may answer."""
    return refund(requirements=(replace(FINANCE, approvers=approvers, **changes),))


def test_a_group_counts_only_while_somebody_is_in_it(workspace: LocalWorkspace) -> None:
    """Membership is remembered for less than a minute, and asked anew after."""

    async def work(judge: Eligibility, directory: Directory, hand: Hand) -> int:
        record = hold(Approver("group", "S0FINANCE"))
        found = await judge.check(record, BOB)
        assert found.satisfies == {"S0FINANCE"}
        workspace.control.set_group("S0FINANCE", ["U0ALICE"])
        await judge.check(record, BOB)
        hand.now = KEEP
        with pytest.raises(NotEligible) as refused:
            await judge.check(record, BOB)
        assert refused.value.code == "not_eligible"
        return len(workspace.control.calls("usergroups.users.list"))

    assert KEEP <= 60
    assert asking(workspace, work) == 2


def test_the_account_itself_is_asked_for_each_time(workspace: LocalWorkspace) -> None:
    """An account that was deactivated a moment ago is refused at once."""

    async def work(judge: Eligibility, directory: Directory, hand: Hand) -> str:
        record = hold(Approver("user", "U0BOB"))
        await judge.check(record, BOB)
        workspace.control.set_user("U0BOB", deleted=True)
        with pytest.raises(NotEligible) as refused:
            await judge.check(record, BOB)
        return refused.value.code

    assert asking(workspace, work) == "deleted"


def test_members_of_a_private_channel_may_answer(workspace: LocalWorkspace) -> None:
    """The people of a private, unshared channel are approvers; others are not."""

    async def work(judge: Eligibility, directory: Directory, hand: Hand) -> None:
        record = hold(Approver("members_of", "C0PRIVATE"))
        assert (await judge.check(record, BOB)).satisfies == {"members_of:C0PRIVATE"}
        with pytest.raises(NotEligible):
            await judge.check(record, Clicker(HOME, "U0CAROL"))

    asking(workspace, work)


@pytest.mark.parametrize("change", [{"is_private": False}, {"is_ext_shared": True}])
def test_a_channel_that_anybody_may_join_names_nobody(
    workspace: LocalWorkspace, change: dict[str, bool]
) -> None:
    """A public or shared channel gives no approvers, even to its members."""
    workspace.control.set_channel("C0PRIVATE", **change)

    async def work(judge: Eligibility, directory: Directory, hand: Hand) -> str:
        with pytest.raises(NotEligible, match="cannot be approvers") as refused:
            await judge.check(hold(Approver("members_of", "C0PRIVATE")), ALICE)
        return refused.value.code

    assert asking(workspace, work) == "lookup_failed"


@pytest.mark.parametrize("error", ["plan_upgrade_required", "no_such_subteam", "fatal_error"])
def test_a_group_that_cannot_be_looked_up_lets_nobody_through(workspace: LocalWorkspace, error: str) -> None:
    """Members are refused while their group cannot be looked up; who is listed by id is not."""
    workspace.control.set_group("S0FINANCE", ["U0ALICE", "U0BOB"], error=error)

    async def work(judge: Eligibility, directory: Directory, hand: Hand) -> str:
        record = hold(Approver("group", "S0FINANCE"), Approver("user", "U0ALICE"))
        assert (await judge.check(record, ALICE)).satisfies == {"U0ALICE"}
        with pytest.raises(NotEligible) as refused:
            await judge.check(record, BOB)
        return refused.value.code

    assert asking(workspace, work) == "lookup_failed"


def test_a_team_that_does_not_fit_is_a_stranger(workspace: LocalWorkspace) -> None:
    """The same user id under another team is another person."""

    async def work(judge: Eligibility, directory: Directory, hand: Hand) -> str:
        record = hold(Approver("group", "S0FINANCE"))
        with pytest.raises(NotEligible) as refused:
            await judge.check(record, Clicker("T0OTHER", "U0BOB"))
        return refused.value.code

    assert asking(workspace, work) == "stranger"


def test_entries_of_the_policy_in_force_are_looked_up_too(workspace: LocalWorkspace) -> None:
    """What a newer revision lists is part of the answer, so that the store can ask for both."""

    async def work(judge: Eligibility, directory: Directory, hand: Hand) -> frozenset[str]:
        found = await judge.check(hold(Approver("user", "U0BOB")), BOB, [Approver("group", "S0FINANCE")])
        return found.satisfies

    assert asking(workspace, work) == {"U0BOB", "S0FINANCE"}


def test_the_person_acted_for_keeps_what_a_rule_allows(workspace: LocalWorkspace) -> None:
    """Who the agent acts for counts only where a requirement allows it, never by an entry that bars it."""

    async def work(judge: Eligibility, directory: Directory, hand: Hand) -> frozenset[str]:
        lenient = replace(FINANCE, approvers=(Approver("user", "U0ALICE"),), on_behalf_of_may_approve=True)
        strict = replace(FINANCE, approvers=(Approver("group", "S0FINANCE"),))
        record = refund(requirements=(lenient, strict), on_behalf_of=Principal("person", "U0ALICE", HOME))
        return (await judge.check(record, ALICE)).satisfies

    assert asking(workspace, work) == {"U0ALICE"}


def _need(quorum: int, *ids: str, distinct: bool = False) -> Requirement:
    kinds = {"U": "user", "S": "group", "C": "members_of"}
    approvers = tuple(Approver(kinds[id_[0]], id_) for id_ in ids)  # type: ignore[arg-type]
    return replace(FINANCE, approvers=approvers, quorum=quorum, distinct=distinct)


@pytest.mark.parametrize(
    ("needs", "could"),
    [
        ((_need(1, "U0ALICE"),), None),
        ((_need(2, "S0FINANCE"),), None),
        ((_need(3, "S0FINANCE"),), 2),
        ((_need(1, "U0GONE"),), 0),
        ((_need(1, "U0ROBOT"),), 0),
        ((_need(1, "U0NOBODY"),), 0),
        ((_need(1, "U0GUEST"),), None),
        ((_need(1, "S0FINANCE", distinct=True), _need(1, "U0ALICE")), None),
        ((_need(1, "U0ALICE", distinct=True), _need(1, "U0ALICE")), 1),
        ((_need(2, "C0PRIVATE"),), None),
        ((_need(1, "C0APPROVALS"),), 0),
    ],
)
def test_who_could_ever_answer_is_counted(
    workspace: LocalWorkspace, needs: tuple[Requirement, ...], could: int | None
) -> None:
    """Bots, deactivated and unknown accounts, guests in groups and open channels do not count."""

    async def work(judge: Eligibility, directory: Directory, hand: Hand) -> int | None:
        found = await judge.unmeetable(refund(requirements=needs))
        return None if found is None else found[1]

    assert asking(workspace, work) == could


def test_an_approval_that_was_given_counts_though_its_giver_is_gone(workspace: LocalWorkspace) -> None:
    """What is added to a hold later ends it only where what was given and what may come are too little."""
    gone = Person(HOME, "U0GONE", "gone")
    given = Decision(gone, "approve", "", datetime(2026, 1, 1, tzinfo=UTC), 1, counts=frozenset({0}))
    needs = (_need(1, "U0GONE"), _need(1, "U0ALICE"))

    async def work(judge: Eligibility, directory: Directory, hand: Hand) -> None:
        assert await judge.unmeetable(refund(requirements=needs)) is not None
        assert await judge.unmeetable(refund(requirements=needs, decisions=(given,))) is None
        more = (*needs, _need(1, "U0ROBOT"))
        assert await judge.unmeetable(refund(requirements=more, decisions=(given,))) is not None

    asking(workspace, work)


def test_a_passing_failure_of_the_count_is_no_answer(workspace: LocalWorkspace) -> None:
    """Where Slack does not tell for a moment, the count raises instead of counting nobody."""
    workspace.control.faults.set("users.info", kind="error", error="service_unavailable")

    async def work(judge: Eligibility, directory: Directory, hand: Hand) -> None:
        with pytest.raises(LookupFailed):
            await judge.unmeetable(hold(Approver("user", "U0ALICE")))

    asking(workspace, work)
