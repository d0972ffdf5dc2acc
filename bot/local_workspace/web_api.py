"""The Web API over HTTP: tokens, scopes, bodies, faults and the log of calls around the methods."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from aiohttp import web

from bot.local_workspace.errors import SlackError
from bot.local_workspace.faults import Fault, Faults
from bot.local_workspace.methods import METHODS, Args, Method
from bot.local_workspace.methods.registry import need_scope
from bot.local_workspace.objects import Json
from bot.local_workspace.state import Workspace


class WebApi:
    """Answers POST and GET /api/{method}."""

    def __init__(self, workspace: Workspace, faults: Faults) -> None:
        self.workspace = workspace
        self.faults = faults

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one call."""
        name = request.match_info["method"]
        given = await _arguments(request)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or given.pop("token", "")
        call = self._log(name, given)
        channel = given.get("channel")
        faults: dict[str, Fault] = {
            each.kind: each for each in self.faults.take(name, channel if isinstance(channel, str) else None)
        }
        if delay := faults.get("delay"):
            await asyncio.sleep(delay.seconds)
        if held := faults.get("hold"):
            await held.over.wait()
        failure = self._failure(request, faults, call)
        if failure is not None:
            return failure
        answer = self._answer(name, given, token, call)
        if "drop_after_accept" in faults:
            call["status"] = None
            return _dropped(request)
        return web.json_response(answer, headers=self._headers(name))

    def _failure(
        self, request: web.Request, faults: dict[str, Fault], call: Json
    ) -> web.StreamResponse | None:
        if "drop_before_accept" in faults:
            call["status"] = None
            return _dropped(request)
        if "http_500" in faults:
            call |= {"status": 500, "error": "http_500"}
            return web.Response(status=500, text="The server failed.")
        if fault := faults.get("ratelimit"):
            call |= {"status": 429, "error": "ratelimited"}
            headers = {"Retry-After": str(fault.retry_after)}
            return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=headers)
        if fault := faults.get("error"):
            call["error"] = fault.error
            return web.json_response(
                {"ok": False, "error": fault.error}, headers=self._headers(call["method"])
            )
        return None

    def _answer(self, name: str, given: Json, token: str, call: Json) -> Json:
        try:
            method = METHODS.get(name)
            if method is None:
                raise SlackError("unknown_method", req_method=name)
            self._check_token(method, token)
            if method.scope:
                need_scope(self.workspace, method.scope)
            answer = {"ok": True, **method.run(self.workspace, Args(given))}
        except SlackError as refused:
            answer = {"ok": False, "error": refused.error, **refused.more}
        call |= {"ok": answer["ok"], "error": answer.get("error")}
        return answer

    def _check_token(self, method: Method, token: str) -> None:
        known = self.workspace.secrets
        if not token:
            raise SlackError("not_authed")
        if token not in (known.bot_token, known.app_token):
            raise SlackError("invalid_auth")
        kind = "bot" if token == known.bot_token else "app"
        status = known.bot_status if kind == "bot" else known.app_status
        if status != "valid":
            raise SlackError(status)
        if kind != method.caller:
            raise SlackError("not_allowed_token_type")

    def _headers(self, name: str) -> dict[str, str]:
        method = METHODS.get(name)
        scopes = self.workspace.scopes if method is None or method.caller == "bot" else ["connections:write"]
        headers = {"x-oauth-scopes": ",".join(scopes)}
        if method is not None and method.scope:
            headers["x-accepted-oauth-scopes"] = method.scope
        return headers

    def _log(self, name: str, given: Json) -> Json:
        calls = self.workspace.calls
        args = {key: value for key, value in given.items() if key != "token"}
        call: Json = {"n": len(calls) + 1, "method": name, "args": args, "at": self.workspace.clock()}
        call |= {"ok": False, "error": None, "status": 200}
        calls.append(call)
        return call


def _dropped(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


async def _arguments(request: web.Request) -> dict[str, Any]:
    given: dict[str, Any] = dict(request.query)
    if request.content_type == "application/json":
        try:
            body = json.loads(await request.text() or "{}")
        except ValueError:
            body = {}
        return {**given, **body} if isinstance(body, dict) else given
    form = await request.post()
    return {**given, **{name: value for name, value in form.items() if isinstance(value, str)}}
