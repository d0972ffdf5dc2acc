"""Where several things hold a call, its shortest times count, whatever it waits for and however often."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from gate.clock import FakeClock
from gate.lifecycle import State
from gate.service import Service
from tests.kit import BOB, CAROL, POLICY, act, answer, post, service

BUDGET = """budgets:
  - {id: money, match: desk.pay, sum: effect.amount, limit: {EUR: 20}, per: agent, window: 24h,
     approvers: [U0CAROL], channel: C0MONEY, use_within: 10m}
"""


def _to(gate: Service, moment: datetime | None) -> None:
    assert isinstance(gate.clock, FakeClock)
    assert moment is not None
    gate.clock.advance(moment - gate.clock.now())


def test_the_shortest_time_to_use_an_approval_counts() -> None:
    """A rule gives half an hour, the budget that holds the call, too, ten minutes: then it is not started."""
    gate = service(text=POLICY + BUDGET)
    hold = gate.submit(act(amount=50, to="bob")).record.id
    post(gate)
    answer(gate, hold)
    answered = answer(gate, hold, CAROL)
    assert answered.use_by == gate.clock.now() + timedelta(minutes=10)
    _to(gate, answered.use_by)
    claimed = gate.claim(hold, act(amount=50, to="bob"))
    assert (claimed.run, claimed.record.code) == (False, "expired_unused")


def test_the_shortest_time_to_answer_counts() -> None:
    """A rule gives an hour, the budget a quarter of one: then nobody has answered."""
    gate = service(text=POLICY + BUDGET.replace("use_within: 10m", "expires_in: 15m, deliver_within: 5m"))
    hold = gate.hold(gate.submit(act(amount=50, to="bob")).record.id)
    assert hold.expires_at == gate.clock.now() + timedelta(minutes=15)
    assert gate.next_deadline() == gate.clock.now() + timedelta(minutes=5)
    post(gate)
    _to(gate, hold.expires_at)
    assert (gate.sweep(), gate.action(hold.id).code) == (1, "expired_unanswered")


def test_a_hold_that_waits_again_ends_at_its_first_deadline() -> None:
    """An approval that reached past the time to answer leaves nothing of that once the hold waits again."""
    gate = service(text=POLICY + BUDGET)
    hold = gate.submit(act(amount=11, to="bob")).record.id
    post(gate)
    before = gate.hold(hold)
    assert isinstance(gate.clock, FakeClock)
    gate.clock.advance(timedelta(minutes=55))
    assert (answer(gate, hold, BOB).use_by or before.expires_at) > before.expires_at
    gate.submit(act(amount=10, to="x"))
    assert gate.claim(hold, act(amount=11, to="bob")).record.state == State.PENDING
    assert gate.next_deadline() == before.expires_at
    _to(gate, before.expires_at)
    assert (gate.sweep(), gate.action(hold).code) == (1, "expired_unanswered")


@pytest.mark.parametrize("how", ["sweep", "answer"])
def test_a_hold_that_no_card_reached_in_time_is_undelivered(how: str) -> None:
    """Where the time to answer is shorter than the one to deliver, nobody was asked all the same."""
    gate = service(text=POLICY.replace("expires_in: 1h", "expires_in: 5m, deliver_within: 1h"))
    hold = gate.submit(act(amount=50, to="bob")).record.id
    _to(gate, gate.hold(hold).expires_at)
    if how == "sweep":
        assert gate.sweep() == 1
    else:
        with pytest.raises(Exception, match="no card had been posted"):
            answer(gate, hold)
    assert (gate.action(hold).state, gate.action(hold).code) == (State.UNDELIVERED, "not_delivered_in_time")
