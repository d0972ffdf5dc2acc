"""Switches that make the Web API fail as Slack can fail."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field
from typing import Literal, get_args

from bot.local_workspace.errors import ControlError

Kind = Literal["ratelimit", "delay", "hold", "drop_after_accept", "drop_before_accept", "error", "http_500"]


@dataclass(slots=True)
class Fault:
    """One switch.

    Attributes:
        kind: what happens.
        method: the Web API method it holds for; None for all.
        channel: the channel argument it holds for; None for all.
        times: how many more calls it meets; None for ever.
        retry_after: seconds in the Retry-After header (ratelimit).
        seconds: how long to wait before the call is done (delay).
        error: Slack's error name (error).
        over: set when all faults are switched off; until then a call that it meets is not done (hold).
    """

    id: int
    kind: Kind
    method: str | None = None
    channel: str | None = None
    times: int | None = 1
    retry_after: int = 1
    seconds: float = 0.0
    error: str = "internal_error"
    over: asyncio.Event = field(default_factory=asyncio.Event)


class Faults:
    """All switches that are on."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._ids = itertools.count(1)

    def add(
        self,
        kind: str,
        *,
        method: str | None = None,
        channel: str | None = None,
        times: int | None = 1,
        retry_after: float | None = None,
        seconds: float | None = None,
        error: str | None = None,
    ) -> int:
        """Switch a fault on and return its number."""
        if kind not in get_args(Kind):
            raise ControlError("bad_request", f"kind must be one of: {', '.join(get_args(Kind))}.")
        fault = Fault(
            next(self._ids),
            kind,  # type: ignore[arg-type]
            method,
            channel,
            times,
            int(retry_after if retry_after is not None else 1),
            seconds or 0.0,
            error or "internal_error",
        )
        self._faults.append(fault)
        return fault.id

    def clear(self) -> None:
        """Switch all faults off, and let go the calls that were held."""
        for each in self._faults:
            each.over.set()
        self._faults.clear()

    def take(self, method: str, channel: str | None) -> list[Fault]:
        """Return the faults that meet this call, each counted once."""
        met = [
            each
            for each in self._faults
            if each.method in (None, method) and each.channel in (None, channel) and each.times != 0
        ]
        for fault in met:
            if fault.times is not None:
                fault.times -= 1
        return met
