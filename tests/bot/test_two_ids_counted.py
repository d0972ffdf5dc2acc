"""People who go by two ids, where it is counted who could answer and who still may."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from bot.directory import Directory
from bot.eligibility import Eligibility
from gate.model import Approver, Decision, Person
from tests.bot.records import FINANCE, refund
from tests.bot.test_slack_lies import Liar

TWO = replace(FINANCE, quorum=2, approvers=(Approver("user", "U0ALICE"), Approver("group", "S0FINANCE")))
GIVEN = Decision(
    Person("T1", "U0ALICE"), "approve", "", datetime(2026, 1, 1, tzinfo=UTC), 1, counts=frozenset({0})
)


def alice() -> Liar:
    """Return a Slack in which the person and the one member of the group are Alice, under two ids."""
    user = {"id": "U0ALICE", "team_id": "T1", "deleted": False, "enterprise_user": {"id": "W0ALICE"}}
    return Liar(info={"user": user}, list={"users": ["W0ALICE"]})


def test_one_person_under_two_ids_meets_no_quorum_of_two() -> None:
    """A hold that only one person could approve, named by both their ids, can never be met."""

    async def short(directory: Directory) -> int | None:
        found = await Eligibility(directory, "T1").unmeetable(refund(requirements=(TWO,)))
        return None if found is None else found[1]

    assert alice().look(short) == 1


def test_who_approved_under_an_earlier_id_is_no_second_person() -> None:
    """An approval kept under a workspace id is not counted beside its giver's organisation id."""
    need = replace(TWO, approvers=TWO.approvers[1:])

    async def short(directory: Directory) -> int | None:
        record = refund(requirements=(need,), decisions=(GIVEN,))
        found = await Eligibility(directory, "T1").unmeetable(record)
        return None if found is None else found[1]

    assert alice().look(short) == 1


def test_who_approved_under_an_earlier_id_is_not_still_needed() -> None:
    """Nobody is reminded of a hold that they approved under their other id."""
    need = replace(TWO, approvers=TWO.approvers[1:])

    async def needed(directory: Directory) -> tuple[Approver, ...]:
        record = refund(requirements=(need,), decisions=(GIVEN,))
        return await Eligibility(directory, "T1").still_needed(record)

    assert alice().look(needed) == ()


def test_who_loses_an_id_in_slacks_answers_is_nobody_else() -> None:
    """An answer that leaves an organisation's id out makes no second person; other accounts lend none."""
    liar = alice()
    org = {"id": "W0ALICE"}
    branch = {"id": "U1ALICE", "team_id": "T2", "deleted": False, "enterprise_user": org}

    async def ids(directory: Directory) -> list[tuple[str, frozenset[str]]]:
        whole = await directory.user("U0ALICE")
        liar.answers["info"] = {"user": {"id": "U0ALICE", "team_id": "T1", "deleted": True}}
        bare = await directory.user("U0ALICE")
        assert (whole.deleted, bare.deleted) == (False, True)
        liar.answers["info"] = {"user": branch}
        other = await directory.user("U1ALICE")
        return [(each.id, each.ids) for each in (whole, bare, other)]

    whole, bare, other = liar.look(ids)
    assert whole == bare == ("W0ALICE", frozenset({"U0ALICE", "W0ALICE"}))
    assert other == ("W0ALICE", frozenset({"U1ALICE", "W0ALICE"}))
