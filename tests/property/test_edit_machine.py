"""People change, approve and deny the same calls in any order, from new and from old cards."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from gate.editing import Edited, edited
from gate.errors import Fault
from gate.lifecycle import MAX_EDITS, State
from gate.model import Action, HoldRecord, Person
from tests.kit import ALICE, BOB, CAROL, EDITABLE, ROUTE, act, answer, post, service

WHICH = st.integers(0, 99)
PEOPLE = st.sampled_from([ALICE, BOB, CAROL])
BLOCKED = 5000
VALUES = st.sampled_from([20, 30, 40, BLOCKED])
QUORUM = 2
POLICY = EDITABLE.replace("reason: Above ten., ", "reason: Above ten., quorum: 2, ")


@dataclass
class Case:
    """What the model knows of one call: who approved which value, counted for the newest version only."""

    call: Action
    seen: list[HoldRecord]
    value: int
    state: State = State.PENDING
    approved: dict[str, int] = field(default_factory=dict)
    ran: list[int] = field(default_factory=list)

    @property
    def edits(self) -> int:
        return len(self.seen) - 1


class Edits(RuleBasedStateMachine):
    """Drive edits and answers, and compare with the model after each step."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = service(text=POLICY)
        self.cases: dict[str, Case] = {}

    def teardown(self) -> None:
        assert self.gate.verify().ok
        self.gate.close()

    def _case(self, which: int) -> tuple[str, Case]:
        return list(self.cases.items())[which % len(self.cases)]

    @precondition(lambda self: len(self.cases) < 4)
    @rule(amount=st.integers(11, 19))
    def submit(self, amount: int) -> None:
        call = act(amount=amount, to=f"n{len(self.cases)}")
        hold = self.gate.submit(call, wait=False).record.id
        post(self.gate)
        self.cases[hold] = Case(call, [self.gate.hold(hold)], amount)

    @precondition(lambda self: self.cases)
    @rule(which=WHICH, person=PEOPLE, value=VALUES, old=st.booleans())
    def edit(self, which: int, person: Person, value: int, old: bool) -> None:
        hold, case = self._case(which)
        card = case.seen[0] if old else case.seen[-1]
        allowed = (
            person is not CAROL
            and case.state is State.PENDING
            and card is case.seen[-1]
            and case.edits < MAX_EDITS
            and value not in (BLOCKED, case.value)
        )
        try:
            after = self.gate.edit(
                hold, store=card.store, nonce=card.nonce, person=person,
                satisfies=frozenset({person.user}), changes={"args.amount": value}, route=ROUTE,
            )  # fmt: skip
        except Fault:
            assert not allowed
            return
        assert allowed
        case.value, case.approved = value, {person.user: value}
        case.seen.append(after)
        self._count(case)

    @precondition(lambda self: self.cases)
    @rule(which=WHICH, person=PEOPLE, deny=st.booleans(), old=st.booleans())
    def decide(self, which: int, person: Person, deny: bool, old: bool) -> None:
        _, case = self._case(which)
        card = case.seen[0] if old else case.seen[-1]
        open_ = case.state in (State.PENDING, State.APPROVED)
        fresh = case.state is State.PENDING and person.user not in case.approved
        allowed = person is not CAROL and card is case.seen[-1] and open_ and (deny or fresh)
        try:
            answer(self.gate, card, person, "deny" if deny else "approve")
        except Fault:
            assert not allowed
            return
        assert allowed
        if deny:
            case.state = State.DENIED
        else:
            case.approved[person.user] = case.value
            self._count(case)

    @precondition(lambda self: self.cases)
    @rule(which=WHICH, how=st.sampled_from(["right", "submitted", "older", "other"]))
    def claim(self, which: int, how: str) -> None:
        """Claim with the approved values, without them, with a former version's, or with somebody's own."""
        hold, case = self._case(which)
        record = self.gate.action(hold)
        right = edited(case.call, record.patch, record.version) if case.edits else case.call
        given: Action | Edited = right
        if how == "submitted":
            given = case.call
        elif how == "older" and case.edits > 1:
            given = edited(case.call, {"args.amount": case.seen[-2].arguments["amount"]}, record.version)
        elif how == "other":
            given = edited(case.call, {"args.amount": 999}, record.version)
        same = _amount(given) == case.value and isinstance(given, Edited) == bool(case.edits)
        try:
            run = self.gate.claim(hold, given).run
        except Fault:
            assert case.state is State.APPROVED
            assert not same
            return
        assert run == (case.state is State.APPROVED and same)
        if run:
            case.ran.append(_amount(given))
            case.state = State.RUNNING

    def _count(self, case: Case) -> None:
        if len(case.approved) >= QUORUM:
            case.state = State.APPROVED

    @invariant()
    def what_ran_is_what_enough_people_approved(self) -> None:
        for case in self.cases.values():
            assert len(case.ran) <= 1
            for value in case.ran:
                assert [*case.approved.values()] == [value] * QUORUM

    @invariant()
    def the_store_agrees_with_the_model(self) -> None:
        for hold, case in self.cases.items():
            now = self.gate.hold(hold)
            assert (now.state, now.version, now.arguments["amount"]) == (
                case.state, case.edits + 1, case.value,
            )  # fmt: skip
            if case.state is not State.DENIED:
                assert {each.person.user for each in now.decisions} == set(case.approved)


def _amount(given: Action | Edited) -> int:
    call = given.action if isinstance(given, Edited) else given
    return int(call.arguments["amount"])


Edits.TestCase.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
TestEdits = Edits.TestCase
