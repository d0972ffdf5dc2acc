"""Space messages out, since Slack takes about one a second in each channel; wait out short rate limits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from math import inf
from typing import Any

from slack_sdk.http_retry import HttpRequest, HttpResponse, RetryState
from slack_sdk.http_retry.async_handler import AsyncRetryHandler

from gate.clock import monotonic

BURST = 4
PER_SECOND = 1.0
SHORT_LIMIT = 3.0
"""Longest rate limit in seconds that is waited out while somebody may wait for an answer."""
LONG_LIMIT = 60.0
"""Longest rate limit in seconds that is waited out while nobody does."""


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float
    closed_until: float = 0.0


class Pacer:
    """Tell how long a message to a channel has to wait.

    Args:
        time: Seconds that only go forward.
    """

    def __init__(self, time: Callable[[], float] = monotonic) -> None:
        self._time = time
        self._buckets: dict[str, _Bucket] = {}

    def take(self, channel: str, patience: float = inf) -> float:
        """Take a place in a channel's queue and return in how many seconds it is due; 0 for now.

        Args:
            channel: Where the message goes.
            patience: Longest wait in seconds for which a place is taken; whoever has to wait longer takes
                none and comes back, so that those who gave up do not stand in the way of those who wait.
        """
        now = self._time()
        bucket = self._buckets.setdefault(channel, _Bucket(BURST, now))
        bucket.left = min(BURST, bucket.left + (now - bucket.at) * PER_SECOND)
        bucket.at = now
        turn = max(0.0, (1 - bucket.left) / PER_SECOND)
        wait = max(turn, bucket.closed_until - now, 0.0)
        if wait <= patience:
            bucket.left -= 1
        return wait

    def close(self, channel: str, seconds: float) -> None:
        """Let nothing into a channel for so many seconds, as Slack asked."""
        now = self._time()
        bucket = self._buckets.setdefault(channel, _Bucket(BURST, now))
        bucket.closed_until = max(bucket.closed_until, now + seconds)


class ShortRateLimits(AsyncRetryHandler):
    """Wait out a rate limit of a few seconds; a longer one fails at once, and who pressed is told."""

    longest = SHORT_LIMIT

    async def can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        """Tell whether to ask again."""
        if response is None or response.status_code != HTTPStatus.TOO_MANY_REQUESTS:
            return False
        return (
            state.current_attempt < self.max_retry_count and asked_to_wait(response.headers) <= self.longest
        )

    async def prepare_for_next_attempt_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> None:
        """Wait as long as Slack asks."""
        state.next_attempt_requested = True
        await asyncio.sleep(asked_to_wait(response.headers if response else {}))
        state.increment_current_attempt()


class LongRateLimits(ShortRateLimits):
    """Wait out a rate limit of up to a minute, as Slack sets them; for what nobody waits for."""

    longest = LONG_LIMIT


def asked_to_wait(headers: Mapping[str, Any]) -> float:
    """Return the seconds that Slack asks to wait, 0 to 3600; 1 where it says nothing that can be read."""
    found: Any = next((value for name, value in headers.items() if name.lower() == "retry-after"), 1)
    first = found[0] if isinstance(found, list) and found else found
    try:
        return max(0.0, min(float(first), 3600.0))
    except (TypeError, ValueError):
        return 1.0
