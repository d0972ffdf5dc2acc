"""Agent and bot in two processes of their own, on one database: ``gate-bot`` as in production."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot import names
from bot.local_workspace import LocalWorkspace
from gate.lifecycle import State
from tests.bot.bot_fixtures import CHANNEL, eventually, spell
from tests.bot.bot_process import Process
from tests.bot.road import Road, road

__all__ = ["road"]

ROOT = Path(__file__).parents[2]
Start = Callable[..., "BotProcess"]


class BotProcess:
    """A running ``gate-bot``."""

    def __init__(self, road: Road, transport: str, **changes: str) -> None:
        workspace = road.workspace
        settings = {
            "GATE_DB": str(road.db),
            "GATE_ALLOW_LOCAL_WORKSPACE": "1",
            "GATE_BOT_PORT": "0",
            "SLACK_API_URL": workspace.api_url,
            "SLACK_BOT_TOKEN": workspace.bot_token,
            "SLACK_APP_TOKEN": workspace.app_token,
            "SLACK_SIGNING_SECRET": workspace.signing_secret,
        }
        self.process = Process(ROOT, f"--{transport}", **settings | changes)

    def ready(self, road: Road) -> BotProcess:
        """Wait until clicks can arrive."""
        line = self.process.line("The bot runs (")
        if "http at " in line:
            address = line.partition("http at ")[2].partition(")")[0]
            road.control.set_transport("http", f"{address}/slack/events")
        else:
            road.control.wait_connected()
        return self


@pytest.fixture
def start(road: Road) -> Iterator[Start]:
    """Give a function that starts ``gate-bot``."""
    started: list[BotProcess] = []

    def made(transport: str = "socket", **changes: str) -> BotProcess:
        started.append(BotProcess(road, transport, **changes))
        return started[-1]

    yield made
    for each in started:
        each.process.kill()


@pytest.mark.parametrize("transport", ["socket", "http"])
def test_two_processes_on_one_database(road: Road, start: Start, transport: str) -> None:
    """The bot's process takes the press, the agent's runs the call once; SIGTERM ends it without a word."""
    bot = start(transport).ready(road)
    agent = road.agent()
    agent.ask()
    hold = road.hold()
    road.press("U0ALICE", hold)
    assert agent.answer()["kind"] == "Ran"
    road.shown(hold, "Ran once.")
    road.thread(hold, "It ran once")
    assert bot.process.end(signal.SIGTERM) == (0, "")
    assert road.happened() == ["refund ORD-1 400 EUR"]
    assert road.answers("U0ALICE") == {"views": 0, "whispers": 0}
    assert road.log(hold) == ["submit", "approve", "claim", "settle"]


def test_a_bot_killed_before_it_could_change_the_card(road: Road, start: Start) -> None:
    """The decision of a bot that was killed stands, the call runs once, and the next bot closes the card."""
    bot = start().ready(road)
    agent = road.agent()
    agent.ask(wait=0, id_="c1")
    assert agent.answer()["kind"] == "Pending"
    hold = road.hold()
    road.card(hold)
    road.control.faults.set("chat.update", kind="hold", times=None)
    road.press("U0ALICE", hold)
    eventually(lambda: road.store.hold(hold.id).state is State.APPROVED)
    assert bot.process.end(signal.SIGKILL)[0] == -signal.SIGKILL
    assert names.APPROVE in spell(road.card(hold))
    road.control.faults.clear()
    start().ready(road)
    agent.ask(id_="c1")
    assert agent.answer()["kind"] == "Ran"
    assert names.APPROVE not in road.shown(hold, "Ran once.")
    assert road.happened() == ["refund ORD-1 400 EUR"]


def test_a_bot_for_another_workspace_does_not_start(
    road: Road, start: Start, workspace: LocalWorkspace
) -> None:
    """A store of a Slack workspace is refused by a local bot with what to do, and by exit code 4."""
    road.store.bind_workspace("T0REAL", "slack.com")
    code, _, err = start().process.said()
    assert code == 4
    assert "GATE_DB" in err
    assert "Traceback" not in err
    assert workspace.control.messages(CHANNEL) == []
