"""A card whose update comes late, from one of two bots: in the end it shows the hold as it stands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from bot.cards import Cards
from bot.desk import Desk
from bot.directory import Directory
from bot.local_workspace import TEAM_ID
from bot.running import make_client
from bot.sight import Sight
from bot.slack_errors import CALL_FAILURES
from gate.model import Action, Parameters
from gate.service import Service
from tests.bot.bot_fixtures import CHANNEL, NOBODY, Office, eventually, office, settings, spell
from tests.kit import answer

__all__ = ["office"]

WAITS = "The agent is waiting."


class Bots:
    """Two bots' ways to one message, which shows a hold that waits."""

    def __init__(self, office: Office, pool: ThreadPoolExecutor) -> None:
        self._office = office
        self.record = office.hold()
        client = make_client(settings(office.workspace), retry=False)
        sight = Sight(Directory(client), TEAM_ID)
        desk = Desk(office.agent, client, client, sight, TEAM_ID, "B0GATE", "127.0.0.1", "socket", pool)
        self._client, self.one, self.other = client, Cards(desk), Cards(desk)
        self.ts = ""

    async def post(self) -> None:
        """Post the card."""
        blocks, text = await self.one.drawn(self.record)
        answered = await self._client.chat_postMessage(channel=CHANNEL, blocks=blocks, text=text)
        self.ts = str(answered["ts"])

    async def refresh(self, cards: Cards, **options: Any) -> None:
        """Let one of them bring the card up to date."""
        await cards.refresh(self.record.id, CHANNEL, self.ts, **options)

    async def held(self, cards: Cards) -> asyncio.Task[None]:
        """Begin so, and come back when the workspace has the update but holds it back."""
        control = self._office.control
        before = len(control.calls("chat.update"))
        control.faults.set("chat.update", kind="hold")
        task = asyncio.ensure_future(self.refresh(cards))
        await asyncio.to_thread(eventually, lambda: len(control.calls("chat.update")) > before)
        return task

    def let_go(self) -> None:
        """Let the update that was held back come true."""
        self._office.control.faults.clear()

    def shown(self) -> str:
        """Return the first word of the card's line."""
        return str(self._office.message(CHANNEL, self.ts)["text"]).split()[0].strip(":")

    def says(self) -> str:
        """Return everything that the card says."""
        return spell(self._office.message(CHANNEL, self.ts))

    def wait(self) -> int:
        """Let the agent make its call again and wait with it; return the number of the wait."""
        record = self.record
        given = {"order_id": "ORD-1", "amount": 400, "currency": "EUR"}
        call = Action(
            record.name, given, record.agent, record.session, NOBODY, parameters=Parameters(frozenset(given))
        )
        submission = self._office.agent.submit(call)
        assert submission.record.id == record.id
        return submission.waiter

    def approve(self) -> None:
        """Let one person approve."""
        answer(self._office.agent, self.record.id)

    def cancel(self) -> None:
        """Let an operator cancel it."""
        self._office.agent.cancel(self.record.id, by="cli:ops", reason="Not now.")


def _played(office: Office, play: Callable[[Bots], Coroutine[Any, Any, None]]) -> str:
    async def go() -> str:
        with ThreadPoolExecutor(4) as pool:
            bots = Bots(office, pool)
            await bots.post()
            await play(bots)
            return bots.shown()

    return asyncio.run(go())


def test_an_update_that_comes_after_a_newer_one(office: Office) -> None:
    """One bot's update is overtaken by the other's; once it comes true, the bot shows what is true then."""

    async def play(bots: Bots) -> None:
        bots.approve()
        late = await bots.held(bots.one)
        bots.cancel()
        await bots.refresh(bots.other)
        assert bots.shown() == "Cancelled"
        bots.let_go()
        await late

    assert _played(office, play) == "Cancelled"


def test_the_bot_of_an_update_that_comes_late_has_died(office: Office) -> None:
    """Whoever takes its work over draws the card again, also where it drew just that before."""

    async def play(bots: Bots) -> None:
        bots.approve()
        late = await bots.held(bots.one)
        bots.cancel()
        await bots.refresh(bots.other)
        _never_looks_again(bots.one)
        bots.let_go()
        with pytest.raises(asyncio.CancelledError):
            await late
        assert bots.shown() == "Approved"
        await bots.refresh(bots.other)
        assert bots.shown() == "Approved"
        await bots.refresh(bots.other, afresh=True)

    assert _played(office, play) == "Cancelled"


def test_an_update_whose_answer_was_lost(office: Office) -> None:
    """What failed may have come true: a hold that looks as it did before that is drawn again."""

    async def play(bots: Bots) -> None:
        await bots.refresh(bots.one)
        waiter = bots.wait()
        office.control.faults.set("chat.update", kind="drop_after_accept")
        with pytest.raises(CALL_FAILURES):
            await bots.refresh(bots.one)
        assert WAITS in bots.says()
        office.agent.leave(waiter)
        await bots.refresh(bots.one)
        assert WAITS not in bots.says()

    assert _played(office, play) == "Approval"


@pytest.mark.parametrize("bots_on_the_store", [1, 2])
def test_what_another_bot_drew_meanwhile(office: Office, bots_on_the_store: int) -> None:
    """One drew it, the other changed it, and what the first drew is true again: it is drawn again.

    A bot that is alone on the store draws nothing twice.
    """
    drawn: list[int] = []

    async def play(bots: Bots) -> None:
        office.agent.leave(bots.wait())
        await bots.refresh(bots.one)
        waiter = bots.wait()
        await bots.refresh(bots.other)
        office.agent.leave(waiter)
        await bots.refresh(bots.one)
        drawn.append(WAITS not in bots.says())
        before = len(office.control.calls("chat.update"))
        await bots.refresh(bots.one)
        drawn.append(len(office.control.calls("chat.update")) - before)

    others = [
        Service(office.agent.path or "", kind="bot", clock=office.clock, made_by="test")
        for _ in range(bots_on_the_store - 1)
    ]
    try:
        _played(office, play)
    finally:
        for each in others:
            each.close()
    assert drawn == ([True, 1] if others else [False, 0])


def _never_looks_again(cards: Cards) -> None:
    """Let a bot die as soon as its update has come true."""

    def die(*_: object) -> None:
        raise asyncio.CancelledError

    cards._remember = die  # type: ignore[method-assign, assignment]
