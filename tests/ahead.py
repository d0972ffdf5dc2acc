"""A clock that runs as the machine's does, and can be moved on: tests of deadlines neither wait nor hurry."""

from __future__ import annotations

import time

from gate.clock import SystemClock


class Ahead(SystemClock):
    """Process time, with what it was moved on by.

    A store believes no process whose clock lies more than five minutes behind its newest time.
    """

    def __init__(self) -> None:
        self._ahead = 0
        super().__init__(since_boot=lambda: time.monotonic_ns() + self._ahead)

    def advance(self, seconds: int) -> None:
        """Let so many seconds pass at once."""
        self._ahead += seconds * 10**9
