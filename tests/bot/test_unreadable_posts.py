"""Slack says that it took a message and not which one it is: nothing is made up, and it is looked for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from slack_sdk.web.async_client import AsyncWebClient

from bot.cards import Cards
from bot.desk import Desk
from bot.notices import GIVE_UP, Notices
from gate.model import Notice
from gate.service import Service
from tests.bot.test_slack_lies import Liar
from tests.kit import POLICY, act, answer, post, service

FAST = POLICY.replace("limits: {", "limits: {burst: {count: 1, window: 1m}, ")
NO_TS = pytest.mark.parametrize("ts", [{}, {"ts": None}, {"ts": ""}, {"ts": 1.5}, {"ts": []}, {"ts": "None"}])
"""Answers from which no message can be told."""


class OneOnly(Liar):
    """A Web API that takes one message and fails with all others."""

    async def answer(self, request: Any) -> Any:
        self.asked += 1
        if self.asked == 1:
            return web.json_response({"ok": True, "ts": "1.2"})
        return web.json_response({"ok": False, "error": "internal_error"})


class Ready:
    """Everything that has to be true before a card is."""

    async def ready(self, record: object) -> bool:
        return True


def _deliver(gate: Service, api: Liar, notice: Notice, then: Callable[[Notices], None] | None = None) -> Any:
    """Let a bot deliver one notice to an API, and return what the store says of it."""

    async def deliver(client: AsyncWebClient) -> None:
        nobody: Any = None
        ready: Any = Ready()
        with ThreadPoolExecutor(1) as pool:
            desk = Desk(gate, nobody, client, nobody, "T0LOCAL", "B1", "127.0.0.1", "socket", pool)
            work = Notices(desk, Cards(desk), ready)
            await work._deliver(notice)
            if then:
                then(work)

    api.serve(deliver)
    with gate.store.reader() as reader:
        return reader.one("SELECT done_at, error FROM notices WHERE id = ?", (notice.id,))


def _leased(gate: Service, kind: str) -> Notice:
    return next(each for each in gate.lease_notices(limit=100) if each.kind == kind)


@NO_TS
def test_a_card_without_a_timestamp_is_not_known_as_posted(ts: dict[str, Any]) -> None:
    """It is tried again, as what may have been posted is; no card with a name of ours is remembered."""
    gate = service()
    hold = gate.submit(act(), wait=False).record.id
    row = _deliver(gate, Liar(postMessage={"channel": "C0APPROVALS", **ts}), _leased(gate, "card"))
    assert (row["done_at"], row["error"]) == (None, "unreadable_answer")
    assert gate.hold(hold).cards == ()


@pytest.mark.parametrize("channel", [{}, {"channel": ""}, {"channel": 5}])
def test_a_card_without_a_channel_is_not_known_as_posted(channel: dict[str, Any]) -> None:
    """Nobody could find it there."""
    gate = service()
    hold = gate.submit(act(), wait=False).record.id
    row = _deliver(gate, Liar(postMessage={"ts": "1000.1", **channel}), _leased(gate, "card"))
    assert (row["done_at"], row["error"]) == (None, "unreadable_answer")
    assert gate.hold(hold).cards == ()


@NO_TS
def test_a_burst_without_a_timestamp_is_not_known_as_posted(ts: dict[str, Any]) -> None:
    """Its card is looked for at the next try too."""
    gate = service(text=FAST)
    for amount in (20, 30):
        gate.submit(act(amount=amount, to="bob"), wait=False)
    notice = _leased(gate, "burst")
    row = _deliver(gate, Liar(postMessage={"channel": "C0APPROVALS", **ts}), notice)
    assert (row["done_at"], row["error"]) == (None, "unreadable_answer")
    assert gate.burst(notice.text).ts == ""


def test_a_twin_without_a_timestamp_is_none() -> None:
    """What stands in the channel and cannot be named is not learnt; the card is tried again later."""
    gate = service()
    hold = gate.submit(act(), wait=False).record.id
    twin = {"bot_id": "B1", "metadata": {"event_payload": {"hold": hold, "version": 1}}}
    notice = replace(_leased(gate, "card"), attempts=2)
    row = _deliver(gate, Liar(history={"messages": [twin]}), notice)
    assert (row["done_at"], row["error"]) == (None, "unreadable_answer")
    assert gate.hold(hold).cards == ()


@pytest.mark.parametrize("attempts", [1, GIVE_UP])
def test_of_a_reply_that_ended_nothing_is_remembered(attempts: int) -> None:
    """Where it stands is remembered while it is tried again, not once it is posted or given up."""
    gate = service()
    hold = gate.submit(act(), wait=False).record.id
    post(gate)
    gate.learn_card(hold, channel="C0OTHER", ts="1.1", version=1)
    answer(gate, hold)
    notice = replace(_leased(gate, "reply"), attempts=attempts)
    kept: list[int] = []

    def keep(work: Notices) -> None:
        kept.append(len(work._replied))

    taken = Liar(postMessage={"ts": "1.2"})
    _deliver(gate, taken if attempts < GIVE_UP else OneOnly(), notice, keep)
    assert kept == [0]


def test_of_a_reply_that_is_tried_again_is_known_where_it_stands() -> None:
    """So that it is not said twice in one thread."""
    gate = service()
    hold = gate.submit(act(), wait=False).record.id
    post(gate)
    gate.learn_card(hold, channel="C0OTHER", ts="1.1", version=1)
    answer(gate, hold)
    kept: list[int] = []
    _deliver(
        gate,
        OneOnly(),
        _leased(gate, "reply"),
        lambda work: kept.extend(len(each) for each in work._replied.values()),
    )
    assert kept == [1]
