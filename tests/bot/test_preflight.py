"""The look before the start: each missing thing by name, and every configured id with its real name."""

from __future__ import annotations

from typing import Any

import pytest

from bot.app import SlackBot
from bot.local_workspace import LocalWorkspace
from bot.look import look
from bot.preflight import Report
from bot.scopes import required
from bot.settings import BotFault, BotSettings
from gate.errors import StoreError
from tests.bot.bot_fixtures import CHANNEL, Office, office, office_of, settings

__all__ = ["office", "office_of"]


def looked(office: Office, **changes: Any) -> Report:
    """Look at the workspace for the office's policy and store."""
    bound = office.agent.meta("workspace_team") or ""
    return look(office.agent.policy(), settings(office.workspace, **changes), "socket", bound=bound)


def report(office: Office, **changes: Any) -> str:
    """Return what a look at the workspace says."""
    return "\n".join(looked(office, **changes).lines())


def test_everything_there_is_named(office: Office) -> None:
    """A workspace that has everything: no line is missing, and each id stands with its name."""
    found = looked(office)
    assert found.ok
    told = "\n".join(found.lines())
    for piece in ("workspace T0LOCAL", "channel C0APPROVALS = #approvals", "U0ALICE = alice", "S0FINANCE = "):
        assert piece in told
    assert "missing" not in told


def test_a_look_binds_and_posts_nothing(office: Office) -> None:
    """--check leaves the store unbound and the channel empty."""
    report(office)
    assert office.agent.meta("workspace_team") is None
    assert office.control.messages(CHANNEL) == []


@pytest.mark.parametrize(
    ("changes", "piece"),
    [
        ({"bot_token": ""}, "SLACK_BOT_TOKEN is not set"),
        ({"bot_token": "xoxp-1"}, "no bot token"),
        ({"bot_token": "xoxb-wrong"}, "invalid_auth"),
        ({"app_token": "xoxb-1"}, "SLACK_APP_TOKEN is no app-level token"),
        ({"app_token": "xapp-wrong"}, "apps.connections.open"),
    ],
)
def test_a_token_that_does_not_work_is_named(office: Office, changes: dict[str, str], piece: str) -> None:
    """Missing, wrong and dead tokens are told apart, by the look and at start."""
    assert piece in report(office, **changes)
    with pytest.raises(BotFault, match=piece.split()[0]):
        SlackBot(office.agent, settings(office.workspace, **changes), transport="socket").start()


def test_both_tokens_are_named_and_no_piece_of_either_is_shown(office: Office) -> None:
    """Two tokens that are none are two lines, without what stands in them."""
    found = looked(office, bot_token="sesame-1", app_token="sesame-2").fatal
    named = [line.split()[0] for line in found]
    assert named == ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"]
    assert "sesam" not in str(found)


def test_each_missing_scope_is_named(office: Office, workspace: LocalWorkspace) -> None:
    """Every required scope that is not granted has its own line."""
    workspace.control.set_scopes(["users:read"])
    told = report(office)
    for scope in required() - {"users:read"}:
        assert f"missing  bot scope {scope}" in told


def test_a_channel_that_cannot_be_used_is_named(office: Office, workspace: LocalWorkspace) -> None:
    """Archived, unknown and uninvited channels are told apart."""
    workspace.control.archive(CHANNEL)
    assert "is archived" in report(office)
    workspace.control.unarchive(CHANNEL)
    workspace.control.set_channel(CHANNEL, members=["U0ALICE"], is_private=True)
    assert "channel C0APPROVALS" in report(office).split("missing", 1)[1]
    assert "missing  channel C0NOWHERE" in report(office, channel="C0NOWHERE")


def test_a_shared_channel_is_noted(office: Office, workspace: LocalWorkspace) -> None:
    """A channel in which other workspaces read along is no error, but said."""
    workspace.control.set_channel(CHANNEL, is_ext_shared=True)
    assert "shared with another workspace" in report(office)


