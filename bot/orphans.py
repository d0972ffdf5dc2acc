"""At start, find the cards that nobody learnt of and whose hold has ended since, so that they close."""

from __future__ import annotations

import asyncio
import logging

from bot.desk import Desk
from bot.slack_errors import CALL_FAILURES, Trouble, trouble
from bot.twins import Twins
from gate.errors import Fault

log = logging.getLogger("bot")

TRIES = 6
"""How often one channel is looked through at most for one card; the next start of a bot looks again."""
PAUSE = 2.0
"""Seconds before the second try where Slack names none; twice as many before each further one."""


async def close_orphans(desk: Desk) -> None:
    """Learn cards that an earlier bot posted and died over; the store then has each drawn as its hold stands.

    Args:
        desk: What the bot works with.
    """
    twins = Twins(desk)
    try:
        left = await desk.run(desk.service.unlearnt_cards)
        for hold, channel in left:
            await _close(desk, twins, hold, channel)
    except Exception:
        log.exception("Cards of ended holds could not be looked for")


async def _close(desk: Desk, twins: Twins, hold: str, channel: str) -> None:
    """Learn the cards of one hold in a channel; what keeps this one from it keeps no other one."""
    for attempt in range(TRIES):
        try:
            await _learn(desk, twins, hold, channel)
        except Fault as fault:
            log.warning("The card of an ended hold could not be looked for: %s", fault)
        except CALL_FAILURES as error:
            found = trouble(error)
            log.warning("The card of an ended hold could not be looked for: %s", found.code)
            await asyncio.sleep(_pause(found, attempt))
            continue
        return


def _pause(found: Trouble, attempt: int) -> float:
    return found.retry_after or PAUSE * 2.0**attempt


async def _learn(desk: Desk, twins: Twins, hold: str, channel: str) -> None:
    record = await desk.run(desk.service.hold, hold)
    for card in await twins.find(record, channel):
        learn = desk.service.learn_card
        await desk.run(learn, hold, channel=card.channel, ts=card.ts, version=card.version)
        desk.wake.set()
