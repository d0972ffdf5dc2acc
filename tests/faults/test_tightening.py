"""Whatever is tightened between two steps of a call, the call ends as the rules of that moment say.

A table: moment × tightening → what the people may say after it, and how the call ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gate.errors import Fault, NoSession
from gate.model import HoldRecord
from tests.faults.invariants import broken
from tests.faults.stepping import Desk, before_steps
from tests.gate_kit import PATIENCE
from tests.kit import ALICE, BOB, POLICY, answer, policy

MOMENTS = {
    "before the submit": "submit",
    "before anybody answered": "wait",
    "before the claim": "claim",
    "before the tool": "tool",
    "before the end is written": "settle",
}
"""Moment to the step before which it is."""

BLOCKED = POLICY.replace(
    "then: require_approval,\n     reason: Above ten.", "then: block,\n     reason: No more."
)
ONLY_BOB = POLICY.replace("approvers: [U0ALICE, U0BOB, S0FINANCE]", "approvers: [U0BOB, U0DAVE]")
TWO = POLICY.replace("reason: Above ten.", "quorum: 2, reason: Above ten.")
NO_RULE = POLICY.replace("default: require_approval", "default: block").replace(
    "{gt: 10, lte: 1000}}, then: require_approval", "{gt: 900, lte: 1000}}, then: require_approval"
)
BUDGET = """
budgets:
  - {id: money, match: desk.pay, sum: effect.amount, limit: {EUR: 20}, per: agent, window: 7d, then: block,
     reason: Enough.}
