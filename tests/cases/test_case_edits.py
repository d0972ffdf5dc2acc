"""Cases about calls that an approver changes, run through the real verbs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gate import Gate, Ran
from gate.editing import edited
from gate.errors import BadEdit, IllegalMove
from gate.lifecycle import State
from tests.gate_kit import People, gate_on
from tests.kit import ALICE, BOB, EDITABLE, ROUTE, act, answer, change, kinds, service, with_rule

TWO = EDITABLE.replace("reason: Above ten., ", "reason: Above ten., quorum: 2, ")
HIGH = with_rule(
    EDITABLE,
    "id: high, when: {args.amount: {gt: 500}}, reason: High., approvers: [U0CAROL], editable: [args.amount]",
)


def test_a_change_into_what_is_denied_is_refused_before_it_is_an_approval() -> None:
    """Approving with a blocked amount approves nothing: no decision, no run, the hold waits on as it was."""
    gate = service(text=EDITABLE)
    hold = gate.submit(act(amount=400, to="bob"), wait=False).record.id
    with pytest.raises(BadEdit, match="Never above a thousand"):
        change(gate, hold, amount=99999)
    now = gate.hold(hold)
    assert (now.state, now.version, now.decisions) == (State.PENDING, 1, ())
    assert not gate.claim(hold, act(amount=400, to="bob")).run
    assert kinds(gate, hold) == ["submit", "refused"]


def test_a_changed_call_that_still_needs_approval_needs_it_in_the_same_hold() -> None:
    """The changed call is judged anew in its place: one hold, its next version, with who is needed for it."""
    gate = service(text=HIGH)
    hold = gate.submit(act(amount=400, to="bob"), wait=False).record.id
    assert change(gate, hold, ALICE, amount=600).state == State.PENDING
    assert [each.id for each in gate.holds()] == [hold]
    assert gate.hold(hold).arguments == {"amount": 600, "to": "bob"}
    lower = gate.submit(act(amount=410, to="bob"), wait=False).record.id
    assert change(gate, lower, ALICE, amount=300).state == State.APPROVED


@pytest.mark.parametrize("given", [["not", "an", "object"], "text", 5, None, {"amount": 1}, {"args": {}}])
def test_a_change_is_values_by_path_that_the_tool_takes(given: Any) -> None:
    """Arbitrary JSON in the place of arguments is refused, whatever it is, and nothing of it runs."""
    gate = service(text=EDITABLE)
    hold = gate.hold(gate.submit(act(amount=400, to="bob"), wait=False).record.id)
    with pytest.raises(IllegalMove):
        gate.edit(
            hold.id, store=hold.store, nonce=hold.nonce, person=ALICE, satisfies=frozenset({"U0ALICE"}),
            changes=given, route=ROUTE,
        )  # fmt: skip
    assert gate.hold(hold.id) == hold


def test_every_approval_is_for_the_version_its_giver_saw() -> None:
    """The first approver's change stands; who approves the old version is refused; both saw what runs."""
    gate = service(text=TWO)
    call = act(amount=700, to="bob")
    hold = gate.submit(call, wait=False).record.id
    old = gate.hold(hold)
    change(gate, hold, ALICE, amount=600)
    with pytest.raises(IllegalMove, match="changed by alice"):
        answer(gate, old, BOB)
    assert gate.hold(hold).state == State.PENDING
    assert answer(gate, hold, BOB).state == State.APPROVED
    record = gate.action(hold)
    assert not gate.claim(hold, call).run
    taken = edited(call, record.patch, record.version)
    assert taken.action.arguments == {"amount": 600, "to": "bob"}
    assert gate.claim(hold, taken).run


def test_the_agent_reads_what_was_changed(tmp_path: Path) -> None:
    """An agent is never left to believe that its own call ran where another one did."""
    with gate_on(tmp_path, text=EDITABLE) as gate:
        ran = _paid(gate)
    assert (ran.result, ran.edits) == (250, ("amount from 400 to 250",))
    assert "amount from 400 to 250" in ran.message_for_agent


def _paid(gate: Gate) -> Ran[int]:
    @gate.guard("desk.pay")
    def pay(amount: int, to: str) -> int:
        return amount

    with gate.session("s1", on_behalf_of=None):
        People(gate, lambda hold: change(gate.service, hold, amount=250))
        ran = gate.outcome(pay, 400, "bob")
    assert isinstance(ran, Ran)
    return ran
