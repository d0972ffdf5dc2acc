"""A dry run knows the call, but perhaps not what its tool takes: it is never looser than production."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from gate.model import Action, Parameters
from gate.policy.load import load_texts
from gate.policy.policyset import PolicySet
from gate.policy.spending import Rehearsal

STRICTNESS = {"allow": 0, "require_approval": 1, "block": 2}
NAMES = ("x", "y", "z")
APPROVALS = {"channel": "C0APPROVALS", "approvers": ["U0ALICE", "S0FINANCE"]}

names = st.sampled_from(NAMES)
paths = st.sampled_from(["args.x", "args.y", "args.z", "args.x.k", "effect.amount", "facts.f"])
operands = st.one_of(st.integers(0, 2), st.builds(lambda name: {"path": f"args.{name}"}, names))
tests = st.one_of(
    st.builds(lambda wanted: {"exists": wanted}, st.booleans()),
    st.builds(
        lambda word, operand: {word: operand}, st.sampled_from(["gt", "lte", "eq", "ne"]), operands
    ),
    st.builds(lambda word: {word: "a*"}, st.sampled_from(["glob", "not_glob"])),
    st.builds(lambda size: {"length": {"lte": size}}, st.integers(0, 2)),
)  # fmt: skip


def _leaf(path: str, parts: list[dict[str, Any]], optional: bool) -> dict[str, Any]:
    joined = {word: operand for part in parts for word, operand in part.items()}
    if path == "effect.amount":
        joined = {word: joined[word] for word in joined if word in ("exists", "gt", "lte", "eq", "ne")}
        joined = joined or {"exists": True}
    return {path: {**joined, "optional": True} if optional else joined}


leaves = st.builds(_leaf, paths, st.lists(tests, min_size=1, max_size=2), st.booleans())
conditions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda parts: {"all": parts}, st.lists(inner, min_size=1, max_size=2)),
        st.builds(lambda parts: {"any": parts}, st.lists(inner, min_size=1, max_size=2)),
        st.builds(lambda part: {"not": part}, inner),
    ),
    max_leaves=4,
)
whens = st.none() | conditions
rules = st.lists(
    st.tuples(st.sampled_from(["allow", "require_approval", "block"]), whens), min_size=1, max_size=3
)
budgets = st.lists(
    st.tuples(
        st.sampled_from([None, "args.x", "effect.count", "effect.amount"]),
        st.sampled_from(["everything", "args.y", "session"]),
        whens,
        st.sampled_from(["require_approval", "block"]),
    ),
    max_size=2,
)
values = st.sampled_from([0, 1, 5, "a", "ab", None, [], [1, 2], {"k": 1}])
calls = st.dictionaries(names, values, max_size=3)
defaults = st.sampled_from(["by_risk", "allow", "require_approval", "block", "abstain"])
resolves = st.sampled_from(["strictest", "first_match"])


def _policy(made: Any, spent: Any, default: str, resolve: str, amount: str | None) -> PolicySet:
    body = {
        "default": default,
        "resolve": resolve,
        "approvals": APPROVALS,
        "actions": {"shop.pay": {"currency": "EUR", **({"amount": amount} if amount else {})}},
        "rules": [_rule(index, then, when) for index, (then, when) in enumerate(made)],
        "budgets": [_budget(index, *each) for index, each in enumerate(spent)],
    }  # fmt: skip
    return load_texts(
        {"a.yml": "\n".join(f"{key}: {json.dumps(value)}" for key, value in body.items() if value)}
    )


def _rule(index: int, then: str, when: Any) -> dict[str, Any]:
    return {"id": f"r{index}", "then": then, "reason": "Why.", **({} if when is None else {"when": when})}


def _budget(index: int, summed: str | None, per: str, when: Any, then: str) -> dict[str, Any]:
    limit = {"*": 3} if summed == "effect.amount" else 0
    found = {"id": f"b{index}", "sum": summed, "per": per, "when": when, "then": then}
    return {"limit": limit, "window": "1h", **{key: value for key, value in found.items() if value}}


@given(
    rules,
    budgets,
    defaults,
    resolves,
    calls,
    st.sets(names),
    st.booleans(),
    st.sampled_from([None, "args.x"]),
)
@settings(deadline=None, max_examples=200)
@example([("allow", {"args.x": {"exists": False}})], [], "block", "strictest", {}, set(), False, None)
@example(
    [("allow", {"not": {"args.x": {"eq": 1, "optional": True}}})],
    [],
    "block",
    "strictest",
    {},
    set(),
    False,
    None,
)
@example(
    [("allow", {"not": {"args.x": {"eq": {"path": "args.y"}, "gt": 5}}})],
    [], "block", "strictest", {"x": 3}, set(), False, None,
)  # fmt: skip
def test_what_is_not_known_of_a_tool_never_loosens(
    made: Any,
    spent: Any,
    default: str,
    resolve: str,
    args: dict[str, Any],
    more: set[str],
    open_: bool,
    amount: str | None,
) -> None:
    """Whatever the tool takes beside what is given, its own call is judged no stricter than the dry run."""
    policy = _policy(made, spent, default, resolve, amount)
    dry = Action("shop.pay", args, "bot", "s1", facts={"f": 1})
    real = replace(dry, parameters=Parameters(frozenset({*args, *more}), open_))
    one, two = (Rehearsal(policy).judge(each).answer for each in (dry, real))
    assert STRICTNESS[one] >= STRICTNESS[two]
