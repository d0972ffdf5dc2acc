"""Load what only calls need at no time at which a fork is under way.

A forked child has none of its parent's other threads: of a module that one of them was loading it finds half,
and would wait for the rest for ever.
"""

from __future__ import annotations

import os
import threading
from contextlib import AbstractContextManager, suppress

_lock = threading.RLock()
_asked = False


def whole() -> AbstractContextManager[object]:
    """Return a block in which modules are loaded; a fork waits for its end."""
    if not _asked:
        mind_forks()
    return _lock


def mind_forks() -> None:
    """Have every fork from now on wait for what is being loaded, and then ask the stores.

    It is done with the first gate, before any thread calls: a fork asks only whom it knew as it began.
    """
    global _asked
    if _asked:
        return
    # These ask about forks too, and who asked last is asked first: a fork takes this lock before theirs, as
    # who loads what needs them does.
    import concurrent.futures.thread  # noqa: F401
    import logging  # noqa: F401

    from gate.store import forks  # noqa: F401

    os.register_at_fork(before=_lock.acquire, after_in_parent=_release, after_in_child=_release)
    _asked = True


def _release() -> None:
    with suppress(RuntimeError):  # asked between the hooks of a fork, it hears of its end alone
        _lock.release()
