"""Calls in doubt in Slack: the card, its two answers, who may give them, and how the card closes."""

from __future__ import annotations

from typing import Any

import pytest

from bot import names
from bot.views import doubt, modals
from gate.errors import IllegalMove
from gate.lifecycle import State
from gate.model import Action, HoldRecord, Parameters, Person
from gate.verbs.claim import End
from tests.bot.bot_fixtures import (
    CHANNEL,
    NOBODY,
    POLICY,
    Office,
    eventually,
    office,
    office_of,
    spell,
)
from tests.bot.presses import refusals
from tests.kit import ROUTE

__all__ = ["office", "office_of"]

OPERATED = POLICY.replace("name: refunds\n", "name: refunds\noperators: [U0CAROL]\n").replace(
    "rules:", "rules:\n  - {id: free, match: payments.note, then: allow}"
)
CALL = {"order_id": "ORD-1", "amount": 400, "currency": "EUR"}
ALICE = Person("T0LOCAL", "U0ALICE", "alice")


def _action(name: str, given: dict[str, Any]) -> Action:
    return Action(name, given, "support", "s1", NOBODY, parameters=Parameters(frozenset(given)))


def _in_doubt(office: Office, reason: str = "KeyboardInterrupt came while it ran.") -> HoldRecord:
    """Return a hold that was approved, started and interrupted, with its card up to date."""
    record = office.hold()
    office.card(record)
    office.agent.decide(
        record.id, store=record.store, nonce=record.nonce, person=ALICE, satisfies=frozenset({"U0ALICE"}),
        said="approve", route=ROUTE,
    )  # fmt: skip
    assert office.agent.claim(record.id, _action("payments.issue_refund", CALL)).run
    office.agent.doubt(record.id, code="in_doubt", reason=reason)
    office.shown(record, "In doubt")
    return office.agent.hold(record.id)


def _allowed_in_doubt(office: Office) -> str:
    office.agent.open_session("s1", agent="support", on_behalf_of=NOBODY)
    action = office.agent.submit(_action("payments.note", {"text": "called back"})).record.id
    office.agent.doubt(action, reason="KeyboardInterrupt came while it ran.")
    return action


def _words(text: str) -> dict[str, dict[str, Any]]:
    return {modals.COMMENT_BLOCK: {names.COMMENT: text}}


def _buttons(message: dict[str, Any]) -> list[str]:
    rows = [block["elements"] for block in message["blocks"] if block["type"] == "actions"]
    return [each["text"]["text"] for row in rows for each in row]


@pytest.mark.parametrize("transport", ["socket", "http"])
@pytest.mark.parametrize("ran", [True, False])
def test_an_approver_answers_on_the_card(office: Office, transport: Any, ran: bool) -> None:
    """Two taps and words: the card and its thread say who said so; the other answer stays open to mend it."""
    office.open(transport)
    record = _in_doubt(office)
    assert _buttons(office.card(record)) == ["It ran", "It did not run", "View everything"]
    office.press("U0ALICE", record, names.RAN if ran else names.NOT_RUN)
    view = office.control.wait_view("U0ALICE", doubt.HINT)
    office.control.submit_view("U0ALICE", view["id"], _words("Seen <in> the bank."))
    message = office.shown(record, f"*{doubt.ANSWERS[ran]}*, says <@U0ALICE>")
    assert "“Seen <in> the bank.”" in spell(message)
    assert _buttons(message) == [doubt.ANSWERS[not ran], "View everything"]
    said = "ran" if ran else "did not run"
    office.control.wait_message(CHANNEL, f"says that it {said}: “Seen <in> the bank.” Nothing is run again")
    found = office.agent.hold(record.id)
    assert (found.state, found.annotation and found.annotation.ran) == (State.IN_DOUBT, ran)


def test_who_may_not_decide_may_not_answer(office: Office) -> None:
    """A colleague is told so in the window, and the refusal is in the log."""
    office.open()
    record = _in_doubt(office)
    office.press("U0CAROL", record, names.RAN)
    office.control.wait_view("U0CAROL", "not among the approvers")
    assert refusals(office, record) == ["not_eligible"]
    assert office.agent.hold(record.id).annotation is None


def test_a_form_that_comes_after_the_late_end_is_answered(office: Office) -> None:
    """The process that ran it knows better: the card closes with its word, and the form says so."""
    office.open()
    record = _in_doubt(office)
    office.press("U0ALICE", record, names.NOT_RUN)
    view = office.control.wait_view("U0ALICE", doubt.HINT)
    office.agent.settle(record.id, End(ok=True, result='"re_1"'))
    message = office.shown(record, "Ran once")
    assert _buttons(message) == ["View everything"]
    office.control.submit_view("U0ALICE", view["id"], _words(""))
    office.control.wait_view("U0ALICE", "not in doubt any more")


def test_without_proof_of_death_the_card_says_that_it_may_still_run(office: Office) -> None:
    """The form for "it did not run" warns too; the one for "it ran" need not."""
    office.open()
    record = _in_doubt(office, "the process that ran it is silent; it may still be running.")
    assert "it may still be running" in spell(office.card(record))
    office.press("U0ALICE", record, names.NOT_RUN)
    office.control.wait_view("U0ALICE", doubt.STILL)
    office.press("U0ALICE", record, names.RAN)
    assert doubt.STILL not in spell(office.control.wait_view("U0ALICE", "It ran"))


def test_operators_are_asked_about_an_allowed_call(office_of: Any) -> None:
    """It has its own card: approvers are refused, an operator's word stands there, a late end closes it."""
    office = office_of(OPERATED)
    office.open()
    action = _allowed_in_doubt(office)
    record = eventually(lambda: _asked(office, action))
    message = office.shown(record, "In doubt")
    assert "called back" in spell(message)
    assert _buttons(message) == ["It ran", "It did not run", "View everything"]
    office.press("U0ALICE", record, names.RAN)
    office.control.wait_view("U0ALICE", "not among")
    office.press("U0CAROL", record, names.RAN)
    view = office.control.wait_view("U0CAROL", doubt.HINT)
    office.control.submit_view("U0CAROL", view["id"], _words(""))
    office.shown(record, "*It ran*, says <@U0CAROL>")
    office.press("U0CAROL", record, names.VIEW)
    office.control.wait_view("U0CAROL", "called back")
    office.agent.settle(action, End(ok=True))
    office.shown(record, "Ran once")
    office.control.wait_message(CHANNEL, "Known after all")


def _asked(office: Office, action: str) -> HoldRecord | None:
    """Return the call once operators are asked about it and its card is known."""
    try:
        record = office.agent.hold(action)
    except IllegalMove:
        return None
    return record if record.cards else None


def test_without_operators_nobody_is_asked_about_an_allowed_call(office_of: Any) -> None:
    """Nothing is posted for it; a hold made after it gets its card."""
    office = office_of(OPERATED.replace("operators: [U0CAROL]\n", ""))
    office.open()
    action = _allowed_in_doubt(office)
    office.card(office.hold())
    assert all("called back" not in spell(each) for each in office.control.messages(CHANNEL))
    with pytest.raises(IllegalMove):
        office.agent.hold(action)
