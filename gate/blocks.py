"""The blocks of sessions that a place is in, also where one stands in a generator.

A generator runs in the context of whoever asks it for its next value: what it sets there stays behind when it
yields, and is not there when somebody else asks. So a block in a generator holds for its own task or thread
only while the generator runs, wherever it runs; tasks and threads that were made within it keep it. Who runs
an event loop is not around what runs in it, which others may have made, unless the loop itself is made there.
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
_AS_BLOCKS = ("contextlib", "_pytest.fixtures", "pluggy._callers", "pluggy._execution")
"""Modules that run a generator as the two ends of a block: what it begins holds for whoever asked for it."""

_ENDS = ("__enter__", "__aenter__", "__exit__", "__aexit__")
"""Methods of classes that are blocks: what these begin and end holds for whoever's ``with`` it is."""

_AS_FIXTURES = ("anyio._backends._asyncio", "_run_tests_and_fixtures")
"""The one function of a module that runs generators otherwise too."""

_LOOP = "asyncio.events"
"""The module whose frames run what was put into an event loop."""

_OWN_LOOP = ("asyncio.runners", "run")
"""The function that makes an event loop and ends it."""


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

    def is_within(self, other: Block) -> bool:
        """Tell whether it is another block, or began within that one."""
        block: Block | None = self
        while block is not None and block is not other:
            block = block.within
        return block is not None


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
        block = Block(session, self._running()[0], opener if in_generator else None)
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
        return self._entered.set((Block(session, self._running()[0]),))

    def put_back(self, token: Token[tuple[Block, ...]]) -> None:
        """End what ``carry`` began; another context than its own stays as it is."""
        with suppress(ValueError):
            self._entered.reset(token)

    def is_sure(self) -> bool:
        """Tell whether this place is surely not outside its session, as whoever asks a generator is."""
        block = self._innermost(self._entered.get())
        return block is None or block.place is None or block is self._running()[0]

    def other(self) -> Session | None:
        """Return another session that this place may be in, where nobody can know; None for none."""
        entered = self._entered.get()
        if not entered or entered[-1].place is None or self.is_sure():
            return None
        found = self.session()
        held = (each.session for each in reversed(entered) if each.holds() and each.session)
        return next((each for each in held if found is None or each.id != found.id), None)

    def _innermost(self, entered: tuple[Block, ...]) -> Block | None:
        running, through_loop = self._running()
        if running is None:
            return next((each for each in reversed(entered) if each.holds()), None)
        if through_loop:  # a task has what it was made in, of what began within this one
            made_in = (each for each in reversed(entered) if each.holds() and each.is_within(running))
            return next(made_in, running)
        # One in another generator that was begun within this one and does not run here is none of this place.
        inside = (each for each in reversed(entered) if each.within is running and each.place is None)
        return next(inside, running)

    def _running(self) -> tuple[Block | None, bool]:
        """Return the innermost block of a generator that runs here, and whether it runs the loop here."""
        frame: FrameType | None = sys._getframe() if self._generators else None
        others = through_loop = False
        while frame is not None:
            found = () if others else self._in(frame)
            if found:
                return found[-1], through_loop
            module = frame.f_globals.get("__name__")
            if module == _LOOP:
                others = through_loop = True
            elif others and (module, frame.f_code.co_qualname) == _OWN_LOOP:
                others = False
            frame = frame.f_back
        return None, False

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
    """Return the frame whose ``with`` enters a block, past generators and classes that are blocks."""
    before = frame.f_back
    while before is not None and (_runs_blocks(frame) or _runs_blocks(before)):
        frame, before = before, before.f_back
    return frame


def _runs_blocks(frame: FrameType) -> bool:
    module, function = frame.f_globals.get("__name__"), frame.f_code.co_name
    return module in _AS_BLOCKS or function in _ENDS or (module, function) == _AS_FIXTURES


def _runner() -> object:
    """Return what runs here: the task of an event loop, the loop itself, or the thread."""
    asyncio = sys.modules.get("asyncio")
    running = getattr(asyncio, "get_running_loop", None)
    current = getattr(asyncio, "current_task", None)
    if running is None or current is None:  # nobody has loaded it, or another thread does just now
        return threading.current_thread()
    try:
        loop: object = running()
    except RuntimeError:
        return threading.current_thread()
    return current(loop) or loop
