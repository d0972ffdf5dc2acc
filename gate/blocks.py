"""The blocks of sessions that a place is in, also where one stands in a generator.

A generator runs in the context of whoever asks it for its next value: what it sets there stays behind when it
yields, and is not there when somebody else asks. So a block in a generator holds for its own task or thread
only while the generator runs, wherever it runs; tasks and threads that were made within it keep it.
"""

from __future__ import annotations

import inspect
import sys
import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from contextvars import ContextVar, Token
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.session import Session

_GENERATOR = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
_AS_BLOCKS = ("contextlib", "_pytest.fixtures")
"""Modules that run a generator as the two ends of a block: what it begins holds for whoever asked for it."""


class Block:
    """One block.

    Args:
        session: Whose block it is; None where a place outside any session is carried elsewhere.
        within: The generator's block within which it begins; None for none.
        frame: The generator in which it stands; None where it stands in none.
    """

    __slots__ = ("_begun_by", "code", "over", "place", "session", "within")

    def __init__(self, session: Session | None, within: Block | None, frame: FrameType | None = None) -> None:
        self.session, self.within, self.over = session, within, False
        self.place = None if frame is None else id(frame)
        self.code = None if frame is None else frame.f_code
        self._begun_by = None if frame is None else weakref.ref(_runner())

    def holds(self) -> bool:
        """Tell whether it holds where its generator does not run: for what was made within it alone."""
        return self._begun_by is None or self._begun_by() is not _runner()


class Blocks:
    """The blocks of one gate."""

    def __init__(self) -> None:
        self._entered: ContextVar[tuple[Block, ...]] = ContextVar("gate_sessions", default=())
        self._generators: dict[int, tuple[Block, ...]] = {}
        """Blocks that stand in generators, by frame; what is in a frame is changed by its own thread."""

    def session(self) -> Session | None:
        """Return the session of the innermost block that holds here."""
        entered = self._entered.get()
        if not self._generators and (not entered or entered[-1].place is None):  # as it nearly always is
            return entered[-1].session if entered else None
        found = self._innermost(entered)
        return None if found is None else found.session

    def enter(self, session: Session, frame: FrameType) -> None:
        """Begin a block of a session; the frame is the one that enters it."""
        opener = _opener(frame)
        in_generator = bool(opener.f_code.co_flags & _GENERATOR)
        block = Block(session, self._running(), opener if in_generator else None)
        if in_generator:
            self._generators[id(opener)] = (*self._in(opener), block)
        # One that another place ended is gone from this one only now.
        before = [each for each in self._entered.get() if not each.over or each.holds()]
        self._entered.set((*before, block))

    def leave(self, session: Session, frame: FrameType) -> None:
        """End the innermost block of a session that was begun there; blocks begun elsewhere stay."""
        entered = self._entered.get()
        block = _last(self._in(_opener(frame)), session) or _last(entered, session) or self._left(session)
        if block is None:
            return
        self._forget(block)
        if block in entered:
            self._entered.set(tuple(each for each in entered if each is not block))

    def carry(self, session: Session | None) -> Token[tuple[Block, ...]]:
        """Be in a session, or outside any, whatever holds here; ``put_back`` ends it."""
        return self._entered.set((Block(session, self._running()),))

    def put_back(self, token: Token[tuple[Block, ...]]) -> None:
        """End what ``carry`` began; another context than its own stays as it is."""
        with suppress(ValueError):
            self._entered.reset(token)

    def _innermost(self, entered: tuple[Block, ...]) -> Block | None:
        running = self._running()
        if running is None:
            return next((each for each in reversed(entered) if each.holds()), None)
        # One in another generator that was begun within this one and does not run here is none of this place.
        inside = (each for each in reversed(entered) if each.within is running and each.place is None)
        return next(inside, running)

    def _running(self) -> Block | None:
        """Return the innermost block that stands in a generator which runs here."""
        frame: FrameType | None = sys._getframe() if self._generators else None
        while frame is not None:
            found = self._in(frame)
            if found:
                return found[-1]
            frame = frame.f_back
        return None

    def _in(self, frame: FrameType) -> tuple[Block, ...]:
        found = self._generators.get(id(frame), ())
        return found if found and found[-1].code is frame.f_code else ()

    def _left(self, session: Session) -> Block | None:
        """Return a block that another place than the one that began it ends."""
        everywhere = [each for blocks in list(self._generators.values()) for each in blocks]
        return _last(everywhere, session)

    def _forget(self, block: Block) -> None:
        block.over = True
        if block.place is None:
            return
        left = tuple(each for each in self._generators.get(block.place, ()) if each is not block)
        if left:
            self._generators[block.place] = left
        else:
            self._generators.pop(block.place, None)


def _last(blocks: Sequence[Block], session: Session) -> Block | None:
    return next((each for each in reversed(blocks) if each.session is session), None)


def _opener(frame: FrameType) -> FrameType:
    """Return the frame whose ``with`` enters a block, past blocks that are written as generators."""
    before = frame.f_back
    while before is not None and (_runs_blocks(frame) or _runs_blocks(before)):
        frame, before = before, before.f_back
    return frame


def _runs_blocks(frame: FrameType) -> bool:
    return frame.f_globals.get("__name__") in _AS_BLOCKS


def _runner() -> object:
    """Return what runs here: the task of an event loop, or the thread."""
    asyncio = sys.modules.get("asyncio")
    current = getattr(asyncio, "current_task", None)
    try:
        task: object = current() if current is not None else None
    except RuntimeError:  # no event loop runs here
        task = None
    return task or threading.current_thread()
