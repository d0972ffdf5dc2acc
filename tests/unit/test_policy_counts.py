"""How many things a call touches: a whole number, or unknown."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from gate.policy.spending import Rehearsal
from tests.policy_kit import ask, call, load, rule, written

ACTIONS = {"shop.run_it": {"risk": "destructive", "count": "args.n"}}
SMALL = written(rule("few", "allow", when={"effect.count": {"lte": 20}}), actions=ACTIONS)
BUDGET = {"id": "most", "sum": "effect.count", "limit": 20, "per": "session", "window": "1h"}
SPENT = written(default="allow", actions=ACTIONS, budgets=[BUDGET])


@pytest.mark.parametrize("count", [0, 20, 20.0, Decimal("20.0"), [1, 2]])
def test_a_whole_number_or_a_list_is_a_count(count: Any) -> None:
    """Compared and added up."""
    assert ask(SMALL, call({"n": count})).answer == "allow"
    assert Rehearsal(load(SPENT)).judge(call({"n": count})).answer == "allow"


@pytest.mark.parametrize("count", [3.9, Decimal("0.5"), "20", True, -1, {}, float("nan"), [], None])
def test_what_is_no_whole_number_is_unknown(count: Any) -> None:
    """3.9 things are not fewer than 20: nobody knows how many they are."""
    assert ask(SMALL, call({"n": count})).answer == "block"
    assert Rehearsal(load(SPENT)).judge(call({"n": count})).answer == "require_approval"


@pytest.mark.parametrize("things", [["a"] * 21, [["a"] * 21], [["a"] * 10, [["b"] * 10], []], [[["a"] * 21]]])
def test_lists_within_a_list_hide_nothing(things: Any) -> None:
    """21 things in one list of a list are 21; an empty list among them is one."""
    assert ask(SMALL, call({"n": things})).answer == "block"
    assert Rehearsal(load(SPENT)).judge(call({"n": things})).answer == "require_approval"