"""


def _revision(text: str) -> Callable[[Desk], object]:
    return lambda desk: desk.service.apply(policy(text), by="cli:ops")


TIGHTENINGS: dict[str, Callable[[Desk], object]] = {
    "freeze of everything": lambda desk: desk.service.freeze("everything", by="cli:ops", reason="Stop."),
    "freeze of the agent": lambda desk: desk.service.freeze("agent", "desk", by="cli:ops", reason="Stop."),
    "freeze of the session": lambda desk: desk.service.freeze("session", "s1", by="cli:ops", reason="Stop."),
    "a block": _revision(BLOCKED),
    "a default that blocks": _revision(NO_RULE),
    "an approver removed": _revision(ONLY_BOB),
    "a larger quorum": _revision(TWO),
    "a budget that blocks": _revision(POLICY + BUDGET),
    "a budget that asks": _revision(POLICY + BUDGET.replace(", then: block", "")),
    "the session's end": lambda desk: desk.service.end_session("s1"),
    "an operator's cancel": lambda desk: _cancel(desk),
    "a new key": lambda desk: desk.service.renew_key(by="cli:ops"),
}


def _cancel(desk: Desk) -> None:
    for hold in desk.service.holds():
        desk.service.cancel(hold.id, by="cli:ops", reason="Not now.")


@dataclass(frozen=True, slots=True)
class End:
    """How a call ends.

    Attributes:
        code: What its caller is told; ``no_session`` where it is refused before it is an action.
        approved: Who could approve; everybody tries, Alice first, until it waits for nobody.
        refused: Codes with which people's approvals were refused.
    """

    code: str
    approved: str = ""
    refused: frozenset[str] = frozenset()


RAN, BOTH = End("ran", "U0ALICE"), End("ran", "U0ALICE U0BOB")
BY_BOB = End("ran", "U0BOB", frozenset({"not_eligible"}))
FROZEN, FROZEN_AFTER = End("frozen"), End("frozen", "U0ALICE")
WAITS = End("pending", "", frozenset({"frozen"}))
STOPPED, STOPPED_AFTER = End("blocked"), End("blocked", "U0ALICE")
EARLY = tuple(MOMENTS)[:3]
"""Moments before the call is in hand: what is tightened after them changes nothing of it."""
TABLE: dict[str, tuple[End, End, End]] = {
    "freeze of everything": (FROZEN, WAITS, FROZEN_AFTER),
    "freeze of the agent": (FROZEN, WAITS, FROZEN_AFTER),
    "freeze of the session": (FROZEN, WAITS, FROZEN_AFTER),
    "a block": (STOPPED, STOPPED_AFTER, STOPPED_AFTER),
    "a default that blocks": (STOPPED, STOPPED_AFTER, STOPPED_AFTER),
    "an approver removed": (BY_BOB, BY_BOB, RAN),
    "a larger quorum": (BOTH, BOTH, RAN),
    "a budget that blocks": (STOPPED, STOPPED_AFTER, STOPPED_AFTER),
    "a budget that asks": (RAN, BOTH, BOTH),
    "the session's end": (
        End("no_session"),
        End("session_ended"),
        End("session_ended", "U0ALICE"),
    ),
    "an operator's cancel": (
        RAN,
        End("cancelled_by_operator"),
        End("cancelled_by_operator", "U0ALICE"),
    ),
    "a new key": (RAN, End("key_renewed"), End("key_renewed", "U0ALICE")),
}
"""Tightening to how a held call ends, by the moment before it is in hand."""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    with made.gate, made.gate.session("s1", on_behalf_of=None):
        yield made


class Walk:
    """Take one held call; tighten once before a step, and let everybody approve whenever it waits."""

    def __init__(self, desk: Desk, moment: str, tighten: Callable[[Desk], object]) -> None:
        self._desk, self._step, self._tighten = desk, MOMENTS[moment], tighten
        self.tightened = False
        self.approved: list[str] = []
        self.refused: set[str] = set()

    def end(self, wanted: End) -> End:
        """Return how the call ends; one that is to stay pending is waited for only a moment."""
        wait = 0.01 if wanted.code == "pending" else PATIENCE
        with before_steps(self._before):
            try:
                code = self._desk.call("c1", 50, wait=wait).code
            except NoSession as fault:
                code = fault.code
        return End(code, " ".join(self.approved), frozenset(self.refused))

    def _before(self, number: int, step: str) -> None:
        if step == self._step and not self.tightened:
            self.tightened = True
            self._tighten(self._desk)
        if step == "wait":
            self._everybody_approves()

    def _everybody_approves(self) -> None:
        for person in (ALICE, BOB):
            hold = self._desk.hold("c1")
            if hold is None or person.user in self.approved:
                continue
            try:
                answer(self._desk.service, hold, person)
                self.approved.append(person.user)
            except Fault as fault:
                self.refused.add(fault.code)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("tightening", TIGHTENINGS)
def test_tightened_between_two_steps(desk: Desk, tightening: str, moment: str) -> None:
    """Before the call is in hand the stricter rule decides; after that it has begun, and ends as it ends."""
    walk = Walk(desk, moment, TIGHTENINGS[tightening])
    wanted = TABLE[tightening][EARLY.index(moment)] if moment in EARLY else RAN
    assert walk.end(wanted) == wanted
    assert walk.tightened
    assert desk.done == (["c1"] if wanted.code == "ran" else [])
    desk.service.end_session("s1")
    assert broken(desk.seen()) == []


BETWEEN: dict[str, tuple[Callable[[Desk], object], End]] = {
    "freeze": (TIGHTENINGS["freeze of everything"], End("pending", "U0ALICE", frozenset({"frozen"}))),
    "a block": (_revision(BLOCKED), End("blocked", "U0ALICE U0BOB")),
    "the first approver removed": (_revision(ONLY_BOB), BOTH),
    "the second approver removed": (
        _revision(ONLY_BOB.replace("U0BOB", "U0ALICE")),
        End("pending", "U0ALICE", frozenset({"not_eligible"})),
    ),
    "a larger quorum": (_revision(TWO.replace("quorum: 2", "quorum: 3")), End("pending", "U0ALICE U0BOB")),
    "a smaller quorum": (_revision(POLICY), BOTH),
    "the session's end": (TIGHTENINGS["the session's end"], End("session_ended", "U0ALICE")),
}
"""Tightening between the two approvals that a call needs to how it ends; given decisions stand."""


@pytest.mark.parametrize("tightening", BETWEEN)
def test_tightened_between_two_approvals(tmp_path: Path, tightening: str) -> None:
    """The larger quorum and the shorter list count for whoever answers next; what was given stands."""
    tighten, wanted = BETWEEN[tightening]
    desk = Desk(tmp_path, text=TWO)
    with desk.gate, desk.gate.session("s1", on_behalf_of=None):

        def one_approves_first(desk: Desk) -> None:
            answer(desk.service, _held(desk))
            tighten(desk)

        walk = Walk(desk, "before anybody answered", one_approves_first)
        walk.approved.append("U0ALICE")
        assert walk.end(wanted) == wanted
        assert desk.done == (["c1"] if wanted.code == "ran" else [])
        desk.service.end_session("s1")
        assert broken(desk.seen()) == []


def _held(desk: Desk) -> HoldRecord:
    hold = desk.hold("c1")
    assert hold is not None
    return hold
