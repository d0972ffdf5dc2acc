"""An interrupt may come inside whatever the interpreter does in several steps; no lock stays taken then."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from gate.context import Context, Running
from gate.lifecycle import State
from gate.waiting import Poller, Watch
from tests.gate_kit import PATIENCE

SEEN = (State.PENDING, 1)


def _interrupted(work: Callable[[], object], when: str, where: Callable[[str, str], bool]) -> bool:
    """Do work, and interrupt it at a line or a return of some function; tell whether that came."""

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        name = str(frame.f_globals.get("__name__"))
        if event == when and where(name, frame.f_code.co_name):
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def _entered(module: str, function: str) -> bool:
    return module == "threading" and function == "__enter__"


@pytest.mark.parametrize("verb", ["add", "remove", "wake", "release", "fire", "wait"])
def test_no_wait_hangs_after_an_interrupt(verb: str) -> None:
    """Whoever is interrupted while it takes a lock of the waits, others watch, wait and wake as before."""
    poller = Poller(lambda ids: {})
    watch, other = Watch("a1", SEEN), Watch("a2", SEEN)
    poller.add(watch)
    verbs: dict[str, Callable[[], object]] = {
        "add": lambda: poller.add(Watch("a3", SEEN)),
        "remove": lambda: poller.remove(watch),
        "wake": lambda: poller.wake(["a1"]),
        "release": poller.release,
        "fire": watch.fire,
        "wait": lambda: watch.wait(0),
    }
    _interrupted(verbs[verb], "return", _entered)
    ended = threading.Event()

    def others() -> None:
        poller.add(other)
        poller.wake(["a1", "a2"])
        watch.fire()
        ended.set()

    threading.Thread(target=others, daemon=True).start()
    assert ended.wait(PATIENCE / 6)
    assert other.wait(PATIENCE)
    assert watch.wait(PATIENCE)
    poller.release()


def test_nobody_stays_inside_an_action_after_an_interrupt() -> None:
    """What runs after an interrupted call is not taken for a part of it."""
    context = Context()
    running = Running("one", ())

    def begun(module: str, function: str) -> bool:
        return module in ("gate.context", "contextlib") and context.running is running

    assert _interrupted(lambda: context.do_inside(running, lambda: None), "line", begun)
    assert context.running is None
