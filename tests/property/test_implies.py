"""What lint and diff take for sure about conditions and globs is so."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gate.policy.implies import covers, implies, reaches
from gate.policy.strictness import opposite, way_of
from gate.values import Glob
from tests.policy_kit import call, truth

ACTIONS = {"shop.run_it": {"risk": "write", "amount": "args.amount", "currency": "args.currency"}}
LIMITS = st.dictionaries(st.sampled_from(["EUR", "USD", "*"]), st.integers(0, 3), min_size=1, max_size=3)
ORDER = st.sampled_from(["gt", "gte", "lt", "lte"])
NUMBERS = st.dictionaries(ORDER, st.integers(0, 3), min_size=1, max_size=2)
VALUES = st.sampled_from(["a", "A", "b", "c", "1", "true", 1, 2, True])
LISTS = st.lists(VALUES, min_size=1, max_size=3, unique_by=repr)
TEXTS = st.one_of(
    VALUES,
    st.builds(lambda word, each: {word: each}, st.sampled_from(["ne", "eq", "contains"]), VALUES),
    st.builds(lambda word, many: {word: many}, st.sampled_from(["in", "not_in", "eq", "ne"]), LISTS),
    st.builds(lambda there: {"exists": there}, st.booleans()),
    st.builds(lambda most: {"length": {"lte": most}}, st.integers(0, 2)),
)


def _perhaps(test: Any, *, optional: bool) -> Any:
    """Return a test with ``optional`` beside its operators."""
    return (test if isinstance(test, dict) else {"eq": test}) | {"optional": True} if optional else test


def _leaf(path: str, tests: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(lambda test, optional: {path: _perhaps(test, optional=optional)}, tests, st.booleans())


LEAF = st.one_of(
    _leaf("args.n", NUMBERS),
    _leaf("args.to", TEXTS),
    _leaf("effect.amount", st.builds(lambda word, limits: {word: limits}, ORDER, LIMITS)),
)
WHEN = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        inner.map(lambda each: {"not": each}),
        st.lists(inner, min_size=1, max_size=2).map(lambda each: {"all": each}),
        st.lists(inner, min_size=1, max_size=2).map(lambda each: {"any": each}),
    ),
    max_leaves=3,
)
ARGS = st.fixed_dictionaries(
    {"n": st.sampled_from([0, 1, 2, 3, "2", None, [0, 3], [1, 2]])},
    optional={
        "to": st.sampled_from(["a", "b", "c", "A", 1, 2, 3, "1", True, False, ["a", "b"], ["c", "x"], []]),
        "amount": st.sampled_from([0, 1, 2, 3, 4, "2", [0, 4]]),
        "currency": st.sampled_from(["EUR", "USD", "JPY", "x"]),
    },
)


def _turn(when: Any, *, negated: bool) -> Any:
    return {"not": when} if negated else when


ALIKE = st.one_of(
    *(
        st.tuples(*(st.builds(lambda when, no: _turn(when, negated=no), leaf, st.booleans()),) * 2)
        for leaf in (
            _leaf("args.n", NUMBERS),
            _leaf("args.to", TEXTS),
            _leaf("effect.amount", st.builds(lambda word, limits: {word: limits}, ORDER, LIMITS)),
        )
    ),
    st.tuples(WHEN, LEAF),
    st.tuples(WHEN, WHEN),
)
"""Pairs of conditions, mostly about the same path."""
TAKEN = "n to amount currency"


@settings(max_examples=500, deadline=None)
@given(ALIKE, st.lists(ARGS, min_size=4, max_size=4))
def test_where_one_condition_is_true_an_implied_one_is_too(pair: tuple[Any, Any], calls: list[Any]) -> None:
    """Never the other way round, whatever the call."""
    one, two = pair
    for args in calls if implies(one, two) else ():
        if truth(one, call(args, params=TAKEN), actions=ACTIONS) == "true":
            assert truth(two, call(args, params=TAKEN), actions=ACTIONS) == "true"


@settings(max_examples=500, deadline=None)
@given(ALIKE, st.lists(ARGS, min_size=4, max_size=4))
def test_where_one_condition_is_not_false_one_that_it_reaches_is_not_either(
    pair: tuple[Any, Any], calls: list[Any]
) -> None:
    """So a rule that holds or blocks takes no call less than before."""
    one, two = pair
    for args in calls if reaches(one, two) else ():
        if truth(one, call(args, params=TAKEN), actions=ACTIONS) != "false":
            assert truth(two, call(args, params=TAKEN), actions=ACTIONS) != "false"


@settings(deadline=None)
@given(WHEN)
def test_every_condition_implies_itself_and_no_condition(one: Any) -> None:
    """The least that is sure."""
    assert implies(one, one)
    assert implies(one, None)
    assert reaches(one, one)
    assert reaches(one, None)


OUTER = st.lists(st.sampled_from(["a", "b", ".", "*"]), min_size=1, max_size=6)
FILLING = st.text("ab.*", max_size=3)


@given(
    OUTER,
    st.lists(FILLING, min_size=6, max_size=6),
    st.lists(st.text("ab.", max_size=3), min_size=18, max_size=18),
)
def test_a_glob_covers_what_is_narrower_and_takes_all_its_names(
    outer: list[str], fillings: list[str], texts: list[str]
) -> None:
    """Whatever stands in the place of its stars, other stars included."""
    narrower = "".join(
        filling if part == "*" else part for part, filling in zip(outer, fillings, strict=False)
    )
    assume(narrower)
    one, two = Glob("".join(outer)), Glob(narrower)
    assert covers(one, two)
    stars = iter(texts)
    name = "".join(next(stars) if char == "*" else char for char in narrower)
    assert two.matches(name)
    assert one.matches(name)


@given(
    st.text("ab*", min_size=1, max_size=5),
    st.text("ab*", min_size=1, max_size=5),
    st.lists(st.text("ab", max_size=5)),
)
def test_a_name_that_only_the_inner_glob_takes_means_that_it_is_not_covered(
    outer: str, inner: str, names: list[str]
) -> None:
    """For any two globs and any names."""
    one, two = Glob(outer), Glob(inner)
    if any(two.matches(name) and not one.matches(name) for name in names):
        assert not covers(one, two)


@given(
    st.sampled_from(
        [
            ("rule", "quorum"),
            ("approvals", "expires_in"),
            ("budget", "limit"),
            ("file", "default"),
            ("rule", "then"),
        ]
    ),
    st.data(),
)
def test_a_change_turned_round_goes_the_other_way(place: tuple[str, str], data: st.DataObject) -> None:
    """Whatever the values are, and nothing changed goes nowhere."""
    values: dict[str, st.SearchStrategy[Any]] = {
        "quorum": st.one_of(st.none(), st.integers(1, 20)),
        "expires_in": st.sampled_from([None, "10m", "4h", "240m", "7d"]),
        "limit": st.one_of(st.integers(0, 9), LIMITS),
        "default": st.sampled_from(["allow", "by_risk", "require_approval", "block", "abstain"]),
        "then": st.sampled_from(["allow", "require_approval", "block"]),
    }
    old, new = data.draw(values[place[1]]), data.draw(values[place[1]])
    assert way_of(*place, old, new) == opposite(way_of(*place, new, old))
    assert way_of(*place, old, old) == ""
