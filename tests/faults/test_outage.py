"""Slack is down for ten minutes while holds are made: all reach the channel afterwards, in order, once."""

from __future__ import annotations

import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import bot.notices
import bot.pacing
from bot import names
from bot.app import SlackBot
from bot.local_workspace import LocalWorkspace
from gate.clock import FakeClock
from gate.lifecycle import State
from gate.model import Action, Parameters
from gate.policy.load import load_texts
from gate.service import Service
from tests.bot.bot_fixtures import CHANNEL, eventually, settings
from tests.faults.invariants import Asked, Evidence, Rules, broken, gather, has_element, hold_of

HOLDS = int(os.environ.get("GATE_SOAK_OUTAGE", "100"))
SEED = int(os.environ.get("GATE_SOAK_SEED", "1"))
SESSIONS = 10
POLICY = """
version: 1
name: desk
default: require_approval
approvals: {channel: C0APPROVALS, approvers: [U0ALICE], expires_in: 8h, deliver_within: 4h,
            comment: {approve: optional, deny: optional}}
limits: {pending_per_session: 100000, pending_per_agent: 100000,
         asks_per_session: {count: 100000, window: 1h}}
"""
RULES = Rules({"desk/default": Asked(frozenset({"U0ALICE"}))}, answer_within=timedelta(hours=8))


class Drill:
    """One store on a fake clock, the workspace, and bots on both."""

    def __init__(self, folder: Path, workspace: LocalWorkspace) -> None:
        self.clock, self.workspace, self.folder = FakeClock(), workspace, folder
        self.gate = Service(
            folder / "gate.db", policy=load_texts({"desk.yml": POLICY}), clock=self.clock, made_by="test"
        )
        for number in range(SESSIONS):
            self.gate.open_session(f"s{number}", agent="desk", on_behalf_of=None)
        self._bots: list[SlackBot] = []
        self.made: defaultdict[str, list[str]] = defaultdict(list)

    def start(self) -> None:
        """Start one more bot."""
        made = SlackBot(self.gate, settings=settings(self.workspace), transport="socket", ping=1.0)
        self._bots.append(made.start())

    def hold(self, number: int) -> None:
        """Make one hold."""
        session, given = f"s{number % SESSIONS}", {"n": number}
        action = Action("desk.do", given, "desk", session, parameters=Parameters(frozenset(given)))
        self.made[session].append(self.gate.submit(action, wait=False).record.id)

    def cards(self) -> list[dict[str, Any]]:
        """Return all cards in the channel, oldest first."""
        found = self.workspace.control.messages(CHANNEL)
        return [each for each in found if hold_of(each) and not each["deleted"]]

    def all_there(self) -> bool:
        """Let some time pass, and tell whether every hold has its card."""
        self.clock.advance(0.5)
        with self.gate.store.reader() as reader:
            found = reader.one("SELECT count(DISTINCT action) AS n FROM cards")
        return bool(found and found["n"] == HOLDS)

    def end(self) -> None:
        """End every session, and wait until all cards say so."""
        for session in self.made:
            self.gate.end_session(session)
        eventually(self._all_told, 60 + HOLDS / 2)

    def _all_told(self) -> bool:
        self.clock.advance(0.5)
        with self.gate.store.reader() as reader:
            return not reader.one("SELECT 1 FROM notices WHERE done_at IS NULL")

    def seen(self) -> Evidence:
        """Return what this drill left behind."""
        messages = self.workspace.control.messages(CHANNEL)
        return gather(RULES, self.folder / "gate.db", effects=self.folder / "effects", messages=messages)

    def close(self) -> None:
        """End everything."""
        for each in self._bots:
            each.stop()
        self.gate.close()


@pytest.fixture
def drill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Drill]:
    """Give a drill whose channel takes messages faster than Slack's would."""
    monkeypatch.setattr(bot.pacing, "PER_SECOND", 500.0)
    # The fake clock runs so fast that a lease would end within one call of Slack.
    monkeypatch.setattr(bot.notices, "LEASE", timedelta(hours=8))
    with LocalWorkspace() as workspace:
        made = Drill(tmp_path, workspace)
        yield made
        made.close()


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("bots", [1, 2])
def test_everything_reaches_the_channel_after_an_outage(drill: Drill, bots: int) -> None:
    """Whatever way Slack fails, each hold gets one live card afterwards, oldest first in each session."""
    for _ in range(bots):
        drill.start()
    drill.workspace.control.wait_connected(connections=bots)
    chance, faults = random.Random(SEED), drill.workspace.control.faults
    kinds = ("http_500", "drop_before_accept", "drop_after_accept", "error", "ratelimit")
    for number in range(HOLDS):
        if number % (HOLDS // 10) == 0:
            faults.clear()
            faults.set("chat.postMessage", kind=chance.choice(kinds), times=None)
        drill.hold(number)
        drill.clock.advance(600 / HOLDS)
    assert len({hold_of(each) for each in drill.cards()}) < HOLDS
    faults.clear()
    eventually(drill.all_there, 60 + HOLDS / 2)
    cards = drill.cards()
    assert [hold for hold, count in Counter(map(hold_of, cards)).items() if count > 1] == []
    posted = [hold_of(each) for each in cards]
    for session, made in drill.made.items():
        assert [each for each in posted if each in made] == made, f"the order of {session}"
    assert all(has_element(each["blocks"], names.APPROVE) for each in cards)
    assert {hold.state for hold in drill.gate.holds(None, limit=HOLDS)} == {State.PENDING}
    drill.end()
    assert broken(drill.seen()) == []
