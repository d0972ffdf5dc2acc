"""Submit one action that host code made: check and copy what it says, judge it, say what became of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gate import aio, refusing
from gate.action_parts import check_parts
from gate.digest import snapshot
from gate.errors import ActionError
from gate.foreign import HOST, SERVER, adapted
from gate.handles import Allowed, Held
from gate.hold import Hold
from gate.model import Action, Submission
from gate.outcomes import Blocked
from gate.recorded import facts_taken
from gate.refusing import Caller
from gate.values import quoted

if TYPE_CHECKING:
    from gate.opening import Opening


def submit(gate: Opening, action: Action) -> Allowed | Held | Blocked:
    """Judge one action; see ``Gate.submit``."""
    try:
        taken = _taken(gate, action)
    except ActionError as fault:
        refusing.tell(gate, fault, _caller(action))
        raise
    return _submitted(gate, taken, gate._opened().submit(taken, wait=False))


async def submit_async(gate: Opening, action: Action) -> Allowed | Held | Blocked:
    """Judge one action beside an event loop; see ``Gate.submit_async``."""
    try:
        taken, runtime = _taken(gate, action), gate._opened()
    except ActionError as fault:
        await refusing.tell_async(gate, fault, _caller(action))
        raise

    def give_back(submission: Submission, gone: BaseException) -> None:
        if submission.kind == "run":
            runtime.never_started(taken, submission.record.id, gone)

    submitted = await aio.in_hand(runtime, lambda: runtime.submit(taken, wait=False), give_back)
    return _submitted(gate, taken, submitted)


def _taken(gate: Opening, action: Action) -> Action:
    """Return the action as it is judged: nobody else can reach its arguments.

    Raises:
        ActionError: It cannot be judged.
    """
    running = gate._context.running
    check_parts(action)
    parent = action.parent or (running.action_id if running else None)
    name, source = _named(gate, action)
    arguments, facts = snapshot(action.arguments), facts_taken(action.facts)
    return replace(action, name=name, source=source, arguments=arguments, facts=facts, parent=parent)


def _named(gate: Opening, action: Action) -> tuple[str, str]:
    """Return name and source, a name from outside in the form of an action's.

    Raises:
        ActionError: It falls onto the name of another tool.
    """
    name, source = adapted(action.name, action.source)
    if source in (HOST, SERVER):
        return name, source
    tool = gate._tools.get(name.casefold())
    if tool is not None:
        raise ActionError(
            f"{quoted(source)} falls onto {tool.name}, which is guarded here: rename one of the two."
            " Nothing ran."
        )
    gate._originals.take(name, source)
    return name, source


def _submitted(gate: Opening, action: Action, submission: Submission) -> Allowed | Held | Blocked:
    if submission.kind == "run":
        return Allowed(action, submission.record)
    hold = Hold(submission.record, gate)
    ended = hold.outcome
    return ended if isinstance(ended, Blocked) else Held(action, hold)


def _caller(action: Any) -> Caller:
    if type(action) is not Action:
        return Caller(action)
    return Caller(action.name, action.agent, action.session)
