"""The steps of a trip: values that say what is to be done, so that threads and event loops can do it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gate.context import Running
from gate.errors import GateError
from gate.lifecycle import Seen
from gate.model import Action, ActionRecord
from gate.outcomes import Outcome, Ran

if TYPE_CHECKING:
    from gate.editing import Edited

log = logging.getLogger("gate")


@dataclass(frozen=True, slots=True)
class Call:
    """One guarded call on its way.

    Attributes:
        action: What is judged; its arguments are the snapshot that runs.
        wait: Seconds it waits if it is held; None until it is decided.
        tool: Calls the tool with the judged arguments; for an ``async def`` returns the coroutine.
        would_block: Whether waiting here would block an event loop.
        facts: Returns a call with its facts looked up, again each time it is judged; None for none.
        refuses: Tells why the tool does not take arguments in which some paths were changed; empty where it
            does. None: nobody is asked.
    """

    action: Action
    wait: float | None
    tool: Callable[[Mapping[str, Any]], Any]
    would_block: bool = False
    facts: Callable[[Action], Action] | None = None
    refuses: Callable[[Mapping[str, Any], Iterable[str]], str] | None = None

    def judged(self) -> Action:
        """Return the action with its facts as of now; never inside a transaction, nor on a verb's thread."""
        return self._with_facts(self.action)

    def edited(self, record: ActionRecord) -> Edited:
        """Return the call with what people changed in it, with its facts as of now.

        Args:
            record: The action as the store has it.

        Raises:
            EditNotTaken: The call or the tool does not take what was changed.
        """
        from gate.editing import EditNotTaken, edited

        found = edited(self.action, record.patch, record.version)
        why = self.refuses(found.action.arguments, record.patch) if self.refuses else ""
        if why:
            raise EditNotTaken(why)
        return replace(found, action=self._with_facts(found.action))

    def asks(self, record: ActionRecord) -> bool:
        """Tell whether host code is asked about the call before it is claimed.

        Args:
            record: The action as the store has it.
        """
        return self.facts is not None or record.version > 1

    def _with_facts(self, action: Action) -> Action:
        return action if self.facts is None else self.facts(action)


@dataclass(frozen=True, slots=True)
class Raised:
    """What the tool itself raised; carried as a value, so that nothing on the way changes it."""

    error: BaseException
    action_id: str


@dataclass(frozen=True, slots=True)
class Returned:
    """What the tool returned."""

    value: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class VerbStep:
    """Do one verb of the service and give back its answer.

    Attributes:
        do: The verb.
        for_tool: Whether it may take the action in hand, for which a caller must be there that runs the tool.
    """

    do: Callable[[], Any]
    for_tool: bool = False


@dataclass(frozen=True, slots=True)
class AskStep:
    """Ask host code about the call and give back its answer; it may take long, and use the gate itself."""

    ask: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class WaitStep:
    """Wait until an action changes, at most so many seconds (None: no end).

    It gives back what the action was moved to, where whoever ended the wait knows it; else None.
    """

    watch_for: str
    seen: Seen
    timeout: float | None


@dataclass(slots=True)
class ToolStep:
    """Run the tool inside its action; ``started`` tells whether that began."""

    call: Call
    running: Running
    started: bool = False


Step = VerbStep | AskStep | WaitStep | ToolStep
Ending = Ran[Any] | Outcome | Raised
Trip = Generator[Step, Any, Ending]


def abandon(steps: Generator[Step, Any, Any], gone: BaseException, *, begun: VerbStep | None = None) -> None:
    """Bring steps to their end whose driver is gone: verbs are done here and now, nothing for a tool is.

    Args:
        steps: A trip, or part of one; one that has ended stays as it is.
        gone: What took the driver away.
        begun: Gives the answer to a verb that was taken from the trip and not yet answered; None for none.
    """
    try:
        step = steps.throw(gone) if begun is None else _answered(steps, begun)
        while True:
            step = steps.throw(gone) if needs_caller(step) else _answered(steps, step)
    except BaseException as ended:
        if not isinstance(ended, (StopIteration, GateError)) and ended is not gone:
            log.debug("A call that was thrown away ended with %s.", type(ended).__name__)


def needs_caller(step: Step) -> bool:
    """Tell whether a step is of no use to a caller that is gone; only a verb for no tool is of some."""
    return not isinstance(step, VerbStep) or step.for_tool


def _answered(steps: Generator[Step, Any, Any], step: Step) -> Step:
    """Do a verb, give its answer or its fault to the steps, and return the next."""
    assert isinstance(step, VerbStep)
    try:
        answer = step.do()
    except BaseException as fault:
        return steps.throw(fault)
    return steps.send(answer)
