"""Lint of approval keys where nobody is asked."""

from __future__ import annotations

import pytest

from tests.lint_kit import codes, only
from tests.policy_kit import rule


@pytest.mark.parametrize("then", ["allow", "block"])
def test_a_rule_that_asks_nobody_and_says_who_approves(then: str) -> None:
    """Whoever wrote it most likely means that people are asked."""
    one = only("asks_nobody", rule("r", then, match="shop.pay", quorum=2, approvers=["U0ALICE", "U0BOB"]))
    assert one.what == f"a/r has quorum, approvers and answers {then}"
    assert "then: require_approval" in one.write


def test_a_budget_that_blocks_and_says_who_approves() -> None:
    """Above its limit nobody is asked either."""
    keys = {"limit": 5, "per": "session", "window": "1h", "channel": "C0OTHERS"}
    blocks, holds = {"id": "b", "then": "block", **keys}, {"id": "h", **keys}
    assert "asks_nobody" in codes(budgets=[blocks])
    assert "asks_nobody" not in codes(budgets=[holds])


def test_a_rule_that_asks_has_them_rightly() -> None:
    """So has a rule that only gives its reason."""
    held = rule("r", "require_approval", quorum=2)
    assert "asks_nobody" not in codes(held, rule("s", "allow"))
