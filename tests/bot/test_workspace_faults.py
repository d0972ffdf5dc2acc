"""The fault switches make the Web API fail as Slack can."""

from __future__ import annotations

import threading
from http.client import HTTPException

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web import WebClient

from bot.local_workspace import ControlError, LocalWorkspace
from tests.bot.workspace_blocks import CHANNEL
from tests.patience import PATIENCE


def test_a_rate_limit_says_when_to_come_back(workspace: LocalWorkspace, client: WebClient) -> None:
    """429 with Retry-After, for this method and channel only, and only so often."""
    workspace.control.faults.set("chat.postMessage", channel=CHANNEL, kind="ratelimit", retry_after=7)
    assert client.chat_postMessage(channel="C0PRIVATE", text="other channel")["ok"]
    assert client.auth_test()["ok"]
    with pytest.raises(SlackApiError) as refusal:
        client.chat_postMessage(channel=CHANNEL, text="x")
    assert refusal.value.response.status_code == 429
    assert refusal.value.response.headers["Retry-After"] == "7"
    assert client.chat_postMessage(channel=CHANNEL, text="x")["ok"]


def test_accepted_and_then_dropped(workspace: LocalWorkspace, client: WebClient) -> None:
    """The caller sees a broken connection, and the message is there."""
    workspace.control.faults.set("chat.postMessage", kind="drop_after_accept")
    with pytest.raises((OSError, HTTPException)):
        client.chat_postMessage(channel=CHANNEL, text="once")
    assert [each["text"] for each in workspace.control.messages(CHANNEL)] == ["once"]
    call = workspace.control.calls("chat.postMessage")[-1]
    assert call["ok"]
    assert call["status"] is None


def test_dropped_before(workspace: LocalWorkspace, client: WebClient) -> None:
    """The caller sees the same, and nothing happened."""
    workspace.control.faults.set("chat.postMessage", kind="drop_before_accept")
    with pytest.raises((OSError, HTTPException)):
        client.chat_postMessage(channel=CHANNEL, text="never")
    assert workspace.control.messages(CHANNEL) == []


def test_errors_and_500s_until_they_are_cleared(workspace: LocalWorkspace, client: WebClient) -> None:
    """An error for ever ends with clear(); a 500 is not JSON."""
    workspace.control.faults.set("chat.update", kind="error", error="fatal_error", times=None)
    ts = client.chat_postMessage(channel=CHANNEL, text="x")["ts"]
    for _number in range(3):
        with pytest.raises(SlackApiError, match="fatal_error"):
            client.chat_update(channel=CHANNEL, ts=ts, text="y")
    workspace.control.faults.clear()
    assert client.chat_update(channel=CHANNEL, ts=ts, text="y")["ok"]
    workspace.control.faults.set(kind="http_500")
    with pytest.raises(SlackApiError) as broken:
        client.auth_test()
    assert broken.value.response.status_code == 500


def test_a_delay_is_seen_by_the_caller_only(workspace: LocalWorkspace, client: WebClient) -> None:
    """A caller with little patience gives up; the call is done all the same."""
    workspace.control.faults.set("chat.postMessage", kind="delay", seconds=2)
    hasty = WebClient(client.token, base_url=workspace.api_url, retry_handlers=[], timeout=0.5)  # type: ignore[arg-type]
    with pytest.raises(TimeoutError):
        hasty.chat_postMessage(channel=CHANNEL, text="slow")
    assert workspace.control.wait_message(CHANNEL, "slow")


def test_a_fault_is_counted_once_under_many_callers(workspace: LocalWorkspace) -> None:
    """Of eight calls at once exactly three fail."""
    workspace.control.faults.set("chat.postMessage", kind="error", error="service_unavailable", times=3)
    failed: list[str] = []

    def call() -> None:
        web = WebClient(workspace.bot_token, base_url=workspace.api_url, retry_handlers=[])
        try:
            web.chat_postMessage(channel=CHANNEL, text="x")
        except SlackApiError as refusal:
            failed.append(refusal.response["error"])

    threads = [threading.Thread(target=call) for _number in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(PATIENCE)
    assert failed == ["service_unavailable"] * 3
    assert len(workspace.control.messages(CHANNEL)) == 5


def test_a_wrong_switch_is_refused(workspace: LocalWorkspace) -> None:
    """An unknown kind, field or setting is refused with what would be right."""
    with pytest.raises(ControlError, match="kind must be one of"):
        workspace.control.faults.set(kind="earthquake")
    with pytest.raises(ControlError, match="No such field"):
        workspace.control.faults.set(kind="delay", minutes=3)
    with pytest.raises(ControlError, match="No such setting"):
        workspace.control.settings(gravity=9.81)
    with pytest.raises(ControlError, match="reason must be one of"):
        workspace.control.disconnect("tired")
