"""The tree of outcomes: what became of a call, as its caller gets it.

    Ran[R] ..................... it ran; a value, not an exception
    GateError
    └── Outcome ................ it did not simply run
        ├── Refused ............ surely nothing ran, and nothing will
        │   ├── Blocked ........ the policy, a freeze or a missing policy said no
        │   ├── Denied ......... a person said no
        │   ├── Expired ........ nobody answered, or nobody used the approval, in time
        │   ├── Cancelled ...... an operator, or the end of the session, took it back
        │   └── Undelivered .... nobody could be asked
        ├── Pending ............ nothing ran yet; people still may answer
        ├── InDoubt ............ it was started, and nobody knows how it ended
        ├── Failed ............. it ran and raised; told to those who did not run it
        └── ResultNotKept ...... it ran; its result could not be stored

``str(outcome)`` is what the agent may read; sentences.py holds the words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from gate.errors import GateError
from gate.sentences import ran_sentence, sentence

if TYPE_CHECKING:
    from gate.model import Annotation, Decision, Person

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Details:
    """What an outcome knows.

    Attributes:
        action_id: Id of the action.
        name: Name of the action.
        rules: Ids of the rules that decided.
        reason: Why, as the rule, the person or the gate gives it; may be empty.
        decisions: Decisions on the call, oldest first.
        named: Whether the agent may be told the names of approvers.
        error: Class and redacted text of what a failed run raised; empty otherwise.
        shared: Whether another waiter of the same action has run it.
        annotation: What a person says became of a call in doubt; None for nothing.
        edits: What people changed in the call, such as ``amount from 400 to 250``.
        editors: Who changed it, oldest change first.
    """

    action_id: str = ""
    name: str = ""
    rules: tuple[str, ...] = ()
    reason: str = ""
    decisions: tuple[Decision, ...] = ()
    named: bool = False
    error: str = ""
    shared: bool = False
    annotation: Annotation | None = None
    edits: tuple[str, ...] = ()
    editors: tuple[Person, ...] = ()


class Outcome(GateError):
    """Say what became of a call that did not simply run.

    Args:
        code: Stable outcome code, such as ``denied``.
        details: What is known about the call.

    Attributes:
        action_id: Id of the action.
        code: Stable outcome code.
        rules: Ids of the rules that decided.
        reason: Why; may be empty.
        decisions: Decisions on the call, oldest first.
        message_for_agent: What the agent may read; the same as ``str()``.
        shared: Whether another waiter of the same action has run it.
        edits: What people changed in the call, such as ``amount from 400 to 250``.
    """

    codes: frozenset[str] = frozenset()

    def __init__(self, code: str, details: Details = Details()) -> None:
        if self.codes and code not in self.codes:
            raise ValueError(f"{type(self).__name__} has no code {code!r}; it has {sorted(self.codes)}.")
        self.code = code
        self.details = details
        self.message_for_agent = sentence(
            code,
            details.name,
            reason=details.reason,
            decisions=details.decisions,
            named=details.named,
            error=details.error,
            annotation=details.annotation,
            edits=details.edits,
            editors=details.editors,
        )
        super().__init__(self.message_for_agent)

    @property
    def action_id(self) -> str:
        """Return the id of the action."""
        return self.details.action_id

    @property
    def rules(self) -> tuple[str, ...]:
        """Return the ids of the rules that decided."""
        return self.details.rules

    @property
    def reason(self) -> str:
        """Return why; may be empty."""
        return self.details.reason

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Return the decisions on the call, oldest first."""
        return self.details.decisions

    @property
    def shared(self) -> bool:
        """Tell whether another waiter of the same action has run it."""
        return self.details.shared

    @property
    def edits(self) -> tuple[str, ...]:
        """Return what people changed in the call."""
        return self.details.edits

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.details), None

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is type(self)
            and isinstance(other, Outcome)
            and (other.code, other.details) == (self.code, self.details)
        )

    def __hash__(self) -> int:
        return hash((type(self), self.code, self.details))


class Refused(Outcome):
    """Say that surely nothing ran, and nothing will."""


class Blocked(Refused):
    """Say that the policy, a freeze or the lack of a policy refused the call."""

    codes = frozenset({"blocked", "frozen", "too_many_pending", "no_policy"})


class Denied(Refused):
    """Say that a person refused the call."""

    codes = frozenset({"denied"})


