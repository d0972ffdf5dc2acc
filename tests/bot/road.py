"""The whole road: an agent in a process of its own, the bot here, one database, and people who press."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot import names
from bot.app import SlackBot
from bot.local_workspace import LocalWorkspace
from bot.views import modals
from gate.lifecycle import State
from gate.model import HoldRecord
from gate.policy.load import load_texts
from gate.service import Service
from tests.ahead import Ahead
from tests.bot.bot_fixtures import CALM, CHANNEL, POLICY, eventually, settings, spell
from tests.bot.road_agent import Given, run
from tests.forking import SERVER

PATIENCE = 60.0
"""Seconds after which nothing is waited for any more; no test takes them unless it fails."""
REFUND = {"order_id": "ORD-1", "amount": 400, "currency": "EUR"}
SHORT = POLICY.replace("expires_in: 1h", "expires_in: 2m")
"""A policy whose holds expire before the agent's clock, left behind by the bot's, is too far behind."""


class Agent:
    """An agent process. ``ask`` makes a call, ``answer`` waits for what became of it."""

    def __init__(self, road: Road, session: str, asker: str) -> None:
        given = Given(road.db, road.policy, road.events, session, asker, dict(os.environ))
        self._pipe, theirs = SERVER.Pipe()
        self.process = SERVER.Process(target=run, args=(theirs, given), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, tool: str = "issue_refund", *, wait: float | None = None, id_: str | None = None) -> None:
        """Make one call; it waits until it is decided unless told otherwise."""
        args = REFUND if tool == "issue_refund" else {"amount": 9000}
        call = {"tool": tool, "args": args} | ({"id": id_} if id_ else {})
        call |= {"wait": wait} if wait is not None else {}
        self._pipe.send(call)

    def answer(self) -> dict[str, Any]:
        """Return what became of the oldest call that was not answered yet."""
        assert self._pipe.poll(PATIENCE), "The agent got no answer."
        return dict(self._pipe.recv())

    @property
    def waits(self) -> bool:
        """Tell whether it got no answer yet."""
        return not self._pipe.poll() and self.process.is_alive()

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join(PATIENCE)
        self._pipe.close()


class Road:
    """One store, agents on it, the bot of this process, and the workspace."""

    def __init__(self, folder: Path, workspace: LocalWorkspace, text: str) -> None:
        self.workspace, self.control = workspace, workspace.control
        self.db, self.events, self.policy = folder / "gate.db", folder / "events", folder / "refunds.yml"
        self.policy.write_text(text)
        self.events.touch()
        self.store = Service(
            self.db,
            policy=load_texts({"refunds.yml": text}),
            clock=Ahead(),
            kind="bot",
            allow_local=True,
        )
        self.bot: SlackBot | None = None
        self._agents: list[Agent] = []

    def open(self, transport: Any = "socket", workspace: LocalWorkspace | None = None) -> SlackBot:
        """Start the bot, and return when clicks can arrive."""
        there = workspace or self.workspace
        self.bot = SlackBot(self.store, settings=settings(there), transport=transport, ping=CALM).start()
        if transport == "http":
            there.control.set_transport("http", f"{self.bot.address}/slack/events")
        else:
            there.control.wait_connected()
        return self.bot

    def expire(self) -> None:
        """Let the two minutes of a short hold pass, for the bot and so for the store."""
        assert isinstance(self.store.clock, Ahead)
        self.store.clock.advance(121)
        self.store.sweep()

    def rest(self) -> None:
        """Stop the bot; that ends after every press in hand was answered and what is due was posted."""
        if self.bot is not None:
            self.bot.stop()
            self.bot = None

    def agent(self, session: str = "s1", asker: str = "U0CAROL") -> Agent:
        """Start an agent."""
        self._agents.append(Agent(self, session, asker))
        return self._agents[-1]

    def happened(self) -> list[str]:
        """Return what the tools really did."""
        return self.events.read_text().splitlines()

    def hold(self) -> HoldRecord:
        """Wait for the one open hold and return it."""
        (hold,) = eventually(self.store.holds, PATIENCE)
        return hold

    def card(self, hold: HoldRecord) -> dict[str, Any]:
        """Wait for a hold's card and return the message as it stands now."""

        def found() -> dict[str, Any] | None:
            ts = next((card.ts for card in self.store.hold(hold.id).cards), None)
            return next((each for each in self.control.messages(CHANNEL) if each["ts"] == ts), None)

        return eventually(found, PATIENCE)

    def shown(self, hold: HoldRecord, piece: str) -> str:
        """Wait until a hold's card says something, and return all it says."""
        return eventually(lambda: said if piece in (said := spell(self.card(hold))) else None, PATIENCE)

    def press(self, user: str, hold: HoldRecord, action: str = names.APPROVE, **more: Any) -> Any:
        """Press a button of a hold's card; it must be acknowledged in time."""
        result = self.control.click(user, CHANNEL, self.card(hold)["ts"], action, **more)
        assert result["acked"], result
        return result

    def form(self, user: str, hold: HoldRecord, action: str = names.DENY) -> str:
        """Press a button that opens a form, and return the form's id."""
        self.press(user, hold, action)
        return str(self.control.wait_view(user, "Reason")["id"])

    def submit(self, user: str, view: str, comment: str) -> None:
        """Send a form with a comment."""
        result = self.control.submit_view(user, view, {modals.COMMENT_BLOCK: {names.COMMENT: comment}})
        assert result["acked"], result

    def deny(self, user: str, hold: HoldRecord, comment: str, action: str = names.DENY) -> None:
        """Deny by the card's button and its form, and wait until the form has closed."""
        self.submit(user, self.form(user, hold, action), comment)
        eventually(lambda: not self.control.views(user), PATIENCE)

    def thread(self, hold: HoldRecord, piece: str) -> list[str]:
        """Wait until a reply under the card says something, and return what all replies say."""
        ts = self.card(hold)["ts"]
        self.control.wait_message(CHANNEL, piece, thread_ts=ts, timeout=PATIENCE)
        return [each["text"] for each in self.control.thread(CHANNEL, ts) if each["ts"] != ts]

    def ended(self, hold: HoldRecord) -> HoldRecord:
        """Wait until a hold has ended, and return it."""
        open_ = (State.PENDING, State.APPROVED, State.RUNNING)
        return eventually(
            lambda: now if (now := self.store.hold(hold.id)).state not in open_ else None, PATIENCE
        )

    def answers(self, user: str) -> dict[str, int]:
        """Return how many windows stand open for somebody and how many messages only they see."""
        return {"views": len(self.control.views(user)), "whispers": len(self.control.ephemerals(user))}

    def log(self, hold: HoldRecord) -> list[str]:
        """Return the kinds of a hold's records in order, refusals with their code; its chain is whole."""
        assert self.store.verify().ok
        told = [each.body for each in self.store.records(action=hold.id)]
        return [f"refused {each['code']}" if each["kind"] == "refused" else each["kind"] for each in told]

    def close(self) -> None:
        """End everything."""
        for agent in self._agents:
            agent.stop()
        self.rest()
        self.store.close()


def make_road(folder: Path, workspace: LocalWorkspace, text: str = POLICY) -> Iterator[Road]:
    """Make a road and end it."""
    made = Road(folder, workspace, text)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def road(tmp_path: Path, workspace: LocalWorkspace) -> Iterator[Road]:
    """Give a road on which holds last for an hour."""
    yield from make_road(tmp_path, workspace)


@pytest.fixture
def short_road(tmp_path: Path, workspace: LocalWorkspace) -> Iterator[Road]:
    """Give a road on which holds expire after two minutes."""
    yield from make_road(tmp_path, workspace, SHORT)
