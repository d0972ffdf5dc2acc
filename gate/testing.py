"""Test agents on the real road without Slack: scripted answers, a store in memory, a clock that stands still.

No environment variable turns the gate off; ``bypass`` works in tests only, on a gate that is not open.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

from gate.clock import FakeClock
from gate.errors import GuardError, NotEligible
from gate.facade import Gate
from gate.lifecycle import State
from gate.model import ActionRecord, HoldRecord, Person, Route, Said
from gate.policy.load import load_path
from gate.runtime import Runtime
from gate.service import Service
from gate.settings import MEMORY
from gate.values import Glob

__all__ = ["Answer", "Script", "approve", "bypass", "deny", "expire", "nobody", "scripted"]

Kind = Literal["approve", "deny", "expire", "nobody"]

_TEAM = "T0TEST"
_ROUTE = Route(app="A0TEST", api_host="test.invalid", channel="C0TEST", message_ts="1.0", action_ts="1.0")
_MOST_PEOPLE = 60

log = logging.getLogger("gate")


@dataclass(frozen=True, slots=True)
class Answer:
    """What people answer to a held call of a test.

    Attributes:
        kind: ``approve``, ``deny``, ``expire`` (nobody answers) or ``nobody`` (nobody could be asked).
        comment: Their words.
        changes: By path, such as ``args.amount``, the values that the first of them changes.
    """

    kind: Kind
    comment: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)


Answers = Mapping[str, Answer | Callable[[HoldRecord], Answer]]
"""Action name or glob to its answer, or to a function of the hold that gives it."""


def approve(comment: str = "Approved in a test.", *, changes: Mapping[str, Any] | None = None) -> Answer:
    """Answer by as many approvals as the policy asks for.

    Args:
        comment: What each approver writes; the agent reads it.
        changes: By path, such as ``args.amount``, the values that the first of them changes before; the
            policy must name them ``editable``. Default: none.

    Returns:
        An answer for ``scripted``.
    """
    return Answer("approve", comment, changes or {})


def deny(comment: str = "Denied in a test.") -> Answer:
    """Answer by one denial.

    Args:
        comment: What the approver writes; the agent reads it.

    Returns:
        An answer for ``scripted``.
    """
    return Answer("deny", comment)


def expire() -> Answer:
    """Let a card be posted and nobody answer; the clock moves on to the deadline.

    Returns:
        An answer for ``scripted``.
    """
    return Answer("expire")


def nobody() -> Answer:
    """Let there be nobody who could be asked.

    Returns:
        An answer for ``scripted``.
    """
    return Answer("nobody")


@dataclass(slots=True)
class Script:
    """What a scripted gate did.

    Attributes:
        service: The verbs of the store in memory, for closer looks.
        clock: The clock, which moves only by ``advance`` and by ``expire()``.
        answered: Every hold that got its answer, in order.
        unanswered: Names of held calls that had none.
    """

    service: Service
    clock: FakeClock
    answered: list[HoldRecord] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)


class _Answered(Service):
    """A service whose held calls the script answers: no bot is needed, so none is missed."""

    def _tell_who_asks(self, record: ActionRecord) -> None:
        pass


@contextmanager
def scripted(
    gate: Gate, answers: Answers, *, policy: str | Path | None = None, db: str | Path = MEMORY
) -> Iterator[Script]:
    """Let a gate stand on a store of its own for a block, where held calls are answered at once.

    Open sessions inside the block: those opened before are not in this store.

    Args:
        gate: The gate of the code under test.
        answers: Action name or glob to answer; the exact name first, then the order written.
        policy: Policy file or folder; default is the gate's.
        db: Store, made by ``scripted`` before if it exists; default is in memory.

    Yields:
        What happened so far: the answered holds, the service, the clock.

    Raises:
        AssertionError: A held call had no answer; it is named.
        StoreError: The store was made by a real gate.
        GuardError: There is no policy.
    """
    path = policy or gate._settings.policy
    if path is None:
        raise GuardError("This gate has no policy of its own; write scripted(gate, …, policy='policies').")
    clock = FakeClock()
    service = _Answered(db, policy=load_path(path), clock=clock, made_by="test")
    script = Script(service, clock)
    before = gate._live
    if before is not None and before.service.path is not None:
        log.warning(
            "A script answers this gate's held calls now, not people; its own store is left for that."
        )
    runtime = Runtime(service, gate._context, upkeep=False)
    runtime.held = lambda record: _answer(script, answers, record)
    gate._put(runtime)
    try:
        yield script
    finally:
        gate._put(before)
        runtime.close()
    if script.unanswered:
        raise AssertionError(_no_answer(script.unanswered))


@contextmanager
def bypass(gate: Gate) -> Iterator[None]:
    """Let guarded tools run without the gate for the length of a block: nothing is judged or recorded.

    Sessions of the block are in no store, and nothing opens the gate meanwhile.

    Args:
        gate: A gate that is not open on a store of its own.

    Raises:
        GuardError: The gate is open.
    """
    with gate._lock:
        if gate._live is not None:
            raise GuardError(
                "This gate is open; bypass works in tests only, on a gate that touches no store."
            )
        before, gate._bypassed = gate._bypassed, True
    log.warning("The gate is bypassed: guarded tools run without being judged.")
    try:
        yield
    finally:
        gate._bypassed = before


def _answer(script: Script, answers: Answers, record: ActionRecord) -> None:
    hold = script.service.hold(record.id)
    found = answers.get(hold.name) or next(
        (answer for name, answer in answers.items() if Glob(name).matches(hold.name)), None
    )
    if found is None:
        script.unanswered.append(hold.name)
        raise AssertionError(_no_answer([hold.name]))
    _give(script, hold, found(hold) if callable(found) else found)
    script.answered.append(script.service.hold(hold.id))


def _no_answer(names: list[str]) -> str:
    return (
        f"Held without an answer in this test: {', '.join(dict.fromkeys(names))}."
        " Add it to answers=, such as {" + f"{names[0]!r}: approve()" + "}."
    )


def _give(script: Script, hold: HoldRecord, answer: Answer) -> None:
    service = script.service
    if answer.kind == "nobody":
        service.undeliver(hold.id, code="nobody_can_approve", reason="The test says that nobody can.")
        return
    _post(service)
    if answer.kind == "expire":
        script.clock.advance(max(hold.expires_at - script.clock.now(), timedelta(0)))
        service.sweep()
    else:
        _decide(service, _changed(service, hold, answer), answer.kind, answer.comment)


def _post(service: Service) -> None:
    """Take every notice as posted."""
    for notice in service.lease_notices(limit=1000):
        service.notice_done(notice.id, channel=notice.channel or "C0TEST", ts=f"{notice.id}.0")


def _changed(service: Service, hold: HoldRecord, answer: Answer) -> HoldRecord:
    """Let somebody change what the answer says, and return the hold after it."""
    if not answer.changes:
        return hold
    person = Person(_TEAM, "U0TEST0", "tester 0")
    service.record_view(hold.id, nonce=hold.nonce, person=person)
    return service.edit(
        hold.id,
        store=hold.store,
        nonce=hold.nonce,
        person=person,
        satisfies=frozenset(str(approver) for approver in service.approvers_of(hold.id)),
        changes=answer.changes,
        route=_ROUTE,
        comment=answer.comment,
    )


def _decide(service: Service, hold: HoldRecord, said: Said, comment: str) -> None:
    """Let people who satisfy every approver entry answer, one after the other, until it is decided."""
    if hold.state != State.PENDING:
        return
    satisfies = frozenset(str(approver) for approver in service.approvers_of(hold.id))
    for number in range(1, _MOST_PEOPLE + 1):
        person = Person(_TEAM, f"U0TEST{number}", f"tester {number}")
        service.record_view(hold.id, nonce=hold.nonce, person=person)
        after = service.decide(
            hold.id,
            store=hold.store,
            nonce=hold.nonce,
            person=person,
            satisfies=satisfies,
            said=said,
            route=_ROUTE,
            comment=comment,
        )
        if after is not State.PENDING:
            return
    raise NotEligible(f"{_MOST_PEOPLE} approvals of a test were not enough for {hold.name}.")
