"""A machine that does anything in any order to a few holds, beside a model that says what must be true."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from gate.clock import FakeClock
from gate.errors import Fault
from gate.lifecycle import ENDED, State
from gate.model import Action, Person
from gate.service import Service
from gate.verbs.claim import End
from tests.kit import ALICE, BOB, CAROL, act, answer, post, service

QUORUM = {"desk.pay": 1, "desk.fire": 2}
WHICH = st.integers(0, 99)
"""Which of the holds, counted round."""
PEOPLE = st.sampled_from([ALICE, BOB, CAROL])


@dataclass
class Case:
    """What the model knows of one action."""

    action: Action
    expires: datetime
    deliver: datetime
    state: State = State.PENDING
    posted: bool = False
    approved_by: set[str] = field(default_factory=set)
    use_by: datetime | None = None
    runs: int = 0


class Lifecycle(RuleBasedStateMachine):
    """Drive the verbs and compare with the model after each step."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = FakeClock()
        self.gate: Service = service(self.folder / "gate.db", clock=self.clock)
        self.cases: dict[str, Case] = {}
        self.frozen = False
        self.blocked: set[str] = set()

    def teardown(self) -> None:
        self.gate.close()
        shutil.rmtree(self.folder)

    # ---- what can happen ----------------------------------------------------------------------------------

    @rule(
        name=st.sampled_from(sorted(QUORUM)), amount=st.integers(11, 14), call_id=st.sampled_from([None, "c"])
    )
    def submit(self, name: str, amount: int, call_id: str | None) -> None:
        action = act(name, call_id=call_id and f"{name}{amount}", amount=amount, to="bob")
        found = self.gate.submit(action, wait=False)
        now = self.clock.now()
        if found.kind == "held":
            assert not self.frozen
            assert found.record.id not in self.cases
            self.cases[found.record.id] = Case(action, now + timedelta(hours=1), now + timedelta(minutes=10))
        elif found.record.id in self.cases:
            assert self.cases[found.record.id].action.arguments == action.arguments
        else:
            assert found.record.state == State.BLOCKED
            assert self.frozen or found.record.id in self.blocked  # a call id stands for its first outcome
            self.blocked.add(found.record.id)

    @rule()
    def post(self) -> None:
        for notice in post(self.gate):
            if notice.kind == "card" and notice.hold in self.cases:
                self._pass_deadline(self.cases[notice.hold])  # a card that comes too late revives nothing
                self.cases[notice.hold].posted = True

    @precondition(lambda self: self.cases)
    @rule(which=WHICH, person=PEOPLE, deny=st.booleans())
    def decide(self, which: int, person: Person, deny: bool) -> None:
        hold = list(self.cases)[which % len(self.cases)]
        case = self.cases[hold]
        self._pass_deadline(case)
        allowed = person is not CAROL and (
            case.state in (State.PENDING, State.APPROVED)
            if deny
            else case.state == State.PENDING and not self.frozen and person.user not in case.approved_by
        )
        try:
            answer(self.gate, hold, person, "deny" if deny else "approve")
        except Fault:
            assert not allowed
            return
        assert allowed
        self._count(case, person, deny)

    @precondition(lambda self: self.cases)
    @rule(which=WHICH, ok=st.booleans(), lost=st.booleans())
    def claim_and_run(self, which: int, ok: bool, lost: bool) -> None:
        hold = list(self.cases)[which % len(self.cases)]
        case = self.cases[hold]
        self._pass_deadline(case, unposted=False)
        ready = case.state == State.APPROVED and not self.frozen
        assert self.gate.claim(hold, case.action).run == ready
        if ready:
            case.runs += 1
            case.state = State.RUNNING
            if not lost:
                self.gate.settle(hold, End(ok, "1" if ok else None, "" if ok else "ValueError"))
                case.state = State.SUCCEEDED if ok else State.FAILED
        elif case.state == State.APPROVED:
            case.state = State.BLOCKED

    @precondition(lambda self: self.cases)
    @rule(which=WHICH)
    def cancel(self, which: int) -> None:
        hold = list(self.cases)[which % len(self.cases)]
        case = self.cases[hold]
        try:
            self.gate.cancel(hold, by="cli:x", reason="because")
        except Fault:
            assert case.state not in (State.PENDING, State.APPROVED)
        else:
            assert case.state in (State.PENDING, State.APPROVED)
            case.state = State.CANCELLED

    @rule(span=st.sampled_from([1, 59, 601, 1799, 1801, 3600]))
    def pass_time(self, span: int) -> None:
        self.clock.advance(span)

    @rule()
    def sweep(self) -> None:
        self.gate.sweep()
        for case in self.cases.values():
            self._pass_deadline(case)

    @rule()
    def turn_freeze(self) -> None:
        if self.frozen:
            self.gate.unfreeze("everything", by="cli:x", reason="over")
        else:
            self.gate.freeze("everything", by="cli:x", reason="stop")
        self.frozen = not self.frozen

    @rule()
    def restart(self) -> None:
        """The process goes without settling what it runs; the next one finds it in doubt."""
        self.gate.close()
        self.gate = service(self.folder / "gate.db", clock=self.clock, text=None)
        self.gate.heartbeat()
        for case in self.cases.values():
            if case.state == State.RUNNING:
                case.state = State.IN_DOUBT

    # ---- what must be true --------------------------------------------------------------------------------

    @invariant()
    def nothing_runs_twice_or_without_consent(self) -> None:
        for case in self.cases.values():
            assert case.runs <= 1
            assert not case.runs or len(case.approved_by) >= QUORUM[case.action.name]

    @invariant()
    def the_store_agrees_with_the_model(self) -> None:
        for hold, case in self.cases.items():
            assert self.gate.action(hold).state == case.state

    @invariant()
    def the_log_is_whole(self) -> None:
        assert self.gate.verify().ok

    # ---- the model's own rules ----------------------------------------------------------------------------

    def _count(self, case: Case, person: Person, deny: bool) -> None:
        if deny:
            case.state = State.DENIED
            return
        case.approved_by.add(person.user)
        if len(case.approved_by) >= QUORUM[case.action.name]:
            case.state, case.use_by = State.APPROVED, self.clock.now() + timedelta(minutes=30)

    def _pass_deadline(self, case: Case, *, unposted: bool = True) -> None:
        """End a case that is past its deadline, as decide, claim and sweep each find it."""
        if case.state in ENDED:
            return
        now = self.clock.now()
        if case.state == State.APPROVED and case.use_by is not None and now >= case.use_by:
            case.state = State.EXPIRED
        elif case.state == State.PENDING and unposted and not case.posted and now >= case.deliver:
            case.state = State.UNDELIVERED
        elif case.state == State.PENDING and unposted and now >= case.expires:
            case.state = State.EXPIRED


Lifecycle.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestLifecycle = Lifecycle.TestCase
