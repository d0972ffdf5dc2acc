"""How a verdict came about: every rule, condition, value, truth and why, and who decided each effect."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.budget import MemoryLedger, judge
from gate.model import Effect
from gate.policy.explain import ConditionTold, Explanation, explain_call
from gate.policy.uses import uses_of
from tests.policy_kit import call, load, rule, written

HOLD = rule("big", "require_approval", match="shop.*", when={"args.n": {"gt": 10}})


def _told(
    args: dict[str, Any], *rules: dict[str, Any], params: str | None = None, **keys: Any
) -> Explanation:
    return explain_call(load(written(*rules, **keys)), call(args, params=params))


def _condition(when: dict[str, Any], args: dict[str, Any], params: str | None = None) -> ConditionTold:
    told = _told(args, rule("r", "block", when=when), params=params).files[0].rules[0].condition
    assert told is not None
    return told


def test_every_rule_of_every_covering_file_is_told_in_order() -> None:
    """Also those about other actions, and what each came to."""
    rules = (HOLD, rule("other", "block", match="desk.*"), rule("any", "allow"))
    (file,) = _told({"n": 5}, *rules).files
    assert [(each.rule, each.matched, each.truth, each.applies) for each in file.rules] == [
        ("a/big", True, "false", False),
        ("a/other", False, "", False),
        ("a/any", True, "true", True),
    ]
    assert (file.resolve, file.default) == ("strictest", "block")


def test_below_the_first_rule_that_surely_applies_nothing_is_reached() -> None:
    """Under first_match; a rule that is unknown lets the walk go on."""
    rules = (
        rule("open", "require_approval", when={"args.m": 1}),
        rule("any", "allow"),
        rule("rest", "block"),
    )
    for resolve, reached in (("first_match", [True, True, False]), ("strictest", [True, True, True])):
        found = _told({"n": 5}, *rules, resolve=resolve).files[0].rules
        assert [each.reached for each in found] == reached
        assert [each.applies for each in found] == reached


def test_a_condition_tells_its_value_truth_and_why() -> None:
    """A comparison that is true, one that is false, and one that cannot be decided."""
    text = "args.n: {gt: 10}"
    assert _condition({"args.n": {"gt": 10}}, {"n": 11}) == ConditionTold(text, "true", "11")
    assert _condition({"args.n": {"gt": 10}}, {"n": 3}) == ConditionTold(text, "false", "3")
    unknown = _condition({"args.n": {"gt": 10}}, {"n": "11"})
    assert (unknown.truth, unknown.value) == ("unknown", '"11"')
    assert unknown.whys == ("n is text where a number is compared: give n as a number",)


@pytest.mark.parametrize(
    ("args", "params", "value"),
    [({}, None, "was not given"), ({}, "m", "the tool has no such argument"), ({"n": None}, None, "missing"),
     ({"n": []}, None, "an empty list"), ({"n": ["a", 2]}, None, '["a", 2]')],
)  # fmt: skip
def test_what_stands_at_a_path_is_told_in_words(args: dict[str, Any], params: str | None, value: str) -> None:
    """Also where nothing does."""
    assert _condition({"args.n": {"gt": 10}}, args, params).value == value


def test_groups_tell_their_parts() -> None:
    """All and any with what they came to; not is worked into what stands in it."""
    when = {"any": [{"args.n": {"gt": 10}}, {"not": {"args.to": "bob"}}]}
    told = _condition(when, {"n": 3, "to": "bob"})
    assert (told.text, told.truth) == ("any of", "false")
    assert [(each.text, each.truth) for each in told.parts] == [
        ("args.n: {gt: 10}", "false"),
        ('not args.to: "bob"', "false"),
    ]
    both = _condition({"not": {"args.n": 3, "args.to": "al"}}, {"n": 3, "to": "bob"})
    assert (both.text, both.truth, [each.truth for each in both.parts]) == (
        "any of",
        "true",
        ["false", "true"],
    )


def test_hidden_values_stay_hidden() -> None:
    """By the policy's paths and by the names of secrets."""
    when = {"args.card": "4111", "args.api_key": "k"}
    rules = [rule("r", "block", when=when)]
    told = _told({"card": "4111", "api_key": "k"}, *rules, redact=["args.card"]).files[0].rules[0].condition
    assert told is not None
    assert [each.value for each in told.parts] == ["(hidden)", "(hidden)"]


