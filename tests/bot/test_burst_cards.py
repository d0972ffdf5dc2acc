"""Bursts in Slack: one card with totals; deny all and freeze act on all, and nothing approves all."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from bot import names
from bot.views import modals
from gate.errors import StoreBusy
from gate.lifecycle import State
from gate.model import HoldRecord
from gate.service import Service
from tests.bot.bot_fixtures import CHANNEL, POLICY, Office, eventually, hurried, office_of, spell
from tests.bot.presses import payload, refusals

__all__ = ["hurried", "office_of"]

pytestmark = pytest.mark.usefixtures("hurried")

FAST = POLICY.replace("name: refunds\n", "name: refunds\nlimits: {burst: {count: 2, window: 10m}}\n").replace(
    "rules:",
    "rules:\n  - {id: legal, match: payments.sue, then: require_approval,"
    " approvers: [U0CAROL], reason: Legal.}",
)


def _refunds(office: Office, count: int = 3) -> list[HoldRecord]:
    """Return holds that make a burst, with their cards posted."""
    made = [
        office.hold(
            order_id=f"ORD-{number}", amount=100 * (number + 1), currency="EUR", to=f"p{number % 2}@x.example"
        )
        for number in range(count)
    ]
    for each in made:
        office.card(each)
    return made


def _cards(office: Office) -> list[dict[str, Any]]:
    return [each for each in office.control.messages(CHANNEL) if "calls of one session wait" in spell(each)]


def _burst(office: Office, piece: str = "calls of one session wait") -> dict[str, Any]:
    """Wait until a burst's card says something."""

    def found() -> dict[str, Any] | None:
        every = [each for each in office.control.messages(CHANNEL) if _is_burst(each)]
        return next((each for each in every if piece in spell(each)), None)

    return dict(eventually(found))


def _is_burst(message: dict[str, Any]) -> bool:
    return "burst" in ((message.get("metadata") or {}).get("event_payload") or {})


def _press(office: Office, user: str, action: str, piece: str) -> dict[str, Any]:
    message = _burst(office)
    office.control.click(user, CHANNEL, message["ts"], action)
    return dict(office.control.wait_view(user, piece))


def _reason(words: str, reason: str | None = None) -> dict[str, dict[str, Any]]:
    values: dict[str, dict[str, Any]] = {modals.COMMENT_BLOCK: {names.COMMENT: words}}
    return values | ({modals.REASON_BLOCK: {names.REASON: reason}} if reason is not None else {})


def test_one_card_lists_what_waits_with_its_totals(office_of: Any) -> None:
    """Count, sum and recipients stand on it; the holds keep their own cards; nothing approves all."""
    office = office_of(FAST)
    office.open()
    _refunds(office)
    said = spell(_burst(office, "3 calls of one session wait"))
    for piece in (
        "3 × payments.issue_refund",
        "600 EUR",
        "Different recipients",
        "Refund 300 EUR on ORD-2",
    ):
        assert piece in said
    assert "more than 2 within 10 minutes" in said
    buttons = [each for each in _buttons(_burst(office)) if "pprove" in each]
    assert buttons == []
    assert len(_cards(office)) == 1


def _buttons(message: dict[str, Any]) -> list[str]:
    rows = [block["elements"] for block in message["blocks"] if block["type"] == "actions"]
    return [each["text"]["text"] for row in rows for each in row]


def test_a_card_below_the_burst_says_that_there_is_one(office_of: Any) -> None:
    """Who reads from the bottom learns on the last card that another one lists all that waits."""
    office = office_of(FAST)
    office.open()
    _refunds(office)
    _burst(office, "3 calls of one session wait")
    eventually(lambda: office.agent.hold(office.agent.holds()[0].id).in_burst)
    later = office.hold(order_id="ORD-9", amount=900, currency="EUR", to="p9@x.example")
    assert "One of a burst" in spell(office.card(later))


@pytest.mark.parametrize("transport", ["socket", "http"])
def test_deny_all_denies_each_by_itself(office_of: Any, transport: Any) -> None:
    """One reason ends every hold, each with a decision and a record of its own, and the card closes."""
    office = office_of(FAST)
    office.open(transport)
    holds = _refunds(office)
    view = _press(office, "U0ALICE", names.DENY_ALL, "Denies each of the 3 calls")
    office.control.submit_view("U0ALICE", view["id"], _reason("Runaway.", "2"))
    office.control.wait_view("U0ALICE", "3 calls are denied")
    for each in holds:
        after = office.until(each, State.DENIED)
        assert [(one.person.user, one.comment) for one in after.decisions] == [
            ("U0ALICE", "Against our rules: Runaway.")
        ]
        told = [one.body["kind"] for one in office.agent.records(action=each.id)]
        assert told.count("deny") == 1
    message = _burst(office, "None of its calls waits here any more")
    assert "3 denied" in spell(message)
    assert _buttons(message) == []


