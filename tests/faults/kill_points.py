"""Named points inside an agent or a bot: note that each was reached, and die at the one that was ordered.

A test puts them into its child processes from outside: at every COMMIT (named after the verb), at every call
of Slack's Web API and at every step of a guarded call. The product knows nothing of them.
"""

from __future__ import annotations

import functools
import os
import signal
import sqlite3
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

import gate.store.connections as connections
import gate.trip as trip
from gate.steps import AskStep, Step, ToolStep, VerbStep, WaitStep

SERVICE = f"{os.sep}gate{os.sep}service{os.sep}"
INNER = ("_turn", "_begin", "_judged", "_refusable", "_apply_at_start", "__init__")
"""Functions on the way from a verb to its transaction that say nothing about which verb it is."""


class Points:
    """The points of one process.

    Args:
        seen: File to which the name of each point is appended when it is reached.
        order: ``NAME#N``: die when NAME is reached for the N-th time; empty: never.
    """

    def __init__(self, seen: Path, order: str = "") -> None:
        self._seen, self._counts = seen, Counter[str]()
        self._lock = threading.Lock()
        name, _, number = order.rpartition("#")
        self._order = (name, int(number or 0))

    def reach(self, name: str) -> None:
        """Note that a point was reached, and die there if that was ordered."""
        with self._lock:
            self._counts[name] += 1
            with self._seen.open("a") as file:
                file.write(f"{name}\n")
            if (name, self._counts[name]) == self._order:
                os.kill(os.getpid(), signal.SIGKILL)


def install(points: Points) -> None:
    """Put points at every commit, every call of Slack and every step of a guarded call of this process."""
    _at_commits(points)
    _at_calls(points)
    _at_steps(points)


def _at_commits(points: Points) -> None:
    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
            if sql != "COMMIT":
                return super().execute(sql, *args)
            verb = _verb()
            points.reach(f"commit {verb}: before")
            done = super().execute(sql, *args)
            points.reach(f"commit {verb}: after")
            return done

    connect = functools.partial(sqlite3.connect, factory=Connection)
    connections.sqlite3 = Namespace(sqlite3, connect=connect)  # type: ignore[assignment, attr-defined]


class Namespace:
    """A module with some of its names replaced, for one importer only."""

    def __init__(self, module: Any, **replaced: Any) -> None:
        self._module = module
        self.__dict__.update(replaced)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def _verb() -> str:
    """Return the verb whose transaction is being committed: the outermost function of the service."""
    frame, found = sys._getframe(2), "open"
    while frame is not None:
        name = frame.f_code.co_name
        if SERVICE in frame.f_code.co_filename and name not in INNER and not name.startswith("<"):
            found = name if found != "_bring_into_force" else found
        frame = frame.f_back  # type: ignore[assignment]
    return found.strip("_")


def _at_calls(points: Points) -> None:
    api_call = AsyncWebClient.api_call

    async def called(self: AsyncWebClient, api_method: str, *args: Any, **more: Any) -> Any:
        name = f"slack {api_method}{_what(more.get('json') or {})}"
        points.reach(f"{name}: before")
        answer = await api_call(self, api_method, *args, **more)
        points.reach(f"{name}: after")
        return answer

    AsyncWebClient.api_call = called  # type: ignore[method-assign]


def _what(sent: Mapping[str, Any]) -> str:
    """Say which of the bot's messages one is; empty for other calls."""
    if "unfurl_links" not in sent:
        return ""
    return " (card)" if sent.get("metadata") else " (reply)" if sent.get("thread_ts") else " (announcement)"


def _at_steps(points: Points) -> None:
    take = trip._take

    def taken(runtime: Any, step: Step) -> Any:
        name = _step(step)
        points.reach(f"step {name}: before")
        answer = take(runtime, step)
        points.reach(f"step {name}: after")
        return answer

    trip._take = taken


def _step(step: Step) -> str:
    if isinstance(step, ToolStep):
        return "tool"
    if isinstance(step, WaitStep):
        return "wait"
    if isinstance(step, AskStep):
        return "ask"
    assert isinstance(step, VerbStep)
    function = getattr(step.do, "func", step.do)
    name = function.__qualname__.replace("<locals>.<lambda>", "").strip(".")
    return {"trip": "submit"}.get(name, name.rpartition(".")[2].strip("_"))
