"""Have the log tell of calls that are refused before a verb sees them: unreadable, or outside any session."""

from __future__ import annotations

import logging
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from gate.errors import Fault, GateError
from gate.steps import Step, VerbStep

if TYPE_CHECKING:
    from gate.opening import Opening
    from gate.runtime import Runtime

log = logging.getLogger("gate")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who called what, as far as that is known where a call is refused.

    Attributes:
        name: Action name, or whatever was given for one.
        agent: Which agent asked; None where nobody knows.
        session: Id of its session; None for a call outside any.
    """

    name: object
    agent: object = None
    session: object = None


def tell(gate: Opening, fault: Fault, caller: Caller) -> None:
    """Record a refused call; where that cannot be done, it is refused all the same.

    Args:
        gate: The gate that was called.
        fault: Why it was refused.
        caller: Who called what.
    """
    runtime = _opened(gate)
    if runtime is not None:
        runtime.drive(_record(runtime, fault, caller))


async def tell_async(gate: Opening, fault: Fault, caller: Caller) -> None:
    """Record a refused call beside the event loop, to the end; see ``tell``.

    Args:
        gate: The gate that was called.
        fault: Why it was refused.
        caller: Who called what.

    Raises:
        CancelledError: The caller was cancelled meanwhile; nothing ran.
    """
    runtime = _opened(gate)
    if runtime is not None:
        await runtime.drive_async(_record(runtime, fault, caller))


def _record(runtime: Runtime, fault: Fault, caller: Caller) -> Generator[Step, None, None]:
    refused = runtime.service.refused
    yield VerbStep(partial(refused, fault, name=caller.name, agent=caller.agent, session=caller.session))


def _opened(gate: Opening) -> Runtime | None:
    try:
        return gate._opened()
    except GateError as unopened:
        log.warning("A refused call could not be recorded: %s", unopened)
        return None
