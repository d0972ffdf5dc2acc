"""Mark what was posted: what comes while the store writes is written together after that."""

from __future__ import annotations

import asyncio

from bot.desk import Desk
from gate.errors import StoreError

Mark = tuple[int, str, str]
"""Id of a notice, and channel and timestamp of its message; empty where there is none."""


class Marks:
    """Write marks, as many in one transaction as wait for it; each durable one takes its time on the disk.

    Args:
        desk: What the bot works with.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._waiting: list[tuple[Mark, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def put(self, notice: int, channel: str, ts: str) -> None:
        """Mark a notice as posted, and return once that is written.

        Raises:
            Fault: It could not be written.
        """
        loop = asyncio.get_running_loop()
        written: asyncio.Future[None] = loop.create_future()
        self._waiting.append(((notice, channel, ts), written))
        if self._writer is None or self._writer.done():
            self._writer = loop.create_task(self._write())
        await written

    async def _write(self) -> None:
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            if not await self._together(waiting):
                for each in waiting:  # what is wrong with one of them is not wrong with the others
                    await self._together([each])

    async def _together(self, waiting: list[tuple[Mark, asyncio.Future[None]]]) -> bool:
        """Write some marks; False where they have to be written one by one."""
        failed: Exception | None = None
        try:
            await self._desk.run(self._desk.service.notices_done, [mark for mark, _ in waiting])
        except Exception as error:
            if len(waiting) > 1 and not isinstance(error, StoreError):
                return False
            failed = error
        for _, written in waiting:
            _tell(written, failed)
        return True


def _tell(written: asyncio.Future[None], error: Exception | None) -> None:
    """Tell whoever waits; nobody does who was cancelled meanwhile."""
    if not written.done():
        written.set_exception(error) if error else written.set_result(None)
