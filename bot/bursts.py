"""Bursts in Slack: post and update their cards, and do what people press on them."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from bot.cards import GONE, LOOKS
from bot.desk import Desk
from bot.names import BURST_EVENT, UNPARSED
from bot.posted import ts_of
from bot.slack_errors import CALL_FAILURES, trouble
from bot.twins import Twins
from bot.views import burst as views
from bot.views.text import Block
from gate.model import Burst, Notice

log = logging.getLogger("bot")


class BurstCards:
    """Keep one card for each burst.

    Args:
        desk: What the bot works with.
        twins: Finds a card that was posted though the bot never learnt so.
        turn: Waits until a channel takes another message.
        post: Posts a message.
    """

    def __init__(
        self,
        desk: Desk,
        twins: Twins,
        turn: Callable[[str], Awaitable[None]],
        post: Callable[..., Awaitable[Any]],
    ) -> None:
        self._desk, self._twins, self._turn, self._post = desk, twins, turn, post

    async def draw(self, notice: Notice) -> None:
        """Post the card of a burst, or bring it up to date."""
        burst = await self._desk.run(self._desk.service.burst, notice.text)
        ts, shown = burst.ts or (await self._stands(burst) if notice.attempts > 1 else ""), ""
        if not ts and burst.closed_at is None and len(burst.pending) > 1:
            await self._turn(burst.channel)
            burst = await self._desk.run(self._desk.service.burst, notice.text)
            ts, shown = await self._new(burst)
        if ts and not burst.ts:
            await self._desk.run(self._desk.service.burst_posted, burst.id, ts)
        if ts:
            await self._update(notice.text, ts, shown)
        await self._desk.run(self._desk.service.notice_done, notice.id)

    async def _stands(self, burst: Burst) -> str:
        return await self._twins.burst(burst.id, burst.channel, burst.opened_at)

    async def _new(self, burst: Burst) -> tuple[str, str]:
        """Post a card; return its timestamp and what it shows."""
        drawn, spelled = await self._desk.run(_drawn, burst)
        answer = await self._post(
            channel=burst.channel,
            blocks=drawn,
            text=views.card_text(burst),
            metadata={"event_type": BURST_EVENT, "event_payload": {"burst": burst.id}},
        )
        return ts_of(answer), spelled

    async def _update(self, burst_id: str, ts: str, shown: str) -> None:
        """Make a card show the burst as it stands, and look again: another bot may have drawn it."""
        for _ in range(LOOKS):
            burst = await self._desk.run(self._desk.service.burst, burst_id)
            drawn, spelled = await self._desk.run(_drawn, burst)
            if spelled == shown:
                return
            try:
                await self._desk.poster.chat_update(
                    channel=burst.channel,
                    ts=ts,
                    blocks=drawn,
                    text=views.card_text(burst),
                    **UNPARSED,
                )
            except CALL_FAILURES as error:
                found = trouble(error)
                if found.kind != "target":
                    raise
                log.warning("A burst's card in %s stays as it is: %s", burst.channel, found.code)
                if found.code in GONE:
                    await self._desk.run(self._desk.service.burst_deleted, burst_id, ts)
                return
            shown = spelled


def _drawn(burst: Burst) -> tuple[list[Block], str]:
    """Return a card's blocks and their text, off the loop: its calls may hold a megabyte each."""
    drawn = views.card(burst)
    return drawn, json.dumps(drawn)
