"""Receive clicks over HTTP: signed requests that Slack sends to ``POST /slack/events``."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus

from aiohttp import web
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.signature import Clock, SignatureVerifier

from bot.settings import BotFault

log = logging.getLogger("bot")

LARGEST_BODY = 1_000_000
WINDOW = 300
"""Seconds by which a request's time may differ from ours."""


class HttpMode:
    """Listen for Slack's requests.

    Args:
        app: The bolt app.
        signing_secret: Secret by which Slack signs.
        host: Address to listen on.
        port: TCP port; 0 takes a free one.
        health: Says whether the bot works.
    """

    def __init__(
        self,
        app: AsyncApp,
        signing_secret: str,
        host: str,
        port: int,
        health: Callable[[], Awaitable[dict[str, object]]],
    ) -> None:
        self._app, self._health = app, health
        self._verifier = SignatureVerifier(signing_secret)
        self._clock = Clock()
        self._host, self._port = host, port
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen.

        Raises:
            BotFault: The address is taken.
        """
        site_app = web.Application(client_max_size=LARGEST_BODY)
        site_app.add_routes([web.post("/slack/events", self._events), web.get("/health", self._tell)])
        self._runner = web.AppRunner(site_app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._host, self._port).start()
        except OSError as error:
            await self._runner.cleanup()
            raise BotFault(
                f"The bot cannot listen on {self._host}:{self._port} ({error.strerror}): "
                "set GATE_BOT_HOST and GATE_BOT_PORT."
            ) from error

    async def stop(self) -> None:
        """Stop listening; requests in hand are finished."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def healthy(self) -> bool:
        """Tell whether clicks can arrive now."""
        return self._runner is not None and bool(self._runner.addresses)

    @property
    def address(self) -> str:
        """Return where it listens, as ``http://HOST:PORT``."""
        port = self._runner.addresses[0][1] if self._runner and self._runner.addresses else self._port
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{port}"

    async def _tell(self, request: web.Request) -> web.Response:
        found = await self._health()
        return web.json_response(found, status=200 if found.get("ok") else HTTPStatus.SERVICE_UNAVAILABLE)

    async def _events(self, request: web.Request) -> web.Response:
        if (request.content_length or 0) > LARGEST_BODY:
            return _refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too large")
        raw = await request.read()
        try:
            body = raw.decode("utf-8")
        except UnicodeDecodeError:
            return _refused(HTTPStatus.BAD_REQUEST, "not UTF-8")
        if not self._signed(request, body):
            return _refused(HTTPStatus.UNAUTHORIZED, "not signed by Slack, or too old")
        return await self._dispatch(request, body)

    def _signed(self, request: web.Request, body: str) -> bool:
        timestamp = request.headers.get("X-Slack-Request-Timestamp", "")
        signature = request.headers.get("X-Slack-Signature", "")
        if not (
            timestamp.isascii() and timestamp.isdecimal() and len(timestamp) < 20 and signature.isascii()
        ):
            return False
        if abs(self._clock.now() - int(timestamp)) > WINDOW:
            return False
        return bool(self._verifier.is_valid(body, timestamp, signature))

    async def _dispatch(self, request: web.Request, body: str) -> web.Response:
        headers: dict[str, str | Sequence[str]] = dict(request.headers)
        try:
            asked = AsyncBoltRequest(body=body, query=request.query_string, headers=headers)
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
            return _refused(HTTPStatus.BAD_REQUEST, "not a payload of Slack's")
        try:
            answer = await self._app.async_dispatch(asked)
        except Exception as error:
            log.error("A request of Slack's could not be read: %s", type(error).__name__)
            return _refused(HTTPStatus.BAD_REQUEST, "not a payload this bot reads")
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return _refused(HTTPStatus.BAD_REQUEST, "not a payload this bot reads")
        kind = (answer.headers.get("content-type") or ["text/plain;charset=utf-8"])[0]
        return web.Response(
            status=answer.status, body=(answer.body or "").encode(), headers={"Content-Type": kind}
        )


def _refused(status: HTTPStatus, why: str) -> web.Response:
    return web.Response(status=status, text=f"Refused: {why}.")
