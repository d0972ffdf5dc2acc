"""The one table of legal moves of an action; nothing else moves a state."""

from __future__ import annotations

from enum import StrEnum

from gate.errors import IllegalMove


class State(StrEnum):
    """Where an action stands."""

    PENDING = "pending"
    APPROVED = "approved"
    RUNNING = "running"
    BLOCKED = "blocked"
    DENIED = "denied"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    UNDELIVERED = "undelivered"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    IN_DOUBT = "in_doubt"


Seen = tuple[State, int]
"""State and version of an action as somebody knows them; version 0 for one that was never held."""


class Verb(StrEnum):
    """What moves an action."""

    SUBMIT = "submit"
    APPROVE = "approve"
    DENY = "deny"
    EDIT = "edit"
    EXPIRE = "expire"
    UNDELIVER = "undeliver"
    CANCEL = "cancel"
    CLAIM = "claim"
    SETTLE = "settle"
    DOUBT = "doubt"


MOVES: dict[tuple[State | None, Verb], frozenset[State]] = {
    (None, Verb.SUBMIT): frozenset({State.BLOCKED, State.RUNNING, State.PENDING}),
    (State.PENDING, Verb.APPROVE): frozenset({State.PENDING, State.APPROVED}),
    (State.PENDING, Verb.DENY): frozenset({State.DENIED}),
    (State.PENDING, Verb.EDIT): frozenset({State.PENDING}),
    (State.APPROVED, Verb.DENY): frozenset({State.DENIED}),
    (State.PENDING, Verb.EXPIRE): frozenset({State.EXPIRED}),
    (State.APPROVED, Verb.EXPIRE): frozenset({State.EXPIRED}),
    (State.PENDING, Verb.UNDELIVER): frozenset({State.UNDELIVERED}),
    (State.PENDING, Verb.CANCEL): frozenset({State.CANCELLED}),
    (State.APPROVED, Verb.CANCEL): frozenset({State.CANCELLED}),
    (State.APPROVED, Verb.CLAIM): frozenset({State.RUNNING, State.BLOCKED, State.PENDING}),
    (State.RUNNING, Verb.CLAIM): frozenset({State.BLOCKED}),
    (State.RUNNING, Verb.SETTLE): frozenset({State.SUCCEEDED, State.FAILED}),
    (State.RUNNING, Verb.DOUBT): frozenset({State.IN_DOUBT, State.FAILED}),
    (State.IN_DOUBT, Verb.SETTLE): frozenset({State.SUCCEEDED, State.FAILED}),
}
"""From (state or None, verb) to the states it may lead to.

A declared read is doubted into FAILED. An allowed action that host code has not begun is blocked by a freeze,
and where it is begun too late.
"""

MAX_EDITS = 5
"""How often one call may be changed before it is approved."""

OPEN = frozenset({State.PENDING, State.APPROVED})
"""States in which a hold still waits for people or for its caller."""

ENDED = frozenset(
    {
        State.BLOCKED,
        State.DENIED,
        State.EXPIRED,
        State.CANCELLED,
        State.UNDELIVERED,
        State.SUCCEEDED,
        State.FAILED,
        State.IN_DOUBT,
    }
)
"""States that end an action; IN_DOUBT may still be replaced by a late settle."""


def check_move(start: State | None, verb: Verb, end: State) -> None:
    """Refuse a move that the table does not have.

    Args:
        start: State before, or None where the action does not exist yet.
        verb: What moves it.
        end: State after.

    Raises:
        IllegalMove: The table has no such move.
    """
    if end not in MOVES.get((start, verb), frozenset()):
        raise IllegalMove(f"No move from {start or 'nothing'} to {end} by {verb}.")
