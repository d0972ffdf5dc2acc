"""The control API: what the page and the tests see and do. JSON over HTTP below /control/."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from aiohttp import web

from bot.local_workspace.delivery import Courier
from bot.local_workspace.errors import ControlError
from bot.local_workspace.faults import Faults
from bot.local_workspace.objects import Json
from bot.local_workspace.people import People
from bot.local_workspace.render import as_control
from bot.local_workspace.shown import state, views_of
from bot.local_workspace.state import Workspace
from bot.local_workspace.switches import Switches

LONGEST_WAIT = 60.0
BURST_SECONDS = 0.02

Act = Callable[[Json], Awaitable[Json] | Json]


class ControlApi:
    """The routes below /control/."""

    def __init__(self, workspace: Workspace, courier: Courier, faults: Faults) -> None:
        self.workspace = workspace
        self.courier = courier
        self.people = People(workspace, courier)
        self.switches = Switches(workspace, courier, faults)

    def routes(self) -> list[web.RouteDef]:
        """Return all routes."""
        people = self.people
        acts: dict[str, Act] = {
            "click": people.click,
            "click_view": people.click_view,
            "submit_view": people.submit,
            "close_view": people.close_view,
            "set_input": people.set_input,
            "slash": people.slash,
            "open_home": people.open_home,
            "say": self._say,
            "dismiss": people.dismiss,
            **self.switches.acts(),
        }
        return [
            web.get("/control/state", self._state),
            web.get("/control/changes", self._changes),
            web.get("/control/live", self._live),
            web.get("/control/messages", self._messages),
            web.get("/control/views", self._views),
            web.get("/control/calls", self._calls),
            web.get("/control/envelopes", self._envelopes),
            *(web.post(f"/control/{name}", _post(act)) for name, act in acts.items()),
        ]

    def _say(self, given: Json) -> Json:
        return {"ok": True, "message": as_control(self.workspace, self.people.say(given))}

    async def _state(self, request: web.Request) -> web.Response:
        as_user = request.query.get("as_user") or None
        if as_user is not None:
            self.people.person(as_user, forge=True)
        return web.json_response(state(self.workspace, self.courier, as_user))

    async def _changes(self, request: web.Request) -> web.Response:
        try:
            since = int(request.query.get("since", "0"))
            seconds = min(float(request.query.get("timeout", "25")), LONGEST_WAIT)
        except ValueError:
            raise ControlError("bad_request", "since and timeout must be numbers.") from None
        return web.json_response({"counter": await self.workspace.wait_for_change(since, seconds)})

    async def _live(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(heartbeat=20)
        await socket.prepare(request)
        teller = asyncio.get_running_loop().create_task(self._tell(socket))
        try:
            async for _frame in socket:
                pass
        finally:
            teller.cancel()
            await asyncio.gather(teller, return_exceptions=True)
        return socket

    async def _tell(self, socket: web.WebSocketResponse) -> None:
        told = -1
        while not socket.closed:
            if self.workspace.counter > told:
                told = self.workspace.counter
                await socket.send_json({"counter": told})
                await asyncio.sleep(BURST_SECONDS)
            else:
                await self.workspace.wait_for_change(told, LONGEST_WAIT)

    async def _messages(self, request: web.Request) -> web.Response:
        channel = request.query.get("channel", "")
        if channel not in self.workspace.channels:
            raise ControlError("channel_not_found", f"There is no channel {channel!r}.", 404)
        found = [
            as_control(self.workspace, each)
            for each in self.workspace.messages.values()
            if each.channel == channel and each.ephemeral_for is None
        ]
        return web.json_response({"ok": True, "messages": sorted(found, key=lambda each: str(each["ts"]))})

    async def _views(self, request: web.Request) -> web.Response:
        """Answer with one person's windows alone: the whole state of a long-lived workspace is large."""
        user = request.query.get("user", "")
        self.people.person(user, forge=True)
        return web.json_response({"ok": True, "views": views_of(self.workspace, user)})

    async def _calls(self, request: web.Request) -> web.Response:
        wanted = request.query.get("method")
        calls = [each for each in self.workspace.calls if wanted in (None, "", each["method"])]
        return web.json_response({"ok": True, "calls": calls})

    async def _envelopes(self, request: web.Request) -> web.Response:
        shown = [asdict(each) for each in self.workspace.envelopes]
        for each in shown:
            each["connection"] = each["connections"][-1] if each["connections"] else None
        return web.json_response({"ok": True, "envelopes": shown})


def _post(act: Act) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def handle(request: web.Request) -> web.StreamResponse:
        try:
            given: Any = await request.json()
        except ValueError:
            given = None
        if not isinstance(given, dict) or request.content_type != "application/json":
            raise ControlError("bad_request", "The body must be a JSON object, sent as application/json.")
        try:
            answer = act(given)
            return web.json_response(answer if isinstance(answer, dict) else await answer)
        except KeyError as missing:
            raise ControlError("bad_request", f"The field {missing} is missing.") from None

    return handle


@web.middleware
async def refusals(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Answer a ControlError as JSON."""
    try:
        return await handler(request)
    except ControlError as refused:
        answer = {"ok": False, "error": refused.code, "message": refused.message}
        return web.json_response(answer, status=refused.status)
