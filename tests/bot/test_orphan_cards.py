"""A card whose bot died before it could say that it stands: the next bot closes it."""

from __future__ import annotations

from slack_sdk.web import WebClient

from bot.cards import card, card_text
from bot.names import APPROVE, EVENT_TYPE
from bot.views.card import Place
from gate.model import HoldRecord
from tests.bot.bot_fixtures import CHANNEL, Office, eventually, office, spell

__all__ = ["office"]


def posted_and_lost(office: Office, client: WebClient, session: str = "s1") -> tuple[HoldRecord, str]:
    """Post a hold's card as a bot does that dies right after."""
    record = office.hold(session=session)
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


def closed(office: Office, ts: str) -> None:
    """Wait until a card says how its hold ended."""
    eventually(lambda: "*Cancelled* by an operator" in spell(office.message(CHANNEL, ts)))


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


def test_a_rate_limit_leaves_no_card_open(office: Office, client: WebClient) -> None:
    """Where Slack asks to wait before it shows a channel's history, every such card is closed after that."""
    office.agent.allow_local = True
    lost = [posted_and_lost(office, client, session) for session in ("s1", "s2")]
    for record, _ in lost:
        office.agent.cancel(record.id, by="ops", reason="not needed")
    office.control.faults.set("conversations.history", kind="ratelimit", retry_after=1)
    office.open()
    for record, ts in lost:
        closed(office, ts)
        assert [each.ts for each in office.agent.hold(record.id).cards] == [ts]
