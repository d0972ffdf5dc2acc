"""Have the summary of the week posted, where a channel for it is named."""

from __future__ import annotations

import asyncio
import logging

from bot.desk import Desk
from gate.errors import Fault
from gate.summary import post_due

log = logging.getLogger("bot")

EVERY = 20.0
"""Seconds between looks whether it is time."""


async def work(desk: Desk, channel: str, stop: asyncio.Event) -> None:
    """Look again and again until told to stop; what fails is tried again.

    Args:
        desk: What the bot works with.
        channel: Where summaries are posted.
        stop: Set when the bot stops.
    """
    while not stop.is_set():
        try:
            if await desk.run(post_due, desk.service, channel):
                desk.wake.set()
        except Fault as fault:
            log.warning("The summary of the week could not be made; it is tried again: %s", fault)
        except Exception:
            log.exception("The summary of the week could not be made; it is tried again")
        try:
            async with asyncio.timeout(EVERY):
                await stop.wait()
        except TimeoutError:
            continue