def test_a_call_that_cannot_be_read_is_left_and_the_others_are_told(
    office_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that fails for one of three calls is said of that one, not of those that are denied."""
    office = office_of(FAST)
    office.open()
    holds = _refunds(office)
    view = _press(office, "U0ALICE", names.DENY_ALL, "Denies each of the 3 calls")
    whole = Service.hold

    def failing(service: Service, hold_id: str) -> HoldRecord:
        if hold_id == holds[1].id and threading.current_thread().name.startswith("gate-bot"):
            raise StoreBusy("The store is busy.")
        return whole(service, hold_id)

    monkeypatch.setattr(Service, "hold", failing)
    office.control.submit_view("U0ALICE", view["id"], _reason("no claim"))
    told = spell(office.control.wait_view("U0ALICE", "2 calls are denied"))
    assert "1 left" in told
    assert "The store is busy." in told
    assert [office.agent.hold(each.id).state for each in holds] == [
        State.DENIED,
        State.PENDING,
        State.DENIED,
    ]


def test_deny_all_looks_a_person_up_once(office_of: Any) -> None:
    """A hundred calls do not use up what Slack lets be asked about people while others want to answer."""
    office = office_of(FAST)
    office.open()
    holds = _refunds(office, 5)
    view = _press(office, "U0ALICE", names.DENY_ALL, "Denies each of the 5 calls")
    known = len(office.control.calls("users.info"))
    office.control.submit_view("U0ALICE", view["id"], _reason("no claim"))
    for each in holds:
        office.until(each, State.DENIED)
    asked = office.control.calls("users.info")[known:]
    assert len([each for each in asked if "U0ALICE" in str(each)]) == 1


def test_what_somebody_may_not_decide_is_left_and_named(office_of: Any) -> None:
    """Of four calls one is for others: three end, one stays, the window says which and the log why."""
    office = office_of(FAST)
    office.open()
    holds = _refunds(office)
    other = office.hold("payments.sue", whom="x", amount=5)
    office.card(other)
    _burst(office, "4 calls of one session wait")
    view = _press(office, "U0ALICE", names.DENY_ALL, "Denies each of the 4 calls")
    office.control.submit_view("U0ALICE", view["id"], _reason("Runaway."))
    said = spell(office.control.wait_view("U0ALICE", "3 calls are denied"))
    assert f"payments.sue ({other.id[:6]}): You are not among the approvers" in said
    for each in holds:
        office.until(each, State.DENIED)
    assert office.agent.hold(other.id).state is State.PENDING
    assert refusals(office, other) == ["not_eligible"]
    _burst(office, "1 call of a burst still waits")


def test_without_a_reason_nothing_is_denied(office_of: Any) -> None:
    """The policy asks for one, so the form comes back."""
    office = office_of(FAST)
    office.open()
    holds = _refunds(office)
    view = _press(office, "U0ALICE", names.DENY_ALL, "Denies each")
    result = office.control.submit_view("U0ALICE", view["id"], _reason(" "))
    assert "Choose a reason above" in str(result)
    assert all(office.agent.hold(each.id).state is State.PENDING for each in holds)


def test_a_stranger_neither_denies_nor_freezes(office_of: Any) -> None:
    """Who may decide none of them is told so before any form opens, and nothing is frozen."""
    office = office_of(FAST)
    office.open()
    holds = _refunds(office)
    _press(office, "U0STRANGE", names.DENY_ALL, "may not decide any")
    _press(office, "U0STRANGE", names.FREEZE_SESSION, "cannot")
    assert office.agent.freezes() == []
    (refused,) = [each.body for each in office.agent.records() if each.body.get("verb") == "freeze"]
    assert (refused["kind"], refused["actor"], refused["id"]) == ("refused", "T0OTHER/U0STRANGE", "s1")
    assert all(office.agent.hold(each.id).decisions == () for each in holds)


def test_who_could_not_be_looked_up_is_not_called_a_stranger(office_of: Any, workspace: Any) -> None:
    """Where Slack does not tell who pressed, they read that, and not that they may decide nothing."""
    office = office_of(FAST)
    office.open()
    _refunds(office)
    workspace.control.faults.set("users.info", kind="error", error="service_unavailable")
    _press(office, "U0STRANGE", names.DENY_ALL, "Slack did not tell the account U0STRANGE")


def test_freeze_this_session_stops_all_and_only_this_session(office_of: Any) -> None:
    """Its calls can be denied, not approved; another session runs on; the card and the channel say so."""
    office = office_of(FAST)
    office.open()
    holds = _refunds(office)
    view = _press(office, "U0BOB", names.FREEZE_SESSION, "until an operator lifts")
    office.control.submit_view("U0BOB", view["id"], _reason("Runaway."))
    office.control.wait_view("U0BOB", "Nothing of this session runs now")
    (freeze,) = office.agent.freezes()
    assert (freeze.scope, freeze.id, freeze.reason) == ("session", "s1", "Runaway.")
    message = _burst(office, "This session is frozen")
    assert _buttons(message) == ["Deny all…"]
    office.control.wait_message(CHANNEL, "The session s1 is frozen by")
    office.press("U0ALICE", holds[0], names.APPROVE)
    office.whispered("U0ALICE", "frozen")
    other = office.hold(session="s2", order_id="ORD-9", amount=5, currency="EUR")
    assert office.agent.hold(other.id).state is State.PENDING


def test_two_bots_post_one_card(office_of: Any) -> None:
    """Whoever is first posts it; both keep it up to date."""
    office = office_of(FAST)
    office.open()
    office.open()
    holds = _refunds(office, 4)
    _burst(office, "4 calls of one session wait")
    office.agent.cancel(holds[0].id, by="cli:root", reason="No.")
    _burst(office, "3 calls of one session wait")
    assert len(_cards(office)) == 1


def test_a_burst_card_that_was_deleted_is_posted_again(office_of: Any) -> None:
    """The next call of the session brings it back; the cards of its calls name no list that nobody finds."""
    office = office_of(FAST)
    office.open()
    _refunds(office)
    gone = _burst(office, "3 calls of one session wait")["ts"]
    eventually(lambda: office.agent.hold(office.agent.holds()[0].id).in_burst)
    office.control.delete_message(CHANNEL, gone)
    office.hold(order_id="ORD-9", amount=900, currency="EUR", to="p9@x.example")
    assert _burst(office, "4 calls of one session wait")["ts"] != gone
    assert len(_cards(office)) == 1


def test_a_form_that_comes_after_the_end_says_so(office_of: Any) -> None:
    """Everything was answered meanwhile: nothing is recorded twice."""
    office = office_of(FAST)
    office.open()
    holds = _refunds(office)
    view = _press(office, "U0ALICE", names.DENY_ALL, "Denies each")
    for each in holds:
        office.agent.cancel(each.id, by="cli:root", reason="No.")
    office.control.submit_view("U0ALICE", view["id"], _reason("Too late."))
    office.control.wait_view("U0ALICE", "None of its calls waits here any more")
    assert all(office.agent.hold(each.id).state is State.CANCELLED for each in holds)


def test_what_came_after_the_form_was_opened_is_left(office_of: Any) -> None:
    """Nobody denies a call that they were not asked about: it stays, and the window says why."""
    office = office_of(FAST)
    office.open()
    holds = _refunds(office)
    view = _press(office, "U0ALICE", names.DENY_ALL, "Denies each of the 3 calls")
    later = office.hold(order_id="ORD-9", amount=700, currency="EUR", to="p9@x.example")
    office.card(later)
    office.control.submit_view("U0ALICE", view["id"], _reason("Runaway."))
    said = spell(office.control.wait_view("U0ALICE", "3 calls are denied"))
    assert "after this form was opened" in said
    assert later.id[:6] in said
    for each in holds:
        office.until(each, State.DENIED)
    assert office.agent.hold(later.id).state is State.PENDING


@pytest.mark.parametrize("action", [names.DENY_ALL, names.FREEZE_SESSION])
def test_a_button_that_carries_nothing_readable_is_told_so(office_of: Any, action: str) -> None:
    """A press without a reference is answered in words and changes nothing."""
    office = office_of(FAST)
    office.open()
    record = office.hold()
    office.control.forge(payload(office, record, "U0ALICE", action=action, value="1:x"))
    office.control.wait_view("U0ALICE", "not made by this version")
    assert office.agent.freezes() == []
