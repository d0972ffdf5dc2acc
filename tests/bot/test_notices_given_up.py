"""What cannot be posted is tried for days, then given up: no notice loops for ever, and none ends a hold."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot import notices
from bot.cards import Cards
from bot.delivery import Delivery
from bot.desk import Desk
from bot.notices import GIVE_UP, Notices
from gate.errors import IllegalMove
from gate.lifecycle import State
from gate.model import Notice
from gate.service import Service
from tests.kit import act, answer, service


def _leased(gate: Service) -> dict[str, Notice]:
    """Return a notice of each kind about an approved hold, in a bot's hands."""
    hold = gate.submit(act(), wait=False).record.id
    gate.learn_card(hold, channel="C0APPROVALS", ts="1.1", version=1)
    answer(gate, hold)
    return {each.kind: each for each in gate.lease_notices(limit=100)}


def _deliver(gate: Service, notice: Notice, fails: Exception) -> Any:
    """Let a bot fail with one notice, and return what the store says of it."""

    async def fail(_: Notice) -> None:
        raise fails

    async def go() -> None:
        with ThreadPoolExecutor(1) as pool:
            nobody: Any = None
            desk = Desk(gate, nobody, nobody, nobody, "T0LOCAL", "B1", "127.0.0.1", "socket", pool)
            work = Notices(desk, Cards(desk), Delivery(desk, nobody))
            work._kinds[notice.kind] = fail
            await work._deliver(notice)

    asyncio.run(go())
    with gate.store.reader() as reader:
        return reader.one("SELECT done_at, due_at, error FROM notices WHERE id = ?", (notice.id,))


@pytest.mark.parametrize("fails", [RuntimeError("a bug"), IllegalMove("No such hold.", code="unknown_hold")])
@pytest.mark.parametrize("kind", ["refresh", "reply"])
def test_what_fails_again_and_again_is_given_up_and_logged(fails: Exception, kind: str) -> None:
    """Before that it stays in the outbox; the hold goes on as it was."""
    gate = service()
    notice = _leased(gate)[kind]
    assert _deliver(gate, notice, fails)["done_at"] is None
    assert _deliver(gate, replace(notice, attempts=GIVE_UP), fails)["done_at"] is not None
    told = [each.body for each in gate.records(limit=100) if each.body["kind"] == "notice_failed"]
    assert [each["notice"] for each in told] == [kind]
    assert gate.hold(notice.hold or "").state is State.APPROVED


def test_a_card_is_tried_until_its_hold_ends() -> None:
    """However often it failed, it is tried again within a minute."""
    gate = service()
    notice = replace(_leased(gate)["card"], attempts=10 * GIVE_UP)
    assert _deliver(gate, notice, RuntimeError("a bug"))["done_at"] is None
    assert notices._backoff(notice) <= 60


def test_an_outage_of_days_loses_nothing() -> None:
    """Whatever is posted beside cards outlives three days without Slack."""
    gate = service()
    notice = _leased(gate)["reply"]
    waits = (notices._backoff(replace(notice, attempts=each)) for each in range(1, GIVE_UP))
    assert timedelta(seconds=sum(waits)) > timedelta(days=3)
