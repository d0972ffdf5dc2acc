"""Reminders and hand-overs in Slack: said once in the card's thread, to those who can still answer."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from bot import names
from gate.lifecycle import State
from gate.model import Person, Principal
from tests.bot.bot_fixtures import CHANNEL, POLICY, Office, eventually, office_of, spell
from tests.bot.presses import refusals
from tests.kit import ROUTE

__all__ = ["office_of"]

MINUTE = timedelta(minutes=1)
TIMED = POLICY.replace(
    "expires_in: 1h,",
    "expires_in: 1h, remind_before: [30m, 10m], hand_over: {after: 45m, approvers: [U0CAROL]},",
)
WAITING = "Still waiting for an answer"
HANDED = "Not answered in time."


def _thread(office: Office, piece: str) -> list[dict[str, Any]]:
    found = office.control.messages(CHANNEL)
    return [each for each in found if each.get("thread_ts") != each["ts"] and piece in spell(each)]


def _said(office: Office, piece: str) -> str:
    return spell(eventually(lambda: _thread(office, piece))[-1])


def _quiet(office: Office) -> None:
    """Wait until the bot has worked everything that was due, by having it post one more card."""
    office.card(office.hold(session="later", order_id="ORD-9", amount=1, currency="EUR"))


def _approve(office: Office, record: Any, person: Person) -> None:
    office.agent.decide(
        record.id, store=record.store, nonce=record.nonce, person=person, said="approve", route=ROUTE,
        satisfies=frozenset({person.user, "S0FINANCE"}),
    )  # fmt: skip


def test_those_still_needed_are_reminded_once_by_two_bots(office_of: Any) -> None:
    """Of two who must approve, who has is not mentioned again; two bots and a restart post it once."""
    office = office_of(TIMED)
    office.open()
    office.open()
    record = office.hold("payments.pay_out", to="x", amount=5)
    office.card(record)
    _approve(office, record, Person("T0LOCAL", "U0ALICE", "alice"))
    office.clock.advance(31 * MINUTE)
    said = _said(office, WAITING)
    assert "<!subteam^S0FINANCE>" in said
    assert "<@U0ALICE>" not in said
    assert "else nothing runs" in said
    office.bots[0].stop()
    office.open()
    _quiet(office)
    assert len(_thread(office, WAITING)) == 1


def test_whom_the_agent_acts_for_is_not_reminded(office_of: Any) -> None:
    """Who may not answer is not mentioned, though the policy lists them."""
    office = office_of(TIMED)
    office.open()
    record = office.hold(on_behalf_of=Principal("person", "U0ALICE", "T0LOCAL"))
    office.card(record)
    office.clock.advance(31 * MINUTE)
    said = _said(office, WAITING)
    assert "<@U0ALICE>" not in said
    assert "<!subteam^S0FINANCE>" in said


def test_nobody_is_reminded_of_what_was_decided(office_of: Any) -> None:
    """A hold that was denied before its reminder gets none."""
    office = office_of(TIMED)
    office.open()
    record = office.hold()
    office.card(record)
    office.agent.decide(
        record.id, store=record.store, nonce=record.nonce, person=Person("T0LOCAL", "U0ALICE", "alice"),
        said="deny", comment="No.", route=ROUTE, satisfies=frozenset({"U0ALICE"}),
    )  # fmt: skip
    office.clock.advance(35 * MINUTE)
    _quiet(office)
    assert _thread(office, WAITING) == []


def test_a_hold_is_handed_over_told_and_answered_by_those_added(office_of: Any) -> None:
    """Before the time they are refused; at it the thread and the card name them, and they approve."""
    office = office_of(TIMED)
    office.open()
    record = office.hold()
    office.card(record)
    office.shown(record, "on <@U0CAROL> may answer as well.")
    office.press("U0CAROL", record, names.APPROVE)
    office.whispered("U0CAROL", "You may answer from")
    office.clock.advance(46 * MINUTE)
    assert "<@U0CAROL> may answer now as well" in _said(office, HANDED)
    office.shown(record, "<@U0CAROL>")
    office.press("U0CAROL", record, names.APPROVE)
    after = office.until(record, State.APPROVED)
    assert after.decisions[-1].person.user == "U0CAROL"
    assert len(_thread(office, HANDED)) == 1


def test_who_may_answer_later_gets_no_form_before(office_of: Any) -> None:
    """Nobody writes a reason that cannot be recorded yet; from the hand-over on the form is there."""
    office = office_of(TIMED)
    office.open()
    record = office.hold()
    office.press("U0CAROL", record, names.DENY)
    office.control.wait_view("U0CAROL", "You may answer from")
    assert "Reason" not in spell(office.control.views("U0CAROL"))
    assert refusals(office, record) == ["not_eligible"]
    office.clock.advance(46 * MINUTE)
    office.shown(record, "<@U0CAROL>")
    office.press("U0CAROL", record, names.DENY)
    office.control.wait_view("U0CAROL", "Reason")


def test_a_hold_that_only_the_hand_over_can_answer_is_asked(office_of: Any) -> None:
    """Nobody but those added later could approve it, and it is not ended as undelivered."""
    office = office_of(TIMED.replace("[U0ALICE, S0FINANCE]", "[U0ALICE]"))
    office.open()
    record = office.hold(on_behalf_of=Principal("person", "U0ALICE", "T0LOCAL"))
    office.card(record)
    assert office.agent.hold(record.id).state is State.PENDING


def test_where_nobody_comes_later_the_hold_is_undelivered(office_of: Any) -> None:
    """The same without the hand-over ends at once, since nobody could ever approve it."""
    office = office_of(POLICY.replace("[U0ALICE, S0FINANCE]", "[U0ALICE]").replace("quorum: 2", "quorum: 1"))
    office.open()
    record = office.hold(on_behalf_of=Principal("person", "U0ALICE", "T0LOCAL"))
    assert office.until(record, State.UNDELIVERED).code == "nobody_can_approve"
