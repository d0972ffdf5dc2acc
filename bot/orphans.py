"""At start, find the cards that nobody learnt of and whose hold has ended since, so that they close."""

from __future__ import annotations

import logging

from bot.desk import Desk
from bot.slack_errors import CALL_FAILURES, trouble
from bot.twins import Twins
from gate.errors import Fault

log = logging.getLogger("bot")


async def close_orphans(desk: Desk) -> None:
    """Learn cards that an earlier bot posted and died over; the store then has each drawn as its hold stands.

    Args:
        desk: What the bot works with.
    """
    twins = Twins(desk)
    try:
        for hold, channel in await desk.run(desk.service.unlearnt_cards):
            record = await desk.run(desk.service.hold, hold)
            for card in await twins.find(record, channel):
                await desk.run(
                    desk.service.learn_card, hold, channel=card.channel, ts=card.ts, version=card.version
                )
                desk.wake.set()
    except Fault as fault:
        log.warning("Cards of ended holds could not be looked for: %s", fault)
    except CALL_FAILURES as error:
        log.warning("Cards of ended holds could not be looked for: %s", trouble(error).code)
    except Exception:
        log.exception("Cards of ended holds could not be looked for")
