"""Whom the agent acts for is known by each of their ids, also where the store alone judges them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot import names
from bot.directory import Directory
from bot.eligibility import Clicker, Eligibility
from gate.errors import NotEligible
from gate.lifecycle import State
from gate.model import Approver, Decision, HandOver, Person, Principal
from tests.bot.bot_fixtures import Office, eventually, office_of
from tests.bot.presses import one_answer, refusals
from tests.bot.records import FINANCE, refund
from tests.bot.test_slack_lies import Liar

__all__ = ["office_of"]

OWN = """
version: 1
name: own
default: require_approval
approvals: {channel: C0APPROVALS, approvers: [S0FINANCE], on_behalf_of_may_approve: true}
actions:
  payments.pay: {risk: write, amount: args.amount, currency: args.currency}
rules:
  - {id: small, match: payments.pay, then: require_approval, reason: A., editable: [args.amount]}
  - {id: large, match: payments.pay, when: {args.amount: {gt: 1000}}, then: require_approval, reason: B.,
     on_behalf_of_may_approve: false, editable: [args.amount]}
"""
LENIENT = replace(FINANCE, approvers=(Approver("user", "U0ALICE"),), quorum=2, on_behalf_of_may_approve=True)
ALICE = {"id": "U0ALICE", "team_id": "T1", "deleted": False, "enterprise_user": {"id": "W0ALICE"}}


@pytest.mark.parametrize("other", ["", "W0ALICE"])
def test_who_edits_their_own_call_is_barred_by_what_that_adds(
    office_of: Callable[[str], Office], other: str
) -> None:
    """A change that brings in a rule which bars the asker is not approved by them, under no id of theirs."""
    office = office_of(OWN)
    office.control.set_user("U0ALICE", enterprise_user_id=other or None)
    office.open()
    record = office.hold(
        "payments.pay", on_behalf_of=Principal("person", "U0ALICE"), amount=5, currency="EUR"
    )
    office.press("U0ALICE", record, names.EDIT)
    view = office.control.wait_view("U0ALICE", "exactly these values")
    office.control.submit_view("U0ALICE", view["id"], {"edit:args.amount": {names.FIELD: "5000"}})
    one_answer(office, "U0ALICE", "acts for you")
    now = office.agent.hold(record.id)
    assert (now.state, now.version, now.decisions) == (State.PENDING, 1, ())
    assert refusals(office, record) == ["asked_for"]


def test_who_may_approve_their_own_call_is_named_as_the_hold_names_them(
    office_of: Callable[[str], Office],
) -> None:
    """The asker's answer is kept under the id that the hold has of them, and counts once."""
    office = office_of(OWN)
    office.control.set_user("U0ALICE", enterprise_user_id="W0ALICE")
    office.open()
    record = office.hold(
        "payments.pay", on_behalf_of=Principal("person", "U0ALICE"), amount=5, currency="EUR"
    )
    office.press("U0ALICE", record, names.APPROVE)
    given = eventually(lambda: office.agent.hold(record.id).decisions)
    assert [each.person.user for each in given] == ["U0ALICE"]


def test_the_asker_who_has_answered_as_somebody_else_answers_no_second_time() -> None:
    """An answer under an id that nobody knew as the asker's stands; another would make two people of one."""
    given = Decision(
        Person("T1", "U0ALICE"), "approve", "", datetime(2026, 1, 1, tzinfo=UTC), 1, counts=frozenset({0})
    )
    record = refund(
        requirements=(LENIENT,), decisions=(given,), on_behalf_of=Principal("person", "W0ALICE", "T1")
    )

    async def check(directory: Directory) -> str:
        with pytest.raises(NotEligible) as refused:
            await Eligibility(directory, "T1").check(record, Clicker("T1", "U0ALICE"))
        return refused.value.code

    assert Liar(info={"user": ALICE}).look(check) == "asked_for"


def test_the_asker_is_barred_where_it_will_be_handed_over_to_them() -> None:
    """Whom the agent acts for learns that at once, not that they may answer later."""
    to = HandOver(after=timedelta(minutes=5), approvers=(Approver("user", "U0ALICE"),))
    need = replace(FINANCE, approvers=(Approver("user", "U0BOB"),), hand_over=to)
    record = refund(requirements=(need,), on_behalf_of=Principal("person", "U0ALICE", "T1"))

    async def check(directory: Directory) -> str:
        with pytest.raises(NotEligible) as refused:
            await Eligibility(directory, "T1").check(record, Clicker("T1", "U0ALICE"), to.approvers)
        return refused.value.code

    assert Liar(info={"user": ALICE}).look(check) == "asked_for"
