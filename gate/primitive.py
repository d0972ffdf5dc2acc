"""The primitive under the guard: submit an action, claim it, and settle it, without a callable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.errors import GuardError
from gate.forks import whole
from gate.placing import Placing

if TYPE_CHECKING:
    from gate.context import Running
    from gate.handles import Allowed, Claim, Held
    from gate.model import Action, Decision
    from gate.outcomes import Blocked


class Primitive(Placing):
    """The part of a gate that takes actions instead of callables."""

    def submit(self, action: Action) -> Allowed | Held | Blocked:
        """Judge one action; the primitive under the guard.

        Args:
            action: What is to be done; its session must be open.

        Returns:
            ``Allowed`` (claim it within a minute), ``Held`` (wait for its hold, then claim) or ``Blocked``.

        Raises:
            Fault: The gate could not do its work; nothing ran.
        """
        with whole():
            from gate.submitting import submit
        return submit(self, action)

    async def submit_async(self, action: Action) -> Allowed | Held | Blocked:
        """Judge one action beside an event loop; see ``submit``.

        Args:
            action: What is to be done; its session must be open.

        Returns:
            ``Allowed``, ``Held`` or ``Blocked``.

        Raises:
            Fault: The gate could not do its work; nothing ran.
            CancelledError: The caller was cancelled meanwhile; nothing ran.
        """
        with whole():
            from gate.submitting import submit_async
        return await submit_async(self, action)

    def claim(self, submission: Allowed | Held) -> Claim:
        """Return a block in which an action is in hand; it settles when the block ends.

        Args:
            submission: What ``submit`` gave back.

        Returns:
            A block that gives a ``Run``: use ``run.arguments``, set ``run.result``.

        Raises:
            Outcome: It cannot run: what became of it (on entering); what was allowed before a freeze is
                blocked by it.
            IllegalMove: It has run already, or was allowed more than a minute ago, or under a policy or in a
                session that is none any more (on entering; nothing ran, submit it again).
        """
        with whole():
            from gate.handles import Claim
        return Claim(self, submission)

    def claim_async(self, submission: Allowed | Held) -> Claim:
        """Return the same block for ``async with``; see ``claim``.

        Args:
            submission: What ``submit_async`` gave back.

        Returns:
            A block that gives a ``Run``; entering it raises what ``claim`` raises.
        """
        with whole():
            from gate.handles import Claim
        return Claim(self, submission)

    def action_id(self) -> str:
        """Return the id of the action whose tool is running here.

        Raises:
            GuardError: No guarded tool is running here.
        """
        return self._inside("action_id").action_id

    def decisions(self) -> tuple[Decision, ...]:
        """Return the approvals of the action whose tool is running here; empty where it was allowed.

        Raises:
            GuardError: No guarded tool is running here.
        """
        return self._inside("decisions").decisions

    def edits(self) -> tuple[str, ...]:
        """Return what people changed in the call whose tool runs here, such as ``amount from 400 to 250``.

        Raises:
            GuardError: No guarded tool is running here.
        """
        return self._inside("edits").edits

    def _inside(self, what: str) -> Running:
        running = self._context.running
        if running is None:
            raise GuardError(f"gate.{what}() tells something only inside a guarded tool that is running.")
        return running
