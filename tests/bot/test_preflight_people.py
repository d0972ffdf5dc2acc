"""Hundreds of approvers are looked up a few at once, within Slack's limits and the time that a start has."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import web
from slack_sdk.http_retry import HttpRequest, HttpResponse, RetryState
from slack_sdk.web.async_client import AsyncWebClient

from bot.pacing import LongRateLimits, ShortRateLimits
from bot.preflight import AT_ONCE, Preflight, Report
from bot.running import make_patient
from bot.settings import BotSettings
from gate.policy.load import load_texts
from tests.bot.test_slack_lies import Liar
from tests.kit import POLICY

MANY = 3 * AT_ONCE
WHO = ", ".join(f"U{number:05d}" for number in range(MANY))
PEOPLE = POLICY.replace("[U0ALICE, U0BOB, S0FINANCE]", f"[{WHO}]")


class Town(Liar):
    """A Web API that knows everybody, and counts how many questions about people it has at once."""

    def __init__(self, together: int = 1, limits: int = 0, silent: str = "") -> None:
        super().__init__()
        self.now, self.most, self.limits, self.silent = 0, 0, limits, silent
        self._together, self._enough, self.over = together, asyncio.Event(), asyncio.Event()

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one call; those about people once there are so many at the same time."""
        user = (await request.post()).get("user") or request.query.get("user")
        if not request.path.endswith("users.info"):
            return web.json_response({"ok": True, "team_id": "T0LOCAL"})
        self.now += 1
        self.most = max(self.most, self.now)
        if self.now >= self._together:
            self._enough.set()
        await (self.over if user == self.silent else self._enough).wait()
        self.now -= 1
        if self.limits:
            self.limits -= 1
            body = {"ok": False, "error": "ratelimited"}
            return web.json_response(body, status=429, headers={"Retry-After": "0"})
        told = {"id": user, "team_id": "T0LOCAL", "name": user, "deleted": False}
        return web.json_response({"ok": True, "user": told})


def _looked(town: Town, patience: float | None = None) -> Report:
    """Return what a look at everybody says."""
    report = Report(team="T0LOCAL")

    async def look(client: AsyncWebClient) -> None:
        settings = BotSettings(bot_token="xoxb-1", api_url=client.base_url)
        preflight = Preflight(client, settings, "socket", make_patient(settings), patience)
        await preflight._approvers(report, load_texts({"desk.yml": PEOPLE}).people())
        town.over.set()

    town.serve(look)
    return report


def test_a_few_are_looked_up_at_once() -> None:
    """No more than that, and they are told in the policy's order."""
    town = Town(together=AT_ONCE)
    report = _looked(town)
    assert town.most == AT_ONCE
    assert [line.split()[1] for line in report.names] == WHO.split(", ")
    assert not report.problems


def test_a_rate_limit_is_no_missing_approver() -> None:
    """Slack is asked again once the time that it gave has passed."""
    report = _looked(Town(limits=MANY))
    assert len(report.names) == MANY
    assert not report.problems


def test_who_was_not_looked_up_in_time_is_said() -> None:
    """The bot starts; whoever wants to know takes the time for it."""
    report = _looked(Town(silent="U00000"), patience=0.5)
    late = MANY - len(report.names)
    assert late > 0
    assert not report.problems
    (told,) = report.warnings
    assert told.startswith(f"{late} of {MANY} approvers were not looked up")
    assert "U00000 among them" in told


@pytest.mark.parametrize(
    ("seconds", "short", "long"), [("3", True, True), ("30", False, True), ("61", False, False)]
)
def test_only_where_nobody_waits_a_minute_is_waited_out(seconds: str, short: bool, long: bool) -> None:
    """Whoever has pressed a button is told after a few seconds that Slack asks to wait."""
    response = HttpResponse(status_code=429, headers={"Retry-After": seconds})
    request: Any = HttpRequest(method="POST", url="http://127.0.0.1/", headers={})

    async def both() -> list[bool]:
        return [
            await each(max_retry_count=2).can_retry_async(
                state=RetryState(), request=request, response=response
            )
            for each in (ShortRateLimits, LongRateLimits)
        ]

    assert asyncio.run(both()) == [short, long]
