"""Control: a synchronous client of the control API, for tests and the demo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bot.local_workspace.objects import Json
from bot.local_workspace.watcher import Watcher


@dataclass(frozen=True, slots=True)
class _Used:
    """An element and what is done with it, as the control API takes it from messages and views."""

    action_id: str
    block_id: str | None
    value: Any
    values: Json | None
    confirm: bool
    forge: bool


class ControlFaults:
    """The switches that make the Web API fail."""

    def __init__(self, control: Control) -> None:
        self._control = control

    def set(self, method: str | None = None, *, kind: str, **more: Any) -> int:
        """Switch a fault on.

        Args:
            method: the Web API method it holds for. Default: all.
            kind: ratelimit, delay, hold (until all are off), drop_after_accept, drop_before_accept, error or
                http_500.
            more: channel, times (default 1, None for ever), retry_after and seconds (seconds), error.

        Returns:
            The fault's number.
        """
        return int(self._control.post("faults", {"method": method, "kind": kind, **more})["id"])

    def clear(self) -> None:
        """Switch all faults off."""
        self._control.post("faults/clear", {})


class Control(Watcher):
    """Acts as a person or a test in a local workspace. Safe to use from several threads.

    Every method raises ControlError when the workspace refuses.
    """

    def __init__(self, url: str) -> None:
        """Point at a workspace.

        Args:
            url: the workspace's address, as `LocalWorkspace.url`.
        """
        super().__init__(url)
        self.faults = ControlFaults(self)

    def click(
        self,
        user: str,
        channel: str,
        ts: str,
        action_id: str,
        *,
        value: Any = None,
        block_id: str | None = None,
        values: Json | None = None,
        confirm: bool = True,
        forge: bool = False,
    ) -> Json:
        """Press an element of a message.

        Args:
            user: who presses.
            channel: where the message is.
            ts: the message.
            action_id: the element.
            value: what is chosen, for menus and pickers.
            block_id: the block, if the action_id stands in several.
            values: what other inputs of the message hold.
            confirm: false cancels the element's confirm dialog; nothing is sent then.
            forge: press even what the page would not let this person press: as somebody else's, in a
                channel they do not see, or on a former version that their screen still shows.

        Returns:
            delivered, acked, ack_ms, trouble, envelope_id, body.

        Raises:
            ControlError: if the workspace refuses, such as a press on what this person does not see.
        """
        used = _Used(action_id, block_id, value, values, confirm, forge)
        return self.post("click", {"user": user, "channel": channel, "ts": ts} | asdict(used))

    def click_view(
        self,
        user: str,
        view_id: str,
        action_id: str,
        value: Any = None,
        *,
        block_id: str | None = None,
        values: Json | None = None,
        confirm: bool = True,
        forge: bool = False,
    ) -> Json:
        """Press an element of a modal or home tab.

        Args:
            user: who presses.
            view_id: the modal or home tab.
            action_id: the element.
            value: what is chosen, for menus and pickers.
            block_id: the block, if the action_id stands in several.
            values: what other inputs of the view hold.
            confirm: as for `click`.
            forge: as for `click`.

        Returns:
            As `click`.

        Raises:
            ControlError: if the workspace refuses.
        """
        used = _Used(action_id, block_id, value, values, confirm, forge)
        return self.post("click_view", {"user": user, "view_id": view_id} | asdict(used))

    def submit_view(
        self, user: str, view_id: str, values: Json | None = None, *, forge: bool = False
    ) -> Json:
        """Submit a modal.

        Args:
            user: whose modal it is.
            view_id: the modal.
            values: {block_id: {action_id: value}}.
            forge: skip what the client would check first.

        Returns:
            As `click`, and errors, closed, view (the top of the stack afterwards).

        Raises:
            ControlError: if the workspace refuses.
        """
        return self.post("submit_view", {"user": user, "view_id": view_id, "values": values, "forge": forge})

    def close_view(self, user: str, view_id: str, clear: bool = False) -> Json:
        """Close a modal, or with `clear` the whole stack."""
        return self.post("close_view", {"user": user, "view_id": view_id, "clear": clear})

    def set_input(self, user: str, view_id: str, block_id: str, action_id: str, value: Any) -> Json:
        """Put a value into an input without sending anything."""
        where = {"user": user, "view_id": view_id, "block_id": block_id, "action_id": action_id}
        return self.post("set_input", where | {"value": value})

    def slash(self, user: str, channel: str, command: str, thread_ts: str | None = None) -> Json:
        """Send a slash command, for example "/gate holds"."""
        return self.post(
            "slash", {"user": user, "channel": channel, "command": command, "thread_ts": thread_ts}
        )

    def open_home(self, user: str) -> Json:
        """Open the app's home tab."""
        return self.post("open_home", {"user": user})

    def say(self, user: str, channel: str, text: str, thread_ts: str | None = None) -> Json:
        """Write a message as a person, and return it."""
        body = {"user": user, "channel": channel, "text": text, "thread_ts": thread_ts}
        message: Json = self.post("say", body)["message"]
        return message

    def dismiss(self, user: str, channel: str, ts: str) -> Json:
        """Take an ephemeral message away."""
        return self.post("dismiss", {"user": user, "channel": channel, "ts": ts})

    # ---- acting as a test

    def forge(self, payload: Json, kind: str = "interactive", **more: Any) -> Json:
        """Deliver any payload.

        Args:
            payload: what is sent.
            kind: interactive (default), slash_commands or events_api.
            more: user (who sees warnings); over HTTP also timestamp (what the request is signed for) and
                headers (they replace the workspace's own, also the signature).
        """
        return self.post("forge", {"payload": payload, "kind": kind, **more})

    def replay(self, n: int = -1) -> Json:
        """Deliver an earlier envelope again, by default the last one; over HTTP with the same signature."""
        return self.post("replay", {"n": n})

    def mint(self, user: str = "U0ALICE", **more: Any) -> Json:
        """Make a trigger_id and a response_url; more: view_id, channel, ts."""
        return self.post("mint", {"user": user, **more})

    def duplicate_envelopes(self, on: bool = True, copies: int = 2) -> None:
        """Deliver every envelope `copies` times, or once again."""
        self.post("duplicate_envelopes", {"on": on, "copies": copies})

    def disconnect(self, reason: str = "refresh_requested", abort: bool = False, close: bool = True) -> int:
        """Send all Socket Mode connections away and return how many there were."""
        return int(self.post("disconnect", {"reason": reason, "abort": abort, "close": close})["connections"])

    def set_transport(self, kind: str, request_url: str | None = None) -> None:
        """Deliver over "socket", or over "http" to a request URL on this machine."""
        self.post("transport", {"kind": kind, "request_url": request_url})

    def set_scopes(self, scopes: Sequence[str]) -> None:
        """Set what the app may do."""
        self.post("scopes", {"scopes": list(scopes)})

    def set_tokens(self, bot: str = "valid", app: str = "valid") -> None:
        """Make the tokens valid, "revoked", or answered with any other error name."""
        self.post("tokens", {"bot": bot, "app": app})

    def revoke_token(self) -> None:
        """Revoke the bot token."""
        self.post("tokens", {"bot": "revoked"})

    def archive(self, channel: str) -> None:
        """Archive a channel."""
        self.set_channel(channel, is_archived=True)

    def unarchive(self, channel: str) -> None:
        """Bring an archived channel back."""
        self.set_channel(channel, is_archived=False)

    def set_channel(self, channel: str, **fields: Any) -> None:
        """Change a channel, or make one."""
        self.post("channel", {"id": channel, **fields})

    def set_user(self, user: str, **fields: Any) -> None:
        """Change a person, or make one."""
        self.post("user", {"id": user, **fields})

    def set_group(self, group: str, users: Sequence[str], error: str | None = None, **fields: Any) -> None:
        """Set who is in a user group, or the error that asking for its members gives."""
        self.post("group", {"id": group, "users": list(users), "error": error, **fields})

    def delete_message(self, channel: str, ts: str) -> None:
        """Delete a message as an admin would."""
        self.post("delete_message", {"channel": channel, "ts": ts})

    def settings(self, **fields: Any) -> None:
        """Move a limit: ack_seconds, trigger_seconds, response_url_seconds or _uses, edit_window_closed."""
        self.post("settings", fields)
