"""Laws of the policy language that hold for every policy, every call and every argument."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.folding import fold
from gate.model import Action, Verdict
from gate.policy.evaluate import evaluate
from gate.policy.load import load_texts
from gate.policy.policyset import PolicySet
from gate.policy.truth import Unknown, all_of, any_of, negate
from gate.values import Glob

STRICTNESS = {"allow": 0, "require_approval": 1, "block": 2}
NAMES = ("x", "y", "z")
APPROVALS = {"channel": "C0APPROVALS", "approvers": ["U0ALICE", "S0FINANCE"]}

numbers = st.integers(-1, 1)
texts = st.sampled_from(["a", "b", "A", " a", "a\u200b", "ａ", "ab", ""])
values = st.one_of(numbers, texts, st.lists(st.one_of(numbers, texts), min_size=1, max_size=3))
spoilt = st.sampled_from(
    [None, [], {}, {"k": 1}, True, float("nan"), float("inf"), b"a", [None], [{}], object()]
)

comparisons = st.one_of(
    st.builds(lambda op, n: {op: n}, st.sampled_from(["gt", "gte", "lt", "lte", "eq", "ne"]), numbers),
    st.builds(lambda op, t: {op: t}, st.sampled_from(["eq", "ne"]), texts),
    st.builds(
        lambda op, t: {op: t}, st.sampled_from(["in", "not_in"]), st.lists(numbers, min_size=1, max_size=3)
    ),
    st.builds(
        lambda op, t: {op: t}, st.sampled_from(["glob", "not_glob"]), st.sampled_from(["a*", "*b", "a"])
    ),
    st.builds(
        lambda op, t: {op: t}, st.sampled_from(["regex", "not_regex"]), st.sampled_from(["a+", "[^a]*", ".*"])
    ),
)
money = st.builds(
    lambda op, code, n: {"effect.amount": {op: {code: n}}},
    st.sampled_from(["gt", "lte", "eq"]), st.sampled_from(["EUR", "USD", "*"]), numbers,
)  # fmt: skip
leaves = money | st.builds(lambda name, ops: {f"args.{name}": ops}, st.sampled_from(NAMES), comparisons)
conditions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda parts: {"all": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda parts: {"any": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda part: {"not": part}, inner),
    ),
    max_leaves=5,
)
answers = st.sampled_from(["allow", "require_approval", "block"])
rules = st.lists(st.tuples(answers, st.one_of(st.none(), leaves, conditions)), min_size=1, max_size=4)
defaults = st.sampled_from(["by_risk", "allow", "require_approval", "block", "abstain"])
arguments = st.fixed_dictionaries(dict.fromkeys(NAMES, values))


def _text(made: list[tuple[str, Any]], default: str, resolve: str = "strictest") -> str:
    written = [
        {"id": f"r{index}", "then": then, "reason": "Why.", **({} if when is None else {"when": when})}
        for index, (then, when) in enumerate(made)
    ]
    actions = {"shop.pay": {"amount": "args.x", "currency": "EUR"}}
    body = {
        "actions": actions,
        "default": default,
        "resolve": resolve,
        "approvals": APPROVALS,
        "rules": written,
    }
    return "\n".join(f"{key}: {json.dumps(value)}" for key, value in body.items())


def _set(*files: str) -> PolicySet:
    return load_texts({f"f{index}.yml": text for index, text in enumerate(files)})


def _ask(policy: PolicySet, args: dict[str, Any], name: str = "shop.pay") -> Verdict:
    return evaluate(policy, Action(name, args, "bot", "s1"))


@given(
    rules, defaults, st.sampled_from(["strictest", "first_match"]), arguments, st.sampled_from(NAMES), spoilt
)
@settings(deadline=None, max_examples=400)
def test_spoiling_an_argument_never_loosens(
    made: list[tuple[str, Any]], default: str, resolve: str, args: dict[str, Any], name: str, spoil: Any
) -> None:
    """Whatever replaces it, or taking it away, the verdict is as strict or stricter."""
    policy = _set(_text(made, default, resolve))
    before = STRICTNESS[_ask(policy, args).answer]
    without = {key: value for key, value in args.items() if key != name}
    assert STRICTNESS[_ask(policy, without).answer] >= before
    assert STRICTNESS[_ask(policy, {**args, name: spoil}).answer] >= before


@given(rules, defaults, arguments, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_under_strictest_the_order_of_rules_does_not_matter(
    made: list[tuple[str, Any]], default: str, args: dict[str, Any], random: Any
) -> None:
    """Answer and deciding reasons are the same for every order."""
    mixed = made.copy()
    random.shuffle(mixed)
    one, two = _ask(_set(_text(made, default)), args), _ask(_set(_text(mixed, default)), args)
    assert one.answer == two.answer
    assert len(one.rulings) == len(two.rulings)


@given(rules, defaults, rules, defaults, st.sampled_from(["strictest", "first_match"]), arguments)
@settings(deadline=None)
def test_adding_a_file_never_loosens(
    one: list[tuple[str, Any]],
    first: str,
    two: list[tuple[str, Any]],
    second: str,
    resolve: str,
    args: dict[str, Any],
) -> None:
    """A file more can only be stricter, unless nobody had an opinion before."""
    alone = _ask(_set(_text(one, first, resolve)), args)
    both = _ask(_set(_text(one, first, resolve), _text(two, second)), args)
    swapped = _ask(_set(_text(two, second), _text(one, first, resolve)), args)
    assert both.answer == swapped.answer
    if alone.rules != ("gate/no_policy",):
        assert STRICTNESS[both.answer] >= STRICTNESS[alone.answer]


@given(conditions, arguments)
@settings(deadline=None)
def test_not_not_is_the_condition_itself(when: dict[str, Any], args: dict[str, Any]) -> None:
    """For an allow and for a block rule, so for all three values."""
    for then, default in (("allow", "block"), ("block", "allow")):
        once = _ask(_set(_text([(then, when)], default)), args)
        twice = _ask(_set(_text([(then, {"not": {"not": when}})], default)), args)
        assert once.answer == twice.answer


@given(conditions, arguments)
@settings(deadline=None)
def test_a_condition_and_its_negation_are_never_both_true(when: dict[str, Any], args: dict[str, Any]) -> None:
    """Nothing is allowed by a rule and by its opposite."""
    both = {"all": [when, {"not": when}]}
    assert _ask(_set(_text([("allow", both)], "block")), args).answer == "block"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.decimals(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.lists(conditions, min_size=1, max_size=2),
    st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=4), anything, max_size=4),
    st.text(max_size=12) | st.just("shop.pay"),
)
@settings(deadline=None)
def test_evaluation_never_raises_and_blocks_bad_names(
    made: list[Any], args: dict[str, Any], name: str
) -> None:
    """Any arguments and any name get a verdict; a name of another form is blocked."""
    policy = _set(_text([("allow", when) for when in made], "allow"))
    verdict = _ask(policy, args, name)
    assert verdict.answer in STRICTNESS
    assert (verdict.rules == ("gate/bad_name",)) is (name != "shop.pay" and not _is_name(name))


def _is_name(name: str) -> bool:
    parts = name.split(".")
    ascii_word = all(
        part and all(char.isascii() and (char.isalnum() or char in "_-") for char in part) for part in parts
    )
    return len(parts) > 1 and ascii_word


truths = st.sampled_from([True, False, Unknown(("why",))])


@given(st.lists(truths, min_size=1, max_size=4))
def test_kleene(parts: list[Any]) -> None:
    """De Morgan, independence of order, and what decides."""
    assert _kind(negate(all_of(parts))) == _kind(any_of(map(negate, parts)))
    assert _kind(all_of(parts)) == _kind(all_of(parts[::-1]))
    assert (all_of(parts) is False) is any(part is False for part in parts)
    assert (all_of(parts) is True) is all(part is True for part in parts)


def _kind(value: Any) -> str:
    return "unknown" if isinstance(value, Unknown) else str(value)


@given(st.text(max_size=20))
def test_folding_twice_is_folding_once(text: str) -> None:
    """Folded forms are stable, so comparing them is an equivalence."""
    assert fold(fold(text)) == fold(text)
    assert fold(f" {text}\u200b") == fold(text)


patterns = st.text("ab*.", min_size=1, max_size=5)


@given(patterns, patterns)
@settings(deadline=None)
def test_globs_overlap_exactly_where_some_short_text_fits_both(one: str, two: str) -> None:
    """Checked against every text of up to five letters; longer common texts are allowed to exist."""
    first, second = Glob(one), Glob(two)
    found = any(first.matches(text) and second.matches(text) for text in _texts(5))
    assert first.overlaps(second) or not found
    assert found or not first.overlaps(second) or len(one + two) > 5


def _texts(longest: int) -> list[str]:
    found = [""]
    for _ in range(longest):
        found += [text + char for text in found for char in "ab." if len(text) < longest]
        found = list(dict.fromkeys(found))
    return found
