"""Scripted approvals that change the call first, so that agents can be tested with them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from gate import Ran
from gate.errors import IllegalMove
from gate.testing import approve, scripted
from tests.gate_kit import gate_on
from tests.kit import EDITABLE, POLICY


def test_a_scripted_approval_may_change_the_call(tmp_path: Path) -> None:
    """The tool gets the changed values in their types; the agent is told what changed."""
    gate = gate_on(tmp_path, text=EDITABLE)

    @gate.guard("desk.pay")
    def pay(amount: Decimal, to: str) -> str:
        return f"paid {amount}"

    less = approve("less", changes={"args.amount": "250.00"})
    with scripted(gate, {"desk.pay": less}), gate.session("s1", on_behalf_of=None):
        ran = gate.outcome(pay, Decimal(400), "bob")
    assert isinstance(ran, Ran)
    assert (ran.result, ran.edits) == ("paid 250.00", ("amount from 400 to 250.00",))


def test_the_others_of_a_quorum_approve_the_changed_call(tmp_path: Path) -> None:
    """Of two approvals the first changes the call, and the second is for what it has become."""
    gate = gate_on(tmp_path, text=EDITABLE)

    @gate.guard("desk.fire")
    def fire(who: str) -> str:
        return who

    answers = {"desk.fire": approve(changes={"args.who": "nobody"})}
    with scripted(gate, answers) as script, gate.session("s1", on_behalf_of=None):
        assert fire("everybody") == "nobody"
    assert [len(hold.decisions) for hold in script.answered] == [2]


def test_a_change_that_the_policy_does_not_allow_fails_the_test(tmp_path: Path) -> None:
    """A script cannot do what nobody could do in Slack."""
    gate = gate_on(tmp_path, text=POLICY)

    @gate.guard("desk.pay")
    def pay(amount: int) -> None:
        raise AssertionError("it must not run")

    answers = {"desk.pay": approve(changes={"args.amount": 5})}
    refused = pytest.raises(IllegalMove, match="may be changed")
    with scripted(gate, answers), gate.session("s1", on_behalf_of=None), refused:
        pay(50)
