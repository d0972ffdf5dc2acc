"""A card whose bot died before it could say that it stands: the next bot closes it."""

from __future__ import annotations

from slack_sdk.web import WebClient

from bot.cards import card, card_text
from bot.names import APPROVE, EVENT_TYPE
from bot.views.card import Place
from gate.model import HoldRecord
from tests.bot.bot_fixtures import CHANNEL, Office, eventually, office, spell

__all__ = ["office"]


def posted_and_lost(office: Office, client: WebClient) -> tuple[HoldRecord, str]:
    """Post a hold's card as a bot does that dies right after."""
    record = office.hold()
    office.agent.bind_workspace("T0LOCAL", "127.0.0.1")
    assert "card" in [each.kind for each in office.agent.lease_notices(limit=10)]
    payload = {"hold": record.id, "version": record.version}
    answer = client.chat_postMessage(
        channel=CHANNEL,
        blocks=card(record, Place(local=True)),
        text=card_text(record),
        metadata={"event_type": EVENT_TYPE, "event_payload": payload},
    )
    return record, str(answer["ts"])


def test_a_starting_bot_closes_the_card_of_a_hold_that_ended_meanwhile(
    office: Office, client: WebClient
) -> None:
    """Nobody has to press it: it says how the hold ended and has no button to approve."""
    office.agent.allow_local = True
    record, ts = posted_and_lost(office, client)
    office.agent.cancel(record.id, by="ops", reason="not needed")
    assert APPROVE in spell(office.message(CHANNEL, ts))
    office.open()
    eventually(lambda: "*Cancelled* by an operator" in spell(office.message(CHANNEL, ts)))
    assert APPROVE not in spell(office.message(CHANNEL, ts))
    assert [each.ts for each in office.agent.hold(record.id).cards] == [ts]