@pytest.mark.parametrize(
    ("change", "piece"),
    [
        ({"deleted": True}, "approver U0ALICE is nobody who may approve"),
        ({"is_bot": True}, "approver U0ALICE is nobody who may approve"),
    ],
)
def test_an_approver_who_cannot_approve_is_named(
    office: Office, workspace: LocalWorkspace, change: dict[str, bool], piece: str
) -> None:
    """A configured approver who could never answer is missing."""
    workspace.control.set_user("U0ALICE", **change)
    assert piece in report(office)


def test_an_empty_group_is_named(office: Office, workspace: LocalWorkspace) -> None:
    """A group without members, or that Slack does not tell about, is missing."""
    workspace.control.set_group("S0FINANCE", [])
    assert "S0FINANCE has no members" in report(office)
    workspace.control.set_group("S0FINANCE", ["U0ALICE"], error="plan_upgrade_required")
    assert "plan_upgrade_required" in report(office)


def test_problems_with_people_do_not_keep_the_bot_from_starting(
    office: Office, workspace: LocalWorkspace, caplog: pytest.LogCaptureFixture
) -> None:
    """What concerns single holds is logged; the bot serves the others."""
    workspace.control.set_group("S0FINANCE", [])
    office.open()
    assert "S0FINANCE has no members" in caplog.text


def test_another_workspace_is_refused(office: Office) -> None:
    """A store that belongs to another workspace keeps the bot from starting, and the look says so."""
    office.agent.bind_workspace("T0REAL", "slack.com")
    assert "belongs to the workspace T0REAL" in report(office)
    with pytest.raises(StoreError, match="T0REAL"):
        SlackBot(office.agent, settings(office.workspace), transport="socket").start()


def test_no_token_goes_anywhere_but_to_slack(office: Office) -> None:
    """An address that is not Slack's is refused before any call, unless a local workspace is allowed."""
    before = len(office.control.calls())
    with pytest.raises(BotFault, match="is not Slack"):
        SlackBot(office.agent, settings(office.workspace, allow_local=False), transport="socket").start()
    assert len(office.control.calls()) == before


@pytest.mark.parametrize(
    ("environ", "wanted", "outcome"),
    [
        ({"SLACK_APP_TOKEN": "xapp-1"}, None, "socket"),
        ({"SLACK_SIGNING_SECRET": "s"}, None, "http"),
        ({"SLACK_APP_TOKEN": "xapp-1", "SLACK_SIGNING_SECRET": "s"}, "http", "http"),
        ({"SLACK_APP_TOKEN": "xapp-1", "SLACK_SIGNING_SECRET": "s"}, None, "say --socket or --http"),
        ({}, None, "SLACK_BOT_TOKEN .* is not set. Neither SLACK_APP_TOKEN"),
        ({"SLACK_BOT_TOKEN": "xoxb-1"}, None, "^Neither SLACK_APP_TOKEN"),
        ({"SLACK_APP_TOKEN": "xapp-1"}, "http", "needs SLACK_SIGNING_SECRET"),
    ],
)
def test_how_clicks_arrive_follows_the_settings(environ: dict[str, str], wanted: Any, outcome: str) -> None:
    """One of two secrets decides; both need a word; none is an error that names both."""
    told = BotSettings.read(environ)
    if outcome in ("socket", "http"):
        assert told.transport(wanted) == outcome
        return
    with pytest.raises(BotFault, match=outcome):
        told.transport(wanted)


def test_secrets_stand_in_no_repr() -> None:
    """Printing the settings shows no token."""
    told = repr(BotSettings("xoxb-secret", "xapp-secret", "signing-secret"))
    assert "secret" not in told


@pytest.mark.parametrize("port", ["x", "-1", "70000"])
def test_a_port_that_is_none_is_said(port: str) -> None:
    """GATE_BOT_PORT must be a TCP port."""
    with pytest.raises(BotFault, match="GATE_BOT_PORT"):
        BotSettings.read({"GATE_BOT_PORT": port})
