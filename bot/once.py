"""Act once on what Slack may deliver several times."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from bot.payloads import Body

REMEMBERED = 1000
"""How many deliveries are remembered; Slack repeats one within minutes or never."""

Work = asyncio.Task[Any]


class Once:
    """Start the work for each press, form, command and event once, however often it is delivered."""

    def __init__(self) -> None:
        self._started: OrderedDict[str, Work] = OrderedDict()

    def start(self, body: Body, begin: Callable[[], Work]) -> Work:
        """Start the work for a delivery, or return what was started for it before.

        Args:
            body: What Slack delivered.
            begin: Starts the work; not called for a repeated delivery.
        """
        mark = _mark(body)
        known = self._started.get(mark)
        if known is not None:
            return known
        work = begin()
        if mark:
            self._started[mark] = work
        if len(self._started) > REMEMBERED:
            self._started.popitem(last=False)
        return work


def _mark(body: Body) -> str:
    """Return what Slack gives to one press, form, command or event alone; empty for nothing."""
    mark = body.get("trigger_id") or body.get("event_id")
    kind = body.get("type") or body.get("command")
    return f"{kind} {mark}" if isinstance(mark, str) and mark else ""
