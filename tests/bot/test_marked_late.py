"""A card is posted and the store is busy: the store is asked again, and the card is not posted twice."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.cards import Cards
from bot.desk import Desk
from bot.notices import Notices
from gate.errors import StoreBusy
from gate.service import Service
from tests.bot.test_slack_lies import Liar
from tests.bot.test_unreadable_posts import Ready
from tests.kit import act, service


class Busy:
    """Let the store be busy with the first marks that are put."""

    def __init__(self, times: int) -> None:
        self.times = times
        self._take = Service.notices_done

    def __call__(self, gate: Service, posted: Sequence[tuple[int, str, str]]) -> None:
        self.times -= 1
        if self.times >= 0:
            raise StoreBusy("Another process holds it.")
        self._take(gate, posted)


@pytest.mark.parametrize(("busy", "cards"), [(2, ["1000.1"]), (3, [])])
def test_a_store_that_is_busy_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, busy: int, cards: list[str]
) -> None:
    """So that nothing has to be looked for in the channel; one that never takes it is not asked for ever."""
    monkeypatch.setattr("bot.notices.MARK_AGAIN", 0.01)
    monkeypatch.setattr("bot.notices.MARK_TRIES", 3)
    gate = service()
    hold = gate.submit(act(), wait=False).record.id
    (card,) = (each for each in gate.lease_notices(limit=100) if each.kind == "card")
    marks = Busy(busy)
    monkeypatch.setattr(Service, "notices_done", lambda *args: marks(*args))
    api = Liar(postMessage={"channel": "C0APPROVALS", "ts": "1000.1"})

    async def deliver(client: AsyncWebClient) -> None:
        nobody: Any = None
        ready: Any = Ready()
        with ThreadPoolExecutor(1) as pool:
            desk = Desk(gate, nobody, client, nobody, "T0LOCAL", "B1", "127.0.0.1", "socket", pool)
            await Notices(desk, Cards(desk), ready)._deliver(card)

    api.serve(deliver)
    assert api.asked == 1
    assert [each.ts for each in gate.hold(hold).cards] == cards
