"""A hold as its caller sees it, and how to wait for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gate.errors import GateError
from gate.wait import Wait, seconds

if TYPE_CHECKING:
    from datetime import datetime

    from gate.lifecycle import State
    from gate.model import ActionRecord, Decision
    from gate.opening import Opening
    from gate.outcomes import Outcome, Ran


@dataclass(frozen=True, slots=True)
class Hold:
    """A hold as it stood when it was looked at; ``wait`` looks again.

    Attributes:
        record: The action as the store had it.
    """

    record: ActionRecord
    _gate: Opening = field(repr=False, compare=False)

    @property
    def id(self) -> str:
        """Return the id of the action."""
        return self.record.id

    @property
    def name(self) -> str:
        """Return the name of the action."""
        return self.record.name

    @property
    def state(self) -> State:
        """Return where it stood."""
        return self.record.state

    @property
    def expires_at(self) -> datetime | None:
        """Return when answering ends, UTC, exclusive."""
        return self.record.expires_at

    @property
    def use_by(self) -> datetime | None:
        """Return when an approval ends, UTC, exclusive; None before it is given."""
        return self.record.use_by

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Return the decisions, oldest first."""
        return self.record.decisions

    @property
    def outcome(self) -> Ran[Any] | Outcome:
        """Return what a caller would get now; ``Pending`` while it is open."""
        from gate.results import outcome_of

        return outcome_of(self.record)

    def wait(self, timeout: Wait = "until_decided") -> Hold:
        """Wait until people have answered or the hold has ended, and return it as it is then.

        It never decides, and never raises for what happens to the hold or the store.

        Args:
            timeout: Seconds, a timedelta, or ``until_decided``.

        Returns:
            The hold as it stands then; ``pending`` where nobody answered in this time.
        """
        from gate.standing import until_decided

        last = [self.record]
        try:
            runtime = self._gate._opened()
            runtime.drive(until_decided(runtime, last, seconds(timeout)))
        except GateError:
            return Hold(last[0], self._gate)
        return Hold(last[0], self._gate)

    async def wait_async(self, timeout: Wait = "until_decided") -> Hold:
        """Wait beside an event loop; see ``wait``.

        Args:
            timeout: Seconds, a timedelta, or ``until_decided``.

        Returns:
            The hold as it stands then.
        """
        from gate.standing import until_decided

        last = [self.record]
        try:
            runtime = self._gate._opened()
            await runtime.drive_async(until_decided(runtime, last, seconds(timeout)))
        except GateError:
            return Hold(last[0], self._gate)
        return Hold(last[0], self._gate)
