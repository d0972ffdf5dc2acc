"""The same call made again: what it finds of the one before, and when it is judged anew."""

from __future__ import annotations

import pytest

from gate.clock import FakeClock
from gate.lifecycle import State
from gate.service import Service
from tests.kit import POLICY, act, answer, policy, post, service


def _denied(gate: Service) -> str:
    hold = gate.submit(act(), wait=False).record.id
    answer(gate, hold, said="deny")
    return hold


def test_a_denial_does_not_outlive_the_rule_that_asked() -> None:
    """A repeat right after it runs where the policy of now allows it, and is blocked where that blocks."""
    for then, wanted in (("allow", State.RUNNING), ("block", State.BLOCKED)):
        gate = service()
        denied = _denied(gate)
        assert gate.submit(act()).record.id == denied
        text = POLICY.replace("lte: 1000}}, then: require_approval", f"lte: 1000}}}}, then: {then}")
        gate.apply(policy(text), by="cli:x")
        again = gate.submit(act()).record
        assert (again.state, again.id != denied) == (wanted, True)


def test_a_blocked_call_is_judged_anew() -> None:
    """What a freeze has blocked is asked about once the freeze is lifted."""
    gate = service()
    gate.freeze("everything", "", by="cli:ops", reason="Odd.")
    blocked = gate.submit(act()).record
    assert blocked.state == State.BLOCKED
    gate.unfreeze("everything", "", by="cli:ops", reason="Fine.")
    again = gate.submit(act(), wait=False)
    assert (again.kind, again.record.id != blocked.id) == ("held", True)


@pytest.mark.parametrize("call_id", ["c1", None], ids=["by its call id", "as the same call"])
def test_a_hold_past_its_deadline_ends_before_it_is_found(call_id: str | None) -> None:
    """Though nothing has swept it, the repeat gets what became of it, and waits for nothing."""
    gate = service()
    hold = gate.submit(act(call_id=call_id), wait=False).record
    post(gate)
    assert isinstance(gate.clock, FakeClock)
    assert hold.expires_at is not None
    gate.clock.advance(hold.expires_at - gate.clock.now())
    again = gate.submit(act(call_id=call_id))
    assert (again.kind, again.record.id, again.waiter) == ("ended", hold.id, 0)
    assert again.record.code == "expired_unanswered"
