"""``gate-bot`` as a process of its own."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from bot import names
from bot.local_workspace import Control, LocalWorkspace
from gate import Gate, Ran
from tests.bot.bot_fixtures import CHANNEL, POLICY
from tests.forking import SERVER

PATIENCE = 90.0
"""Seconds after which a process is not waited for any more; a busy machine needs many to start one."""
GROUP_POLICY = """
version: 1
name: own
default: require_approval
approvals: {channel: C077REFUNDS, approvers: [U0ANNA, U07QK3M9D2X, S0MONEY, {members_of: C0VAULT}]}
"""


class Process:
    """One ``gate-bot``, forked from a process that has loaded it; newcomers start the installed command.

    Args:
        folder: Where it runs.
        words: Its arguments.
        environ: More environment.
    """

    def __init__(self, folder: Path, *words: str, **environ: str) -> None:
        out, err = SERVER.Pipe(duplex=False), SERVER.Pipe(duplex=False)
        orders = (folder, words, {**os.environ, **environ}, out[1], err[1])
        self.run = SERVER.Process(target=gate_bot, args=orders, daemon=True)
        self.run.start()
        out[1].close()
        err[1].close()
        self._out, self._err = (os.fdopen(os.dup(end[0].fileno())) for end in (out, err))

    def line(self, piece: str) -> str:
        """Return the next line of its output that has this in it."""
        for line in self._out:
            if piece in line:
                return line
        raise AssertionError(f"It ended without saying {piece!r}: {self._err.read()}")

    def said(self) -> tuple[int | None, str, str]:
        """Wait for its end and return its exit code, the rest of its output and of its errors."""
        with self._out, self._err:
            out, err = self._out.read(), self._err.read()
        self.run.join(PATIENCE)
        return self.run.exitcode, out, err

    def end(self, number: int = signal.SIGTERM) -> int | None:
        """Ask it to end and return its exit code."""
        if self.run.is_alive() and self.run.pid is not None:
            os.kill(self.run.pid, number)
        return self.said()[0]

    def kill(self) -> None:
        """End it however it stands."""
        self.run.kill()
        self.run.join(PATIENCE)
        self._out.close()
        self._err.close()


def gate_bot(
    folder: Path, words: tuple[str, ...], environ: dict[str, str], out: Connection, err: Connection
) -> None:
    """Be ``gate-bot``: what a process of that name does, with its output to pipes."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    for number, pipe in ((1, out), (2, err)):
        os.dup2(pipe.fileno(), number)
        pipe.close()
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", buffering=1, closefd=False)
    from bot.command import main

    main(list(words))


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Process]]:
    """Give a list of processes that are ended after the test."""
    running: list[Process] = []
    yield running
    for each in running:
        each.kill()


def write(folder: Path, text: str = POLICY) -> None:
    """Write a policy."""
    (folder / "policies").mkdir(exist_ok=True)
    (folder / "policies" / "own.yml").write_text(text, encoding="utf-8")


def page(line: str) -> str:
    """Return the address of the page."""
    found = re.search(r"http://127\.0\.0\.1:\d+", line)
    assert found
    return found[0]


def approve(control: Control) -> None:
    """Approve the one call that waits, as Alice."""
    card = control.wait_message(CHANNEL, "Refund 400", timeout=PATIENCE)
    control.click("U0ALICE", CHANNEL, card["ts"], names.APPROVE)


def test_local_runs_before_there_is_a_policy(tmp_path: Path, started: list[Process]) -> None:
    """Started in an empty folder it waits, says so, and begins when the policy is there."""
    started.append(process := Process(tmp_path, "--local"))
    assert "gate init" in process.line("Waiting for a policy")
    write(tmp_path)
    assert page(process.line("Local workspace (not Slack)"))
    assert process.end() == 0


