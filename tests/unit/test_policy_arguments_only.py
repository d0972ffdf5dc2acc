"""What may stand where only arguments of the call may."""

from __future__ import annotations

import pytest

from tests.policy_kit import APPROVALS, only_problem

RULE = "rules:\n- {id: r, then: require_approval, reason: Why., "
ARGUMENTS_ONLY = {
    "amount": ("actions:\n  a.b: {amount: facts.total}\n", "facts.total"),
    "count": ("actions:\n  a.b: {count: facts.total}\n", "facts.total"),
    "decisive": ("actions:\n  a.b: {decisive: [facts.total]}\n", "facts.total"),
    "redact": ("redact: [facts.customer]\n", "facts.customer"),
    "show": ("show: [facts.customer]\n", "facts.customer"),
    "editable": (RULE + "editable: [facts.customer]}\n", "facts.customer"),
}


@pytest.mark.parametrize("case", ARGUMENTS_ONLY)
def test_facts_may_not_stand_where_only_arguments_may(case: str) -> None:
    """What is shown, hidden or read as an amount lies in the arguments."""
    written, path = ARGUMENTS_ONLY[case]
    said = only_problem(f"version: 1\ndefault: by_risk\n{APPROVALS}{written}")
    assert f'"{path}" is no argument: write args.…' in said
