"""No form is opened for an answer that would not count, nor shown to whom it does not concern."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest

from bot import names
from bot.early import check_approval
from bot.eligibility import Eligible
from bot.views import modals
from gate.errors import IllegalMove
from gate.lifecycle import State
from gate.model import Approver, Decision, HandOver, Person
from tests.bot.bot_fixtures import CHANNEL, POLICY, Office, eventually, office, office_of, spell
from tests.bot.presses import one_answer, payload, refusals
from tests.bot.records import ALICE, FINANCE, NOW, refund

__all__ = ["office", "office_of"]

LONG = "line\n" * 1500


def test_who_may_not_approve_sees_no_form(office: Office) -> None:
    """Where an approval wants a comment, a press by nobody's approver is refused and recorded at once."""
    office.open()
    record = office.hold("payments.cancel", order_id="ORD-1")
    office.press("U0CAROL", record, names.APPROVE)
    one_answer(office, "U0CAROL", "not among the approvers")
    assert refusals(office, record) == ["not_eligible"]
    assert "ORD-1" not in spell(office.control.views("U0CAROL"))


def test_a_call_that_was_approved_meanwhile_asks_for_no_comment(office: Office) -> None:
    """A press on what a screen still shows of a card is told that the answer was not needed."""
    office.open()
    record = office.hold()
    forged = payload(office, record, "U0BOB", action=names.APPROVE_WITH_COMMENT)
    office.press("U0ALICE", record, names.APPROVE)
    office.until(record, State.APPROVED)
    office.control.forge(forged)
    one_answer(office, "U0BOB", "approved already")


def test_whose_own_approval_was_the_last_is_told_that_it_counts(office: Office) -> None:
    """Nobody reads that their answer was not needed where it is the one that lets the call run."""
    office.open()
    record = office.hold()
    forged = payload(office, record, action=names.APPROVE_WITH_COMMENT)
    office.press("U0ALICE", record, names.APPROVE)
    office.until(record, State.APPROVED)
    office.control.forge(forged)
    one_answer(office, "U0ALICE", "You have approved this already; it may run once, now.")


def test_a_form_for_a_call_that_was_denied_says_by_whom(office: Office) -> None:
    """A press on Deny that comes too late names who was first."""
    office.open()
    record = office.hold()
    forged = payload(office, record, action=names.DENY)
    office.control.slash("U0BOB", CHANNEL, f"/gate deny {record.id} no")
    office.until(record, State.DENIED)
    office.control.forge(forged)
    one_answer(office, "U0ALICE", "(U0BOB). Nothing more was recorded.")


def test_who_may_count_again_after_a_hand_over_is_not_refused_early() -> None:
    """The store hands a hold over before it judges, so the form must not be refused in its place."""
    later = HandOver(timedelta(minutes=5), (Approver("user", "U0ALICE"),))
    needs = (FINANCE, replace(FINANCE, approvers=(Approver("user", "U0BOB"),), hand_over=later))
    given = replace(refund(), requirements=needs, decisions=(_approval({0}),))
    asyncio.run(check_approval(_Unfrozen(), given, ELIGIBLE))  # type: ignore[arg-type]
    with pytest.raises(IllegalMove, match="You have approved this already"):
        both = replace(given, decisions=(_approval({0, 1}),))
        asyncio.run(check_approval(_Unfrozen(), both, ELIGIBLE))  # type: ignore[arg-type]


class _Unfrozen:
    """A desk whose store has nothing frozen."""

    service = SimpleNamespace(frozen=lambda agent, session: "")

    async def run(self, verb: Callable[..., str], *args: str) -> str:
        return verb(*args)


ELIGIBLE = Eligible(ALICE, frozenset({"U0ALICE", "S0FINANCE"}))


def _approval(counts: set[int]) -> Decision:
    return Decision(ALICE, "approve", "", NOW, 1, counts=frozenset(counts))


@pytest.mark.parametrize("action", [names.APPROVE, names.APPROVE_WITH_COMMENT])
def test_what_must_be_seen_first_is_shown_before_a_comment_is_asked_for(office: Office, action: str) -> None:
    """The window shows everything instead of a form that would be refused; its button leads to the form."""
    office.open()
    record = office.hold("payments.cancel", order_id=LONG)
    office.press("U0ALICE", record, action)
    view = office.control.wait_view("U0ALICE", "Approve…")
    assert "Comment" not in spell(view)
    eventually(lambda: office.agent.viewed(record.id, Person("T0LOCAL", "U0ALICE")))
    office.control.click_view("U0ALICE", view["id"], names.APPROVE_WITH_COMMENT)
    form = office.control.wait_view("U0ALICE", "Comment")
    office.control.submit_view("U0ALICE", form["id"], {modals.COMMENT_BLOCK: {names.COMMENT: "seen"}})
    after = office.until(record, State.APPROVED)
    assert [each.comment for each in after.decisions] == ["seen"]


@pytest.mark.parametrize("action", [names.APPROVE, names.APPROVE_WITH_COMMENT, names.EDIT])
def test_a_frozen_session_asks_nobody_for_words(office_of: Callable[[str], Office], action: str) -> None:
    """Where nothing can be approved now, the window says so at once and says what can be done."""
    office = office_of(POLICY.replace("reason: Say why.,", "reason: Say why., editable: [args.order_id],"))
    office.open()
    record = office.hold("payments.cancel", order_id="ORD-1")
    office.card(record)
    office.agent.freeze("agent", "support", by="ops", reason="audit")
    office.press("U0ALICE", record, action)
    one_answer(office, "U0ALICE", "The agent support is frozen: it cannot be approved now, but denied.")


def test_who_has_approved_is_asked_for_no_second_comment(office: Office) -> None:
    """A second approval of the same person counts nowhere, whatever they would write beside it."""
    office.open()
    record = office.hold("payments.pay_out", to="x")
    office.press("U0ALICE", record, names.APPROVE)
    eventually(lambda: office.agent.hold(record.id).decisions)
    office.press("U0ALICE", record, names.APPROVE_WITH_COMMENT)
    one_answer(office, "U0ALICE", "You have approved this already")
