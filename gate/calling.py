"""Make one call of a guarded tool: what is judged, how it runs, and what its caller gets.

A tool is guarded where its module is loaded, and called later, or never: the first call loads what only calls
need.
"""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import filterfalse, starmap
from types import AsyncGeneratorType, GeneratorType
from typing import TYPE_CHECKING, Any

from gate import refusing
from gate.digest import copied, snapshot
from gate.errors import ActionError, GuardError, NoSession
from gate.model import Action
from gate.outcomes import Details, Failed, Outcome, Ran, Refusal, ResultNotKept
from gate.redact import error_text
from gate.refusing import Caller
from gate.steps import Call, Ending, Raised
from gate.wait import seconds

if TYPE_CHECKING:
    from gate.context import CallOptions, Place
    from gate.guard import Guarded
    from gate.runtime import Runtime
    from gate.session import Session

Arguments = Mapping[str, Any]

log = logging.getLogger("gate")

_LATER = (GeneratorType, AsyncGeneratorType, map, filter, starmap, filterfalse)
"""What does its work only when its values are asked for."""


def called(tool: Guarded, args: Sequence[Any], kwargs: Arguments) -> Any:
    """Call a ``def`` through the gate: return its result, or raise or return what became of it instead."""
    return _finished(tool, _taken(tool, args, kwargs))


async def called_async(
    tool: Guarded, args: Sequence[Any], kwargs: Arguments, options: CallOptions | None, made: Place
) -> Any:
    """Call an ``async def`` through the gate, from the place where its coroutine was made; see ``called``."""
    with tool.gate._context.where_called(made):
        return _finished(tool, await _taken_async(tool, args, kwargs, options))


def outcome(tool: Guarded, args: Sequence[Any], kwargs: Arguments) -> Ran[Any] | Outcome:
    """Call a ``def`` through the gate and return what became of it; only its own exception is raised."""
    return _became(tool, _taken(tool, args, kwargs))


async def outcome_async(
    tool: Guarded, args: Sequence[Any], kwargs: Arguments, options: CallOptions | None, made: Place
) -> Ran[Any] | Outcome:
    """Call an ``async def`` through the gate and return what became of it; see ``outcome``."""
    with tool.gate._context.where_called(made):
        return _became(tool, await _taken_async(tool, args, kwargs, options))


def preview(tool: Guarded, args: Sequence[Any], kwargs: Arguments, session: Session) -> Action:
    """Return what a call would be judged as; the options of the next call stay with it."""
    action = _action(tool, tool.binding.bind(args, kwargs).arguments, session, None)
    return action if tool.facts is None else _with_facts(tool, action)


def _taken(tool: Guarded, args: Sequence[Any], kwargs: Arguments) -> Ending:
    try:
        call = _call(tool, args, kwargs, _run, tool.options(), would_block=_in_event_loop())
    except (ActionError, NoSession) as fault:
        refusing.tell(tool.gate, fault, _caller(tool))
        raise
    return _runtime(tool).take(call)


async def _taken_async(
    tool: Guarded, args: Sequence[Any], kwargs: Arguments, options: CallOptions | None
) -> Ending:
    try:
        call = _call(tool, args, kwargs, _run_async, options)
    except (ActionError, NoSession) as fault:
        await refusing.tell_async(tool.gate, fault, _caller(tool))
        raise
    return await _runtime(tool).take_async(call)


def _finished(tool: Guarded, ending: Ending) -> Any:
    if isinstance(ending, Raised):
        raise ending.error
    if isinstance(ending, Ran):
        if ending.kept:
            return ending.result
        ending = ResultNotKept("result_not_kept", _details(tool.name, ending))
    if tool.on_refusal == "return":
        return Refusal(ending)
    raise ending


def _became(tool: Guarded, ending: Ending) -> Ran[Any] | Outcome:
    if not isinstance(ending, Raised):
        return ending
    if isinstance(ending.error, Outcome):
        # A guarded call inside the tool was refused: this tool ran and raised that.
        return Failed("failed", Details(ending.action_id, tool.name, error=error_text(ending.error)))
    raise ending.error


def _details(name: str, ending: Ran[Any]) -> Details:
    return Details(
        ending.action_id, name, decisions=ending.decisions, shared=ending.shared, edits=ending.edits
    )


def _runtime(tool: Guarded) -> Runtime:
    runtime = tool.gate._opened()
    runtime.list_tool(tool.name, tool.binding, tool.effect)
    return runtime


