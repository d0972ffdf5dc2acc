"""A look at everything counts for what was decisive then; for what decides since, one looks again."""

from __future__ import annotations

import pytest

from gate.errors import IllegalMove
from gate.lifecycle import State
from gate.model import Person
from gate.service import Service
from tests.kit import ALICE, CAROL, EDITABLE, act, answer, change, post, service

SECRET = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"


def _must_view(gate: Service, hold: str, person: Person) -> None:
    with pytest.raises(IllegalMove) as caught:
        answer(gate, hold, person)
    assert caught.value.code == "view_required"


def test_a_look_ends_with_what_a_budget_adds_that_decides() -> None:
    """A budget that reads a hidden value holds the approved call again: who looked before looks again."""
    budget = (
        "budgets:\n  - {id: noted, match: desk.pay, sum: effect.amount, limit: {EUR: 20}, per: args.note, "
        "window: 24h, then: require_approval, approvers: [U0CAROL]}\n"
    )
    gate = service(text=EDITABLE + budget)
    first = gate.submit(act(amount=15, to="bob", note=SECRET), wait=False).record.id
    second = gate.submit(act(amount=16, to="eve", note=SECRET), wait=False).record.id
    post(gate)
    for hold in (first, second):
        for person in (ALICE, CAROL):
            gate.record_view(hold, nonce=gate.hold(hold).nonce, person=person)
        answer(gate, hold, ALICE)
    assert gate.claim(first, act(amount=15, to="bob", note=SECRET)).run
    assert gate.claim(second, act(amount=16, to="eve", note=SECRET)).record.state == State.PENDING
    assert "args.note" in gate.hold(second).decisive
    _must_view(gate, second, CAROL)
    gate.record_view(second, nonce=gate.hold(second).nonce, person=CAROL)
    assert answer(gate, second, CAROL).state == State.APPROVED


def test_a_look_ends_with_what_ones_own_change_makes_decisive() -> None:
    """The editor looked at what decided before; what decides after the change is new, but for the change."""
    text = EDITABLE.replace(
        "  - {id: large,",
        "  - {id: noted, match: desk.pay, when: {args.amount: {gt: 500, lte: 1000}, "
        "args.note: {exists: true}}, then: require_approval, reason: Noted., editable: [args.amount]}\n"
        "  - {id: large,",
    )
    gate = service(text=text)
    hold = gate.submit(act(amount=400, to="bob", note=SECRET), wait=False).record.id
    post(gate)
    gate.record_view(hold, nonce=gate.hold(hold).nonce, person=ALICE)
    after = change(gate, hold, ALICE, amount=600)
    assert (after.state, after.version, after.decisions) == (State.PENDING, 2, ())
    _must_view(gate, hold, ALICE)
    gate.record_view(hold, nonce=after.nonce, person=ALICE)
    assert answer(gate, hold, ALICE).state == State.APPROVED
