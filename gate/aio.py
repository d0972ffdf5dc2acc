"""Take the steps of a trip beside an event loop: verbs on the gate's own threads, waiting without any.

Submit, claim and settle are shielded: a caller that is cancelled meanwhile learns of it only once the verb
has ended, so nothing that was begun is forgotten.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, TypeVar

from gate.steps import Raised, Returned, Step, ToolStep, VerbStep, WaitStep
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
    """
    answer: Any = None
    error: BaseException | None = None
    cancelled: asyncio.CancelledError | None = None
    while True:
        try:
            step = steps.send(answer) if error is None else steps.throw(error)
        except StopIteration as end:
            if cancelled is not None:
                raise cancelled from None
            return end.value
        answer, error = None, None
        try:
            if isinstance(step, VerbStep):
                answer, caught = await shielded(runtime, step.do)
                cancelled = cancelled or caught
            elif cancelled is not None:
                error, cancelled = cancelled, None
            else:
                answer = await _take(runtime, step)
        except GeneratorExit:
            _abandon(steps)
            raise
        except BaseException as raised:
            error = raised


def _abandon(steps: Generator[Step, Any, Any]) -> None:
    """Settle what was begun when the loop throws the caller away; no more awaiting is possible then.

    It is told as a cancellation, since a generator may do nothing more after GeneratorExit.
    """
    try:
        step = steps.throw(asyncio.CancelledError())
        while isinstance(step, VerbStep):
            step = steps.send(step.do())
    except (asyncio.CancelledError, StopIteration):
        return


async def shielded(runtime: Runtime, verb: Callable[[], T]) -> tuple[T, asyncio.CancelledError | None]:
    """Do a verb on the gate's threads to its end, whatever happens to the caller.

    Returns:
        Its answer, and the cancellation that came meanwhile, or None.
    """
    if runtime.poller.released:
        return verb(), None
    future = asyncio.get_running_loop().run_in_executor(runtime.executor, verb)
    caught: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.shield(future)
        except asyncio.CancelledError as cancelled:
            if future.cancelled():
                raise
            caught = cancelled
        except BaseException:
            break
    if caught is not None and future.exception() is not None:
        raise caught from future.exception()
    return future.result(), caught


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


async def _sleep(runtime: Runtime, step: WaitStep) -> None:
    loop = asyncio.get_running_loop()
    changed = asyncio.Event()
    watch = Watch(step.watch_for, step.seen, lambda: _tell(loop, changed))
    runtime.poller.add(watch)
    try:
        await asyncio.wait_for(changed.wait(), step.timeout)
    except TimeoutError:
        pass
    finally:
        runtime.poller.remove(watch)


def _tell(loop: asyncio.AbstractEventLoop, changed: asyncio.Event) -> None:
    try:
        loop.call_soon_threadsafe(changed.set)
    except RuntimeError:
        return
