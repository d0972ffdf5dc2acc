"""Stand by a hold: wait to know what becomes of it, without a part in it."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING, Any

from gate.clock import monotonic
from gate.lifecycle import State
from gate.model import ActionRecord
from gate.steps import Step, VerbStep
from gate.trip import is_over, wait_once

if TYPE_CHECKING:
    from gate.runtime import Runtime

_UNDECIDED = frozenset({State.PENDING, State.RUNNING})


def until_decided(
    runtime: Runtime, last: list[ActionRecord], wait: float | None
) -> Generator[Step, Any, None]:
    """Wait until people have answered a hold, or it has ended.

    Args:
        runtime: The open gate.
        last: The hold as its waiter knows it, replaced as it changes; also by waits that end early.
        wait: Seconds; None for no end.
    """
    until = None if wait is None else monotonic() + wait
    last[0] = yield VerbStep(partial(runtime.service.action, last[0].id))
    if last[0].state not in _UNDECIDED or is_over(runtime, last[0], wait):
        return
    owner = _Waiter()
    waiter = yield VerbStep(partial(runtime.service.stand_by, last[0], owner))
    try:
        while last[0].state in _UNDECIDED and not runtime.poller.released:
            left = None if until is None else until - monotonic()
            if is_over(runtime, last[0], left):
                break
            last[0] = yield from wait_once(runtime, last[0], left)
    except BaseException:
        runtime.service.stood_by(waiter)
        raise
    yield VerbStep(partial(runtime.service.leave, waiter))


class _Waiter:
    """Whoever waits to know what becomes of a hold, for as long as that lasts."""
