"""HTTP delivery: payloads as signed requests to the app's own server."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from aiohttp import ClientSession

from bot.local_workspace.errors import ControlError
from bot.local_workspace.loopback import is_loopback
from bot.local_workspace.objects import Envelope, Json


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What the app's server answered."""

    status: int
    body: Json | None
    no_retry: bool = False


def check_request_url(url: str | None) -> str:
    """Return the address, or refuse one that is not on this machine."""
    parts = urlsplit(url or "")
    if parts.scheme != "http" or not is_loopback(parts.hostname or ""):
        raise ControlError("bad_request", "request_url must be http://127.0.0.1:PORT/…, on this machine.")
    return str(url)


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Return the v0 signature of a request body."""
    base = b"v0:" + timestamp.encode() + b":" + body
    return "v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()


def encode(kind: str, payload: Json) -> tuple[bytes, str]:
    """Return the body and the content type in which Slack sends a payload of this kind."""
    if kind == "events_api":
        return json.dumps(payload).encode(), "application/json"
    form = payload if kind == "slash_commands" else {"payload": json.dumps(payload)}
    return urlencode(form).encode(), "application/x-www-form-urlencoded"


async def post(session: ClientSession, url: str, secret: str, envelope: Envelope, retry: int) -> HttpAnswer:
    """Send one payload, signed, and return the answer.

    Args:
        session: the client to send with.
        url: the app's request URL.
        secret: the signing secret.
        envelope: what to send, with the timestamp it is signed for and headers that replace ours.
        retry: number of the repetition, 0 for the first try (events only).
    """
    body, content_type = encode(envelope.kind, envelope.payload)
    timestamp = str(envelope.timestamp)
    headers = {
        "Content-Type": content_type,
        "X-Slack-Request-Timestamp": timestamp,
        "X-Slack-Signature": signature(secret, timestamp, body),
    }
    if retry:
        headers |= {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"}
    headers |= envelope.headers
    async with session.post(url, data=body, headers=headers, allow_redirects=False) as answer:
        no_retry = answer.headers.get("x-slack-no-retry") == "1"
        return HttpAnswer(answer.status, _json(await answer.text()), no_retry)


def _json(text: str) -> Json | None:
    try:
        value = json.loads(text)
    except ValueError:
        return {"text": text} if text.strip() else None
    return value if isinstance(value, dict) else None
