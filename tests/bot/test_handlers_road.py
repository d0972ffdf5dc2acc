"""From a held call to an answer: real bolt, real sockets, the real store."""

from __future__ import annotations

from typing import Any

import pytest

from bot import names
from bot.views import modals
from gate.lifecycle import State
from tests.bot.bot_fixtures import CHANNEL, Office, office, office_of, spell

__all__ = ["office", "office_of"]

both = pytest.mark.parametrize("transport", ["socket", "http"])


@both
def test_a_card_is_posted_and_approved(office: Office, transport: Any) -> None:
    """A held call gets a card; Approve records it, changes the card, and says so in the thread."""
    office.open(transport)
    record = office.hold()
    message = office.card(record)
    assert "Refund 400 EUR on ORD-1" in spell(message)
    assert message["text"] == "Approval needed: Refund 400 EUR on ORD-1"
    assert message["metadata"]["event_payload"] == {"hold": record.id, "version": 1}
    result = office.press("U0ALICE", record, names.APPROVE)
    assert result["acked"]
    assert result["trouble"] is None
    after = office.until(record, State.APPROVED)
    assert after.decisions[0].person.user == "U0ALICE"
    office.shown(record, "Approved.")
    office.control.wait_message(CHANNEL, "Approved by", thread_ts=message["ts"])
    assert office.control.ephemerals("U0ALICE") == []


@both
def test_a_denial_takes_a_comment(office: Office, transport: Any) -> None:
    """Deny opens a window, and sending it closes it; its comment stands word for word on the closed card."""
    office.open(transport)
    record = office.hold()
    office.press("U0BOB", record, names.DENY)
    view = office.control.wait_view("U0BOB", "Reason")
    words = "No damage claim on file for this order."
    result = office.control.submit_view("U0BOB", view["id"], {modals.COMMENT_BLOCK: {names.COMMENT: words}})
    assert result["acked"]
    assert office.control.views("U0BOB") == []
    after = office.until(record, State.DENIED)
    assert after.decisions[0].comment == words
    closed = office.shown(record, words)
    assert names.APPROVE not in spell(closed)
