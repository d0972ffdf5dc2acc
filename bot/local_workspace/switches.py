"""The control API's switches for tests: faults, transport, tokens, people and channels."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import fields
from typing import Any

from pydantic import BaseModel, ValidationError

from bot.local_workspace.delivery import Courier
from bot.local_workspace.errors import ControlError
from bot.local_workspace.faults import Faults
from bot.local_workspace.objects import Json
from bot.local_workspace.seed import Channel, Group, User
from bot.local_workspace.state import Workspace

MOST_COPIES = 10
REASONS = ("warning", "refresh_requested", "too_many_websockets", "link_disabled")
KINDS = ("interactive", "slash_commands", "events_api")

Act = Callable[[Json], Awaitable[Json] | Json]


class Switches:
    """Things that only a test does."""

    def __init__(self, workspace: Workspace, courier: Courier, faults: Faults) -> None:
        self.workspace = workspace
        self.courier = courier
        self.faults = faults

    def acts(self) -> dict[str, Act]:
        """Return the acts by the last part of their path."""
        return {
            "forge": self.forge,
            "replay": self.replay,
            "mint": self.mint,
            "faults": self.fault,
            "faults/clear": self.clear,
            "duplicate_envelopes": self.duplicate,
            "disconnect": self.disconnect,
            "transport": self.transport,
            "scopes": self.scopes,
            "tokens": self.tokens,
            "user": lambda given: self._put(self.workspace.users, User, given),
            "group": lambda given: self._put(self.workspace.groups, Group, given),
            "channel": lambda given: self._put(self.workspace.channels, Channel, given),
            "delete_message": self.delete_message,
            "settings": self.settings,
        }

    async def forge(self, given: Json) -> Json:
        """Deliver any payload."""
        kind, payload = given.get("kind", "interactive"), given["payload"]
        if kind not in KINDS or not isinstance(payload, dict):
            raise ControlError("bad_request", f"kind must be one of {', '.join(KINDS)}, payload an object.")
        more = {name: given[name] for name in ("user", "timestamp", "headers") if name in given}
        return await self.courier.deliver(kind, payload, **more)

    async def replay(self, given: Json) -> Json:
        """Deliver an earlier envelope again."""
        try:
            return await self.courier.again(int(given.get("n", -1)))
        except IndexError:
            raise ControlError("bad_request", "Nothing like that was delivered yet.", 404) from None

    def mint(self, given: Json) -> Json:
        """Make a trigger_id and a response_url for a hand-made payload."""
        user, channel = given.get("user") or "U0ALICE", given.get("channel") or "C0APPROVALS"
        return {
            "ok": True,
            "trigger_id": self.workspace.new_trigger(user, given.get("view_id")),
            "response_url": self.workspace.new_response_url(user, channel, given.get("ts"), None),
        }

    def fault(self, given: Json) -> Json:
        """Switch a fault on."""
        try:
            return {"ok": True, "id": self.faults.add(given.pop("kind"), **given)}
        except TypeError as wrong:
            raise ControlError("bad_request", f"No such field of a fault: {wrong}.") from None

    def clear(self, given: Json) -> Json:
        """Switch all faults off."""
        self.faults.clear()
        return {"ok": True}

    def duplicate(self, given: Json) -> Json:
        """Deliver every envelope several times, or once again."""
        self.courier.copies = min(int(given.get("copies", 2)), MOST_COPIES) if given.get("on") else 1
        return {"ok": True}

    async def disconnect(self, given: Json) -> Json:
        """Send every Socket Mode connection away."""
        reason = given.get("reason", "refresh_requested")
        if reason not in REASONS:
            raise ControlError("bad_request", f"reason must be one of: {', '.join(REASONS)}.")
        abort, close = bool(given.get("abort")), bool(given.get("close", True))
        return {
            "ok": True,
            "connections": await self.courier.hub.disconnect(reason, abort=abort, close=close),
        }

    def transport(self, given: Json) -> Json:
        """Choose Socket Mode or HTTP."""
        if given.get("kind") not in ("socket", "http"):
            raise ControlError("bad_request", "kind must be socket or http.")
        self.courier.use(given["kind"], given.get("request_url"))
        return {"ok": True}

    def scopes(self, given: Json) -> Json:
        """Set what the app may do."""
        self.workspace.scopes = [str(each) for each in given["scopes"]]
        return {"ok": True}

    def tokens(self, given: Json) -> Json:
        """Make a token answer with an error ("revoked" is short for token_revoked), or valid again."""
        for name in ("bot", "app"):
            if name in given:
                status = "token_revoked" if given[name] == "revoked" else str(given[name])
                setattr(self.workspace.secrets, f"{name}_status", status)
        return {"ok": True}

    def delete_message(self, given: Json) -> Json:
        """Delete a message as an admin or the retention rule would."""
        message = self.workspace.find_message(given["channel"], given["ts"])
        if message is None:
            raise ControlError("message_not_found", "There is no such message.", 404)
        self.workspace.delete_message(message)
        return {"ok": True}

    def settings(self, given: Json) -> Json:
        """Move a limit of the platform."""
        known = {each.name for each in fields(self.workspace.settings)}
        if unknown := set(given) - known:
            raise ControlError("bad_request", f"No such setting: {', '.join(sorted(unknown))}.")
        for name, value in given.items():
            setattr(self.workspace.settings, name, value)
        return {"ok": True}

    def _put(self, table: dict[str, Any], kind: type[BaseModel], given: Json) -> Json:
        old = table.get(given["id"])
        try:
            table[given["id"]] = kind.model_validate((old.model_dump() if old else {}) | given)
        except ValidationError as wrong:
            raise ControlError(
                "bad_request", f"Not a {kind.__name__.lower()}: {wrong.errors()[0]['msg']}."
            ) from None
        self.workspace.changed()
        return {"ok": True}
