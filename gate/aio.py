"""Take the steps of a trip beside an event loop: verbs on the gate's own threads, waiting without any.

Host code is asked on threads apart (``lookups``): it may take long, and wait for calls, which need the gate's
own.

Submit, claim and settle are shielded: a caller that is cancelled meanwhile learns of it only once the verb
has ended, so nothing that was begun is forgotten.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from gate.errors import GateError, GuardError
from gate.lifecycle import Seen
from gate.steps import AskStep, Raised, Returned, Step, ToolStep, VerbStep, WaitStep, abandon, needs_caller
from gate.waiting import Watch

if TYPE_CHECKING:
    from gate.runtime import Runtime

T = TypeVar("T")


async def drive(runtime: Runtime, steps: Generator[Step, Any, Any]) -> Any:
    """Take every step and return where the steps lead.

    Args:
        runtime: The open gate.
        steps: A trip, or part of one.

    Raises:
        asyncio.CancelledError: The caller was cancelled; what was begun has been settled.
        GuardError: No event loop of asyncio runs here; nothing was begun.
    """
    _check_loop()
    driver = _Driver(runtime, steps)
    try:
        return await driver.run()
    except GeneratorExit:
        # The loop throws the caller away, and no more awaiting is possible. It is told as a cancellation,
        # since a generator may do nothing more after GeneratorExit.
        abandon(steps, asyncio.CancelledError(), begun=driver.begun)
        raise


async def shielded(runtime: Runtime, verb: Callable[[], T]) -> tuple[T, BaseException | None]:
    """Do a verb on the gate's threads to its end, whatever happens to the caller.

    Returns:
        Its answer, and the cancellation or interrupt that came meanwhile, or None.
    """
    if runtime.poller.released:
        return verb(), None
    _check_loop()
    return await _ended(runtime.begin(verb))


async def in_hand(
    runtime: Runtime, verb: Callable[[], T], give_back: Callable[[T, BaseException], object]
) -> T:
    """Do a verb that takes an action in hand, and give it back where the caller is gone by then.

    Args:
        runtime: The open gate.
        verb: What is done.
        give_back: Called with its answer and what took the caller away.

    Raises:
        asyncio.CancelledError: The caller was cancelled.
        GuardError: No event loop of asyncio runs here; nothing was begun.
    """
    _check_loop()
    work = runtime.begin(verb)
    try:
        answer, cancelled = await _ended(work)
    except GeneratorExit as gone:
        with suppress(GateError):  # it took nothing
            give_back(work.result(), gone)  # here and now: who is thrown away can await nothing more
        raise
    if cancelled is not None:
        await shielded(runtime, lambda: give_back(answer, cancelled))
        raise cancelled
    return answer


def _check_loop() -> None:
    """Refuse what is awaited without asyncio before anything is begun, since nobody could settle it."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise GuardError(
            "No event loop of asyncio runs here, and the gate needs one to await a call; nothing ran. With"
            " another library, make the tool a def and call it in a thread (gate.bind)."
        ) from None


async def asked(runtime: Runtime, question: Callable[[], T]) -> T:
    """Ask host code on a thread apart, where it may wait for the gate; nothing is begun by that.

    Raises:
        asyncio.CancelledError: The caller was cancelled; nobody waits for the answer, and what was not asked
            yet never is.
        Fault: There is no thread left (code ``no_thread``), or no event loop of asyncio.
    """
    _check_loop()
    return await asyncio.wrap_future(runtime.ask(question))


class _Driver:
    """Take the steps of one trip, and know which verb is under way."""

    def __init__(self, runtime: Runtime, steps: Generator[Step, Any, Any]) -> None:
        self._runtime, self._steps = runtime, steps
        self._cancelled: BaseException | None = None
        self._verb: Future[Any] | None = None

    async def run(self) -> Any:
        """Take every step and return where they lead."""
        answer: Any = None
        error: BaseException | None = None
        while True:
            try:
                step = self._steps.send(answer) if error is None else self._steps.throw(error)
            except StopIteration as end:
                if self._cancelled is not None:
                    raise self._cancelled from None
                return end.value
            answer, error = None, None
            try:
                answer = await self._take(step)
            except GeneratorExit:
                raise
            except BaseException as raised:
                error = raised

    @property
    def begun(self) -> VerbStep | None:
        """Return what gives the answer to the verb under way, if there is one."""
        return VerbStep(self._verb.result) if self._verb is not None else None

    async def _take(self, step: Step) -> Any:
        self._verb = None
        if self._cancelled is not None and needs_caller(step):
            gone, self._cancelled = self._cancelled, None
            raise gone
        if isinstance(step, AskStep):
            return await asked(self._runtime, step.ask)
        return await (self._do(step) if isinstance(step, VerbStep) else _take(self._runtime, step))

    async def _do(self, step: VerbStep) -> Any:
        if self._runtime.poller.released:
            return step.do()
        self._verb = self._runtime.begin(step.do)
        answer, caught = await _ended(self._verb)
        self._cancelled = self._cancelled or caught
        return answer


async def _ended(work: Future[T]) -> tuple[T, BaseException | None]:
    """Wait for work on another thread, to its end also where the caller is cancelled or interrupted."""
    future = asyncio.wrap_future(work)
    gone: BaseException | None = None
    while not future.done():
        try:
            await asyncio.wait([future])
        except GeneratorExit:
            raise
        except BaseException as thrown:  # a cancellation, or an interrupt that came just here
            gone = thrown
    error = future.exception()
    if gone is not None and error is not None:
        raise gone from error
    return future.result(), gone


async def _take(runtime: Runtime, step: WaitStep | ToolStep) -> Any:
    if isinstance(step, WaitStep):
        return await _sleep(runtime, step)
    with runtime.context.inside(step.running):
        step.started = True
        try:
            return Returned(await step.call.tool(step.call.action.arguments))
        except GeneratorExit:
            raise
        except BaseException as error:
            return Raised(error, step.running.action_id)


async def _sleep(runtime: Runtime, step: WaitStep) -> Seen | None:
    loop = asyncio.get_running_loop()
    changed = asyncio.Event()
    watch = Watch(step.watch_for, step.seen, lambda: _tell(loop, changed))
    try:
        runtime.poller.add(watch)
        async with asyncio.timeout(step.timeout):  # wait_for of Python 3.11 loses a cancellation at its end
            await changed.wait()
    except TimeoutError:
        pass
    finally:
        runtime.poller.remove(watch)
    return watch.found


def _tell(loop: asyncio.AbstractEventLoop, changed: asyncio.Event) -> None:
    try:
        loop.call_soon_threadsafe(changed.set)
    except RuntimeError:
        return
