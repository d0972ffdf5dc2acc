"""The gate's own rules have names and outcome codes in one place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gate
from gate.model import own_rules
from gate.outcomes import Blocked
from gate.results import outcome_of
from tests.kit import POLICY, act, service


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        ((own_rules.FREEZE,), "frozen"),
        ((own_rules.NO_POLICY,), "no_policy"),
        ((own_rules.TOO_MANY, "desk/small"), "too_many_pending"),
        ((own_rules.BAD_NAME,), "blocked"),
        (("desk/huge", own_rules.FREEZE), "blocked"),
        ((), "blocked"),
    ],
)
def test_the_first_rule_gives_the_code(rules: tuple[str, ...], code: str) -> None:
    """A call that one of the gate's own rules blocks has its code; any other is just blocked."""
    assert own_rules.blocked_code(rules) == code


def test_a_call_that_no_policy_covers_is_blocked_with_its_code() -> None:
    """Its caller is told ``no_policy``, and nobody is asked."""
    gate = service(text=POLICY.replace("rules:", "applies_to: [bank.*]\nrules:", 1).replace("desk.", "bank."))
    done = gate.submit(act(amount=50, to="bob"))
    outcome = outcome_of(done.record)
    assert done.kind == "ended"
    assert isinstance(outcome, Blocked)
    assert outcome.code == "no_policy"


def test_their_names_stand_in_one_place() -> None:
    """No other module spells one of their names."""
    spelt = re.compile(r"""["']gate/[a-z_]+["']""")
    home = Path(gate.__file__).parent
    found = [str(path) for path in home.rglob("*.py") if spelt.search(path.read_text("utf-8"))]
    assert found == []
