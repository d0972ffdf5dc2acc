"""Find a card that Slack took though the bot never learnt so: it died, or the answer was lost."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from bot.desk import Desk
from bot.posted import ts_of
from bot.slack_errors import CALL_FAILURES, trouble
from gate.model import Card, HoldRecord

log = logging.getLogger("bot")

PAGE = 200
PAGES = 5
"""How far back it looks, in pages; beyond that the card is posted again."""
MARGIN = timedelta(minutes=10)
"""How far Slack's clock may lie behind the store's."""


class Twins:
    """Look for cards in the history of a channel; what others posted is none, whatever it says of itself.

    Args:
        desk: What the bot works with.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._told = False

    async def find(self, record: HoldRecord, channel: str) -> list[Card]:
        """Return the cards of a hold that stand in a channel, oldest first.

        Args:
            record: The hold.
            channel: Where its card may stand.

        Returns:
            None of them where the history may not be read; then a card may be posted twice.

        Raises:
            SlackApiError: Slack does not tell now; the other failures of a call are raised too.
        """
        try:
            return await self._read(record, channel)
        except CALL_FAILURES as error:
            found = trouble(error)
            if not found.permanent:
                raise
            self._tell(found.code)
            return []

    async def burst(self, burst_id: str, channel: str, opened_at: datetime) -> str:
        """Return the timestamp of the card of a burst that stands in a channel; empty for none."""
        try:
            messages = await self._messages(channel, opened_at)
        except CALL_FAILURES as error:
            found = trouble(error)
            if not found.permanent:
                raise
            self._tell(found.code)
            return ""
        return min((ts_of(each) for each in messages if _payload(each).get("burst") == burst_id), default="")

    async def _read(self, record: HoldRecord, channel: str) -> list[Card]:
        messages = await self._messages(channel, record.created_at)
        found = [card for each in messages for card in _card(each, record.id, channel)]
        return sorted(found, key=lambda card: card.ts)

    async def _messages(self, channel: str, since: datetime) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor, oldest = "", f"{(since - MARGIN).timestamp():.6f}"
        for _ in range(PAGES):
            answer = await self._desk.poster.conversations_history(
                channel=channel, oldest=oldest, limit=PAGE, include_all_metadata=True, cursor=cursor or None
            )
            found += [each for each in answer["messages"] if each.get("bot_id") == self._desk.bot_id]
            cursor = (answer.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                break
        return found

    def _tell(self, code: str) -> None:
        if not self._told:
            log.warning("A card may stand twice, since the channel's history cannot be read: %s", code)
        self._told = True


def _card(message: dict[str, Any], hold: str, channel: str) -> list[Card]:
    """Return the card that a message is of this hold, or nothing."""
    payload = _payload(message)
    mine = payload.get("hold") == hold and isinstance(payload.get("version"), int)
    return [Card(channel, ts_of(message), payload["version"])] if mine else []


def _payload(message: dict[str, Any]) -> dict[str, Any]:
    """Return what the gate wrote about a message when it posted it; nothing for others."""
    return dict((message.get("metadata") or {}).get("event_payload") or {})
