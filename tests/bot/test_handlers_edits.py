"""Edit and approve: the form, what it refuses, what it records, and what everybody is told."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from bot import names
from bot.local_workspace import LocalWorkspace
from bot.views import modals
from gate.editing import edited
from gate.lifecycle import State
from gate.model import Action, HoldRecord, Parameters, Person
from tests.bot.bot_fixtures import CHANNEL, NOBODY, POLICY, Office, eventually, office, office_of, spell
from tests.bot.presses import payload, refusals

__all__ = ["office", "office_of"]

both = pytest.mark.parametrize("transport", ["socket", "http"])
EDITABLE = POLICY.replace(
    "reason: Refund above the limit.}", "reason: Refund above the limit., editable: [args.amount, args.note]}"
).replace("reason: Two people.}", "reason: Two people., editable: [args.amount]}")
BLOCKING = EDITABLE.replace(
    "rules:\n",
    "rules:\n  - {id: never, match: payments.issue_refund, when: {args.amount: {gt: 5000}}, then: block, "
    "reason: Never that much.}\n",
)
NOBODYS = EDITABLE.replace(
    "rules:\n",
    "rules:\n  - {id: odd, match: payments.issue_refund, when: {args.amount: {eq: 77}}, then: "
    "require_approval, reason: Odd., approvers: [U0GONE]}\n",
)
REFUND = {"order_id": "ORD-1", "amount": Decimal("400.00"), "currency": "EUR", "note": "arrived damaged"}


def form(office: Office, user: str, record: HoldRecord) -> dict[str, Any]:
    """Choose it from the menu, and return the form's view."""
    office.press(user, record, names.EDIT)
    return dict(office.control.wait_view(user, "exactly these values"))


def values(**given: Any) -> dict[str, dict[str, Any]]:
    """Return what somebody put into the inputs, by the names of the arguments."""
    comment = given.pop("comment", None)
    found = {f"edit:args.{name}": {names.FIELD: value} for name, value in given.items()}
    return found | ({modals.COMMENT_BLOCK: {names.COMMENT: comment}} if comment else {})


@both
def test_a_change_is_approved_so_and_the_card_says_what(office_of: Any, transport: Any) -> None:
    """The form holds the present values; the changed call is approved by its editor and shown as changed."""
    office = office_of(EDITABLE)
    office.open(transport)
    record = office.hold(**REFUND)
    view = form(office, "U0ALICE", record)
    inputs = {block["block_id"]: block["element"] for block in view["blocks"] if block["type"] == "input"}
    amount = inputs["edit:args.amount"]
    assert (amount["type"], amount["initial_value"]) == ("number_input", "400.00")
    assert inputs["edit:args.note"]["initial_value"] == "arrived damaged"
    result = office.control.submit_view("U0ALICE", view["id"], values(amount="250", comment="half of it"))
    assert result["closed"]
    after = office.until(record, State.APPROVED)
    assert after.arguments["amount"] == {"$decimal": "250"}
    assert [(each.person.user, each.comment) for each in after.decisions] == [("U0ALICE", "half of it")]
    said = spell(office.shown(record, "Changed by"))
    assert "amount 400.00 → " in said
    assert "Refund 250 EUR on ORD-1" in said
    ts = office.card(record)["ts"]
    office.control.wait_message(CHANNEL, "amount from 400.00 to 250", thread_ts=ts)
    call = Action("payments.issue_refund", REFUND, "support", "s1", NOBODY,
                  parameters=Parameters(frozenset(REFUND)))  # fmt: skip
    record_now = office.agent.action(record.id)
    assert office.agent.claim(record.id, edited(call, record_now.patch, record_now.version)).run


def test_the_button_stands_only_where_something_may_be_changed(office: Office) -> None:
    """Without editable paths no card offers it, and a forged press is told so and changes nothing."""
    office.open()
    record = office.hold()
    assert "Edit and approve" not in spell(office.card(record))
    office.control.forge(payload(office, record, "U0ALICE", action=names.EDIT))
    office.control.wait_view("U0ALICE", "Nothing in this call may be changed")
    assert office.agent.hold(record.id).version == 1


def test_who_may_not_decide_gets_no_form(office_of: Any) -> None:
    """Somebody who is no approver is told so instead of getting inputs."""
    office = office_of(EDITABLE)
    office.open()
    record = office.hold(**REFUND)
    office.press("U0CAROL", record, names.EDIT)
    office.control.wait_view("U0CAROL", "not among the approvers")
    assert refusals(office, record) == ["not_eligible"]


@both
def test_what_is_wrong_stands_under_its_input(office_of: Any, transport: Any) -> None:
    """What the policy blocks, a secret, and no change at all: the form says so, and nothing is recorded."""
    office = office_of(BLOCKING)
    office.open(transport)
    record = office.hold(**REFUND)
    view = form(office, "U0ALICE", record)
    blocked = office.control.submit_view("U0ALICE", view["id"], values(amount="9000"))
    assert "Never that much." in blocked["errors"]["edit:args.amount"]
    same = office.control.submit_view("U0ALICE", view["id"], values(amount="400"))
    assert "Nothing was changed" in same["errors"]["edit:args.amount"]
    secret = office.control.submit_view(
        "U0ALICE", view["id"], values(amount="400", note="sk_live_4eC39HqLyjWDarjtT1zdp7dc")
    )
    assert "Reads like a secret" in secret["errors"]["edit:args.note"]
    assert office.agent.hold(record.id).version == 1
    right = values(amount="399.99", note="arrived damaged")
    assert office.control.submit_view("U0ALICE", view["id"], right)["closed"]
    assert office.until(record, State.APPROVED).arguments["amount"] == {"$decimal": "399.99"}


