"""Lint of globs that no action can ever fit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lint_kit import codes, only
from tests.policy_kit import rule


@pytest.mark.parametrize(
    ("rules", "keys", "place"),
    [
        ([rule("r", "block", match="delete")], {}, "rules"),
        ([rule("r", "block", match=["shop.*", "shop"])], {}, "rules"),
        ([], {"applies_to": "payments"}, "applies_to"),
        ([], {"actions": {"refund": {"risk": "write"}}}, "actions"),
        (
            [],
            {"budgets": [{"id": "b", "match": "pay", "limit": 1, "per": "agent", "window": "1h"}]},
            "budgets",
        ),
    ],
)
def test_a_name_without_a_dot_is_no_actions(rules: list[Any], keys: dict[str, Any], place: str) -> None:
    """A block of it would block nothing, and a file that applies to it would judge nothing."""
    assert "an action's name is namespace.tool" in only("fits_nothing", *rules, **keys).what, place


def test_a_rule_outside_of_what_its_file_covers() -> None:
    """Its file is not asked about any call that it is about."""
    outside, inside = rule("r", "block", match="shop.*"), rule("s", "block", match="*.delete_*")
    one = only("fits_nothing", outside, inside, applies_to=["desk.*", "mail.send"])
    assert one.what == '"shop.*" fits no action: applies_to covers none of its names'


def test_what_some_action_can_fit() -> None:
    """Stars, whole names, and nothing written."""
    fine = [rule("r", "block", match="*delete*"), rule("s", "block", match="SHOP.pay"), rule("t", "block")]
    assert "fits_nothing" not in codes(*fine, applies_to=["shop*"], actions={"shop.*": {"risk": "write"}})
