"""Say in a card's thread, once and to the people themselves, that they are still needed or may answer now."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from bot.desk import Desk
from bot.slack_errors import CALL_FAILURES, trouble
from bot.views import nudge
from bot.views.text import Block
from gate.lifecycle import State
from gate.model import HoldRecord, Notice, Requirement

log = logging.getLogger("bot")

Later = Callable[[Notice, str, float], Awaitable[None]]


class Nudges:
    """Post reminders and hand-overs.

    They mention people, so each is posted at most once: what may have been posted is not tried again.

    Args:
        desk: What the bot works with.
        turn: Waits until a channel takes another message.
        post: Posts a message.
        later: Gives a notice back, to be looked at after so many seconds.
    """

    def __init__(
        self,
        desk: Desk,
        turn: Callable[[str], Awaitable[None]],
        post: Callable[..., Awaitable[Any]],
        later: Later,
    ) -> None:
        self._desk, self._turn, self._post, self._later = desk, turn, post, later

    async def remind(self, notice: Notice) -> None:
        """Remind those whose answer a pending hold still needs."""
        record = await self._record(notice)
        if record.state is State.PENDING and record.cards:
            needed = await self._desk.eligibility.still_needed(record)
            await self._say_once(notice, record, nudge.reminder(record, needed))
        await self._done(notice)

    async def hand_over(self, notice: Notice) -> None:
        """Let more people answer, and tell them."""
        handed = await self._desk.run(self._desk.service.hand_over, notice.hold or "")
        record = await self._record(notice)
        need = _meant(record, notice)
        if record.state is State.PENDING and need is not None and need.handed:
            await self._say_once(notice, record, nudge.handed_over(record, need))
        elif handed.again_at is not None:
            left = handed.again_at - await self._desk.run(self._desk.service.now)
            await self._later(notice, "its time has not come", max(1.0, left.total_seconds()))
            return
        await self._done(notice)
        self._desk.wake.set()

    async def _say_once(self, notice: Notice, record: HoldRecord, words: tuple[list[Block], str]) -> None:
        for card in record.cards:
            await self._turn(card.channel)  # before anything is posted: a full queue gives the notice back
        if not await self._desk.run(self._desk.service.notice_begin, notice.id):
            return
        blocks, text = words
        posted = False
        for card in record.cards:
            try:
                await self._post(channel=card.channel, thread_ts=card.ts, blocks=blocks, text=text)
                posted = True
            except CALL_FAILURES as error:
                found = trouble(error)
                if not posted and found.kind in ("transient", "app"):
                    raise
                log.warning("A message in %s may be missing: %s", card.channel, found.code)

    async def _record(self, notice: Notice) -> HoldRecord:
        return await self._desk.run(self._desk.service.hold, notice.hold or "")

    async def _done(self, notice: Notice) -> None:
        await self._desk.run(self._desk.service.notice_done, notice.id)


def _meant(record: HoldRecord, notice: Notice) -> Requirement | None:
    """Return the requirement that a notice is about."""
    return next((each for each in record.requirements if ", ".join(each.rules) == notice.text), None)
