"""The only reader of clocks: process time, and times as whole microseconds.

Process time is the wall clock as it stood when the clock was made, carried on by the clock that counts since
boot. A later jump of the wall clock is not followed, so no such jump can move a deadline.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Clock(Protocol):
    """Tell the time of this process."""

    def now(self) -> datetime:
        """Return the time, UTC, never going back."""
        ...

    def wall(self) -> datetime:
        """Return what the wall clock says now, UTC; to be told, never for deadlines."""
        ...


class SystemClock:
    """Tell process time: the wall clock at construction, carried on by the boot-time clock.

    Args:
        wall: Returns what the wall clock says, aware; default is the machine's.
        since_boot: Returns nanoseconds since boot; default is the machine's.
    """

    def __init__(
        self, wall: Callable[[], datetime] | None = None, since_boot: Callable[[], int] | None = None
    ) -> None:
        self._read_wall, self._read_boot = wall or _wall, since_boot or _since_boot
        self._wall, self._boot = self._read_wall(), self._read_boot()

    def now(self) -> datetime:
        """Return process time, UTC."""
        return self._wall + timedelta(microseconds=(self._read_boot() - self._boot) // 1000)

    def wall(self) -> datetime:
        """Return what the wall clock says now, UTC."""
        return self._read_wall()


class FakeClock:
    """Stand still until told otherwise.

    Args:
        start: First time it tells, aware; default is 1 January 2026, 09:00 UTC.
    """

    def __init__(self, start: datetime = datetime(2026, 1, 1, 9, tzinfo=UTC)) -> None:
        self._now = start.astimezone(UTC)
        self._ahead = timedelta(0)
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """Return the time it was set to, UTC."""
        with self._lock:
            return self._now

    def wall(self) -> datetime:
        """Return the time it was set to and what the wall clock was moved by, UTC."""
        with self._lock:
            return self._now + self._ahead

    def move_wall(self, by: timedelta) -> None:
        """Move the wall clock against process time, forth or back."""
        with self._lock:
            self._ahead += by

    def advance(self, by: timedelta | float) -> datetime:
        """Move on by a span (timedelta or seconds, not negative) and return the new time."""
        step = by if isinstance(by, timedelta) else timedelta(seconds=by)
        if step < timedelta(0):
            raise ValueError("A clock of the gate never goes back; advance by zero or more.")
        with self._lock:
            self._now += step
            return self._now


def to_us(moment: datetime) -> int:
    """Return a time as whole microseconds since the epoch.

    Args:
        moment: An aware time.

    Raises:
        ValueError: The time has no zone.
    """
    if moment.tzinfo is None:
        raise ValueError("A time without a zone is no instant; give an aware datetime.")
    return (moment - EPOCH) // _MICROSECOND


def from_us(microseconds: int) -> datetime:
    """Return the UTC time that lies so many microseconds after the epoch."""
    return EPOCH + timedelta(microseconds=microseconds)


def _wall() -> datetime:
    return datetime.now(UTC)


def _since_boot() -> int:
    """Return nanoseconds since boot, time asleep included where the system can tell."""
    boot_clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic_ns() if boot_clock is None else time.clock_gettime_ns(boot_clock)


def monotonic() -> float:
    """Return seconds of a clock that only goes forward; for waiting, never for deadlines."""
    return time.monotonic()


def pause(seconds: float) -> None:
    """Let other threads and processes go first for so many seconds."""
    time.sleep(seconds)
