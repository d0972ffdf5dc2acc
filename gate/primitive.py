"""The primitive under the guard: submit an action, claim it, and settle it, without a callable."""

from __future__ import annotations

from dataclasses import replace

from gate.digest import snapshot
from gate.handles import Allowed, Claim, Held, Hold
from gate.model import Action, Submission
from gate.opening import Opening
from gate.outcomes import Blocked


class Primitive(Opening):
    """The part of a gate that takes actions instead of callables."""

    def submit(self, action: Action) -> Allowed | Held | Blocked:
        """Judge one action; the primitive under the guard.

        Args:
            action: What is to be done; its session must be open.

        Returns:
            ``Allowed`` (claim it now), ``Held`` (wait for its hold, then claim it), or ``Blocked``.

        Raises:
            Fault: The gate could not do its work; nothing ran.
        """
        taken = self._snapshot(action)
        return self._submitted(taken, self._opened().submit(taken, wait=False))

    async def submit_async(self, action: Action) -> Allowed | Held | Blocked:
        """Judge one action beside an event loop; see ``submit``."""
        from gate import aio

        taken, runtime = self._snapshot(action), self._opened()
        submission, cancelled = await aio.shielded(runtime, lambda: runtime.submit(taken, wait=False))
        if cancelled is None:
            return self._submitted(taken, submission)
        if submission.kind == "run":
            await aio.shielded(runtime, lambda: runtime.never_started(taken, submission.record.id, cancelled))
        raise cancelled

    def claim(self, submission: Allowed | Held) -> Claim:
        """Return a block in which an action is in hand; it settles when the block ends.

        Args:
            submission: What ``submit`` gave back.

        Returns:
            A block that gives a ``Run``: use ``run.arguments``, set ``run.result``.

        Raises:
            Outcome: It cannot run: what became of it (on entering).
            IllegalMove: It has run already (on entering).
        """
        return Claim(self, submission)

    def claim_async(self, submission: Allowed | Held) -> Claim:
        """Return the same block for ``async with``; see ``claim``."""
        return Claim(self, submission)

    def _snapshot(self, action: Action) -> Action:
        running = self._context.running
        parent = action.parent or (running.action_id if running else None)
        return replace(action, arguments=snapshot(action.arguments), parent=parent)

    def _submitted(self, action: Action, submission: Submission) -> Allowed | Held | Blocked:
        if submission.kind == "run":
            return Allowed(action, submission.record)
        hold = Hold(submission.record, self)
        ended = hold.outcome
        return ended if isinstance(ended, Blocked) else Held(action, hold)