def test_others_are_told_that_their_approval_is_void(office_of: Any) -> None:
    """The form warns, the thread names who has to look again, and the old button says who changed it."""
    office = office_of(EDITABLE)
    office.open()
    record = office.hold("payments.pay_out", amount=9000)
    office.press("U0BOB", record, names.APPROVE)
    eventually(lambda: office.agent.hold(record.id).decisions)
    old, stale = office.card(record), payload(office, record, "U0BOB", action=names.APPROVE)
    view = form(office, "U0ALICE", record)
    assert "will have to look again" in spell(view)
    office.control.submit_view("U0ALICE", view["id"], values(amount="8000"))
    said = spell(office.shown(record, "Void: the approval of"))
    assert "U0BOB" in said
    ts = old["ts"]
    office.control.wait_message(CHANNEL, "is void: look at it again", thread_ts=ts)
    now = office.agent.hold(record.id)
    assert (now.state, now.version) == (State.PENDING, 2)
    office.control.forge(stale)
    office.whispered("U0BOB", "It was changed by alice")
    assert office.agent.hold(record.id).state is State.PENDING
    office.press("U0BOB", record, names.APPROVE)
    office.until(record, State.APPROVED)


def test_a_form_that_was_overtaken_records_nothing(office_of: Any) -> None:
    """Of two open forms the second says who changed the call meanwhile."""
    office = office_of(EDITABLE)
    office.open()
    record = office.hold("payments.pay_out", amount=9000)
    mine, theirs = form(office, "U0ALICE", record), form(office, "U0BOB", record)
    office.control.submit_view("U0BOB", theirs["id"], values(amount="7000"))
    eventually(lambda: office.agent.hold(record.id).version == 2)
    office.control.submit_view("U0ALICE", mine["id"], values(amount="8000"))
    office.control.wait_view("U0ALICE", "changed by bob")
    assert office.agent.hold(record.id).arguments == {"amount": 7000}


def test_a_required_comment_is_asked_for_in_the_form(office_of: Any) -> None:
    """Where approving needs a comment, the form sends itself back without one."""
    office = office_of(
        EDITABLE.replace("comment: {approve: optional, deny: required}}", "comment: {approve: required}}", 1)
    )
    office.open()
    record = office.hold(**REFUND)
    view = form(office, "U0ALICE", record)
    result = office.control.submit_view("U0ALICE", view["id"], values(amount="250", comment=" "))
    assert modals.COMMENT_BLOCK in result["errors"]
    assert office.control.submit_view("U0ALICE", view["id"], values(amount="250", comment="ok"))["closed"]


def test_a_crash_after_the_change_leaves_the_card_to_the_outbox(
    office_of: Callable[[str], Office], workspace: LocalWorkspace
) -> None:
    """A change that was recorded while no bot ran is on the card once one runs again."""
    office = office_of(EDITABLE)
    bot = office.open()
    record = office.hold("payments.pay_out", amount=9000)
    office.card(record)
    bot.stop()
    office.bots.remove(bot)
    now = office.agent.hold(record.id)
    from tests.kit import ALICE, ROUTE

    office.agent.edit(
        now.id, store=now.store, nonce=now.nonce, person=ALICE, satisfies=frozenset({"U0ALICE"}),
        changes={"args.amount": 8000}, route=ROUTE,
    )  # fmt: skip
    assert "Changed by" not in spell(office.card(record))
    office.open()
    assert "8000" in spell(office.shown(record, "Changed by"))


def test_a_change_that_nobody_could_ever_approve_ends_undelivered(office_of: Any) -> None:
    """People are counted again for what a change adds; where not enough could answer, the hold ends so."""
    office = office_of(NOBODYS)
    office.open()
    record = office.hold(**REFUND)
    view = form(office, "U0ALICE", record)
    assert office.control.submit_view("U0ALICE", view["id"], values(amount="77"))["closed"]
    after = office.until(record, State.UNDELIVERED)
    assert (after.code, after.version) == ("nobody_can_approve", 2)
    assert "refunds/odd needs 1 approval from U0GONE, but nobody there can answer" in after.end_reason
    office.shown(record, "not enough people can approve this")


def test_who_changes_a_call_has_seen_every_value_of_it(office_of: Any) -> None:
    """A value that is cut on the card decides nothing yet, but may once changed: view it first."""
    office = office_of(EDITABLE)
    office.open()
    record = office.hold(**REFUND | {"reason": "x" * 200 + " or not"})
    office.card(record)
    office.press("U0ALICE", record, names.EDIT)
    office.control.wait_view("U0ALICE", "not every value stands whole on the card")
    assert office.agent.hold(record.id).version == 1
    office.press("U0ALICE", record, names.VIEW)
    office.control.wait_view("U0ALICE", "or not")
    eventually(lambda: office.agent.viewed(record.id, Person("T0LOCAL", "U0ALICE", "alice")))
    view = form(office, "U0ALICE", record)
    assert office.control.submit_view("U0ALICE", view["id"], values(amount="250"))["closed"]
    assert office.until(record, State.APPROVED).version == 2
