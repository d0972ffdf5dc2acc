"""What the lint says of signs of comparison inside a text."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lint_kit import codes, only
from tests.policy_kit import rule


@pytest.mark.parametrize(
    ("when", "write"),
    [
        ({"args.amount": "< 250"}, "args.amount: {lt: 250}"),
        ({"args.amount": {"eq": ">=2.50"}}, "args.amount: {gte: 2.50}"),
        ({"all": [{"args.amount": {"in": ["> 1", 5]}}]}, "args.amount: {gt: 1}"),
    ],
)
def test_a_sign_in_a_text_is_found(when: dict[str, Any], write: str) -> None:
    """The operator that was meant is offered."""
    assert only("sign_in_text", rule("r", "block", when=when)).write == write


@pytest.mark.parametrize(
    "when", [{"args.amount": {"lt": 250}}, {"args.to": "<bob>"}, {"args.to": {"contains": "< 2"}}]
)
def test_other_texts_are_not(when: dict[str, Any]) -> None:
    """Numbers with an operator, and texts that are no comparison, are fine."""
    assert "sign_in_text" not in codes(rule("r", "block", when=when))
