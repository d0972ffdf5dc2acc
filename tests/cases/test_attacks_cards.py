"""Attacks on what approvers see: hidden tails, defaults, long forms, leaks, cards that do not come."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bot import names
from bot.views import modals
from gate import Pending
from gate.lifecycle import State
from gate.model import Action, HoldRecord, Parameters
from gate.verbs.claim import End
from tests.bot.bot_fixtures import CHANNEL, Office, eventually, office, office_of
from tests.bot.presses import refusals
from tests.gate_kit import gate_on
from tests.patience import PATIENCE

__all__ = ["office", "office_of"]

KEY = "sk-proj-" + "aB3" * 12
QUICK = {modals.REASON_BLOCK: {names.REASON: "0"}}


def settle(office: Office, record: HoldRecord, end: End) -> None:
    """Run an approved call and end it."""
    hold = office.agent.hold(record.id)
    action = Action(
        hold.name, {"order_id": "ORD-1", "amount": 400, "currency": "EUR"}, "support", "s1",
        hold.on_behalf_of, parameters=Parameters(frozenset({"order_id", "amount", "currency"})),
    )  # fmt: skip
    assert office.agent.claim(record.id, action).run
    office.agent.settle(record.id, end)


def test_defaults_are_on_the_card(tmp_path: Path) -> None:
    """What the model did not give, but the tool would use, is judged and shown."""
    with gate_on(tmp_path) as gate:

        @gate.guard("desk.remove", wait=0)
        def remove(path: str, force: bool = True) -> None:
            raise AssertionError

        with pytest.raises(Pending):
            remove("/tmp/x")
        (hold,) = gate.service.holds()
        assert hold.arguments == {"path": "/tmp/x", "force": True}


def test_a_tail_behind_blanks_is_seen_before_approving(office: Office) -> None:
    """A command whose end no card can show is approved only after the view with its end was opened."""
    office.open()
    record = office.hold("shell.run", command="echo ok" + " " * 6000 + "; rm -rf /")
    office.press("U0ALICE", record, names.APPROVE)
    office.control.wait_view("U0ALICE")
    assert office.agent.hold(record.id).decisions == ()
    assert refusals(office, record) in ([], ["view_required"])


@pytest.mark.parametrize("size", [100, 10_000])
def test_a_long_call_can_be_denied(office: Office, size: int) -> None:
    """The deny form opens however long the arguments are; they do not travel in it."""
    office.open()
    record = office.hold("mail.send", body="b" * size)
    office.press("U0ALICE", record, names.DENY)
    view = office.control.wait_view("U0ALICE", "Reason")
    assert len(view["private_metadata"]) < 1000
    assert "bbb" not in view["private_metadata"]
    office.control.submit_view("U0ALICE", view["id"], QUICK)
    office.until(record, State.DENIED)


@pytest.mark.parametrize("name", ["a." + "b" * 145, "n" * 70 + "." + "t" * 70])
def test_a_long_name_gets_its_card_and_stops_nobody_elses(office: Office, name: str) -> None:
    """A tool with a name longer than a header takes has a card, and so has the next hold."""
    office.open()
    office.card(office.hold(name, x=1))
    office.card(office.hold("mail.send", body="x"))


def test_a_hidden_key_reaches_no_method_of_slack(office: Office) -> None:
    """Neither post, update, reply, window nor file carries what was hidden: before any sink it is gone."""
    office.open()
    office.agent.open_session("s1", agent="support", on_behalf_of=None)
    record = office.hold("mail.send", on_behalf_of=None, body=f"key {KEY}", password="hunter22")
    office.press("U0ALICE", record, names.VIEW)
    office.control.wait_view("U0ALICE", "hidden API key")
    office.press("U0ALICE", record, names.DENY)
    view = office.control.wait_view("U0ALICE", "Reason")
    office.control.submit_view("U0ALICE", view["id"], QUICK)
    office.shown(record, "Denied")
    sent = json.dumps(office.control.calls())
    assert "hidden API key" in sent
    assert KEY not in sent
    assert "hunter22" not in sent


@pytest.mark.parametrize(
    ("end", "piece"),
    [
        (End(ok=True, result='"re_1"'), "re_1"),
        (End(ok=False, error="ValueError: provider said no"), "provider said no"),
    ],
)
def test_the_card_says_approved_first_and_then_how_it_ended(office: Office, end: End, piece: str) -> None:
    """The decision is on the card before the tool has ended; its result or failure follows."""
    office.open()
    record = office.hold()
    office.press("U0ALICE", record, names.APPROVE)
    office.shown(record, "Approved")
    settle(office, record, end)
    office.shown(record, piece)


def test_decision_buttons_are_no_links(office: Office) -> None:
    """No element of a card that decides has an address that anything could fetch."""
    office.open()
    card = office.card(office.hold())
    buttons = [each for block in card["blocks"] for each in block.get("elements", ()) if "action_id" in each]
    assert {names.APPROVE, names.DENY} <= {each["action_id"] for each in buttons}
    assert not [each for each in buttons if "url" in each]


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "POST"])
def test_fetching_an_address_changes_nothing(office: Office, method: str) -> None:
    """A scanner that calls every path of the bot, without Slack's signature, leaves the hold as it is."""
    bot = office.open("http")
    record = office.hold()
    office.card(record)
    where = urlsplit(bot.address)
    for path in ("/", "/health", "/slack/events", f"/slack/events?hold={record.id}&approve=1", "/approve"):
        link = http.client.HTTPConnection(where.hostname or "", where.port or 0, timeout=PATIENCE)
        link.request(method, path, body=f"payload={record.nonce}")
        status = link.getresponse().status
        link.close()
        assert status >= 400 or (path == "/health" and method in {"GET", "HEAD"})
    assert office.agent.hold(record.id).state is State.PENDING
    assert office.agent.hold(record.id).decisions == ()


