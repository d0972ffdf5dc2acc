"""Budgets in Slack: the numbers and the calls that used them, and the button that lets more pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from bot import names
from bot.references import Origin, Reference
from bot.views import modals
from bot.views.card import card
from bot.views.everything import everything, paged
from gate.lifecycle import State
from gate.model import Action, BudgetCall, BudgetState, Decision, HoldRecord, Person, Ruling
from gate.policy.spending import numbers
from tests.bot.bot_fixtures import Office, office_of, spell
from tests.bot.records import FINANCE, NOW, REFUND
from tests.bot.slack_limits import check_message

__all__ = ["office_of"]

STATE = BudgetState(
    digest="d",
    terms="t",
    bucket="=support",
    per="by this agent",
    kind="money",
    limits={"EUR": Decimal(5000), "USD": Decimal(5500)},
    window=timedelta(hours=24),
    charged={"EUR": Decimal("4999")},
    waiting={"EUR": Decimal("120")},
    adds={"USD": Decimal("4999")},
    calls=(BudgetCall("a1", "Refund 4,999 EUR on ORD-7", NOW, {"EUR": Decimal(4999)}),),
)


def _record(state: BudgetState = STATE, reason: str = "Enough for one day.") -> HoldRecord:
    needs = replace(FINANCE, rules=("refunds/money",))
    ruling = Ruling("refunds/money", "require_approval", reason, "refunds.yml:9", (), needs, state)
    return replace(REFUND, rulings=(ruling,), requirements=(needs,))


def test_the_card_shows_the_numbers_and_who_used_them() -> None:
    """Limit, charged, waiting and added stand apart; the earlier call stands beside them."""
    blocks = card(_record())
    check_message(blocks, "text")
    shown = spell(blocks)
    assert "Enough for one day." in shown
    assert "allows 5,000 EUR or 5,500 USD in 1d by this agent: 4,999 EUR used, 120 EUR waiting" in shown
    assert "this call adds 4,999 USD" in shown
    assert "Used by: Refund 4,999 EUR on ORD-7 (4,999 EUR)" in shown


def test_numbers_that_the_reason_tells_are_not_said_twice() -> None:
    """Where the policy writes no reason, the reason is the numbers."""
    shown = spell(card(_record(reason=numbers("refunds/money", STATE))))
    assert shown.count("4,999 EUR used") == 1


def test_hidden_numbers_stay_hidden() -> None:
    """A redacted amount stands neither in the numbers nor beside the calls."""
    shown = spell(card(_record(replace(STATE, hidden=True))))
    assert "4,999 EUR used" not in shown
    assert "Used by" not in shown


def test_the_full_view_shows_them_too() -> None:
    """View everything has the same numbers."""
    record = _record()
    view = everything(record, Origin(Reference.of(record)), paged(record))
    assert "120 EUR waiting" in spell(view)


@pytest.mark.parametrize(("headroom", "there"), [(0, False), (3, True)])
def test_the_second_button_is_there_where_a_budget_offers_it(headroom: int, there: bool) -> None:
    """It says how many, and asks once more with words for what it means."""
    blocks = card(_record(replace(STATE, headroom=headroom)))
    check_message(blocks, "text")
    shown = spell(blocks)
    assert (names.APPROVE_MORE in shown) is there
    assert ("Approve and let 3 more pass" in shown) is there
    assert ("The next 3 that would be over the budget run without asking anybody." in shown) is there


def test_the_form_with_a_comment_lets_pass_what_its_button_said() -> None:
    """Its own callback, so that it is never taken for a plain approval or a denial."""
    record = _record(replace(STATE, headroom=3))
    form = modals.approve_form(record, Origin(Reference.of(record)), more=3)
    assert form["callback_id"] == names.APPROVE_MORE_FORM
    assert "The next 3" in spell(form)


def test_a_closed_card_tells_that_more_may_pass() -> None:
    """Who let more calls pass stands beside their name."""
    given = Decision(Person("T0LOCAL", "U0ALICE"), "approve", "", NOW, 1, headroom=True)
    record = replace(_record(), state=State.APPROVED, decisions=(given,), use_by=NOW)
    assert "and the next ones over the budget" in spell(card(record))


BUDGET_POLICY = """
version: 1
name: refunds
default: allow
approvals: {channel: C0APPROVALS, approvers: [U0ALICE, U0BOB], comment: {approve: optional, deny: required}}
budgets:
  - {id: sends, match: desk.send, limit: 0, per: agent, window: 1h, headroom: 2}
"""


def test_pressing_the_second_button_lets_the_next_calls_pass(office_of: Callable[[str], Office]) -> None:
    """Approved, recorded as that decision, and the next two run without a card; the third is held."""
    office = office_of(BUDGET_POLICY)
    office.open("socket")
    record = office.hold("desk.send", text="first")
    office.press("U0ALICE", record, names.APPROVE_MORE)
    after = office.until(record, State.APPROVED)
    assert [each.headroom for each in after.decisions] == [True]
    office.shown(record, "and the next ones over the budget")
    calls = [
        Action("desk.send", {"text": text}, "support", "s1", record.on_behalf_of) for text in ("b", "c", "d")
    ]
    assert [office.agent.submit(each, wait=False).kind for each in calls] == ["run", "run", "held"]


def test_the_second_button_takes_a_comment_where_one_is_required(office_of: Callable[[str], Office]) -> None:
    """The form keeps what the button meant."""
    office = office_of(BUDGET_POLICY.replace("approve: optional", "approve: required"))
    office.open("socket")
    record = office.hold("desk.send", text="first")
    office.press("U0BOB", record, names.APPROVE_MORE)
    view = office.control.wait_view("U0BOB", "The next 2")
    office.control.submit_view("U0BOB", view["id"], {modals.COMMENT_BLOCK: {names.COMMENT: "a batch"}})
    after = office.until(record, State.APPROVED)
    assert [(each.comment, each.headroom) for each in after.decisions] == [("a batch", True)]
