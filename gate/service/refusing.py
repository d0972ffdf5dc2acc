"""Record the calls that are refused before they are actions; nothing of them runs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gate.errors import (
    ActionError,
    CallIdReused,
    ClockError,
    Fault,
    GateError,
    IllegalMove,
    NoSession,
    WouldBlock,
)
from gate.model import Action
from gate.redact import hide, redact_text
from gate.service.road import Road, T
from gate.shapes import class_name, storable

log = logging.getLogger("gate")

_LONGEST_NAME = 200
_LONGEST_READ = 10_000


class RefusalVerbs(Road):
    """What the log tells of refused calls."""

    def refused(
        self,
        fault: Fault,
        *,
        name: object,
        agent: object = None,
        session: object = None,
        claimed: str | None = None,
    ) -> None:
        """Record that a call was refused, without its arguments; what cannot be written is only logged.

        Args:
            fault: Why.
            name: Action name, or whatever was given for one.
            agent: Which agent asked; None where nobody knows.
            session: Id of the session; None for a call outside any.
            claimed: Id of the action that it claimed to be; None for a new call.
        """
        actor = "host" if agent is None else f"agent:{_told(agent)}"
        reason = redact_text(storable(str(fault)))
        said: dict[str, Any] = {"name": _told(name), "session": "" if session is None else _told(session)}
        which: dict[str, Any] = {} if claimed is None else {"action": _told(claimed), "claim": True}
        try:
            with self._turn() as turn:
                turn.log("refused", actor=actor, code=fault.code, reason=reason, **said, **which)
        except GateError as unwritten:
            log.warning("A refused call of %s could not be recorded: %s", said["name"], unwritten)

    def _refusable(self, action: Action, verb: Callable[[], T]) -> T:
        """Run a submit; what is refused before it is an action is recorded too."""
        try:
            return verb()
        except (ActionError, NoSession, CallIdReused, ClockError, WouldBlock) as fault:
            self.refused(fault, name=action.name, agent=action.agent, session=action.session)
            raise

    @contextmanager
    def claimable(self, action_id: str, action: Action) -> Iterator[None]:
        """Record where a claim is refused because what it brings is not the call to be run, or not now.

        Args:
            action_id: Which action is claimed.
            action: The call that would run.
        """
        try:
            yield
        except (ActionError, IllegalMove, ClockError) as fault:
            who = {"name": action.name, "agent": action.agent, "session": action.session}
            self.refused(fault, **who, claimed=action_id)
            raise


def _told(given: object) -> str:
    """Return what a call gave for a name as the log may have it: a short text without secrets."""
    if type(given) is not str:
        return f"({class_name(type(given))})"
    return hide(storable(given[:_LONGEST_READ]))[:_LONGEST_NAME]
