"""Say what to do where the system has no thread left."""

from __future__ import annotations

from collections.abc import Callable

from gate.errors import Fault


def begun(start: Callable[[], object]) -> None:
    """Start a thread, or something that starts one.

    Args:
        start: Starts it.

    Raises:
        Fault: There is none left, or no memory for one (code ``no_thread``).
    """
    try:
        start()
    except (RuntimeError, MemoryError) as error:
        lack = str(error) or "out of memory"
        raise Fault(
            f"The gate could not start a thread: {lack}. Nothing ran. Let this process have more threads "
            "or fewer of its own, and call again.",
            code="no_thread",
        ) from error
