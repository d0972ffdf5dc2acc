"""The primitive under the guard: submit an action, claim it, and settle it, without a callable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gate import refusing
from gate.context import Running
from gate.digest import snapshot
from gate.errors import ActionError, GuardError
from gate.foreign import HOST, SERVER, adapted
from gate.handles import Allowed, Claim, Held, Hold
from gate.model import Action, Decision, Submission
from gate.opening import Opening
from gate.outcomes import Blocked
from gate.refusing import Caller
from gate.shapes import has_utf8
from gate.values import quoted


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
        try:
            taken = self._snapshot(action)
        except ActionError as fault:
            refusing.tell(self, fault, _caller(action))
            raise
        return self._submitted(taken, self._opened().submit(taken, wait=False))

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
        from gate import aio

        try:
            taken, runtime = self._snapshot(action), self._opened()
        except ActionError as fault:
            await refusing.tell_async(self, fault, _caller(action))
            raise
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
        """Return the same block for ``async with``; see ``claim``.

        Args:
            submission: What ``submit_async`` gave back.

        Returns:
            A block that gives a ``Run``; entering it raises what ``claim`` raises.
        """
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

    def _snapshot(self, action: Action) -> Action:
        running = self._context.running
        parent = action.parent or (running.action_id if running else None)
        _check_texts(action)
        name, source = self._named(action)
        return replace(action, name=name, source=source, arguments=snapshot(action.arguments), parent=parent)

    def _named(self, action: Action) -> tuple[str, str]:
        """Return name and source, a name from outside in the form of an action's.

        Raises:
            ActionError: It falls onto the name of another tool.
        """
        name, source = adapted(action.name, action.source)
        if source in (HOST, SERVER):
            return name, source
        tool = self._tools.get(name.casefold())
        if tool is not None:
            raise ActionError(
                f"{quoted(source)} falls onto {tool.name}, which is guarded here: rename one of the two."
                " Nothing ran."
            )
        self._originals.take(name, source)
        return name, source

    def _submitted(self, action: Action, submission: Submission) -> Allowed | Held | Blocked:
        if submission.kind == "run":
            return Allowed(action, submission.record)
        hold = Hold(submission.record, self)
        ended = hold.outcome
        return ended if isinstance(ended, Blocked) else Held(action, hold)


def _caller(action: Action) -> Caller:
    return Caller(action.name, action.agent, action.session)


def _check_texts(action: Action) -> None:
    """Refuse an action that says something in no text.

    Raises:
        ActionError: A part is of another type, or has no UTF-8 form.
    """
    for part in ("name", "agent", "session", "target", "call_id", "note", "parent", "source"):
        value = getattr(action, part)
        optional = value is None and part not in ("name", "agent", "session", "source")
        if not optional and (type(value) is not str or not has_utf8(value)):
            raise ActionError(
                f"{part}: it is no text ({type(value).__name__}) or has no UTF-8 form. Nothing ran."
            )
    if not isinstance(action.arguments, Mapping):
        raise ActionError("args: arguments stand in a dict by parameter name. Nothing ran.")
