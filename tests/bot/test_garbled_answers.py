"""Answers that no Web API gives, such as a proxy's: nothing raw, and the next way to somebody is tried."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from aiohttp import web
from slack_sdk.web.async_client import AsyncWebClient

from bot.answers import Answers
from bot.desk import Desk
from bot.eligibility import Clicker
from bot.payloads import Press
from bot.preflight import Preflight
from bot.settings import BotSettings
from bot.views import modals
from gate.policy.load import load_texts
from tests.bot.bot_fixtures import POLICY
from tests.bot.test_slack_lies import Liar

garbled = pytest.mark.parametrize("body", [b"true", b"5", b'{"ok": true}', b"[]", b"{", b"\xff\xfe"])


class Garbler(Liar):
    """A Web API on loopback that answers everything with the same bytes."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.body = body

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one call."""
        self.asked += 1
        return web.Response(body=self.body, content_type="application/json")


@garbled
def test_every_way_to_answer_is_tried(body: bytes) -> None:
    """No window opens; then the channel and a direct message are tried, and nothing is raised."""
    api = Garbler(body)
    press = Press(Clicker("T0LOCAL", "U0ALICE"), "gate:deny", "", channel="C0APPROVALS", trigger="1")

    async def tell(client: AsyncWebClient) -> None:
        answers = Answers(cast("Desk", SimpleNamespace(poster=client, client=client)))
        assert await answers.open(press, modals.loading("Deny this call")) is None
        await answers.tell(press, "Not recorded", "Too late.")

    api.serve(tell)
    assert api.asked == (2 if body == b'{"ok": true}' else 3)


@garbled
def test_a_bot_does_not_start_on_them(body: bytes) -> None:
    """The look before the start names them as what keeps the bot from starting."""
    settings = BotSettings(bot_token="xoxb-1", app_token="xapp-1", api_url="https://slack.com/api/")

    async def check(client: AsyncWebClient) -> Any:
        return await Preflight(client, settings, "socket").check(load_texts({"refunds.yml": POLICY}))

    report = Garbler(body).serve(check)
    assert report.fatal
    assert not report.ok
