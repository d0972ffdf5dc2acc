"""Tell Slack's errors apart: what will never work, what may work later, and what may have worked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.pacing import asked_to_wait

Kind = Literal["target", "app", "transient", "ambiguous"]

APP = frozenset(
    {
        "invalid_auth",
        "token_revoked",
        "token_expired",
        "account_inactive",
        "not_authed",
        "access_denied",
        "no_permission",
        "org_login_required",
        "ekm_access_denied",
        "team_access_not_granted",
        "not_allowed_token_type",
    }
)
TRANSIENT = frozenset(
    {"ratelimited", "rate_limited", "request_timeout", "service_unavailable", "team_added_to_org"}
)
AMBIGUOUS = frozenset({"fatal_error", "internal_error"})

CALL_FAILURES = (SlackClientError, aiohttp.ClientError, asyncio.TimeoutError, OSError)
"""Everything that a call of Slack's Web API may raise on its own account."""
ANSWER_FAILURES = (*CALL_FAILURES, AttributeError, LookupError, TypeError, ValueError)
"""The same, and what comes of an answer that is not in Slack's form; for where one call alone is tried."""


class UnreadableAnswer(SlackClientError):
    """Say that Slack took a call and did not say in a form of its own what came of it."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What went wrong with one call.

    Attributes:
        kind: ``target`` (never, for this channel, message or person), ``app`` (never, for this token),
            ``transient`` (not done, may work later), ``ambiguous`` (may have been done).
        code: Slack's error name, or a word of ours.
        retry_after: Seconds that Slack asks to wait; 0 where it says nothing.
    """

    kind: Kind
    code: str
    retry_after: float = 0.0

    @property
    def permanent(self) -> bool:
        """Tell whether trying again cannot help."""
        return self.kind in ("target", "app")


def trouble(error: BaseException) -> Trouble:
    """Return what an error of a Web API call means."""
    if isinstance(error, SlackApiError):
        return _answered(error)
    if isinstance(error, aiohttp.ClientConnectorError):
        return Trouble("transient", "cannot_connect")
    answered = isinstance(error, UnreadableAnswer) or not isinstance(error, CALL_FAILURES)
    return Trouble("ambiguous", "unreadable_answer" if answered else "no_answer")


def _answered(error: SlackApiError) -> Trouble:
    response = error.response
    status = int(getattr(response, "status_code", 0) or getattr(response, "status", 0) or 200)
    data = getattr(response, "data", None)
    code = str(data.get("error", "")) if isinstance(data, dict) else ""
    if status == 429 or code in ("ratelimited", "rate_limited"):
        return Trouble("transient", "ratelimited", asked_to_wait(getattr(response, "headers", {})))
    if status >= 500:
        return Trouble("ambiguous", code or f"http_{status}")
    return Trouble(_kind(code), code or "unreadable_answer")


def _kind(code: str) -> Kind:
    if code in APP:
        return "app"
    if code in TRANSIENT:
        return "transient"
    return "ambiguous" if code in AMBIGUOUS or not code else "target"
