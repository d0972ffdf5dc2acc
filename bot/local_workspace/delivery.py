"""Sending payloads to the app over the chosen transport, and what becomes of each."""

from __future__ import annotations

import asyncio
import copy
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import ClientError, ClientSession

from bot.local_workspace.http_delivery import HttpAnswer, check_request_url, post
from bot.local_workspace.objects import Envelope, Json, TroubleKind
from bot.local_workspace.socket_mode import SocketHub
from bot.local_workspace.state import Workspace

OnAck = Callable[[Json, Envelope], None]

RETRY_AFTER_SECONDS = (0.0, 60.0, 300.0)
SILENT = "The app did not answer within 3 seconds. Try again."
LATE = "The app answered too late; its answer was dropped."
NOBODY = "The app is not connected, so nothing reached it. Try again later."
BROKEN = "The app's server answered with an error. Try again later."


@dataclass(slots=True)
class Transport:
    """Over which way payloads go."""

    kind: str = "socket"
    request_url: str | None = None


@dataclass(slots=True)
class Waiting:
    """One delivery whose acknowledgement has not come yet."""

    envelope: Envelope
    started: float
    on_ack: OnAck | None
    over: bool = False
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Courier:
    """Delivers payloads and keeps the log of them."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.hub = SocketHub(workspace, self._acked)
        self.transport = Transport()
        self.copies = 1
        self.session: ClientSession | None = None
        self._waiting: dict[str, Waiting] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def use(self, kind: str, request_url: str | None) -> None:
        """Choose the transport: "socket", or "http" to a request URL on this machine."""
        url = check_request_url(request_url) if kind == "http" else None
        self.transport = Transport(kind, url)
        self.workspace.changed()

    async def deliver(
        self,
        kind: str,
        payload: Json,
        *,
        user: str | None = None,
        on_ack: OnAck | None = None,
        timestamp: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Json:
        """Deliver one payload and wait for its acknowledgement.

        Args:
            kind: interactive, slash_commands or events_api.
            payload: what Slack would send.
            user: the person whose act it is; warnings are shown to them.
            on_ack: called with the answer's body at the moment it comes, before anything else that the
                app sends can be handled.
            timestamp: what the HTTP request is signed for. Default: now, in seconds since the epoch.
            headers: HTTP headers that replace those of the workspace.

        Returns:
            The `Result` of the control API.
        """
        envelope = self._log(kind, payload, user)
        envelope.timestamp = timestamp
        envelope.headers = headers or {}
        await self._attempt(envelope, on_ack=on_ack)
        if kind == "events_api" and not (envelope.acked or envelope.no_retry):
            self._later(envelope)
        return self.result(envelope)

    async def again(self, number: int) -> Json:
        """Deliver an earlier envelope once more: the same id, over HTTP the same signed request."""
        old = self.workspace.envelopes[number]
        envelope = self._log(old.kind, old.payload, old.user, old.envelope_id)
        envelope.timestamp, envelope.headers = old.timestamp, old.headers
        await self._attempt(envelope)
        return self.result(envelope)

    def result(self, envelope: Envelope) -> Json:
        """Return an envelope's fate as the control API's `Result`."""
        return {
            "ok": True,
            "delivered": envelope.delivered,
            "acked": envelope.acked,
            "ack_ms": envelope.ack_ms,
            "trouble": envelope.trouble,
            "envelope_id": envelope.envelope_id,
            "body": envelope.body,
            "http_status": envelope.http_status,
        }

    def fail(self, envelope: Envelope, kind: TroubleKind, text: str) -> None:
        """Record that a delivered payload's answer was no good."""
        envelope.trouble = self.workspace.trouble(envelope.user, kind, text)

    async def close(self) -> None:
        """Stop what still runs."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.session is not None:
            await self.session.close()

    def _log(self, kind: str, payload: Json, user: str | None, envelope_id: str | None = None) -> Envelope:
        envelope = Envelope(
            envelope_id=envelope_id or str(uuid.uuid4()),
            kind=kind,
            type=str(payload.get("type") or payload.get("command") or ""),
            payload=copy.deepcopy(payload),
            at=self.workspace.clock(),
            user=user,
            copies=self.copies,
        )
        self.workspace.envelopes.append(envelope)
        return envelope

    async def _attempt(self, envelope: Envelope, retry: int = 0, on_ack: OnAck | None = None) -> None:
        waiting = Waiting(envelope, time.monotonic(), on_ack)
        if self.transport.kind == "http":
            await self._over_http(waiting, retry)
        else:
            await self._over_socket(waiting, retry)
        self.workspace.changed()

    # ---- Socket Mode

    async def _over_socket(self, waiting: Waiting, retry: int) -> None:
        envelope = waiting.envelope
        self._waiting[envelope.envelope_id] = waiting
        for _copy in range(envelope.copies):
            connection = await self.hub.send(_frame(envelope, retry))
            if connection is not None:
                envelope.connections.append(connection)
        envelope.delivered = bool(envelope.connections)
        if not envelope.delivered:
            waiting.over = True
            self._trouble(envelope, "not_delivered", NOBODY)
            return
        try:
            async with asyncio.timeout(self.workspace.settings.ack_seconds):
                await waiting.ended.wait()
        except TimeoutError:
            waiting.over = True
            self._trouble(envelope, "missing_ack", SILENT)

    def _acked(self, envelope_id: str, payload: Json | None) -> None:
        waiting = self._waiting.get(envelope_id)
        if waiting is None or waiting.over:
            self._too_late(envelope_id)
        elif not waiting.ended.is_set():
            self._ack(waiting, payload)
            waiting.ended.set()

    def _too_late(self, envelope_id: str) -> None:
        for envelope in self.workspace.envelopes:
            if envelope.envelope_id == envelope_id and not envelope.acked:
                envelope.late = True
                self._trouble(envelope, "late_ack", LATE)

    # ---- HTTP

    async def _over_http(self, waiting: Waiting, retry: int) -> None:
        envelope = waiting.envelope
        self.session = self.session or ClientSession()
        envelope.timestamp = envelope.timestamp or str(int(self.workspace.clock()))
        url, secret = str(self.transport.request_url), self.workspace.secrets.signing_secret
        copies = [post(self.session, url, secret, envelope, retry) for _copy in range(envelope.copies)]
        try:
            async with asyncio.timeout(self.workspace.settings.ack_seconds):
                answer, *_ = await asyncio.gather(*copies)
        except TimeoutError:
            envelope.delivered = True
            self._trouble(envelope, "missing_ack", SILENT)
        except (ClientError, OSError):
            self._trouble(envelope, "not_delivered", NOBODY)
        else:
            self._answered(waiting, answer)

    def _answered(self, waiting: Waiting, answer: HttpAnswer) -> None:
        envelope = waiting.envelope
        envelope.delivered, envelope.http_status, envelope.no_retry = True, answer.status, answer.no_retry
        if answer.status == 200:
            self._ack(waiting, answer.body)
        else:
            envelope.body = answer.body
            self._trouble(envelope, "http_error", f"{BROKEN} (HTTP {answer.status})")

    # ---- both

    def _ack(self, waiting: Waiting, body: Json | None) -> None:
        envelope = waiting.envelope
        envelope.acked = True
        envelope.ack_ms = round((time.monotonic() - waiting.started) * 1000, 3)
        envelope.body = body
        if waiting.on_ack is not None:
            waiting.on_ack(body or {}, envelope)

    def _trouble(self, envelope: Envelope, kind: TroubleKind, text: str) -> None:
        envelope.trouble = text
        if envelope.kind != "events_api":
            self.workspace.trouble(envelope.user, kind, text)

    def _later(self, envelope: Envelope) -> None:
        task = asyncio.get_running_loop().create_task(self._retry_event(envelope))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _retry_event(self, envelope: Envelope) -> None:
        """Repeat an event as the Events API does; clicks and commands are never repeated."""
        for retry, seconds in enumerate(RETRY_AFTER_SECONDS, start=1):
            await asyncio.sleep(seconds)
            envelope.timestamp = None
            await self._attempt(envelope, retry)
            if envelope.acked or envelope.no_retry:
                return


def _frame(envelope: Envelope, retry: int) -> Json:
    accepts = envelope.kind == "slash_commands" or envelope.type in ("view_submission", "block_suggestion")
    frame: Json = {
        "envelope_id": envelope.envelope_id,
        "type": envelope.kind,
        "payload": envelope.payload,
        "accepts_response_payload": accepts,
    }
    if envelope.kind == "events_api":
        frame |= {"retry_attempt": retry, "retry_reason": "timeout" if retry else ""}
    return frame
