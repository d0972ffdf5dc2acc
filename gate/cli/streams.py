"""Input and output as every program expects them: three streams, also where who started it closed some."""

from __future__ import annotations

import os
import sys


def ensure() -> None:
    """Read nothing from, and write into nothing for, a standard stream that was closed before the start.

    Its number is taken too, so that no file that is opened later stands there and gets what others write.
    """
    if sys.stdin is None:
        sys.stdin = open(_nowhere(0, os.O_RDONLY), encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(_nowhere(1, os.O_WRONLY), "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(_nowhere(2, os.O_WRONLY), "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def _nowhere(number: int, how: int) -> int:
    """Open the system's empty file under a number that nothing is open under."""
    handle = os.open(os.devnull, how)
    if handle != number:
        os.dup2(handle, number)
        os.close(handle)
    return number
