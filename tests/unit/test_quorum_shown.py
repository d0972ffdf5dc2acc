"""A pending hold is shown with as many approvals required as count under the policy in force."""

from __future__ import annotations

from gate.lifecycle import State
from tests.kit import ALICE, BOB, POLICY, act, answer, policy, post, service

STRICTER = POLICY.replace("reason: Above ten.}", "quorum: 2, reason: Above ten.}")


def test_the_larger_quorum_is_shown_while_it_counts() -> None:
    """Under a stricter revision one approval is not enough, and it says so; a looser one changes nothing."""
    gate = service(text=POLICY)
    one = gate.submit(act(), wait=False).record.id
    two = gate.submit(act("desk.fire"), wait=False).record.id
    assert [each.quorum for each in gate.hold(one).requirements] == [1]
    gate.apply(policy(STRICTER.replace("quorum: 2, reason: Two", "quorum: 1, reason: Two")), by="cli:x")
    assert [each.quorum for each in gate.hold(one).requirements] == [2]
    assert [each.quorum for each in gate.hold(two).requirements] == [2]
    assert [[need.quorum for need in each.requirements] for each in gate.holds()] == [[2], [2]]
    assert answer(gate, one, ALICE).state is State.PENDING
    assert answer(gate, one, BOB).state is State.APPROVED
    assert [each.quorum for each in gate.hold(one).requirements] == [1]


def test_a_new_revision_redraws_the_cards_that_stand() -> None:
    """Nobody decides by a card that still tells the old quorum; holds without one, or decided, are left."""
    gate = service(text=POLICY)
    shown, decided = (gate.submit(act(to=who), wait=False).record.id for who in ("dave", "erin"))
    post(gate)
    answer(gate, decided, ALICE)
    post(gate)
    unposted = gate.submit(act(to="frank"), wait=False).record.id
    gate.apply(policy(STRICTER), by="cli:x")
    told = post(gate)
    assert [each.hold for each in told if each.kind == "refresh"] == [shown]
    assert [each.hold for each in told if each.kind == "card"] == [unposted]
    assert not gate.apply(policy(STRICTER), by="cli:x")
    assert post(gate) == []
