"""A pending hold is shown with as many approvals required as count under the policy in force."""

from __future__ import annotations

from gate.lifecycle import State
from tests.kit import ALICE, BOB, POLICY, act, answer, policy, service

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
