"""Say how long a caller waits."""

from __future__ import annotations

import math
import threading
from datetime import timedelta
from typing import Literal

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
    if isinstance(wait, str):
        if wait == "until_decided":
            return None
        raise ValueError(f'wait={wait!r} is neither seconds, a timedelta nor "until_decided".')
    if isinstance(wait, bool) or not isinstance(wait, (int, float, timedelta)):
        raise TypeError(f'wait={wait!r} is neither seconds, a timedelta nor "until_decided".')
    span = wait.total_seconds() if isinstance(wait, timedelta) else float(wait)
    if math.isnan(span) or span < 0:
        raise ValueError(f"wait={wait!r} is no time to wait; give zero or more seconds.")
    return None if span > threading.TIMEOUT_MAX else span
