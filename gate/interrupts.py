"""Put off what handlers of signals raise while something may not be left half done.

An interrupt strikes the main thread between any two lines, also those of the hooks of a fork: there Python
drops what was raised and goes on with the fork, and a lock that was just taken would never be released.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any

from gate.clock import pause

AGAIN_AFTER = 0.001
"""How long it takes until it is looked again whether a call has returned, in seconds."""

_handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}
"""By signal: what answers it, while that is put off."""

_raised: set[int] = set()
"""The signals whose handlers raised meanwhile."""


def put_off() -> None:
    """Have no handler of a signal raise anything in this thread until ``go_on``; each is called all the same.

    Only the main thread is ever interrupted, so nothing is done in any other.
    """
    if not _is_main():
        return
    with suppress(ValueError):  # an interpreter beside the main one: there nobody is interrupted
        for number in signal.valid_signals():
            handler = signal.getsignal(number)
            if callable(handler) and handler is not _answer:
                _handlers[number] = handler  # first: whoever is interrupted here is put right by ``go_on``
                signal.signal(number, _answer)


def go_on(*, again: bool = True) -> None:
    """Have handlers raise what they raise, from now on.

    Args:
        again: Whether the signals whose handlers raised meanwhile interrupt the main thread, as soon as the
            caller has returned.
    """
    if not _is_main():
        return
    try:
        _put_back()
    except BaseException:
        _put_back()
        raise
    signals = tuple(_raised)
    _raised.clear()
    if signals and again:
        _thread.start_new_thread(_raise_after, (sys._getframe(1), signals))


def _raise_after(caller: FrameType, signals: Sequence[int]) -> None:
    """Interrupt the main thread once a call has returned: what is raised in a hook of a fork is dropped."""
    while _is_under_way(caller):
        pause(AGAIN_AFTER)
    for number in signals:
        _thread.interrupt_main(number)  # type: ignore[arg-type]


def _is_under_way(call: FrameType) -> bool:
    """Tell whether the main thread is inside a call."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None and frame is not call:
        frame = frame.f_back
    return frame is call


def _answer(number: int, frame: FrameType | None) -> None:
    try:
        _handlers[number](number, frame)
    except BaseException:
        _raised.add(number)


def _put_back() -> None:
    for number, handler in _handlers.items():
        if signal.getsignal(number) is _answer:  # else somebody chose another meanwhile
            signal.signal(number, handler)
    _handlers.clear()


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()
