"""How much may wait for people: past these a call is blocked, without a card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from gate.policy.schema import LimitKeys, read_keys
from gate.policy.source import Document


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that may wait for people.

    Attributes:
        pending_per_session: Pending holds of one session.
        pending_per_agent: Pending holds of one agent.
        asks: Holds of one session within the window.
        asks_window: That window.
        burst: Holds of one session within the burst's window from which on one card lists them; 0: never.
        burst_window: That window.
    """

    pending_per_session: int = 20
    pending_per_agent: int = 100
    asks: int = 60
    asks_window: timedelta = timedelta(hours=1)
    burst: int = 5
    burst_window: timedelta = timedelta(minutes=10)


def read_limits(raw: Any, document: Document) -> Limits | None:
    """Read the ``limits`` of one file; None where it has none or they are wrong."""
    if raw is None:
        return None
    keys = read_keys(LimitKeys, raw, document, ("limits",))
    if keys is None:
        return None
    asks, burst = keys.asks_per_session, keys.burst
    given: Mapping[str, Any] = {
        "pending_per_session": keys.pending_per_session,
        "pending_per_agent": keys.pending_per_agent,
        "asks": asks and asks.count,
        "asks_window": asks and asks.window,
        "burst": None if burst is None else burst.count,
        "burst_window": burst and burst.window,
    }
    return Limits(**{key: value for key, value in given.items() if value is not None})
