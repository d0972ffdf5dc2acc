"""Several bots on one store, and many holds on one channel: one card each, one decision."""

from __future__ import annotations

import pytest

from bot import names
from bot.app import SlackBot
from gate.lifecycle import State
from tests.bot.bot_fixtures import CALM, CHANNEL, Office, eventually, hurried, office, settings
from tests.bot.presses import answers, payload

__all__ = ["hurried", "office"]

pytestmark = pytest.mark.usefixtures("hurried")


def second(office: Office) -> SlackBot:
    """Start another bot on the same store and workspace."""
    bot = SlackBot(office.agent, settings=settings(office.workspace), transport="socket", ping=CALM).start()
    office.bots.append(bot)
    office.control.wait_connected(connections=2)
    return bot


def cards(office: Office) -> list[str]:
    """Return the timestamps of all cards in the channel."""
    return [each["ts"] for each in office.control.messages(CHANNEL) if each.get("metadata")]


def test_a_hold_gets_one_card_and_one_decision(office: Office) -> None:
    """Presses that arrive at either bot are answers to one hold, and each is answered once."""
    office.open()
    second(office)
    record = office.hold()
    office.card(record)
    late = payload(office, record, "U0BOB")
    office.press("U0ALICE", record, names.APPROVE)
    after = office.until(record, State.APPROVED)
    office.control.forge(late)
    eventually(lambda: answers(office, "U0BOB"))
    assert len(cards(office)) == 1
    assert len(after.decisions) == 1
    assert len(answers(office, "U0BOB")) == 1
    assert "approved already" in answers(office, "U0BOB")[0]


def test_every_hold_of_a_crowd_gets_its_card(office: Office) -> None:
    """Sixteen holds at once in one channel are all posted, though the channel takes one a second."""
    office.open()
    held = [
        office.hold(order_id=f"ORD-{n}", amount=400 + n, currency="EUR", session=f"s{n}") for n in range(16)
    ]
    eventually(
        lambda: office.clock.advance(0.1) or all(office.agent.hold(each.id).cards for each in held), 40
    )