def _call(
    tool: Guarded,
    args: Sequence[Any],
    kwargs: Arguments,
    run: Callable[[Guarded, Arguments, Arguments], Any],
    options: CallOptions | None,
    *,
    would_block: bool = False,
) -> Call:
    session = tool.gate._session()
    bound = tool.binding.bind(args, kwargs)
    action = _action(tool, bound.arguments, session, options)
    return Call(
        action,
        _wait(tool, options),
        lambda approved: run(tool, approved, bound.live),
        would_block,
        None if tool.facts is None else partial(_with_facts, tool),
        lambda arguments, paths: _refuses(tool, arguments, paths, action.target),
    )


def _wait(tool: Guarded, options: CallOptions | None) -> float | None:
    """Return how long a call waits if it is held: as it says, as its tool does, or as the gate does."""
    own = tool.wait if options is None or options.wait is None else options.wait
    return seconds(tool.gate._settings.wait if own is None else own)


def _action(tool: Guarded, given: Arguments, session: Session, options: CallOptions | None) -> Action:
    context, arguments = tool.gate._context, snapshot(given)
    return Action(
        name=tool.name,
        arguments=arguments,
        agent=session.agent,
        session=session.id,
        on_behalf_of=session.on_behalf_of,
        call_id=options.id if options else None,
        target=_target(tool, arguments),
        effect=tool.effect,
        parameters=tool.binding.parameters,
        not_shown=tool.binding.not_shown,
        note=options.note if options else None,
        parent=context.running.action_id if context.running else None,
    )


def _target(tool: Guarded, arguments: Arguments) -> str | None:
    """Return what a call acts on; a call of which host code cannot say it is no call that people could judge.

    Raises:
        ActionError: ``target=`` raised.
    """
    if not callable(tool.target):
        return tool.target
    try:
        return tool.target(copied(arguments))
    except Exception as error:
        raise ActionError(
            f"target= of {tool.name} raised {error_text(error)}. Nothing ran."
            " Mend it, or let it return None where the call has no target."
        ) from error


def _caller(tool: Guarded) -> Caller:
    session = tool.gate._session_here()
    return Caller(tool.name, session.agent, session.id) if session else Caller(tool.name)


def _with_facts(tool: Guarded, action: Action) -> Action:
    """Return a call with what the host says of it now; where it cannot say, no fact is known."""
    assert tool.facts is not None
    try:
        found = tool.facts(copied(action.arguments))
        if not isinstance(found, Mapping):
            raise TypeError(f"it returned {type(found).__name__}, no mapping of names to values")
        return replace(action, facts=snapshot(dict(found)))
    except Exception as error:
        log.warning("facts= of %s told nothing, so no fact is known: %s", tool.name, error_text(error))
        return replace(action, facts={}, facts_lost=True)


def _refuses(tool: Guarded, arguments: Arguments, paths: Iterable[str], target: str | None) -> str:
    """Return why the tool does not take a call in which some paths were changed; empty where it does."""
    from gate.annotations import refusal

    why = refusal(tool.binding, arguments, paths)
    if why or not callable(tool.target):
        return why
    return (
        ""
        if _target(tool, arguments) == target
        else "it would go to another target than the one that people saw"
    )


def _run(tool: Guarded, approved: Arguments, live: Arguments) -> Any:
    return _ended(tool, _begun(tool, approved, live))


async def _run_async(tool: Guarded, approved: Arguments, live: Arguments) -> Any:
    return _ended(tool, await _begun(tool, approved, live))


def _begun(tool: Guarded, approved: Arguments, live: Arguments) -> Any:
    """Call the tool with a copy of its own, so that what it changes does not reach the record."""
    args, kwargs = tool.binding.unbind(copied(approved), live)
    return tool.function(*args, **kwargs)


def _ended(tool: Guarded, result: Any) -> Any:
    """Return a result, unless it is work that has yet to run, which nobody would judge or record."""
    if inspect.isawaitable(result):
        if inspect.iscoroutine(result):
            result.close()
        raise GuardError(
            f"{tool.name} returned something to await, which the gate would lose sight of;"
            " guard the async def itself."
        )
    if isinstance(result, _LATER):
        if inspect.isgenerator(result):
            result.close()
        raise GuardError(f"{tool.name} returned a generator, which runs after it returned; return a list.")
    return result


def _in_event_loop() -> bool:
    # No loop runs where nobody has loaded asyncio, which takes as long as the gate itself, or where another
    # thread is loading it just now.
    running = getattr(sys.modules.get("asyncio"), "get_running_loop", None)
    if running is None:
        return False
    try:
        running()
    except RuntimeError:
        return False
    return True