@pytest.mark.parametrize(
    "error", ["msg_too_long", "invalid_blocks", "not_in_channel", "is_archived", "fatal_error"]
)
def test_a_card_that_slack_does_not_take_lets_nothing_run(office: Office, error: str) -> None:
    """Whatever Slack answers to the card, the call waits or ends undelivered; it never runs."""
    office.open()
    office.control.faults.set("chat.postMessage", kind="error", error=error, times=None)
    record = office.hold()

    def looked_at() -> bool:
        office.clock.advance(120)
        return office.agent.hold(record.id).state is State.UNDELIVERED

    eventually(looked_at)
    given = {"order_id": "ORD-1", "amount": 400, "currency": "EUR"}
    assert record.arguments == given
    assert not [each for each in office.agent.records(action=record.id) if each.body["kind"] == "claim"]
    tried = [each for each in office.control.calls("chat.postMessage") if each["args"]["channel"] == CHANNEL]
    assert tried


def test_a_burst_of_slow_lookups_is_acknowledged(office: Office) -> None:
    """While six people are being looked up, everybody's press is acknowledged, and each is answered."""
    office.open()
    records = [office.hold("mail.send", session=f"s{n}", body=str(n)) for n in range(7)]
    for record in records:
        office.card(record)
    office.control.faults.set("users.info", kind="hold", times=6)
    results = [office.press("U0ALICE", record, names.APPROVE) for record in records]
    assert all(each["acked"] for each in results)
    office.control.faults.clear()
    for record in records:
        office.until(record, State.APPROVED)


def test_deny_opens_its_window_before_the_lookup(office: Office) -> None:
    """However long a lookup takes, the window is there before it ends, and becomes the deny form after it."""
    office.open()
    record = office.hold()
    office.card(record)
    office.control.faults.set("users.info", kind="hold")
    office.press("U0ALICE", record, names.DENY)
    office.control.wait_view("U0ALICE", "Looking it up")
    office.control.faults.clear()
    office.control.wait_view("U0ALICE", "Reason")


def test_many_disconnects_do_not_end_the_bot(office: Office) -> None:
    """Told ten times that there are too many connections, the bot comes back and takes the next press."""
    office.control.settings(ack_seconds=3)  # a press that met a connection at its end is soon made again
    office.open(ping=1.0)
    record = office.hold()
    office.card(record)
    for _ in range(10):
        office.control.disconnect(reason="too_many_websockets")
        office.control.wait_connected(timeout=30)

    def pressed() -> bool:
        return bool(office.press("U0ALICE", record, names.APPROVE, forge=True)["acked"])

    eventually(pressed)
    office.until(record, State.APPROVED)


def test_a_hold_can_be_answered_without_its_buttons(office: Office) -> None:
    """Where no press arrives, the command lists the hold for those who may answer."""
    office.open()
    record = office.hold()
    office.card(record)
    office.control.slash("U0ALICE", CHANNEL, "/gate holds")
    office.whispered("U0ALICE", record.id[:6])
