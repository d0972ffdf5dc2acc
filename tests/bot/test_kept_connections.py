"""Messages go over connections that are kept for the next one, and that keep nothing of the last."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
from slack_sdk.web.async_client import AsyncWebClient

from bot.running import kept_alive, make_client
from bot.settings import BotSettings


class Slack:
    """A Web API that takes every message and remembers over which connection it came."""

    def __init__(self) -> None:
        self.came_from: list[Any] = []
        self.cookies: list[dict[str, str]] = []
        self.closes = False

    async def take(self, request: web.Request) -> web.Response:
        assert request.transport
        self.came_from.append(request.transport.get_extra_info("peername"))
        self.cookies.append(dict(request.cookies))
        answer = web.json_response({"ok": True, "ts": "1.1"})
        answer.set_cookie("b", "remember-me")
        if self.closes:
            answer.force_close()
        return answer


def _talk(slack: Slack, say: Callable[[AsyncWebClient], Awaitable[None]], *, kept: bool = True) -> None:
    async def talk() -> None:
        app = web.Application()
        app.router.add_post("/api/chat.postMessage", slack.take)
        async with TestServer(app, host="127.0.0.1") as server:
            settings = BotSettings(bot_token="xoxb-1", api_url=str(server.make_url("/api/")))
            connections = kept_alive() if kept else None
            await say(make_client(settings, retry=False, connections=connections))
            if connections is not None:
                await connections.close()

    asyncio.run(talk())


async def _two(client: AsyncWebClient) -> None:
    for _ in range(2):
        await client.chat_postMessage(channel="C0APPROVALS", text="hello")


def test_one_message_after_another_takes_the_same_connection() -> None:
    """No new one is made for the second, as is where none are kept."""
    kept, fresh = Slack(), Slack()
    _talk(kept, _two)
    _talk(fresh, _two, kept=False)
    assert len(set(kept.came_from)) == 1
    assert len(set(fresh.came_from)) == 2


def test_what_slack_asks_to_remember_is_not_sent_back() -> None:
    """A message says the same whether its connection is new or kept."""
    slack = Slack()
    _talk(slack, _two)
    assert slack.cookies == [{}, {}]


def test_a_connection_that_slack_closed_is_not_used_again() -> None:
    """The next message goes over a new one, and arrives once."""
    slack = Slack()
    slack.closes = True
    _talk(slack, _two)
    assert len(slack.came_from) == len(set(slack.came_from)) == 2


def test_messages_at_once_do_not_wait_for_each_other() -> None:
    """Each that finds none free gets a connection of its own."""
    slack = Slack()

    async def many(client: AsyncWebClient) -> None:
        said = (client.chat_postMessage(channel="C0APPROVALS", text=str(n)) for n in range(10))
        await asyncio.gather(*said)

    _talk(slack, many)
    assert len(slack.came_from) == 10
    assert len(set(slack.came_from)) > 1