class Expired(Refused):
    """Say that nobody answered, or that the approval was not used, in time."""

    codes = frozenset({"expired_unanswered", "expired_unused"})


class Cancelled(Refused):
    """Say that the call was taken back before it ran."""

    codes = frozenset(
        {
            "cancelled_by_operator",
            "session_ended",
            "caller_gone",
            "key_renewed",
            "store_adopted",
            "edit_not_taken",
        }
    )


class Undelivered(Refused):
    """Say that nobody could be asked."""

    codes = frozenset(
        {
            "not_delivered_in_time",
            "delivery_failed",
            "nobody_can_approve",
            "cannot_tell_who_asked",
            "too_large_to_show",
        }
    )


class Pending(Outcome):
    """Say that nothing ran yet and that people still may answer."""

    codes = frozenset({"pending"})


class InDoubt(Outcome):
    """Say that the call was started and that nobody knows how it ended.

    Attributes:
        annotation: What a person says became of it; None where nobody has looked.
    """

    codes = frozenset({"in_doubt", "interrupted"})

    @property
    def annotation(self) -> Annotation | None:
        """Return what a person says became of it; None where nobody has looked."""
        return self.details.annotation


class Failed(Outcome):
    """Say that the call ran and raised, to a caller that did not run it itself.

    Attributes:
        error: Class and redacted text of what the tool raised.
    """

    codes = frozenset({"failed"})

    @property
    def error(self) -> str:
        """Return class and redacted text of what the tool raised."""
        return self.details.error


class ResultNotKept(Outcome):
    """Say that the call ran and that its result could not be stored."""

    codes = frozenset({"result_not_kept"})


_LEAVES: tuple[type[Outcome], ...] = (
    Blocked,
    Denied,
    Expired,
    Cancelled,
    Undelivered,
    Pending,
    InDoubt,
    Failed,
    ResultNotKept,
)

CLASSES: dict[str, type[Outcome]] = {code: leaf for leaf in _LEAVES for code in leaf.codes}
"""Outcome code to the class that carries it; ``ran`` is no exception and is not in it."""


def outcome(code: str, details: Details) -> Outcome:
    """Return the outcome that a code stands for.

    Raises:
        KeyError: No outcome has this code.
    """
    return CLASSES[code](code, details)


@dataclass(frozen=True, slots=True)
class Ran(Generic[R_co]):
    """Say that a call ran and ended well.

    Attributes:
        result: What the tool returned; None where it was not kept.
        kept: Whether ``result`` is what the tool returned.
        action_id: Id of the action.
        decisions: Approvals with their comments, oldest first; empty for an allowed call.
        edits: What people changed before it ran, such as ``amount from 400 to 250``.
        message_for_agent: What the agent may read about it.
        shared: Whether another waiter of the same action has run it.
    """

    result: R_co | None
    kept: bool
    action_id: str
    decisions: tuple[Decision, ...]
    edits: tuple[str, ...]
    message_for_agent: str
    shared: bool = False

    code = "ran"


def ran(result: R, details: Details, *, kept: bool = True) -> Ran[R]:
    """Return the outcome of a call that ran.

    Args:
        result: What the tool returned; None where it was not kept.
        details: What is known about the call.
        kept: Whether ``result`` is what the tool returned.
    """
    return Ran(
        result,
        kept,
        details.action_id,
        details.decisions,
        details.edits,
        ran_sentence(
            details.name,
            details.decisions,
            named=details.named,
            edits=details.edits,
            editors=details.editors,
        ),
        details.shared,
    )


class Refusal(str):
    """Carry an outcome as the text a tool returns to its agent; it is false in ``if``.

    Args:
        outcome: What became of the call.

    Attributes:
        outcome: What became of the call.
    """

    outcome: Outcome

    def __new__(cls, outcome: Outcome) -> Self:
        """Make the text from the outcome's message for the agent."""
        text = super().__new__(cls, outcome.message_for_agent)
        text.outcome = outcome
        return text

    def __bool__(self) -> bool:
        return False

    def __getnewargs__(self) -> tuple[Outcome]:  # type: ignore[override]
        return (self.outcome,)


NotRan = Blocked | Denied | Expired | Cancelled | Undelivered | Pending | InDoubt | Failed
"""What ``Gate.outcome`` returns where a call did not simply run."""
