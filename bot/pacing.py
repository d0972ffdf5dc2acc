"""Space messages out: Slack takes about one a second in each channel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from gate.clock import monotonic

BURST = 4
PER_SECOND = 1.0


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
