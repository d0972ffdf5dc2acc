"""Mark what was posted: what comes while the store writes is written together after that."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bot.desk import Desk
from gate.errors import StoreError

Mark = tuple[int, str, str]
"""Id of a notice, and channel and timestamp of its message; empty where there is none."""
Waiting = tuple[Mark, asyncio.Future[None]]
"""A mark, and what tells whoever put it that it is written."""


class Marks:
    """Write marks, as many in one transaction as wait for it; each durable one takes its time on the disk.

    Args:
        desk: What the bot works with.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._waiting: list[Waiting] = []
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

    async def finish(self, seconds: float) -> None:
        """Wait, at most so long, until what waits is written; what is not is looked for when a bot starts."""
        if self._writer is not None:
            await asyncio.wait({self._writer}, timeout=seconds)

    async def _write(self) -> None:
        waiting: list[Waiting] = []
        try:
            while self._waiting:
                waiting, self._waiting = self._waiting, []
                failed = await self._try(waiting)
                if failed is None or isinstance(failed, StoreError) or len(waiting) == 1:
                    _tell(waiting, failed)
                else:
                    await self._one_by_one(waiting)
        finally:
            for _, written in (*waiting, *self._waiting):
                written.cancel()  # nobody is left to tell whoever put these; at its usual end there are none

    async def _one_by_one(self, waiting: Sequence[Waiting]) -> None:
        """Write each alone: what is wrong with one is not wrong with the others; what the store lacks is."""
        for at, each in enumerate(waiting):
            failed = await self._try([each])
            if isinstance(failed, StoreError):
                _tell(waiting[at:], failed)
                return
            _tell([each], failed)

    async def _try(self, waiting: Sequence[Waiting]) -> Exception | None:
        """Write some marks, all or none, and return what kept the store from it."""
        try:
            await self._desk.run(self._desk.service.notices_done, [mark for mark, _ in waiting])
        except Exception as error:
            return error
        return None


def _tell(waiting: Sequence[Waiting], error: Exception | None) -> None:
    """Tell those who wait; nobody does who was cancelled meanwhile."""
    for _, written in waiting:
        if not written.done():
            written.set_exception(error) if error else written.set_result(None)
