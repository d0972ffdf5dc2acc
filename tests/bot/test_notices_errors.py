"""Slack's errors told apart, and messages spaced out."""

from __future__ import annotations

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.pacing import BURST, Pacer
from bot.slack_errors import Kind, trouble


def answered(error: str, status: int = 200, retry_after: str | None = None) -> SlackApiError:
    """Return what the client raises for an answer of Slack's."""
    response = AsyncSlackResponse(
        client=None,
        http_verb="POST",
        api_url="chat.postMessage",
        req_args={},
        data={"ok": False, "error": error},
        headers={"Retry-After": retry_after} if retry_after else {},
        status_code=status,
    )
    return SlackApiError("x", response)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("channel_not_found", "target"),
        ("not_in_channel", "target"),
        ("is_archived", "target"),
        ("invalid_blocks", "target"),
        ("msg_too_long", "target"),
        ("msg_blocks_too_long", "target"),
        ("missing_scope", "target"),
        ("an_error_of_next_year", "target"),
        ("invalid_auth", "app"),
        ("token_revoked", "app"),
        ("account_inactive", "app"),
        ("ratelimited", "transient"),
        ("request_timeout", "transient"),
        ("service_unavailable", "transient"),
        ("fatal_error", "ambiguous"),
        ("internal_error", "ambiguous"),
    ],
)
def test_each_error_has_its_kind(error: str, kind: Kind) -> None:
    """Permanent, passing and ambiguous errors are told apart by name."""
    found = trouble(answered(error))
    assert found.kind == kind
    assert found.permanent == (kind in ("target", "app"))


def test_a_server_error_may_have_been_done() -> None:
    """5xx is ambiguous whatever the body says."""
    assert trouble(answered("channel_not_found", 503)).kind == "ambiguous"


@pytest.mark.parametrize(("header", "seconds"), [("7", 7.0), (None, 1.0), ("soon", 1.0), ("99999", 3600.0)])
def test_a_rate_limit_says_how_long(header: str | None, seconds: float) -> None:
    """Retry-After is followed within bounds."""
    assert trouble(answered("ratelimited", 429, header)).retry_after == seconds


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutError(), "ambiguous"),
        (aiohttp.ServerDisconnectedError(), "ambiguous"),
        (ConnectionResetError(), "ambiguous"),
    ],
)
def test_a_broken_call_may_have_been_done(error: BaseException, kind: Kind) -> None:
    """Timeouts and dropped connections are ambiguous."""
    assert trouble(error).kind == kind


def test_a_channel_takes_a_burst_and_then_one_a_second() -> None:
    """A few messages go at once, later ones wait their turn; other channels are not held up."""
    now = [0.0]
    pacer = Pacer(lambda: now[0])
    assert [pacer.take("C1") for _ in range(BURST + 2)] == [0.0] * BURST + [1.0, 2.0]
    assert pacer.take("C2") == 0.0
    now[0] = 100.0
    assert pacer.take("C1") == 0.0


def test_a_closed_channel_waits_as_long_as_slack_says() -> None:
    """After a rate limit nothing goes into the channel before its time."""
    now = [0.0]
    pacer = Pacer(lambda: now[0])
    pacer.close("C1", 30)
    assert pacer.take("C1") == 30.0
    now[0] = 31.0
    assert pacer.take("C1") == 0.0


def test_who_is_sent_back_takes_no_place() -> None:
    """A hundred messages at once all get into the channel, one a second, however often they come back."""
    now = [0.0]
    pacer = Pacer(lambda: now[0])
    due = [(0.0, number) for number in range(100)]
    let_in = 0
    while due and now[0] < 200:
        due.sort()
        at, number = due.pop(0)
        now[0] = max(now[0], at)
        wait = pacer.take("C1", 10.0)
        if wait <= 10.0:
            let_in += 1
        else:
            due.append((now[0] + wait, number))
    assert let_in == 100
