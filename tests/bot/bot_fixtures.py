"""A store with an agent's side, a bot connected to the local workspace, and people who press buttons."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from bot import pacing
from bot.app import SlackBot
from bot.local_workspace import LocalWorkspace
from bot.settings import BotSettings
from gate.clock import FakeClock
from gate.lifecycle import State
from gate.model import Action, HoldRecord, Parameters, Principal
from gate.policy.load import load_texts
from gate.service import Service
from tests.patience import PATIENCE

T = TypeVar("T")
CHANNEL = "C0APPROVALS"
CALM = 5.0
"""Seconds between pings; a bot takes its connection for dead after four times as many without an answer."""
POLICY = """
version: 1
name: refunds
default: require_approval
approvals: {channel: C0APPROVALS, approvers: [U0ALICE, S0FINANCE], expires_in: 1h, use_within: 30m,
            comment: {approve: optional, deny: required}}
actions:
  payments.issue_refund: {risk: write, reversible: false, amount: args.amount, currency: args.currency,
                          describe: "Refund {args.amount} {args.currency} on {args.order_id}"}
rules:
  - {id: over-250, match: payments.issue_refund, then: require_approval, reason: Refund above the limit.}
  - {id: two, match: payments.pay_out, then: require_approval, quorum: 2, reason: Two people.}
  - {id: said, match: payments.cancel, then: require_approval, reason: Say why.,
     comment: {approve: required, deny: required}}
"""
NOBODY = Principal("outside", "customer cus_81")


def settings(workspace: LocalWorkspace, **changes: Any) -> BotSettings:
    """Return what a bot of this workspace is told."""
    told: dict[str, Any] = {
        "bot_token": workspace.bot_token,
        "app_token": workspace.app_token,
        "signing_secret": workspace.signing_secret,
        "api_url": workspace.api_url,
        "allow_local": True,
        "port": 0,
    }
    return BotSettings(**(told | changes))


@dataclass(slots=True)
class Office:
    """Everything one test works with.

    Attributes:
        agent: The agent's way into the store.
        workspace: The local workspace.
        bots: The bots started so far.
    """

    agent: Service
    workspace: LocalWorkspace
    bots: list[SlackBot] = field(default_factory=list)

    @property
    def control(self) -> Any:
        """Return the workspace's control."""
        return self.workspace.control

    @property
    def clock(self) -> FakeClock:
        """Return the clock that everybody shares."""
        assert isinstance(self.agent.clock, FakeClock)
        return self.agent.clock

    def open(self, transport: Any = "socket", *, ping: float = CALM, **changes: Any) -> SlackBot:
        """Start a bot; over HTTP the workspace is told where it listens."""
        bot = SlackBot(
            self.agent, settings=settings(self.workspace, **changes), transport=transport, ping=ping
        )
        self.bots.append(bot.start())
        if transport == "http":
            self.control.set_transport("http", f"{bot.address}/slack/events")
        else:
            self.control.wait_connected()
        self.control.wait_message(CHANNEL)
        return bot

    def hold(
        self,
        name: str = "payments.issue_refund",
        *,
        on_behalf_of: Principal | None = NOBODY,
        session: str = "s1",
        **arguments: Any,
    ) -> HoldRecord:
        """Submit a call that the policy holds."""
        given = arguments or {"order_id": "ORD-1", "amount": 400, "currency": "EUR"}
        self.agent.open_session(session, agent="support", on_behalf_of=on_behalf_of)
        action = Action(
            name, given, "support", session, on_behalf_of, parameters=Parameters(frozenset(given))
        )
        submission = self.agent.submit(action, wait=False)
        assert submission.kind == "held"
        return self.agent.hold(submission.record.id)

    def card(self, record: HoldRecord, channel: str = CHANNEL) -> dict[str, Any]:
        """Wait until the store knows a hold's card and return the message."""

        def found() -> Any:
            cards = [card for card in self.agent.hold(record.id).cards if card.channel == channel]
            return cards and self.message(channel, cards[0].ts)

        return dict(eventually(found))

    def message(self, channel: str, ts: str) -> dict[str, Any]:
        """Return one message as it stands now."""
        return dict(next(each for each in self.control.messages(channel) if each["ts"] == ts))

    def shown(self, record: HoldRecord, piece: str, channel: str = CHANNEL) -> dict[str, Any]:
        """Wait until a hold's card says something."""
        ts = self.card(record, channel)["ts"]

        def found() -> Any:
            message = self.message(channel, ts)
            return message if piece in spell(message) else None

        return dict(eventually(found))

    def press(
        self, user: str, record: HoldRecord, action: str, *, value: str | None = None, **more: Any
    ) -> Any:
        """Press a button of a hold's card."""
        ts = self.card(record)["ts"]
        return self.control.click(user, CHANNEL, ts, action, value=value, **more)

    def whispered(self, user: str, piece: str) -> dict[str, Any]:
        """Wait for an ephemeral message that says something."""
        return dict(self.control.wait_ephemeral(user, piece))

    def until(self, record: HoldRecord, state: State) -> HoldRecord:
        """Wait until a hold is in a state."""

        def found() -> HoldRecord | None:
            now = self.agent.hold(record.id)
            return now if now.state is state else None

        return eventually(found)


def eventually(look: Callable[[], T | None], timeout: float = PATIENCE) -> T:
    """Look again and again until there is something, and return it."""
    pause = threading.Event()
    for _ in range(int(timeout / 0.02)):
        found = look()
        if found:
            return found
        pause.wait(0.02)
    raise AssertionError("What was waited for did not happen.")


def spell(message: Any) -> str:
    """Return every text of a message as one text."""
    if isinstance(message, dict):
        return "\n".join(spell(value) for key, value in message.items() if key not in ("type", "style"))
    if isinstance(message, list):
        return "\n".join(map(spell, message))
    return str(message)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let messages follow each other twenty times as fast as Slack takes them."""
    monkeypatch.setattr(pacing, "PER_SECOND", 20.0)


@pytest.fixture
def office(db: Path, workspace: LocalWorkspace) -> Iterator[Office]:
    """Give a store with the refunds policy, the workspace, and a way to start bots."""
    yield from _office(db, workspace, POLICY)


@pytest.fixture
def office_of(db: Path, workspace: LocalWorkspace) -> Iterator[Callable[[str], Office]]:
    """Give a function that makes an office with a policy of its own."""
    made: list[Iterator[Office]] = []

    def make(policy: str) -> Office:
        made.append(_office(db, workspace, policy))
        return next(made[-1])

    yield make
    for each in made:
        next(each, None)


def _office(db: Path, workspace: LocalWorkspace, policy: str) -> Iterator[Office]:
    agent = Service(db, policy=load_texts({"refunds.yml": policy}), clock=FakeClock(), made_by="test")
    office = Office(agent, workspace)
    yield office
    for bot in office.bots:
        bot.stop()
    agent.close()
