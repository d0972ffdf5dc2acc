"""Receive clicks over Socket Mode: one WebSocket that the bot opens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp

from bot.settings import BotFault

log = logging.getLogger("bot")

CONNECT_SECONDS = 15.0


class SocketMode:
    """Hold the connection; must be made inside the loop that runs it.

    Args:
        app: The bolt app.
        app_token: App-level token.
        ping: Seconds between signs of life.
    """

    def __init__(self, app: AsyncApp, app_token: str, ping: float = 10.0) -> None:
        quiet = logging.getLogger("bot.socket")
        self._handler = AsyncSocketModeHandler(app, app_token, logger=quiet, ping_interval=ping)
        self._greeted = asyncio.Event()
        self._handler.client.message_listeners.append(self._hear)

    async def start(self) -> None:
        """Connect and wait until Slack says hello.

        Raises:
            BotFault: It did not within fifteen seconds.
        """
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await self._handler.connect_async()  # type: ignore[no-untyped-call]
                await self._greeted.wait()
        except TimeoutError:
            await self.stop()
            raise BotFault(
                f"Slack did not open the Socket Mode connection within {CONNECT_SECONDS:.0f} seconds: "
                "check that Socket Mode is switched on, and the network."
            ) from None

    async def stop(self) -> None:
        """Close the connection."""
        await self._handler.close_async()  # type: ignore[no-untyped-call]

    async def healthy(self) -> bool:
        """Tell whether clicks can arrive now."""
        return self._greeted.is_set() and await self._handler.client.is_connected()

    async def _hear(self, client: Any, message: Mapping[str, Any], raw: str | None) -> None:
        if message.get("type") != "hello":
            return
        self._greeted.set()
        others = int(message.get("num_connections") or 1) - 1
        if others > 0:
            log.warning(
                "%d other connections of this app are open: each click reaches only one of them, "
                "so all must use the same store.",
                others,
            )
