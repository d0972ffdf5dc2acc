"""Put what is too long for windows into a file in the thread of its card."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict

from bot.desk import Desk
from bot.slack_errors import CALL_FAILURES, trouble
from bot.views.whole import whole_text
from gate.model import Card, HoldRecord

log = logging.getLogger("bot")

REMEMBERED = 500
STANDS = "The file stands in the thread of the card."
NO_CARD = "This hold has no card yet, so there is no thread to put a file into. Turn the pages instead."
REFUSED = "Slack did not take the file ({code}). Turn the pages instead."


class Files:
    """Share holds as text files, once for each version.

    Args:
        desk: What the bot works with.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._shared: OrderedDict[tuple[int, Card], None] = OrderedDict()
        self._one = asyncio.Lock()

    async def share(self, record: HoldRecord, channel: str = "") -> str:
        """Put everything about a hold into its card's thread, unless it stands there already.

        Args:
            record: The hold, redacted; whoever asked may see it.
            channel: Where they asked; elsewhere than in a channel with its card, the newest card's is taken.

        Returns:
            What to tell who asked.
        """
        if not record.cards:
            return NO_CARD
        here = [each for each in record.cards if each.channel == channel]
        card = (here or record.cards)[-1]
        async with self._one:  # two people may ask for the same at once
            return await self._share(record, card)

    async def _share(self, record: HoldRecord, card: Card) -> str:
        key = (record.version, card)  # one that was posted again has another thread
        if key in self._shared:
            return STANDS
        text = await self._desk.run(whole_text, record)
        try:
            await self._desk.poster.files_upload_v2(
                content=text,
                filename=f"hold-{record.id}.txt",
                title=f"Hold {record.id}, version {record.version}",
                channel=card.channel,
                thread_ts=card.ts,
            )
        except CALL_FAILURES as error:
            log.warning("A file could not be shared: %s", trouble(error).code)
            return REFUSED.format(code=trouble(error).code)
        self._shared[key] = None
        if len(self._shared) > REMEMBERED:
            self._shared.popitem(last=False)
        return STANDS
