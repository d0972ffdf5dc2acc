"""The control API's client: one request, one answer."""

from __future__ import annotations

import json
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

from bot.local_workspace.errors import ControlError
from bot.local_workspace.objects import Json

PATIENCE_SECONDS = 60.0


class Wire:
    """Reads and writes control addresses."""

    def __init__(self, url: str) -> None:
        """Point at a workspace.

        Args:
            url: the workspace's address, as `LocalWorkspace.url`.
        """
        self.url = url.rstrip("/")
        self._opener = build_opener(ProxyHandler({}))

    def get(self, path: str, **query: Any) -> Json:
        """Read one control address."""
        given = {name: value for name, value in query.items() if value is not None}
        return self._send(Request(f"{self.url}/control/{path}?{urlencode(given)}"))  # noqa: S310  loopback only

    def post(self, path: str, body: Json) -> Json:
        """Write to one control address."""
        data = json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        return self._send(Request(f"{self.url}/control/{path}", data=data, headers=headers))  # noqa: S310

    def _send(self, request: Request) -> Json:
        try:
            with self._opener.open(request, timeout=PATIENCE_SECONDS) as answer:
                found: Json = json.load(answer)
                return found
        except HTTPError as refused:
            with refused:
                raise _refusal(refused) from None


def _refusal(answer: HTTPError) -> ControlError:
    raw = answer.read().decode("utf-8", "replace")
    try:
        body = json.loads(raw)
        return ControlError(body["error"], body["message"], answer.code)
    except (ValueError, KeyError, TypeError):
        return ControlError(f"http_{answer.code}", raw[:200] or "no more was said", answer.code)
