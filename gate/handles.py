"""The primitive under the guard: what a submit gives back, and the run inside a claim."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

from gate.changes import changed_words
from gate.context import Running
from gate.digest import copied
from gate.errors import IllegalMove
from gate.hold import Hold
from gate.lifecycle import State
from gate.model import Action, ActionRecord
from gate.outcomes import Outcome, Ran
from gate.shapes import class_name
from gate.steps import Raised, Returned

if TYPE_CHECKING:
    from gate.opening import Opening
    from gate.verbs.claim import Claimed


@dataclass(frozen=True, slots=True)
class Allowed:
    """Say that an action runs now: claim it, run it, and it settles itself.

    Attributes:
        action: The action; its arguments are a snapshot.
        record: The action as the store has it.
    """

    action: Action
    record: ActionRecord

    @property
    def action_id(self) -> str:
        """Return the id of the action."""
        return self.record.id


@dataclass(frozen=True, slots=True)
class Held:
    """Say that an action is held, or was before.

    Attributes:
        action: The action; its arguments are a snapshot.
        hold: The hold as of the submit; it may have ended already.
    """

    action: Action
    hold: Hold

    @property
    def action_id(self) -> str:
        """Return the id of the action."""
        return self.hold.id


class Run:
    """One run in hand.

    Attributes:
        action_id: Id of the action.
        arguments: The approved arguments; a copy of its own.
        decisions: Approvals with their comments, oldest first.
        edits: What people changed in the submitted arguments, such as ``amount from 400 to 250``.
        result: What the tool returned; set it before the block ends.
    """

    def __init__(self, action: Action, record: ActionRecord) -> None:
        self.action_id = record.id
        self.arguments = dict(action.arguments)
        self.decisions = record.decisions
        self.edits = changed_words(record.edits)
        self.result: Any = None


class Claim:
    """Take one submission in hand for the length of a block, and settle it at the end.

    For ``with`` and for ``async with``.

    Args:
        gate: Whose submission it is.
        submission: What the submit gave back.

    Raises:
        Outcome: It cannot run: what became of it.
        IllegalMove: It has run already, or this claim was used.
    """

    def __init__(self, gate: Opening, submission: Allowed | Held) -> None:
        self._gate, self._submission = gate, submission
        self._runtime: Any = None
        self._run: Run | None = None
        self._action: Action | None = None
        self._inside = ExitStack()

    def __enter__(self) -> Run:
        self._open()
        return self._begin(self._take())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(error)

    async def __aenter__(self) -> Run:
        from gate import aio

        self._open()
        return self._begin(await aio.in_hand(self._runtime, self._take, self._never_started))

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        from gate import aio

        self._inside.close()
        if isinstance(error, GeneratorExit):
            self._settle(error)  # here and now: who is thrown away can await nothing more
            return
        _, cancelled = await aio.shielded(self._runtime, lambda: self._settle(error))
        if cancelled is not None and error is None:
            raise cancelled

    def _open(self) -> None:
        if self._runtime is not None:
            raise IllegalMove("This claim was used already; submit the action again.")
        _check_claimable(self._submission)
        self._runtime = self._gate._opened()

    def _take(self) -> ActionRecord:
        from gate.results import outcome_of

        submission = self._submission
        action = self._action = self._copied(submission.action)
        claimed = (
            self._begun(submission, action) if isinstance(submission, Allowed) else self._claimed(action)
        )
        if claimed.run:
            return claimed.record
        ended = outcome_of(claimed.record)
        if isinstance(ended, Ran):
            raise IllegalMove(
                f"{submission.action_id} has run already; read submission.hold.wait(0).outcome."
            )
        raise ended

    def _copied(self, action: Action) -> Action:
        """Return a copy nobody else can reach: what is compared with the approved call is what runs."""
        with self._runtime.service.claimable(self._submission.action_id, action):
            return replace(action, arguments=copied(action.arguments))

    def _begun(self, allowed: Allowed, action: Action) -> Claimed:
        """Begin what was allowed, unless a freeze has come since."""
        from gate.verbs.claim import Claimed

        record: ActionRecord = self._runtime.service.begin(allowed.record, action)
        return Claimed(record.state == State.RUNNING, record)

    def _claimed(self, action: Action) -> Claimed:
        """Take the approved version of a call in hand; one that was changed meanwhile is looked at again."""
        from gate.editing import EditNotTaken, edited
        from gate.verbs.claim import Claimed

        id_, service = self._submission.action_id, self._runtime.service
        record: ActionRecord = service.action(id_)
        while True:
            try:
                call = edited(action, record.patch, record.version) if record.version > 1 else None
            except EditNotTaken as why:
                return Claimed(False, service.not_taken(id_, record.version, str(why)))
            claimed: Claimed = self._runtime.claim(id_, call or action, owner=self)
            if claimed.run or claimed.record.state != State.APPROVED:
                self._action = call.action if call else action
                return claimed
            record = claimed.record

    def _never_started(self, record: ActionRecord, gone: BaseException) -> None:
        self._runtime.never_started(self._submission.action, record.id, gone)

    def _begin(self, record: ActionRecord) -> Run:
        self._run = Run(self._action or self._submission.action, record)
        running = Running(record.id, record.decisions, self._run.edits)
        self._inside.enter_context(self._gate._context.inside(running))
        return self._run

    def _end(self, error: BaseException | None) -> None:
        self._inside.close()
        self._settle(error)

    def _settle(self, error: BaseException | None) -> None:
        from gate.trip import settle

        if self._run is not None:
            run = self._run
            done = Returned(run.result) if error is None else Raised(error, run.action_id)
            settle(self._runtime, self._action or self._submission.action, run.action_id, done)


def _check_claimable(submission: Any) -> None:
    """Refuse what a submit gave back that cannot run, and what none gave back."""
    kind = type(submission)
    if issubclass(kind, Outcome):
        raise submission
    if kind not in (Allowed, Held):
        raise IllegalMove(f"Only what a submit gave back can be claimed, no {class_name(kind)}. Nothing ran.")
