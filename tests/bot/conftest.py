"""A local workspace for each test, and a real bolt app in its own thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web import WebClient
from slack_sdk.web.async_client import AsyncWebClient

from bot.local_workspace import LocalWorkspace
from tests.bot.browser import (  # noqa: F401
    browser_page,
    chromium,
    open_page,
    pages,
    pytest_collection_modifyitems,
    pytest_runtest_teardown,
    still_page,
    still_workspace,
)
from tests.bot.page_app import page_app  # noqa: F401
from tests.patience import PATIENCE, patient_workspace

Listen = Callable[[AsyncApp], None]
PING = 2
"""Seconds between pings; after four times as many without an answer the app takes its connection for dead."""


@pytest.fixture
def workspace() -> Iterator[LocalWorkspace]:
    """Give a fresh local workspace on a free port."""
    yield from patient_workspace()


@pytest.fixture
def client(workspace: LocalWorkspace) -> WebClient:
    """Give Slack's own client with the app's bot token."""
    return WebClient(token=workspace.bot_token, base_url=workspace.api_url, retry_handlers=[])


class BoltThread:
    """A bolt AsyncApp in a thread with its own loop, connected over Socket Mode."""

    def __init__(self, workspace: LocalWorkspace, listen: Listen) -> None:
        self.workspace = workspace
        self.listen = listen
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="bolt", daemon=True)
        self.handler: AsyncSocketModeHandler | None = None

    def run(self, coroutine: Any) -> Any:
        """Run a coroutine in the app's loop and return its result."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(PATIENCE)

    def app(self) -> AsyncApp:
        """Return the app with the test's listeners."""
        web = AsyncWebClient(token=self.workspace.bot_token, base_url=self.workspace.api_url)
        app = AsyncApp(client=web, signing_secret=self.workspace.signing_secret)
        self.listen(app)
        return app

    def start(self) -> BoltThread:
        """Connect, and return when the workspace has said hello."""
        self.thread.start()
        connections = self.workspace.control.socket_connections()
        self.run(self._connect())
        self.workspace.control.wait_connected(connections=connections + 1)
        return self

    async def _connect(self) -> None:
        app = self.app()
        self.handler = AsyncSocketModeHandler(app, self.workspace.app_token, ping_interval=PING)
        await self.handler.connect_async()

    def stop(self) -> None:
        """Disconnect and end the thread."""
        if self.handler is not None:
            self.run(self.handler.close_async())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(PATIENCE)


@pytest.fixture
def bolt(workspace: LocalWorkspace) -> Iterator[Callable[[Listen], BoltThread]]:
    """Give a function that connects a bolt app with the given listeners."""
    running: list[BoltThread] = []

    def connect(listen: Listen) -> BoltThread:
        running.append(BoltThread(workspace, listen))
        return running[-1].start()

    yield connect
    for each in running:
        each.stop()
