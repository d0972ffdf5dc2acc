"""Keep the messages that show a hold as the hold stands now."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from datetime import datetime

from bot.desk import Desk
from bot.names import UNPARSED
from bot.slack_errors import CALL_FAILURES, trouble
from bot.views.card import Place, card, card_text
from bot.views.text import Block
from gate.model import HoldRecord

log = logging.getLogger("bot")

GONE = ("message_not_found", "cant_update_message")
"""What Slack says of a message that an admin or the retention of messages took away; where it had replies,
a word of Slack's own stands in its place, which is no message of the bot's."""
REMEMBERED = 2000
LOOKS = 3
"""How often one refresh draws a card at most, until it shows the hold as it stands after the update."""


class Cards:
    """Update cards, one at a time each, and only where something changed.

    Args:
        desk: What the bot works with.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._locks: OrderedDict[tuple[str, str], asyncio.Lock] = OrderedDict()
        self._drawn: OrderedDict[tuple[str, str], tuple[str, datetime]] = OrderedDict()

    async def refresh(self, hold: str, channel: str, ts: str, *, afresh: bool = False) -> None:
        """Make one message show the hold as it stands now.

        What this bot drew last is what stands there, unless another bot may have drawn since.

        Args:
            hold: Its id.
            channel: Where the message is.
            ts: Which message.
            afresh: Whether it may show something else than what this bot drew last: another bot began to
                update it and did not say that it came to the end.

        Raises:
            SlackApiError: Slack refused; the other failures of a call are raised too.
        """
        async with self._lock(channel, ts):
            if afresh:
                self._drawn.pop((channel, ts), None)
            before = await self._last(channel, ts)
            for _ in range(LOOKS):
                at = await self._desk.run(self._desk.service.now)
                # Another bot may have shown a newer state meanwhile, which an update of this one covers.
                record = await self._desk.run(self._desk.service.hold, hold)
                blocks, text = await self.drawn(record)
                drawn = json.dumps(blocks)
                if drawn == before:
                    return
                self._drawn.pop((channel, ts), None)  # one that fails may come true after all, or later
                await self._desk.poster.chat_update(
                    channel=channel, ts=ts, blocks=blocks, text=text, **UNPARSED
                )
                self._remember(channel, ts, drawn, at)
                before = drawn

    async def refresh_all(self, record: HoldRecord, *, afresh: bool = False) -> None:
        """Make every message of a hold show it as it stands now; a card that was deleted is posted again.

        Args:
            record: The hold.
            afresh: As for ``refresh``.

        Raises:
            SlackApiError: Slack refused for now; the other failures of a call are raised too.
        """
        for each in record.cards:
            try:
                await self.refresh(record.id, each.channel, each.ts, afresh=afresh)
            except CALL_FAILURES as error:
                found = trouble(error)
                if found.kind != "target":
                    raise
                log.warning("A card in %s stays as it is: %s", each.channel, found.code)
                if found.code in GONE:
                    again = self._desk.service.card_deleted
                    await self._desk.run(again, record.id, channel=each.channel, ts=each.ts)

    async def drawn(self, record: HoldRecord) -> tuple[list[Block], str]:
        """Return blocks and notification line of a card."""
        return await self._desk.run(_drawn, record, self._desk.place)

    def _lock(self, channel: str, ts: str) -> asyncio.Lock:
        lock = self._locks.setdefault((channel, ts), asyncio.Lock())
        if len(self._locks) > REMEMBERED and not next(iter(self._locks.values())).locked():
            self._locks.popitem(last=False)
        return lock

    async def _last(self, channel: str, ts: str) -> str:
        """Return what this bot drew last, if that must still stand there; empty where it need not."""
        drawn, at = self._drawn.get((channel, ts), ("", None))
        if at is None or not await self._desk.run(self._desk.service.alone_since, at):
            return ""
        return drawn

    def _remember(self, channel: str, ts: str, drawn: str, at: datetime) -> None:
        self._drawn[channel, ts] = drawn, at
        if len(self._drawn) > REMEMBERED:
            self._drawn.popitem(last=False)


def _drawn(record: HoldRecord, place: Place) -> tuple[list[Block], str]:
    """Return a card and its line, off the loop: a call may hold a megabyte."""
    return card(record, place), card_text(record)
