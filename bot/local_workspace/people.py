"""What a person does, and what comes of it: clicks, modals, slash commands, the home tab."""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import Any

from bot.local_workspace import payloads
from bot.local_workspace.acks import answer_command, answer_submission
from bot.local_workspace.client_checks import required_inputs
from bot.local_workspace.delivery import Courier
from bot.local_workspace.errors import ControlError
from bot.local_workspace.inputs import STATEFUL, Values, elements, find_element, initial_values, put_values
from bot.local_workspace.objects import Json, Message, View
from bot.local_workspace.seed import Channel, User
from bot.local_workspace.state import Workspace

NOTHING_SENT: Json = {
    "ok": True,
    "delivered": False,
    "acked": False,
    "ack_ms": None,
    "trouble": None,
    "envelope_id": None,
    "body": None,
    "http_status": None,
}


class People:
    """Acts of people. With `forge`, what the page would refuse is done all the same."""

    def __init__(self, workspace: Workspace, courier: Courier) -> None:
        self.workspace = workspace
        self.courier = courier

    # ---- who and where

    def person(self, user_id: Any, *, forge: bool = False) -> User:
        """Return a person who can act."""
        user = self.workspace.users.get(user_id)
        if user is None:
            raise ControlError("user_not_found", f"There is no person {user_id!r} here.", 404)
        if (user.deleted or user.is_bot) and not forge:
            raise ControlError(
                "cannot_act", f"{user.name} is a bot or was removed, and cannot press anything.", 409
            )
        return user

    def channel(self, user: User, channel_id: Any, *, forge: bool = False) -> Channel:
        """Return a channel that this person can see."""
        channel = self.workspace.channels.get(channel_id)
        if channel is None:
            raise ControlError("channel_not_found", f"There is no channel {channel_id!r}.", 404)
        if not forge and not can_see(user, channel):
            raise ControlError("not_visible", f"{user.name} cannot see this channel.", 409)
        return channel

    def message(self, user: User, channel_id: Any, ts: Any, *, forge: bool = False) -> Message:
        """Return a message that this person can see."""
        channel = self.channel(user, channel_id, forge=forge)
        message = self.workspace.messages.get((channel.id, ts))
        seen = message is not None and not message.deleted and message.ephemeral_for in (None, user.id)
        if message is None or not (seen or forge):
            raise ControlError("message_not_found", f"{user.name} sees no message {ts} there.", 404)
        return message

    def view(self, user: User, view_id: Any, *, forge: bool = False) -> View:
        """Return an open view of this person."""
        for view in self.workspace.views:
            if view.id == view_id and (view.user == user.id or forge):
                return view
        raise ControlError("view_not_found", f"{user.name} has no open view {view_id!r}.", 404)

    # ---- acts

    async def click(self, given: Json) -> Json:
        """Press an element of a message."""
        forge = bool(given.get("forge"))
        user = self.person(given.get("user"), forge=forge)
        message = self.message(user, given.get("channel"), given.get("ts"), forge=forge)
        seen = _message_as_seen(message, given) if forge else message
        values = initial_values(seen.blocks)
        done, element = self._press(seen.blocks, values, given, forge=forge)
        if _cancelled(given, element):
            return dict(NOTHING_SENT)
        payload = payloads.message_action(self.workspace, user, seen, done, values)
        return await self.courier.deliver("interactive", payload, user=user.id)

    async def click_view(self, given: Json) -> Json:
        """Press an element of a modal or home tab."""
        forge = bool(given.get("forge"))
        user = self.person(given.get("user"), forge=forge)
        view = self._uppermost(user, given, forge=forge)
        view = _view_as_seen(view, given) if forge else view
        done, element = self._press(view.blocks, view.values, given, forge=forge)
        if _cancelled(given, element):
            return dict(NOTHING_SENT)
        payload = payloads.view_action(self.workspace, user, view, done)
        return await self.courier.deliver("interactive", payload, user=user.id)

    def _press(self, blocks: list[Json], values: Values, given: Json, *, forge: bool) -> tuple[Json, Json]:
        """Return what was done to which element, and put it into `values`."""
        block, element = find_element(blocks, given["action_id"], given.get("block_id"))
        if block["type"] == "input" and not block.get("dispatch_action") and not forge:
            raise ControlError(
                "no_such_element", "This input tells the app nothing before the modal is sent.", 409
            )
        put_values(values, blocks, given.get("values") or {})
        done = payloads.action(self.workspace, block, element, given.get("value"))
        if element["type"] in STATEFUL:
            put_values(values, blocks, {block["block_id"]: {element["action_id"]: given.get("value")}})
        return done, element

    def _uppermost(self, user: User, given: Json, *, forge: bool) -> View:
        view = self.view(user, given.get("view_id"), forge=forge)
        stack = self.workspace.views.stack(view.user)
        if view in stack[:-1] and not forge:
            raise ControlError("view_not_found", "Another modal lies on top of this one.", 409)
        return view

    def set_input(self, given: Json) -> Json:
        """Remember what a person put into an input."""
        view = self.view(self.person(given.get("user")), given.get("view_id"))
        put_values(view.values, view.blocks, {given["block_id"]: {given["action_id"]: given.get("value")}})
        return {"ok": True}

    async def submit(self, given: Json) -> Json:
        """Submit a modal and apply the app's answer."""
        forge = bool(given.get("forge"))
        user = self.person(given.get("user"), forge=forge)
        view = self._uppermost(user, given, forge=forge)
        put_values(view.values, view.blocks, given.get("values") or {})
        view.errors = {} if forge else required_inputs(view)
        if view.errors:
            self.workspace.changed()
            return self._submitted(view, dict(NOTHING_SENT))
        payload = payloads.submission(self.workspace, user, view)
        answer = functools.partial(answer_submission, self.courier, view)
        result = await self.courier.deliver("interactive", payload, user=user.id, on_ack=answer)
        self.workspace.changed()
        return self._submitted(view, result)

    def _submitted(self, view: View, result: Json) -> Json:
        stack = self.workspace.views.stack(view.user)
        top = stack[-1].as_dict() | {"errors": dict(stack[-1].errors)} if stack else None
        return result | {"errors": dict(view.errors) or None, "closed": view not in stack, "view": top}

    async def close_view(self, given: Json) -> Json:
        """Close a modal, or the whole stack."""
        user = self.person(given.get("user"))
        view = self.view(user, given.get("view_id"))
        stack = self.workspace.views.stack(user.id)
        if view not in stack:
            raise ControlError("view_not_found", "A home tab cannot be closed.", 404)
        clear = bool(given.get("clear"))
        closed = list(reversed(stack)) if clear else [view]
        self.workspace.views.close(view, clear=clear)
        self.workspace.changed()
        result = dict(NOTHING_SENT)
        for each in closed:
            if each.body.get("notify_on_close"):
                payload = payloads.closing(user, each, cleared=clear)
                result = await self.courier.deliver("interactive", payload, user=user.id)
        return result

    async def slash(self, given: Json) -> Json:
        """Send a slash command and show the app's answer."""
        user = self.person(given.get("user"))
        channel = self.channel(user, given.get("channel"))
        command, _space, text = str(given.get("command", "")).strip().partition(" ")
        if given.get("thread_ts"):
            raise ControlError("bad_request", "Slash commands of apps do not work in threads.")
        if command not in self.workspace.commands:
            sentence = f"{command} is not a command of this app."
            return NOTHING_SENT | {"trouble": self.workspace.trouble(user.id, "unknown_command", sentence)}
        payload = payloads.slash(self.workspace, user, channel, command, self._with_ids(text.strip()))
        answer = functools.partial(answer_command, self.courier, user, channel)
        return await self.courier.deliver("slash_commands", payload, user=user.id, on_ack=answer)

    def _with_ids(self, text: str) -> str:
        """Write @name and #name with their ids, as Slack does for commands that ask for it."""
        for user in self.workspace.users.values():
            text = re.sub(rf"@{re.escape(user.name)}\b", f"<@{user.id}|{user.name}>", text)
        for channel in self.workspace.channels.values():
            if channel.name:
                text = re.sub(rf"#{re.escape(channel.name)}\b", f"<#{channel.id}|{channel.name}>", text)
        return text

    async def open_home(self, given: Json) -> Json:
        """Open the app's home tab."""
        user = self.person(given.get("user"))
        if user.is_stranger:
            raise ControlError("not_visible", "People of other teams do not see the app's home tab.", 409)
        payload = payloads.home_opened(self.workspace, user)
        return await self.courier.deliver("events_api", payload, user=user.id)

    def say(self, given: Json) -> Message:
        """Write a message as a person."""
        user = self.person(given.get("user"))
        channel = self.channel(user, given.get("channel"))
        if channel.is_archived:
            raise ControlError("not_visible", "This channel is archived.", 409)
        text = str(given.get("text") or "").strip()
        if not text:
            raise ControlError("bad_request", "There is nothing to say.")
        message = Message(
            channel.id, self.workspace.new_ts(), user.id, text, thread_ts=given.get("thread_ts")
        )
        return self.workspace.add_message(message)

    def dismiss(self, given: Json) -> Json:
        """Take an ephemeral message away."""
        user = self.person(given.get("user"))
        message = self.message(user, given.get("channel"), given.get("ts"))
        if message.ephemeral_for is None:
            raise ControlError(
                "message_not_found", "Only messages that one person sees can be dismissed.", 409
            )
        self.workspace.delete_message(message)
        return {"ok": True}


def can_see(user: User, channel: Channel) -> bool:
    """Return whether a person sees a channel: as a member, or a public one as a full member of the team."""
    outside = user.is_restricted or user.is_ultra_restricted or user.is_stranger
    return user.id in channel.members or not (channel.is_private or channel.is_im or outside)


def _message_as_seen(message: Message, given: Json) -> Message:
    """Return the message in its newest version that has the element: a screen may show an old one."""
    for blocks in (message.blocks, *reversed(message.earlier)):
        if _has(blocks, given["action_id"]):
            return dataclasses.replace(message, blocks=blocks, deleted=False)
    return message


def _view_as_seen(view: View, given: Json) -> View:
    """Return the view in its newest version that has the element, as for messages."""
    for body in (view.body, *reversed(view.earlier)):
        if _has(body.get("blocks", []), given["action_id"]):
            return dataclasses.replace(view, body=body)
    return view


def _has(blocks: list[Json], action_id: str) -> bool:
    return any(element.get("action_id") == action_id for _block, element in elements(blocks))


def _cancelled(given: Json, element: Json) -> bool:
    return "confirm" in element and given.get("confirm") is False
