"""The holds that wait for people, for lists; with a word where there are more than a list looks through."""

from __future__ import annotations

from bot.desk import Desk
from gate.lifecycle import OPEN
from gate.model import HoldRecord

MOST = 1000
"""Open holds that a list looks through; reading them all takes less than a second."""
MORE = (
    "More than {most:,} calls wait, and only the newest are looked through here,"
    " so some may be missing: the channels have a card of each."
)


async def open_holds(desk: Desk) -> tuple[list[HoldRecord], str]:
    """Return the open holds, oldest first, and what to say where these are not all; empty where they are.

    Args:
        desk: What the bot works with.
    """
    found = await desk.run(desk.service.holds, OPEN, MOST + 1)
    return found[-MOST:], MORE.format(most=MOST) if len(found) > MOST else ""


class OnceRead:
    """Read the open holds once for many home tabs, as long as nothing about them changes.

    Belongs to one round of drawing: a thousand calls may be large, and nobody keeps them.

    Args:
        desk: What the bot works with.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._read: tuple[tuple[int, ...], tuple[list[HoldRecord], str]] | None = None

    async def open_holds(self) -> tuple[list[HoldRecord], str]:
        """Return what ``open_holds`` does, as it stands now."""
        marks, _ = await self._desk.run(self._desk.service.marks)
        if self._read is None or self._read[0] != marks:
            self._read = marks, await open_holds(self._desk)
        return self._read[1]
