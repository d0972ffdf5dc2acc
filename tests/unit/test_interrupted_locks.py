"""An interrupt may come inside whatever the interpreter does in several steps; no lock stays taken then."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from types import FrameType
from typing import Any

import pytest

from gate.context import Context, Running
from gate.lifecycle import State
from gate.waiting import Poller, Watch
from tests.faults.test_interrupts import interrupted
from tests.gate_kit import PATIENCE

SEEN, APPROVED = (State.PENDING, 1), (State.APPROVED, 1)


def _interrupted(work: Callable[[], object], when: str, where: Callable[[str, str], bool]) -> bool:
    """Do work, and interrupt it at a line or a return of some function; tell whether that came."""

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        name = str(frame.f_globals.get("__name__"))
        if event == when and where(name, frame.f_code.co_name):
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    return interrupted(work, trace)


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
        "wake": lambda: poller.wake({"a1": APPROVED}),
        "release": poller.release,
        "fire": watch.fire,
        "wait": lambda: watch.wait(0),
    }
    _interrupted(verbs[verb], "return", _entered)
    ended = threading.Event()

    def others() -> None:
        poller.add(other)
        poller.wake({"a1": APPROVED, "a2": APPROVED})
        watch.fire()
        ended.set()

    threading.Thread(target=others, daemon=True).start()
    assert ended.wait(PATIENCE / 6)
    assert other.wait(PATIENCE)
    assert watch.wait(PATIENCE)
    poller.release()


class Waits:
    """Three who wait for one action, which may have moved."""

    def __init__(self) -> None:
        self.moved = threading.Event()
        self.poller = Poller(lambda ids: dict.fromkeys(ids, (State.DENIED, 2)) if self.moved.is_set() else {})
        self.told = [threading.Event() for _ in range(3)]
        self.watches = [Watch("a1", SEEN, each.set) for each in self.told]
        for each in self.watches:
            self.poller.add(each)

    def end(self, verb: str) -> None:
        """End the waits by a verb."""
        verbs: dict[str, Callable[[], object]] = {
            "wake": lambda: self.poller.wake({"a1": APPROVED}),
            "release": self.poller.release,
            "fire": self._fire,
        }
        verbs[verb]()

    def _fire(self) -> None:
        for each in self.watches:
            each.fire()

    def have_ended(self) -> bool:
        """Tell whether all of them have ended."""
        ended = all(each.wait(PATIENCE / 30) for each in self.watches)
        return ended and all(each.wait(PATIENCE / 30) for each in self.told)


@pytest.mark.parametrize("verb", ["wake", "release", "fire"])
def test_no_wait_is_forgotten_at_an_interrupt(verb: str) -> None:
    """Wherever it comes while waits are ended, all of them end, at the next look or as it is done again."""
    for line in count(1):
        waits, lines = Waits(), count(1)
        struck = _interrupted(partial(waits.end, verb), "line", partial(_is_line, lines, line))
        if not struck:
            break
        if verb == "wake":
            waits.moved.set()
        else:
            waits.end(verb)
        ended = waits.have_ended()
        waits.poller.release()
        assert ended, line
    assert line > len(waits.watches)
    waits.poller.release()


def _is_line(lines: Iterator[int], number: int, module: str, function: str) -> bool:
    """Tell whether this is so many lines into the ends of waits."""
    return (module, function) == ("gate.waiting", "fire") and next(lines) == number


def test_nobody_stays_inside_an_action_after_an_interrupt() -> None:
    """What runs after an interrupted call is not taken for a part of it."""
    context = Context()
    running = Running("one", ())

    def begun(module: str, function: str) -> bool:
        return module in ("gate.context", "contextlib") and context.running is running

    assert _interrupted(lambda: context.do_inside(running, lambda: None), "line", begun)
    assert context.running is None
