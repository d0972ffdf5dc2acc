"""Socket Mode: the app's WebSocket connections. Each envelope goes to one of them, with no pattern."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Callable

from aiohttp import WSMsgType, web

from bot.local_workspace.objects import Json
from bot.local_workspace.seed import APP_ID
from bot.local_workspace.state import Workspace

MOST_CONNECTIONS = 10
LIFETIME_SECONDS = 3600

Acked = Callable[[str, Json | None], None]


class SocketHub:
    """The open connections."""

    def __init__(self, workspace: Workspace, acked: Acked) -> None:
        """Start without connections.

        Args:
            workspace: whose tickets are good.
            acked: called with the envelope id and the payload of each acknowledgement.
        """
        self.workspace = workspace
        self.acked = acked
        self.open: dict[str, web.WebSocketResponse] = {}

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection from hello to close."""
        ticket = request.query.get("ticket", "")
        if ticket not in self.workspace.tickets:
            return web.Response(status=403, text="This address was used before, or was never given.")
        self.workspace.tickets.discard(ticket)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        name = secrets.token_hex(4)
        self.open[name] = socket
        try:
            await self._serve(socket)
        finally:
            self.open.pop(name, None)
            self.workspace.changed()
        return socket

    async def _serve(self, socket: web.WebSocketResponse) -> None:
        if len(self.open) > MOST_CONNECTIONS:
            await socket.send_json(_disconnect("too_many_websockets"))
            await socket.close()
            return
        await socket.send_json(self._hello())
        self.workspace.changed()
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                self._received(frame.data)

    def _hello(self) -> Json:
        info: Json = {"host": "local-workspace", "approximate_connection_time": LIFETIME_SECONDS}
        return {
            "type": "hello",
            "num_connections": len(self.open),
            "debug_info": info,
            "connection_info": {"app_id": APP_ID},
        }

    def _received(self, data: str) -> None:
        try:
            frame = json.loads(data)
        except ValueError:
            return
        if isinstance(frame, dict) and isinstance(frame.get("envelope_id"), str):
            payload = frame.get("payload")
            self.acked(frame["envelope_id"], payload if isinstance(payload, dict) else None)

    async def send(self, envelope: Json) -> str | None:
        """Send an envelope over one connection chosen at random.

        Returns:
            The connection's name, or None if there is none.
        """
        names = [name for name, socket in self.open.items() if not socket.closed]
        random.shuffle(names)
        for name in names:
            try:
                await self.open[name].send_json(envelope)
            except (ConnectionError, RuntimeError):
                continue
            return name
        return None

    async def disconnect(self, reason: str, *, abort: bool, close: bool) -> int:
        """Tell every connection to go, as Slack does before it recycles one.

        Args:
            reason: the reason in the frame.
            abort: cut the TCP connection with no frame at all.
            close: close the socket after the frame.

        Returns:
            How many connections were told.
        """
        told = list(self.open.values())
        for socket in told:
            if abort:
                _abort(socket)
                continue
            await socket.send_json(_disconnect(reason))
            if close:
                await socket.close()
        return len(told)


def _abort(socket: web.WebSocketResponse) -> None:
    transport = socket._req.transport if socket._req is not None else None
    if transport is not None:
        transport.abort()


def _disconnect(reason: str) -> Json:
    return {"type": "disconnect", "reason": reason, "debug_info": {"host": "local-workspace"}}
