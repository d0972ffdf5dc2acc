"""Do work in forked children."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable

from tests.gate_kit import PATIENCE


def child(work: Callable[[], object]) -> str:
    """Run work in a forked child and return what it gave, as text; a child that hangs is killed."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            signal.alarm(int(PATIENCE))
            os.write(write, str(work()).encode())
        except BaseException:
            os.write(write, traceback.format_exc().encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answered:
        text = answered.read().decode()
    os.waitpid(pid, 0)
    return text
