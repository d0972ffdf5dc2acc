"""Starting, stopping, losing the connection, and living inside another process."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from bot import names
from bot.app import SlackBot
from bot.local_workspace import LocalWorkspace
from bot.settings import BotFault, BotSettings
from gate import Denied, Gate
from gate.lifecycle import State
from gate.model import Notice
from gate.service import Service
from tests.bot.bot_fixtures import CALM, CHANNEL, POLICY, Office, eventually, office, office_of, settings
from tests.patience import PATIENCE

__all__ = ["office", "office_of"]


def test_start_and_stop_leave_no_thread(office: Office) -> None:
    """After stop nothing of the bot is left, and it can be started again."""
    before = threading.active_count()
    bot = SlackBot(office.agent, settings(office.workspace), transport="socket", ping=CALM)
    for _ in range(3):
        bot.start()
        assert bot.alive
        bot.stop()
        assert not bot.alive
    eventually(lambda: threading.active_count() <= before)


def test_a_bot_that_runs_is_not_started_again(office: Office) -> None:
    """A second start leaves the one that runs, so that one stop ends it and each press has one answer."""
    bot = office.open()
    assert bot.start() is bot
    assert office.control.socket_connections() == 1
    bot.stop()
    assert "gate-bot" not in [each.name for each in threading.enumerate()]


def test_stop_is_safe_twice_and_before_start(office: Office) -> None:
    """Stopping what does not run does nothing."""
    bot = SlackBot(office.agent, settings(office.workspace), transport="socket")
    bot.stop()
    with bot:
        pass
    bot.stop()


def test_home_tabs_do_not_keep_a_bot_from_stopping(office: Office) -> None:
    """Where Slack takes no tab any more, what is due is posted all the same and the thread has ended."""
    bot = office.open()
    people = ("U0ALICE", "U0BOB", "U0CAROL")
    for user in people:
        office.control.open_home(user)
        office.control.wait_home(user, "Waiting for you")
    office.control.faults.set("views.publish", kind="hold", times=None)
    known = len(office.control.calls("views.publish"))
    record = office.hold()
    office.card(record)
    eventually(lambda: len(office.control.calls("views.publish")) > known)
    bot.stop()
    assert "gate-bot" not in [each.name for each in threading.enumerate()]


def test_a_store_that_does_not_answer_does_not_keep_a_bot_from_stopping(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that waits for it is cut off, and the thread has ended."""
    monkeypatch.setattr("bot.running.END_SECONDS", 0.1)
    asked, free = threading.Event(), threading.Event()

    def lease(self: Service, **_: object) -> list[Notice]:
        asked.set()
        free.wait(PATIENCE)
        return []

    bot = office.open()
    monkeypatch.setattr(Service, "lease_notices", lease)
    assert asked.wait(PATIENCE)
    monkeypatch.setattr("bot.running.FLUSH_SECONDS", 0.1)
    bot.stop()
    assert "gate-bot" not in [each.name for each in threading.enumerate()]
    free.set()


@pytest.mark.parametrize(
    "how",
    [{"reason": "refresh_requested"}, {"reason": "warning"}, {"reason": "link_disabled", "abort": True}],
)
def test_a_lost_connection_comes_back(office: Office, how: dict[str, Any]) -> None:
    """After a disconnect presses arrive again."""
    office.control.settings(ack_seconds=3)  # a press that met the lost connection is soon made again
    office.open(ping=1.0)
    record = office.hold()
    office.card(record)
    known = len(office.control.envelopes())
    office.control.disconnect(**how)
    office.control.wait_connected()

    def pressed() -> bool:
        result = office.press("U0ALICE", record, names.APPROVE)
        return bool(result["acked"])

    assert eventually(pressed)
    assert len(office.control.envelopes()) > known
    office.until(record, State.APPROVED)


def test_a_bot_beside_a_gate_is_known_as_one(db: Path, workspace: LocalWorkspace) -> None:
    """In one process with the gate, the bot is its own process row, so no warning says that none lives."""
    (folder := db.parent.parent / "policies").mkdir()
    (folder / "refunds.yml").write_text(POLICY, encoding="utf-8")
    gate = Gate(policy=str(folder), db=str(db), agent="support")
    with gate, SlackBot(gate, BotSettings.local(workspace), ping=CALM):
        kinds = sorted(each.kind for each in gate.service.living())
        assert kinds == ["agent", "bot"]
    assert workspace.control.socket_connections() == 0


def test_a_guarded_call_waits_for_slack_and_goes_on(db: Path, workspace: LocalWorkspace) -> None:
    """A real guarded call is held, denied in the workspace, and the caller gets the comment."""
    (folder := db.parent.parent / "policies").mkdir()
    (folder / "refunds.yml").write_text(POLICY, encoding="utf-8")
    gate = Gate(policy=str(folder), db=str(db), agent="support")

    @gate.guard("payments.issue_refund")
    def issue_refund(order_id: str, amount: int, currency: str) -> str:
        return f"refunded {order_id}"

    def deny() -> None:
        card = workspace.control.wait_message(CHANNEL, "Refund 400")
        workspace.control.click("U0ALICE", CHANNEL, card["ts"], names.DENY)
        view = workspace.control.wait_view("U0ALICE", "Reason")
        workspace.control.submit_view("U0ALICE", view["id"], {"comment": {names.COMMENT: "no claim"}})

    with gate, SlackBot(gate, BotSettings.local(workspace), ping=CALM):
        person = threading.Thread(target=deny)
        person.start()
        with gate.session("c-1", on_behalf_of=None), pytest.raises(Denied) as denied:
            issue_refund("ORD-1", 400, "EUR")
        person.join(PATIENCE)
    assert "no claim" in denied.value.message_for_agent


def test_something_that_is_no_gate_is_refused(workspace: LocalWorkspace) -> None:
    """A bot needs a gate or its service."""
    with pytest.raises(BotFault, match="needs a gate"):
        SlackBot(object(), BotSettings.local(workspace)).start()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_leaves_the_bot_alone(office: Office) -> None:
    """A child of a process with a bot can stop its copy without harm to the parent's."""
    bot = office.open()
    child = os.fork()
    if child == 0:
        bot.stop()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert bot.alive
    record = office.hold()
    office.press("U0ALICE", record, names.APPROVE)
    office.until(record, State.APPROVED)


class _Lingering(SlackBot):
    """Its thread goes on for a moment after its loop has ended."""

    def _run(self) -> None:
        super()._run()
        threading.Event().wait(0.2)


def test_a_bot_whose_loop_has_ended_says_why_it_did_not_start(office: Office) -> None:
    """Stopping what has just failed is no error of its own, also while its thread is still there."""
    wrong = settings(office.workspace, bot_token="xoxb-wrong")
    with pytest.raises(BotFault, match="invalid_auth"):
        _Lingering(office.agent, wrong, transport="socket").start()


def test_a_socket_that_never_says_hello_is_said(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Slack does not open the connection, start fails with what to check."""
    monkeypatch.setattr("bot.socket_mode.CONNECT_SECONDS", 0.5)
    office.control.faults.set("apps.connections.open", kind="delay", seconds=2.0, times=None)
    with pytest.raises(BotFault, match="Socket Mode"):
        SlackBot(office.agent, settings(office.workspace), transport="socket").start()
