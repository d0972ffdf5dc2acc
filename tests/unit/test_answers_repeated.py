"""An answer that is given again, since nobody saw what became of it: it is told that it stands."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

import pytest

from gate.clock import FakeClock
from gate.errors import IllegalMove
from gate.lifecycle import State
from tests.kit import ALICE, BOB, act, answer, post, service


@pytest.mark.parametrize("said", ["approve", "deny"])
def test_who_answers_again_is_told_that_their_answer_stands(said: Literal["approve", "deny"]) -> None:
    """Somebody else who says the same reads that theirs was not recorded; nothing is recorded twice."""
    gate = service()
    hold = gate.submit(act(), wait=False).record.id
    post(gate)
    answer(gate, hold, ALICE, said=said)
    with pytest.raises(IllegalMove, match=r"[Yy]ou(r answer stands| have approved this already)") as told:
        answer(gate, hold, ALICE, said=said)
    assert "not recorded" not in str(told.value)
    with pytest.raises(IllegalMove, match=r"not needed|not recorded"):
        answer(gate, hold, BOB, said=said)
    assert len(gate.hold(hold).decisions) == 1


def test_who_approved_what_ran_meanwhile_is_told_so() -> None:
    """A press that is repeated after the call has run says that the first one counted."""
    gate = service()
    hold = gate.submit(act(), wait=False).record.id
    post(gate)
    answer(gate, hold, ALICE)
    assert gate.claim(hold, act()).run
    with pytest.raises(IllegalMove, match=r"already running.* Your answer stands"):
        answer(gate, hold, ALICE)
    assert gate.action(hold).state is State.RUNNING


def test_an_approval_of_what_never_ran_does_not_stand() -> None:
    """Who approved a hold that expired all the same is told that it is too late, not that it counted."""
    gate = service()
    hold = gate.submit(act(), wait=False).record
    post(gate)
    answer(gate, hold.id, ALICE)
    assert isinstance(gate.clock, FakeClock)
    gate.clock.advance(timedelta(days=2))
    gate.sweep()
    with pytest.raises(IllegalMove, match=r"Too late.* not recorded"):
        answer(gate, hold.id, ALICE)
