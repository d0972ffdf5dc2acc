"""Looking at a workspace and waiting for something in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from bot.local_workspace.limits import text_in
from bot.local_workspace.objects import Json
from bot.local_workspace.wire import Wire

T = TypeVar("T")

LONGEST_WAIT = 25.0
PATIENCE = 30.0
"""Seconds after which a wait gives up; a busy machine needs some of them."""


class Watcher(Wire):
    """What can be seen in a workspace. Waits raise TimeoutError and say what was seen."""

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
        return list(self.get("views", user=user)["views"])

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
        self, predicate: Callable[[Json], T | None], timeout: float = PATIENCE, as_user: str | None = None
    ) -> T:
        """Wait until a predicate of the state holds, and return what it returned.

        Args:
            predicate: asked at each change; anything true ends the wait.
            timeout: seconds. Default 30.
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
            self.get("changes", since=seen["counter"], timeout=f"{min(left, LONGEST_WAIT):.3f}")

    def wait_message(
        self,
        channel: str,
        contains: str | None = None,
        *,
        thread_ts: str | None = None,
        after: str | None = None,
        timeout: float = PATIENCE,
    ) -> Json:
        """Wait for a message and return it, the newest if several fit.

        Args:
            channel: where.
            contains: text looked for in the message's text and in every text of its blocks.
            thread_ts: only replies in this thread.
            after: only messages newer than this ts.
            timeout: seconds. Default 30.
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

    def wait_view(self, user: str, contains: str | None = None, timeout: float = PATIENCE) -> Json:
        """Wait for a modal on top of a person's stack, and return it."""

        def found(state: Json) -> Json | None:
            top: Json | None = state["views"][-1] if state["views"] else None
            return top if top and _contains(top, contains) else None

        return self.wait_until(found, timeout, user)

    def wait_home(self, user: str, contains: str | None = None, timeout: float = PATIENCE) -> Json:
        """Wait for a person's home tab, and return it."""

        def found(state: Json) -> Json | None:
            home: Json | None = state["home"]
            return home if home and _contains(home, contains) else None

        return self.wait_until(found, timeout, user)

    def wait_ephemeral(
        self, user: str, contains: str | None = None, channel: str | None = None, timeout: float = PATIENCE
    ) -> Json:
        """Wait for a message that only this person sees, and return the newest that fits."""

        def found(state: Json) -> Json | None:
            there = [one for one in state["channels"] if channel in (None, one["id"])]
            fits = [each for one in there for each in one["ephemerals"] if _contains(each, contains)]
            return max(fits, key=lambda each: str(each["ts"]), default=None)

        return self.wait_until(found, timeout, user)

    def wait_connected(self, timeout: float = PATIENCE, connections: int = 1) -> None:
        """Wait until at least this many Socket Mode connections are open."""
        self.wait_until(lambda state: state["transport"]["connections"] >= connections, timeout)


def _contains(shown: Json, wanted: str | None) -> bool:
    if wanted is None:
        return True
    texts = [str(shown.get("text") or ""), *text_in(shown.get("blocks") or []), *text_in(shown.get("title"))]
    return any(wanted in each for each in texts)


def _summary(state: Json) -> str:
    lines = [f"#{one['name'] or one['id']}: {len(one['messages'])} messages" for one in state["channels"]]
    views = [str((each["title"] or {}).get("text")) for each in state["views"]]
    trouble = [each["text"] for each in state["troubles"]]
    return f"Seen: {'; '.join(lines)}; open modals: {views}; trouble: {trouble}"
