"""Control: a synchronous client of the control API, for tests and the demo."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

from bot.local_workspace.errors import ControlError
from bot.local_workspace.limits import text_in
from bot.local_workspace.objects import Json

T = TypeVar("T")

PATIENCE_SECONDS = 30.0


class ControlFaults:
    """The switches that make the Web API fail."""

    def __init__(self, control: Control) -> None:
        self._control = control

    def set(self, method: str | None = None, *, kind: str, **more: Any) -> int:
        """Switch a fault on.

        Args:
            method: the Web API method it holds for. Default: all.
            kind: ratelimit, delay, drop_after_accept, drop_before_accept, error or http_500.
            more: channel, times (default 1, None for ever), retry_after and seconds (seconds), error.

        Returns:
            The fault's number.
        """
        return int(self._control.post("faults", {"method": method, "kind": kind, **more})["id"])

    def clear(self) -> None:
        """Switch all faults off."""
        self._control.post("faults/clear", {})


class Control:
    """Acts as a person or a test in a local workspace. Safe to use from several threads.

    Every method raises ControlError when the workspace refuses; waits raise TimeoutError.
    """

    def __init__(self, url: str) -> None:
        """Point at a workspace.

        Args:
            url: the workspace's address, as `LocalWorkspace.url`.
        """
        self.url = url.rstrip("/")
        self.faults = ControlFaults(self)
        self._opener = build_opener(ProxyHandler({}))

    # ---- the wire

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
            with self._opener.open(request, timeout=LONGEST + PATIENCE_SECONDS) as answer:
                found: Json = json.load(answer)
                return found
        except HTTPError as refused:
            with refused:
                raise _refusal(refused) from None

    # ---- looking

    def state(self, as_user: str | None = None) -> Json:
        """Return what a person sees, or with None what all may see."""
        return self.get("state", as_user=as_user)

    def messages(self, channel: str) -> list[Json]:
        """Return all messages of a channel, replies and deleted ones too, oldest first."""
        return list(self.get("messages", channel=channel)["messages"])

    def thread(self, channel: str, ts: str) -> list[Json]:
        """Return a message and its replies, oldest first."""
        return [each for each in self.messages(channel) if ts in (each["ts"], each["thread_ts"])]

    def views(self, user: str) -> list[Json]:
        """Return a person's open modals, the visible one last."""
        return list(self.state(user)["views"])

    def home(self, user: str) -> Json | None:
        """Return a person's home tab."""
        home: Json | None = self.state(user)["home"]
        return home

    def ephemerals(self, user: str, channel: str | None = None) -> list[Json]:
        """Return the messages that only this person sees."""
        channels = self.state(user)["channels"]
        return [each for one in channels if channel in (None, one["id"]) for each in one["ephemerals"]]

    def troubles(self, user: str | None = None) -> list[Json]:
        """Return the warnings that a person, or with None anybody, saw."""
        return list(self.state(user)["troubles"])

    def calls(self, method: str | None = None) -> list[Json]:
        """Return the log of Web API calls; `response_url` names the answers to interactions."""
        return list(self.get("calls", method=method)["calls"])

    def envelopes(self) -> list[Json]:
        """Return the log of deliveries to the app."""
        return list(self.get("envelopes")["envelopes"])

    def socket_connections(self) -> int:
        """Return how many Socket Mode connections are open."""
        return int(self.state()["transport"]["connections"])

    # ---- waiting

    def wait_until(
        self, predicate: Callable[[Json], T | None], timeout: float = 10, as_user: str | None = None
    ) -> T:
        """Wait until a predicate of the state holds, and return what it returned.

        Args:
            predicate: asked at each change; anything true ends the wait.
            timeout: seconds. Default 10.
            as_user: whose state it is asked about.

        Raises:
            TimeoutError: if it did not hold in time.
        """
        deadline = time.monotonic() + timeout
        while True:
            seen = self.state(as_user)
            if found := predicate(seen):
                return found
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"Not within {timeout} s. {_summary(seen)}")
            self.get("changes", since=seen["counter"], timeout=f"{min(left, LONGEST):.3f}")

    def wait_message(
        self,
        channel: str,
        contains: str | None = None,
        *,
        thread_ts: str | None = None,
        after: str | None = None,
        timeout: float = 10,
    ) -> Json:
        """Wait for a message and return it, the newest if several fit.

        Args:
            channel: where.
            contains: text looked for in the message's text and in every text of its blocks.
            thread_ts: only replies in this thread.
            after: only messages newer than this ts.
            timeout: seconds. Default 10.
        """

        def found(state: Json) -> Json | None:
            there = [one for one in state["channels"] if one["id"] == channel]
            flat = [each for one in there for root in one["messages"] for each in (root, *root["replies"])]
            fits = [
                each
                for each in flat
                if not each["deleted"] and _contains(each, contains) and each["ts"] > (after or "")
                if thread_ts is None or (each["thread_ts"] == thread_ts and each["ts"] != thread_ts)
            ]
            return max(fits, key=lambda each: str(each["ts"]), default=None)

        return self.wait_until(found, timeout)

    def wait_view(self, user: str, contains: str | None = None, timeout: float = 10) -> Json:
        """Wait for a modal on top of a person's stack, and return it."""

        def found(state: Json) -> Json | None:
            top: Json | None = state["views"][-1] if state["views"] else None
            return top if top and _contains(top, contains) else None

        return self.wait_until(found, timeout, user)

    def wait_home(self, user: str, contains: str | None = None, timeout: float = 10) -> Json:
        """Wait for a person's home tab, and return it."""

        def found(state: Json) -> Json | None:
            home: Json | None = state["home"]
            return home if home and _contains(home, contains) else None

        return self.wait_until(found, timeout, user)

    def wait_ephemeral(
        self, user: str, contains: str | None = None, channel: str | None = None, timeout: float = 10
    ) -> Json:
        """Wait for a message that only this person sees, and return the newest that fits."""

        def found(state: Json) -> Json | None:
            there = [one for one in state["channels"] if channel in (None, one["id"])]
            fits = [each for one in there for each in one["ephemerals"] if _contains(each, contains)]
            return max(fits, key=lambda each: str(each["ts"]), default=None)

        return self.wait_until(found, timeout, user)

    def wait_connected(self, timeout: float = 10, connections: int = 1) -> None:
        """Wait until at least this many Socket Mode connections are open."""
        self.wait_until(lambda state: state["transport"]["connections"] >= connections, timeout)

    # ---- acting as a person

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
            forge: press even what the page would not let this person press.

        Returns:
            delivered, acked, ack_ms, trouble, envelope_id, body.
        """
        where = {"user": user, "channel": channel, "ts": ts, "action_id": action_id, "block_id": block_id}
        return self.post(
            "click", where | {"value": value, "values": values, "confirm": confirm, "forge": forge}
        )

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
        """Press an element of a modal or home tab; arguments as `click`."""
        where = {"user": user, "view_id": view_id, "action_id": action_id, "block_id": block_id}
        more = {"value": value, "values": values, "confirm": confirm, "forge": forge}
        return self.post("click_view", where | more)

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

    def forge(self, payload: Json, kind: str = "interactive") -> Json:
        """Deliver any payload; kind interactive, slash_commands or events_api."""
        return self.post("forge", {"payload": payload, "kind": kind})

    def replay(self, n: int = -1) -> Json:
        """Deliver an earlier envelope again, by default the last one."""
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


LONGEST = 25.0


def _contains(shown: Json, wanted: str | None) -> bool:
    if wanted is None:
        return True
    texts = [str(shown.get("text") or ""), *text_in(shown.get("blocks") or []), *text_in(shown.get("title"))]
    return any(wanted in each for each in texts)


def _refusal(answer: HTTPError) -> ControlError:
    raw = answer.read().decode("utf-8", "replace")
    try:
        body = json.loads(raw)
        return ControlError(body["error"], body["message"], answer.code)
    except (ValueError, KeyError, TypeError):
        return ControlError(f"http_{answer.code}", raw[:200] or "no more was said", answer.code)


def _summary(state: Json) -> str:
    lines = [f"#{one['name'] or one['id']}: {len(one['messages'])} messages" for one in state["channels"]]
    views = [str((each["title"] or {}).get("text")) for each in state["views"]]
    trouble = [each["text"] for each in state["troubles"]]
    return f"Seen: {'; '.join(lines)}; open modals: {views}; trouble: {trouble}"