def test_each_effect_key_names_who_decided_it() -> None:
    """A file, the code, a guess, or nobody."""
    policy = load(written(actions={"shop.*": {"risk": "write"}}))
    told = explain_call(policy, call({}, effect=Effect(risk="read", outbound=False)))
    found = {each.key: (each.value, each.source) for each in told.effects}
    assert found["risk"] == ("write", "a.yml")
    assert found["outbound"] == ("no", "code")
    assert found["reversible"] == ("no", "undeclared")
    assert {each.key: each.source for each in explain_call(load(written()), call()).effects}[
        "risk"
    ] == "guess"


def test_a_name_of_another_form_has_nothing_to_explain() -> None:
    """The verdict says what is wrong with it."""
    told = explain_call(load(written(HOLD)), call({}, "no name"))
    assert told.files == ()
    assert told.verdict.rules == ("gate/bad_name",)


BUDGETS = [
    {"id": "runs", "match": "shop.*", "limit": 2, "per": "session", "window": "1h"},
    {"id": "sum", "match": "shop.*", "sum": "args.n", "limit": 10, "per": "everything", "window": "24h",
     "when": {"args.to": "bob"}, "then": "block", "reason": "Enough."},
    {"id": "other", "match": "desk.*", "limit": 2, "per": "session", "window": "1h"},
]  # fmt: skip


def test_each_budget_about_the_call_tells_its_numbers() -> None:
    """What the call adds, the limit, and whether it is over; the verdict counts it in."""
    told = _told({"n": 30, "to": "bob"}, rule("any", "allow"), budgets=BUDGETS)
    runs, total = told.files[0].budgets
    assert (runs.budget, runs.limit, runs.adds, runs.used) == ("a/runs", "2 calls", "1 call", "nothing")
    assert (runs.window, runs.per, runs.over) == ("1h", "in this session", False)
    assert (total.limit, total.adds, total.over, total.then) == ("10", "30", True, "block")
    assert total.condition is not None
    assert total.condition.truth == "true"
    assert (told.verdict.answer, told.verdict.rules) == ("block", ("a/sum",))


def test_a_budget_that_the_call_adds_nothing_to_is_not_over() -> None:
    """Its condition says why."""
    told = _told({"n": 30, "to": "eve"}, rule("any", "allow"), budgets=BUDGETS)
    total = told.files[0].budgets[1]
    assert (total.adds, total.used, total.over) == ("", "", False)
    assert total.condition is not None
    assert total.condition.truth == "false"


def test_what_is_spent_may_be_looked_up() -> None:
    """The third call of a session is over two."""
    policy = load(written(rule("any", "allow"), budgets=BUDGETS))
    ledger = MemoryLedger()
    for _ in range(2):
        ledger.charge(uses_of(policy, call({"n": 1})))
    told = explain_call(policy, call({"n": 1}), lambda uses: judge(uses, ledger))
    assert told.files[0].budgets[0].used == "2 calls"
    assert told.verdict.rules == ("a/runs",)


_LEAF = st.sampled_from(["args.n", "args.to"]).flatmap(
    lambda path: st.fixed_dictionaries(
        {path: st.sampled_from([{"gt": 10}, {"exists": True}, "bob", {"in": ["a"]}])}
    )
)
_WHEN = st.recursive(
    _LEAF,
    lambda inner: st.one_of(
        inner.map(lambda each: {"not": each}),
        st.lists(inner, min_size=1, max_size=3).map(lambda each: {"all": each}),
        st.lists(inner, min_size=1, max_size=3).map(lambda each: {"any": each}),
    ),
    max_leaves=6,
)
_ARGS = st.dictionaries(
    st.sampled_from(["n", "to"]), st.sampled_from([3, 30, "bob", "Bob", None, ["a", "b"]]), max_size=2
)


@given(_WHEN, _ARGS)
def test_what_is_told_is_what_decides(when: dict[str, Any], args: dict[str, Any]) -> None:
    """The truth of the whole condition is the one that the verdict rests on."""
    told = _told(args, rule("r", "block", when=when), default="allow")
    condition = told.files[0].rules[0].condition
    assert condition is not None
    assert (condition.truth != "false") is (told.verdict.answer == "block")
    assert bool(told.verdict.rulings[0].missing) is (condition.truth == "unknown")
