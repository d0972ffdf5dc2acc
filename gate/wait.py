"""Say how long a caller waits."""

from __future__ import annotations

import math
import threading
from datetime import timedelta
from typing import Any, Literal

from gate.shapes import named, plain_text

Wait = float | timedelta | Literal["until_decided"]
"""Seconds, a timedelta, or ``until_decided``; 0 never waits."""


def seconds(wait: Wait) -> float | None:
    """Return how long to wait, in seconds; None means until it is decided.

    Args:
        wait: Seconds, a timedelta, or ``until_decided``.

    Raises:
        TypeError: It is none of these.
        ValueError: It is negative or no number.
    """
    kind = type(wait)
    if issubclass(kind, str):
        if plain_text(wait) == "until_decided":
            return None
        raise ValueError(f'wait={named(wait)} is neither seconds, a timedelta nor "until_decided".')
    if kind is bool or not issubclass(kind, (int, float, timedelta)):
        raise TypeError(f'wait={named(wait)} is neither seconds, a timedelta nor "until_decided".')
    span = _span(wait)
    if math.isnan(span) or span < 0:
        raise ValueError(f"wait={named(wait)} is no time to wait; give zero or more seconds.")
    return None if span > threading.TIMEOUT_MAX else span


def _span(wait: Any) -> float:
    if isinstance(wait, timedelta):
        return wait.total_seconds()
    try:
        return float(wait)
    except OverflowError:
        return math.copysign(math.inf, wait > 0 or -1)
