"""Lint of paths that approvers may change."""

from __future__ import annotations

import pytest

from tests.lint_kit import PAY, codes, only, tool
from tests.policy_kit import rule


@pytest.mark.parametrize("then", ["allow", "block"])
def test_a_rule_that_asks_nobody(then: str) -> None:
    """Nobody approves such a call, so nobody is offered to change it."""
    one = only("editable_in_vain", rule("r", then, match="shop.pay", editable=["args.amount"]), actions=PAY)
    assert f"It answers {then}" in one.why


@pytest.mark.parametrize("path", ["args.card", "args.card.number"])
def test_a_path_that_is_hidden(path: str) -> None:
    """Approvers cannot change what they may not see; a path beside it is fine."""
    held = rule("r", "require_approval", match="shop.pay", editable=[path])
    assert "redact hides args.card.number" in only("editable_in_vain", held, redact=["args.card.number"]).what
    assert "editable_in_vain" not in codes(held, redact=["args.cards"])


def test_a_path_that_no_tool_takes() -> None:
    """A misspelt parameter is found where the tools of the rule are known."""
    held = rule("r", "require_approval", match="shop.pay", editable=["args.ammount", "args.amount"])
    one = only("editable_in_vain", held, tools=[tool("shop.pay", "amount")])
    assert "args.ammount" in one.what
    assert "editable_in_vain" not in codes(held)
