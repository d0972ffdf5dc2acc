"""The bot as a host process uses it: start, stop, and nothing that blocks its own threads."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import threading
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from bot.http_mode import HttpMode
from bot.own import Own
from bot.preflight import Report
from bot.running import Orders, Running
from bot.settings import BotFault, BotSettings, Transport

log = logging.getLogger("bot")

START_SECONDS = 60.0
STOP_SECONDS = 20.0


class SlackBot:
    """Ask people in Slack, from a thread with a loop of its own.

    Args:
        gate: A gate, which is opened where it is not open, or a ``Service``.
        settings: What it needs to talk to Slack; default is the environment's.
        transport: ``socket`` or ``http``; None takes the one that is set.
        ping: Seconds between signs of life of the Socket Mode connection.

    Raises:
        BotFault: The settings cannot be used.
    """

    def __init__(
        self,
        gate: Any,
        settings: BotSettings | None = None,
        *,
        transport: Transport | None = None,
        ping: float = 10.0,
    ) -> None:
        self._settings = settings or BotSettings.read()
        self._transport = self._settings.transport(transport)
        self._gate, self._ping = gate, ping
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._enough: asyncio.Event | None = None
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._running: Running | None = None

    def start(self) -> Self:
        """Start, and return when clicks can arrive; one that runs goes on.

        Returns:
            This bot.

        Raises:
            BotFault: Something is missing; the message names everything.
            StoreError: The store belongs to another workspace.
        """
        if self.alive and os.getpid() == self._pid:
            return self
        self._pid = os.getpid()
        self._ready.clear()
        self._failure = None
        self._thread = threading.Thread(target=self._run, name="gate-bot", daemon=True)
        self._thread.start()
        if not self._ready.wait(START_SECONDS):
            self._failure = BotFault(f"The bot did not start within {START_SECONDS:.0f} seconds.")
        if self._failure is not None:
            self.stop()
            raise self._failure
        atexit.register(self.stop)
        return self

    def stop(self) -> None:
        """Stop: post what is due for at most five seconds, leave holds as they are; safe to call twice."""
        atexit.unregister(self.stop)
        if self._thread is None or os.getpid() != self._pid:
            return
        if self._loop is not None and self._enough is not None and self._thread.is_alive():
            with suppress(RuntimeError):  # the loop has ended already, and its thread does next
                self._loop.call_soon_threadsafe(self._enough.set)
        self._thread.join(STOP_SECONDS)
        self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def alive(self) -> bool:
        """Tell whether it runs."""
        return self._thread is not None and self._thread.is_alive() and self._failure is None

    @property
    def report(self) -> Report:
        """Return what the look at Slack before the start found."""
        return self._running.report if self._running else Report()

    @property
    def address(self) -> str:
        """Return where HTTP mode listens; empty in Socket Mode."""
        arriving = self._running.arriving if self._running else None
        return arriving.address if isinstance(arriving, HttpMode) else ""

    def wait(self, timeout: float | None = None) -> None:
        """Wait until it ends.

        Args:
            timeout: Seconds; None waits for ever.
        """
        if self._thread is not None:
            self._thread.join(timeout)

    def _run(self) -> None:
        try:
            with Own(self._gate, self._settings) as own:
                orders = own.orders(self._transport, self._ping)
                asyncio.run(self._live(orders))
        except BaseException as failure:
            self._failure = failure
            if self._ready.is_set():
                log.exception("The bot has stopped")
        finally:
            self._ready.set()

    async def _live(self, orders: Orders) -> None:
        self._loop, self._enough = asyncio.get_running_loop(), asyncio.Event()
        running = self._running = Running(orders)
        await running.start()
        self._ready.set()
        await self._enough.wait()
        await running.stop()
