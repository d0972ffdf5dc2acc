"""The trip of one call: submit, wait, claim, run, settle.

The trip is written once, as a generator of steps; ``drive`` takes the steps in the caller's thread, ``aio``
takes the same steps beside an event loop.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from gate.changes import changed_words
from gate.clock import monotonic
from gate.context import Running
from gate.editing import Edited, EditNotTaken
from gate.errors import GateError
from gate.lifecycle import OPEN, Seen, State
from gate.model import Action, ActionRecord
from gate.outcomes import ran
from gate.redact import error_text, redact
from gate.results import details, kept_result, outcome_of
from gate.sentences import NEVER_STARTED
from gate.steps import AskStep, Call, Raised, Returned, Step, ToolStep, Trip, VerbStep, WaitStep, abandon
from gate.verbs.claim import Claimed, End
from gate.waiting import Watch

if TYPE_CHECKING:
    from gate.runtime import Runtime

log = logging.getLogger("gate")


def trip(runtime: Runtime, call: Call) -> Trip:
    """Take one call through the gate.

    Args:
        runtime: The open gate.
        call: The call.

    Returns:
        That it ran, what became of it instead, or what the tool raised.

    Raises:
        Fault: The gate could not do its work; nothing ran.
    """
    waits = call.wait is None or call.wait > 0
    judged = (yield AskStep(call.judged)) if call.facts else call.action
    submission = yield VerbStep(
        lambda: runtime.submit(judged, wait=waits, would_block=call.would_block and waits, owner=call.action),
        for_tool=True,
    )
    if submission.kind == "run":
        return (yield from _run(runtime, call, submission.record))
    if submission.kind == "ended":
        return outcome_of(submission.record)
    return (yield from _hold_out(runtime, call, submission.record, submission.waiter))


def _hold_out(runtime: Runtime, call: Call, record: ActionRecord, waiter: int) -> Trip:
    """Wait with a hold, and claim it once it is approved."""
    until = None if call.wait is None else monotonic() + call.wait
    thrown_away = gone = False
    try:
        while record.state in OPEN or record.state == State.RUNNING:
            if record.state == State.APPROVED:
                ready = partial(_ready, call, record)
                made = (yield AskStep(ready)) if call.asks(record) else ready()
                claim = partial(_claim, runtime, call, made, record, waiter)
                claimed, taken = yield VerbStep(claim, for_tool=True)
                if claimed.run:
                    return (yield from _run(runtime, taken, claimed.record))
                record = claimed.record
                continue
            left = None if until is None else until - monotonic()
            if runtime.poller.released or is_over(runtime, record, left):
                break
            record = yield from _changed(runtime, record, left)
    except GeneratorExit:
        thrown_away = gone = True
        raise
    except BaseException as error:
        gone = not isinstance(error, GateError)  # a fault is told to a caller that is still there
        raise
    finally:
        if thrown_away:
            _leave(runtime, waiter, gone)
        else:
            yield VerbStep(partial(_leave, runtime, waiter, gone))
    return outcome_of(record)


def _ready(call: Call, record: ActionRecord) -> Action | Edited | EditNotTaken:
    """Return an approved call as it would run, with its facts looked up again; or why it cannot."""
    if record.version < 2:
        return call.judged()
    try:
        return call.edited(record)
    except EditNotTaken as why:
        return why


def _claim(
    runtime: Runtime,
    call: Call,
    made: Action | Edited | EditNotTaken,
    record: ActionRecord,
    waiter: int,
) -> tuple[Claimed, Call]:
    """Take an approved call in hand; return the call that runs, too."""
    if isinstance(made, EditNotTaken):
        return Claimed(False, runtime.service.not_taken(record.id, record.version, str(made))), call
    claimed = runtime.claim(record.id, made, waiter=waiter, owner=call.action)
    return claimed, replace(call, action=made.action) if isinstance(made, Edited) else call


def _changed(
    runtime: Runtime, record: ActionRecord, left: float | None
) -> Generator[Step, Any, ActionRecord]:
    """Wait as ``wait_once`` does; what is approved is not looked at: the claim does that, and judges it."""
    found = yield from _wait(runtime, record, left)
    if found == (State.APPROVED, record.version) and not runtime.poller.released:
        return replace(record, state=State.APPROVED)
    return (yield from _look(runtime, record))


def wait_once(
    runtime: Runtime, record: ActionRecord, left: float | None
) -> Generator[Step, Any, ActionRecord]:
    """Wait until an action changes, its deadline passes or the time is over; return it as it is then.

    Args:
        runtime: The open gate.
        record: The action as the waiter knows it.
        left: Seconds left; None for no end.
    """
    yield from _wait(runtime, record, left)
    return (yield from _look(runtime, record))


def _wait(runtime: Runtime, record: ActionRecord, left: float | None) -> Generator[Step, Any, Seen | None]:
    """Wait as ``wait_once`` says; return what the action was moved to, where that is known."""
    deadline, timeout = _deadline(record), left
    if deadline is not None:
        to_deadline = max(0.0, (deadline - runtime.clock.now()).total_seconds())
        timeout = to_deadline if left is None else max(0.0, min(left, to_deadline))
    found: Seen | None = yield WaitStep(record.id, (record.state, record.version), timeout)
    return found


def _look(runtime: Runtime, record: ActionRecord) -> Generator[Step, Any, ActionRecord]:
    """Return an action as it is now, ended if it is past its deadline."""
    if runtime.poller.released:
        return record
    if _is_late(runtime, record):
        yield VerbStep(runtime.service.sweep)
    found: ActionRecord = yield VerbStep(lambda: runtime.service.action(record.id))
    return found


def is_over(runtime: Runtime, record: ActionRecord, left: float | None) -> bool:
    """Tell whether a wait is over; one for a hold past its deadline looks once more, how short it may be.

    Args:
        runtime: The open gate.
        record: The action as the waiter knows it.
        left: Seconds left; None for no end.
    """
    return left is not None and left <= 0 and not _is_late(runtime, record)


def _is_late(runtime: Runtime, record: ActionRecord) -> bool:
    deadline = _deadline(record)
    return deadline is not None and runtime.clock.now() >= deadline


def _deadline(record: ActionRecord) -> datetime | None:
    if record.state == State.APPROVED:
        return record.use_by
    return record.expires_at if record.state == State.PENDING else None


def _run(runtime: Runtime, call: Call, record: ActionRecord) -> Trip:
    """Run the tool of an action that is in hand, and settle it."""
    step = ToolStep(call, Running(record.id, record.decisions, changed_words(record.edits)))
    try:
        done = yield step
    except GeneratorExit:
        raise  # in nobody's hand from now on, which the next heartbeat tells
    except BaseException as gone:
        # Thrown in by the driver: the caller is gone, most often before the tool began.
        yield VerbStep(partial(settle_raised, runtime, call.action, record.id, gone, started=step.started))
        raise
    yield VerbStep(partial(settle, runtime, call.action, record.id, done))
    return done if isinstance(done, Raised) else ran(done.value, details(record))


def settle(runtime: Runtime, action: Action, action_id: str, done: Returned | Raised) -> None:
    """Record how the tool of an action in hand ended; this never replaces what it returned or raised."""
    if isinstance(done, Raised):
        settle_raised(runtime, action, action_id, done.error, started=True)
    else:
        settle_returned(runtime, action, action_id, done.value)


def settle_returned(runtime: Runtime, action: Action, action_id: str, value: Any) -> None:
    """Record that the tool returned; what goes wrong here never replaces its result."""
    _settled(
        action_id, lambda: runtime.service.settle(action_id, _returned(runtime, action, action_id, value))
    )


def settle_raised(
    runtime: Runtime, action: Action, action_id: str, error: BaseException, *, started: bool
) -> None:
    """Record that the tool raised, was interrupted, or never began; this never replaces what it raised."""
    if not started:
        end = End(ok=False, error=NEVER_STARTED, started=False)
        _settled(action_id, lambda: runtime.service.settle(action_id, end))
    elif isinstance(error, Exception):
        _settled(
            action_id, lambda: runtime.service.settle(action_id, _raised(runtime, action, action_id, error))
        )
    else:
        reason = f"{type(error).__name__} came while it ran."
        _settled(action_id, lambda: runtime.service.doubt(action_id, code="interrupted", reason=reason))


def _returned(runtime: Runtime, action: Action, action_id: str, value: Any) -> End:
    secrets = _secrets(runtime, action, action_id)
    return End(ok=True, result=None if secrets is None else kept_result(value, secrets=secrets))


def _raised(runtime: Runtime, action: Action, action_id: str, error: Exception) -> End:
    secrets = _secrets(runtime, action, action_id)
    text = type(error).__name__ if secrets is None else error_text(error, secrets=secrets)
    return End(ok=False, error=text)


def _secrets(runtime: Runtime, action: Action, action_id: str) -> tuple[str, ...] | None:
    """Return every text of the call that people may not see, or None where the policy cannot be read now."""
    found = runtime.service.secrets(action_id)
    if found is not None:
        return found
    try:
        return redact(action.arguments, paths=runtime.service.policy().known(action).redact).secrets
    except GateError:
        return None


def _settled(action_id: str, verb: Callable[[], None]) -> None:
    try:
        verb()
    except GateError as fault:
        log.error("The end of action %s was not recorded: %s", action_id, fault)
    except Exception:
        log.exception("The end of action %s was not recorded.", action_id)


def _leave(runtime: Runtime, waiter: int, gone: bool) -> None:
    if runtime.poller.released:
        return  # closing takes every waiter of this process away
    try:
        runtime.service.leave(waiter, gone=gone)
    except GateError as fault:
        log.warning("A wait ended, but the store could not be told: %s", fault)


def drive(runtime: Runtime, steps: Generator[Step, Any, Any]) -> Any:
    """Take every step in the caller's thread and return where the steps lead.

    Args:
        runtime: The open gate.
        steps: A trip, or part of one.
    """
    try:
        return _drive(runtime, steps)
    except BaseException as gone:
        # An interrupt may have come between two steps; one that came inside a step has been dealt with there.
        abandon(steps, gone)
        raise


def _drive(runtime: Runtime, steps: Generator[Step, Any, Any]) -> Any:
    answer: Any = None
    error: BaseException | None = None
    while True:
        try:
            step = steps.send(answer) if error is None else steps.throw(error)
        except StopIteration as end:
            return end.value
        answer, error = None, None
        try:
            answer = _take(runtime, step)
        except BaseException as raised:
            error = raised


def _take(runtime: Runtime, step: Step) -> Any:
    if isinstance(step, VerbStep):
        return step.do()
    if isinstance(step, AskStep):
        return step.ask()
    if isinstance(step, WaitStep):
        return _block(runtime, step)
    return _use(runtime, step)


def _block(runtime: Runtime, step: WaitStep) -> Seen | None:
    watch = Watch(step.watch_for, step.seen)
    try:
        runtime.poller.add(watch)
        watch.wait(step.timeout)
    finally:
        runtime.poller.remove(watch)
    return watch.found


def _use(runtime: Runtime, step: ToolStep) -> Returned | Raised:
    return runtime.context.do_inside(step.running, partial(_run_tool, step))


def _run_tool(step: ToolStep) -> Returned | Raised:
    step.started = True
    try:
        return Returned(step.call.tool(step.call.action.arguments))
    except BaseException as error:
        return Raised(error, step.running.action_id)
