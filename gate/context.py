"""What a guarded call finds around it: session, options for the next call, the action it runs inside of."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

from gate.blocks import Blocks
from gate.errors import GuardError
from gate.shapes import has_utf8, named
from gate.wait import Wait, seconds

if TYPE_CHECKING:
    from gate.model import Decision
    from gate.session import Session

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Running:
    """The action whose tool runs here.

    Attributes:
        action_id: Its id.
        decisions: Approvals with their comments, oldest first.
        edits: What people changed in the call before it was approved.
    """

    action_id: str
    decisions: tuple[Decision, ...]
    edits: tuple[str, ...] = ()


Place = tuple["Session | None", Running | None]
"""The session whose block a place is in, and the action whose tool runs there."""


_GENERATOR = (
    "gate.bind takes no generator, which runs later, where its values are asked for: open the session inside"
    " it, or bind the function that asks for them."
)


class CallOptions:
    """Options for the next guarded call, and only that one; a block of them ends them at the latest."""

    def __init__(self, id: str | None, wait: Wait | None, note: str | None) -> None:  # noqa: A002
        _check_text("id", id)
        _check_text("note", note)
        if wait is not None:
            seconds(wait)
        self.id, self.wait, self.note = id, wait, note
        self._lock = threading.Lock()
        self._free = True

    def take(self) -> bool:
        """Use them up; tell whether they were still free."""
        with self._lock:
            free, self._free = self._free, False
            return free

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.take()


class Context:
    """The context variables of one gate.

    Attributes:
        entered: Whether the block of a session was ever begun.
    """

    def __init__(self) -> None:
        self._blocks, self.entered = Blocks(), False
        self._options: ContextVar[CallOptions | None] = ContextVar("gate_options", default=None)
        self._running: ContextVar[Running | None] = ContextVar("gate_running", default=None)

    @property
    def session(self) -> Session | None:
        """Return the innermost session whose block this is."""
        return self._blocks.session()

    @property
    def other(self) -> Session | None:
        """Return another session in which this may have been made, where nobody can know."""
        return self._blocks.other()

    @property
    def running(self) -> Running | None:
        """Return the action whose tool runs here, if any."""
        return self._running.get()

    def enter(self, session: Session, frame: FrameType) -> None:
        """Begin the block of a session, which the frame enters."""
        self.entered = True
        self._blocks.enter(session, frame)

    def leave(self, session: Session, frame: FrameType) -> None:
        """End the innermost block of a session, which the frame leaves; blocks begun elsewhere stay."""
        self._blocks.leave(session, frame)

    def offer(self, options: CallOptions) -> CallOptions:
        """Lay options ready for the next call, in place of any that lie there."""
        self._options.set(options)
        return options

    def take_options(self) -> CallOptions | None:
        """Return the options for this call, if there are any and no other call took them."""
        options = self._options.get()
        return options if options is not None and options.take() else None

    def inside(self, running: Running) -> AbstractContextManager[None]:
        """Be inside a running action for the length of a block."""
        return _set(self._running, running)

    def do_inside(self, running: Running, work: Callable[[], T]) -> T:
        """Do work inside a running action, in this thread from its begin to its end."""
        before = self._running.get()
        try:
            self._running.set(running)  # no interrupt comes between this and the end that takes it back
            return work()
        finally:
            self._running.set(before)

    def bind(self, function: Callable[P, T]) -> Callable[P, T]:
        """Return a function that has this session, and this running action, wherever it is called.

        Args:
            function: A ``def`` or ``async def`` to be called in another thread.

        Raises:
            GuardError: It is a generator, or gives one back (when called).
        """
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise GuardError(_GENERATOR)
        carried = self.here()

        def bound(*args: P.args, **kwargs: P.kwargs) -> Any:
            with self._at(carried):
                return self._bound_result(carried, function(*args, **kwargs))

        made = as_async(bound) if inspect.iscoroutinefunction(function) else bound
        return functools.wraps(function)(made)

    def _bound_result(self, carried: Place, result: Any) -> Any:
        """Return what a function gave back; a coroutine runs later, and there too."""
        if inspect.isgenerator(result) or inspect.isasyncgen(result):
            raise GuardError(_GENERATOR)
        return self._awaited(carried, result) if inspect.iscoroutine(result) else result

    async def _awaited(self, carried: Place, call: Any) -> Any:
        with self._at(carried):
            return await call

    def here(self) -> Place:
        """Return where this is."""
        return self._blocks.session(), self._running.get()

    def where_called(self, made: Place) -> AbstractContextManager[None]:
        """Be where a coroutine was made for the length of a block; here, if that was outside any session.

        In a task that may have got a generator's block only from who asked for its values, it stays outside.
        """
        return self._at(made) if made[0] or not self._blocks.is_sure() else nullcontext()

    @contextmanager
    def _at(self, place: Place) -> Iterator[None]:
        session, running = place
        token = self._blocks.carry(session)
        try:
            with _set(self._running, running):
                yield
        finally:
            self._blocks.put_back(token)


@contextmanager
def _set(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Let a variable have a value for the length of a block.

    A block of a coroutine that is thrown away ends wherever that happens, such as in a collection of garbage:
    another context than its own stays as it is.
    """
    token = variable.set(value)
    try:
        yield
    finally:
        with suppress(ValueError):
            variable.reset(token)


def as_async(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a ``def`` that returns a coroutine anew, known for a coroutine function, as frameworks ask for it.

    Every Python knows one by this flag of its code; what makes a coroutine is an instruction in it. The mark
    that Python 3.12 has for it would not do: ``functools.wraps`` copies it to whatever ``def`` is put around.
    """
    code: CodeType = function.__code__
    flagged = code.replace(co_flags=code.co_flags | inspect.CO_COROUTINE)
    return FunctionType(flagged, function.__globals__, closure=function.__closure__)


def _check_text(name: str, value: object) -> None:
    if value is not None and not (type(value) is str and value and has_utf8(value)):
        raise TypeError(f"{name}={named(value)} is no text; give a text that is not empty, or None.")
