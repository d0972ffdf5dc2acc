"""response_url: an app's answers to one interaction, a few times and for a while."""

from __future__ import annotations

import json

from aiohttp import web

from bot.local_workspace.errors import SlackError
from bot.local_workspace.inputs import name_blocks
from bot.local_workspace.limits import check_message_blocks
from bot.local_workspace.objects import Json, Message, ResponseUrl
from bot.local_workspace.seed import BOT_USER_ID
from bot.local_workspace.state import Workspace


class ResponseUrls:
    """Answers POST /response/{name}."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    async def handle(self, request: web.Request) -> web.Response:
        """Take one answer."""
        name = request.match_info["name"]
        call: Json = {
            "n": len(self.workspace.calls) + 1,
            "method": "response_url",
            "at": self.workspace.clock(),
        }
        call |= {"args": {}, "ok": True, "error": None, "status": 200}
        self.workspace.calls.append(call)
        try:
            leave = self._leave(name)
            call["args"] = given = await _body(request)
            self._apply(leave, given)
        except SlackError as refused:
            status = 404 if refused.error in ("used_url", "expired_url", "invalid_url") else 400
            call |= {"ok": False, "error": refused.error, "status": status}
            return web.json_response({"ok": False, "error": refused.error, **refused.more}, status=status)
        leave.uses += 1
        return web.Response(text="ok")

    def _leave(self, name: str) -> ResponseUrl:
        leave = self.workspace.response_urls.get(name)
        if leave is None:
            raise SlackError("invalid_url")
        if self.workspace.clock() - leave.born > self.workspace.settings.response_url_seconds:
            raise SlackError("expired_url")
        if leave.uses >= self.workspace.settings.response_url_uses:
            raise SlackError("used_url")
        return leave

    def _apply(self, leave: ResponseUrl, given: Json) -> None:
        original = self.workspace.find_message(leave.channel, leave.ts or "")
        if given.get("delete_original") in (True, "true"):
            if original is not None:
                self.workspace.delete_message(original)
            return
        text, blocks = _content(given)
        if original is not None and _replaces(given):
            self._replace(original, text, blocks)
            return
        only_for = None if given.get("response_type") == "in_channel" else leave.user
        thread_ts = given.get("thread_ts") or None
        self.workspace.post_as_app(leave.channel, text, blocks, ephemeral_for=only_for, thread_ts=thread_ts)

    def _replace(self, original: Message, text: str, blocks: list[Json]) -> None:
        original.put(text, blocks)
        original.edited = {"user": BOT_USER_ID, "ts": self.workspace.new_ts()}
        self.workspace.changed()


def _replaces(given: Json) -> bool:
    """Return whether an answer replaces the message: if it says so, or says nothing of where it goes."""
    wish = given.get("replace_original")
    return wish in (True, "true") if wish is not None else "response_type" not in given


def _content(given: Json) -> tuple[str, list[Json]]:
    blocks = given.get("blocks") or []
    check_message_blocks(blocks)
    if any(each["type"] == "markdown" for each in blocks):
        raise SlackError.about("invalid_blocks", ["unsupported type: markdown [json-pointer:/blocks]"])
    text = str(given.get("text") or "")
    if not text and not blocks:
        raise SlackError("no_text")
    return text, name_blocks(blocks)


async def _body(request: web.Request) -> Json:
    try:
        given = json.loads(await request.text())
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise SlackError("invalid_payload")
    return given
