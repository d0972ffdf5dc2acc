"""``gate-bot`` as a process of its own."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bot import names
from bot.local_workspace import Control, LocalWorkspace
from gate import Gate, Ran
from gate.policy.load import load_texts
from gate.service import Service
from tests.bot.bot_fixtures import CHANNEL, POLICY
from tests.bot.bot_process import PATIENCE, Process

GROUP_POLICY = """
version: 1
name: own
default: require_approval
approvals: {channel: C077REFUNDS, approvers: [U0ANNA, U07QK3M9D2X, S0MONEY, {members_of: C0VAULT}]}
"""


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


def tokens(workspace: LocalWorkspace) -> dict[str, str]:
    """Return the environment of a bot that talks to this workspace."""
    return {
        "SLACK_BOT_TOKEN": workspace.bot_token,
        "SLACK_APP_TOKEN": workspace.app_token,
        "SLACK_API_URL": workspace.api_url,
        "GATE_ALLOW_LOCAL_WORKSPACE": "1",
    }


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
    assert process.end()[0] == 0


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
    assert process.end(signal.SIGINT)[0] == 0


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
    environ = tokens(workspace)
    code, told, _ = Process(tmp_path, "--check", "--policy", "policies", **environ).said()
    assert code == 0, told
    assert "channel C0APPROVALS = #approvals" in told
    workspace.control.archive(CHANNEL)
    code, told, _ = Process(tmp_path, "--check", "--policy", "policies", **environ).said()
    assert code == 1
    assert "is archived" in told


def test_check_brings_no_policy_into_force(tmp_path: Path, workspace: LocalWorkspace, db: Path) -> None:
    """A looser policy is looked at before anybody agreed to it, and where no store is, none is made."""
    write(tmp_path, POLICY.replace("quorum: 2", "quorum: 1"))
    words = ("--check", "--policy", "policies", "--db", str(db))
    assert Process(tmp_path, *words, **tokens(workspace)).said()[0] == 0
    assert not db.exists()
    with closing(Service(db, policy=load_texts({"own.yml": POLICY}))) as agent:
        known = [each.revision for each in agent.revisions()]
        code, told, _ = Process(tmp_path, *words, **tokens(workspace)).said()
        assert (code, "channel C0APPROVALS = #approvals" in told) == (0, True)
        assert [each.revision for each in agent.revisions()] == known


@pytest.mark.parametrize(
    ("words", "environ", "code", "piece"),
    [
        (("--check", "--local"), {}, 2, "one of them"),
        (("--local", "--http"), {}, 2, "leave --http out"),
        (("--check", "--port", "4000"), {}, 2, "GATE_BOT_PORT"),
        (("--check",), {"SLACK_APP_TOKEN": "xapp-1"}, 2, "give --policy PATH, or set GATE_POLICY."),
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


def test_a_call_that_waits_gets_a_card_on_the_next_local_workspace(
    tmp_path: Path, started: list[Process]
) -> None:
    """The page of a local bot that was started again shows what waits, and the call runs once approved."""
    write(tmp_path)
    ran: list[str] = []
    with Gate(policy=str(tmp_path / "policies"), agent="support") as gate:

        @gate.guard("payments.issue_refund")
        def issue_refund(order_id: str, amount: int, currency: str) -> str:
            ran.append(order_id)
            return "re_1"

        started.append(first := Process(tmp_path, "--local"))
        before = Control(page(first.line("Local workspace")))
        first.line("Store:")
        outcome: list[object] = []
        agent = threading.Thread(target=lambda: outcome.append(gate.outcome(issue_refund, "O-1", 400, "EUR")))
        agent.start()
        before.wait_message(CHANNEL, "Refund 400", timeout=PATIENCE)
        assert first.end()[0] == 0
        started.append(second := Process(tmp_path, "--local"))
        approve(Control(page(second.line("Local workspace"))))
        agent.join(PATIENCE)
    assert [type(each) for each in outcome] == [Ran]
    assert ran == ["O-1"]


def test_a_second_local_bot_is_refused(tmp_path: Path, started: list[Process]) -> None:
    """It says which process has the store and changes nothing there; once that one has died, it starts."""
    write(tmp_path)
    started.append(first := Process(tmp_path, "--local"))
    store = Path(first.line("Store:").removeprefix("Store: ").rsplit(" (", 1)[0])
    write(tmp_path, POLICY.replace("quorum: 2", "quorum: 1"))
    code, _, said = Process(tmp_path, "--local").said()
    assert (code, f"process {first.run.pid}" in said, "--db" in said) == (1, True, True), said
    with closing(Service(store, kind="cli", create=False)) as look:
        assert len(look.revisions()) == 1
    write(tmp_path)
    first.run.kill()
    first.run.join(PATIENCE)
    started.append(second := Process(tmp_path, "--local"))
    assert page(second.line("Local workspace"))


def test_a_port_that_is_taken_is_named(tmp_path: Path, workspace: LocalWorkspace) -> None:
    """One sentence with the port and what to do."""
    write(tmp_path)
    port = workspace.url.rsplit(":", 1)[1]
    code, _, said = Process(tmp_path, "--local", "--port", port).said()
    assert (code, f"port {port}" in said, "Traceback" in said) == (1, True, False), said


def test_a_policy_that_was_named_and_is_not_there_is_not_waited_for(tmp_path: Path) -> None:
    """Only ./policies, which nobody named, is waited for."""
    code, _, said = Process(tmp_path, "--local", "--policy", "nope").said()
    assert (code, "nope" in said) == (3, True), said