def test_local_serves_an_agent_that_was_there_first(tmp_path: Path, started: list[Process]) -> None:
    """An agent made the store and waits; the local bot joins it, and the call runs once it is approved."""
    write(tmp_path)
    gate = Gate(policy=str(tmp_path / "policies"), agent="support")
    ran: list[str] = []

    @gate.guard("payments.issue_refund")
    def issue_refund(order_id: str, amount: int, currency: str) -> str:
        ran.append(order_id)
        return "re_1"

    with gate:
        (tmp_path / "elsewhere").mkdir()
        started.append(process := Process(tmp_path / "elsewhere", "--local"))
        control = Control(page(process.line("Local workspace")))
        process.line("Store:")
        person = threading.Thread(target=approve, args=(control,))
        person.start()
        outcome = gate.outcome(issue_refund, "ORD-1", 400, "EUR")
        person.join(PATIENCE)
    assert isinstance(outcome, Ran)
    assert ran == ["ORD-1"]
    assert process.end(signal.SIGINT) == 0


def test_local_makes_everybody_the_policy_names(tmp_path: Path, started: list[Process]) -> None:
    """Users, groups and channels of the policy are in the workspace, and a few others."""
    write(tmp_path, GROUP_POLICY)
    started.append(process := Process(tmp_path, "--local"))
    control = Control(page(process.line("Local workspace")))
    process.line("Store:")
    state = control.state()
    people = {each["id"]: each for each in state["users"]}
    assert people["U0ANNA"]["name"] == "anna"
    assert not people["U07QK3M9D2X"]["is_restricted"]
    assert people["U0GUEST"]["is_restricted"]
    assert people["U0STRANGE"]["is_stranger"]
    assert people["U0ROBOT"]["is_bot"]
    assert [(each["id"], each["handle"]) for each in state["groups"]] == [("S0MONEY", "money")]
    channels = {each["id"]: each for each in state["channels"]}
    assert "U0ANNA" in channels["C077REFUNDS"]["members"]
    assert channels["C0VAULT"]["is_private"]


def test_check_prints_names_and_exits_by_what_is_missing(tmp_path: Path, workspace: LocalWorkspace) -> None:
    """--check names every id; exit 0 where nothing is missing, else 1."""
    write(tmp_path)
    environ = {
        "SLACK_BOT_TOKEN": workspace.bot_token,
        "SLACK_APP_TOKEN": workspace.app_token,
        "SLACK_API_URL": workspace.api_url,
        "GATE_ALLOW_LOCAL_WORKSPACE": "1",
    }
    code, told, _ = Process(tmp_path, "--check", "--policy", "policies", **environ).said()
    assert code == 0, told
    assert "channel C0APPROVALS = #approvals" in told
    workspace.control.archive(CHANNEL)
    code, told, _ = Process(tmp_path, "--check", "--policy", "policies", **environ).said()
    assert code == 1
    assert "is archived" in told


@pytest.mark.parametrize(
    ("words", "environ", "code", "piece"),
    [
        (("--check", "--local"), {}, 2, "one of them"),
        ((), {}, 1, "Neither SLACK_APP_TOKEN"),
        ((), {"SLACK_APP_TOKEN": "xapp-1"}, 3, "no policy is in force"),
        (("--policy", "policies"), {"SLACK_APP_TOKEN": "xapp-1"}, 1, "SLACK_BOT_TOKEN is not set"),
        (("--policy", "broken"), {"SLACK_APP_TOKEN": "xapp-1"}, 3, "broken/bad.yml"),
    ],
)
def test_what_cannot_start_says_why(
    tmp_path: Path, words: tuple[str, ...], environ: dict[str, str], code: int, piece: str
) -> None:
    """One clear message on standard error, the documented exit code, no traceback."""
    write(tmp_path)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "bad.yml").write_text("version: 1\ndefault: hodl\n", encoding="utf-8")
    ended, _, said = Process(tmp_path, *words, **environ).said()
    assert ended == code, said
    assert piece in said
    assert "Traceback" not in said
