"""Spoilt calls: nothing but documented errors, and never a looser verdict than the call as it was."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate.digest import MAX_BYTES, MAX_VALUES, snapshot
from gate.errors import ActionError
from gate.folding import fold
from gate.model import Action
from gate.policy.calls import UnreadableCall, load_calls
from tests.property.mutation_kit import (
    COUNT,
    STRICTNESS,
    Source,
    Step,
    call,
    calls,
    dump,
    foreign,
    garbled,
    is_looser,
    is_number,
    judged,
    lookalike,
    nodes,
    numbered,
    put,
    sources,
    spoilt,
)
from tests.property.policy_maker import a_source

# ---- one value of a call ----------------------------------------------------------------------------------


def _places(args: Mapping[str, Any]) -> list[tuple[Step, ...]]:
    return [loc for loc, each in nodes(args) if loc and not isinstance(each, (Mapping, list))]


def _spoilt_value(source: Source, args: Mapping[str, Any], chance: random.Random) -> Any:
    """Return arguments with one value spoilt, or None where they have none to spoil."""
    places = _places(args)
    if not places:
        return None
    loc = chance.choice(places)
    old = next(each for at, each in nodes(args) if at == loc)
    if is_number(old):
        texts = [str(old), f"{old:,}", f"{old} EUR", f" {old}"]
        return spoilt(args, loc, put(chance.choice([*texts, *_NO_NUMBERS])))
    return spoilt(args, loc, put(lookalike(old, chance))) if isinstance(old, str) and old else None


_NO_NUMBERS = [float("nan"), float("inf"), float("-inf"), Decimal("NaN"), Decimal("sNaN"), True, {}]


def _missing_value(source: Source, args: Mapping[str, Any], chance: random.Random) -> Any:
    """Return arguments with one left out, or nothing in its place; those that may be left out are not."""
    names = [each for each in args if each not in _may_be_missing(source)]
    if not names:
        return None
    name = chance.choice(names)
    left = {key: each for key, each in args.items() if key != name}
    return chance.choice([left, {**args, name: None}, {**args, name: []}])


def _renamed(source: Source, args: Mapping[str, Any], chance: random.Random) -> Any:
    names = [each for each in args if each not in _may_be_missing(source)]
    if not names:
        return None
    name = chance.choice(names)
    new = chance.choice([name.upper(), name.title(), foreign(name, chance)])
    return {new if key == name else key: each for key, each in args.items()}


def _may_be_missing(source: Source) -> set[str]:
    """Return the parameters whose absence a condition asks for or passes over."""
    asked = [loc for loc, _ in nodes(source.tree) if loc and loc[-1] in ("exists", "optional")]
    return {str(step).split(".")[1] for loc in asked for step in loc if str(step).startswith("args.")}


def test_a_spoilt_call_is_never_judged_more_loosely() -> None:
    """A number as text, NaN, a missing value, other letters in a value or a name, after the same calls."""

    def check(chance: random.Random) -> None:
        source = a_source(chance)
        before, action = calls(source, chance)
        spoil = chance.choice([_spoilt_value, _spoilt_value, _missing_value, _renamed])
        args = spoil(source, action.arguments, chance)
        if args is not None:
            then = judged(source.policy, before, action)
            now = judged(source.policy, before, replace(action, arguments=args))
            assert not is_looser(now, then), (source.name, action, args, then, now)

    numbered("value", 0.4, check)


def test_a_name_in_other_letters_is_judged_alike_or_not_at_all() -> None:
    """Other case is the same tool; a name that is not ASCII is none, and is blocked."""

    def check(chance: random.Random) -> None:
        source = a_source(chance)
        before, action = calls(source, chance)
        then = judged(source.policy, before, action)
        other = replace(action, name=chance.choice([action.name.upper(), action.name.title()]))
        assert judged(source.policy, before, other).answer == then.answer, (source.name, action)
        strange = replace(action, name=foreign(action.name, chance))
        assert judged(source.policy, before, strange).rules == ("gate/bad_name",)

    numbered("name", 0.1, check)


def test_a_budget_knows_whose_it_is_in_other_letters() -> None:
    """A customer written otherwise has no second budget."""

    def check(chance: random.Random) -> None:
        source = next(each for each in sources() if each.name == "reeflex.yml")
        name = "".join(chance.choice("abcxyz-19") for _ in range(5)) + "q"
        first, second = (_refund(customer) for customer in (name, lookalike(name, chance)))
        assert judged(source.policy, [first], second).answer == "require_approval", second
        assert fold(first.arguments["customer"]) == fold(second.arguments["customer"])

    numbered("bucket", 0.1, check)


def _refund(customer: str) -> Action:
    args = {"customer": customer, "charge": "ch_1", "amount": 1500, "currency": "EUR"}
    facts = {"environment": "production", "blast_radius": "single"}
    return Action("payments.refund", args, "bot", customer, facts=facts)


# ---- any call at all --------------------------------------------------------------------------------------

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.text(max_size=20),
    st.binary(max_size=9),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=4), st.tuples(inner)
    ),
    max_leaves=12,
)
params = sorted(
    {
        str(each)
        for source in sources()
        for entry in source.tree.get("actions", {}).values()
        for each in entry.get("params", [])
    }
)
arguments = st.dictionaries(st.sampled_from(params) | st.text(max_size=8), values, max_size=6)


@given(st.sampled_from(sources()), arguments, st.integers(0, 10**6))
@settings(
    max_examples=max(1, COUNT // 5), deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)
def test_any_arguments_are_judged_or_refused(source: Source, args: dict[str, Any], seed: int) -> None:
    """Whatever a model sends is refused as unreadable, or has a verdict; never another error."""
    action = replace(call(source, random.Random(seed)), arguments=args)
    assert judged(source.policy, [], action).answer in STRICTNESS
    try:
        kept = snapshot(args)
    except ActionError:
        return
    same = judged(source.policy, [], replace(action, arguments=kept))
    assert same.answer == judged(source.policy, [], action).answer


def test_any_line_of_calls_is_judged_or_refused() -> None:
    """Spoilt JSON Lines and YAML: a call with a verdict, or a line with an error code."""

    def check(chance: random.Random) -> None:
        source = chance.choice(sources())
        made = [call(source, chance) for _ in range(2)]
        lines = [dump({"action": each.name, "args": each.arguments, "facts": each.facts}) for each in made]
        for found in load_calls(garbled("\n".join(lines), chance)):
            if isinstance(found, UnreadableCall):
                assert found.code in ("bad_line", "bad_call")
                assert found.message
            else:
                assert judged(source.policy, [], found.action).answer in STRICTNESS

    numbered("line", 0.2, check)


# ---- size -------------------------------------------------------------------------------------------------


def _large(values: int, size: int) -> dict[str, Any]:
    """Return arguments of so many values, the arguments as a whole among them, and about so many bytes."""
    return {"to": ["x@ours.example"] * 20, "body": ["b"] * (values - 25), "amount": 1, "currency": "e" * size}


@pytest.mark.parametrize("source", sources(), ids=lambda each: each.name)
def test_the_largest_call_is_decided(source: Source) -> None:
    """20,000 values, or nearly 1 MB of them."""
    for args in (_large(MAX_VALUES, 3), _large(1000, MAX_BYTES - 20_000)):
        action = replace(call(source, random.Random(1)), arguments=snapshot(args))
        assert judged(source.policy, [], action).answer in STRICTNESS


@pytest.mark.parametrize(
    "args", [_large(MAX_VALUES + 10, 3), _large(1000, MAX_BYTES)], ids=["values", "bytes"]
)
def test_a_larger_call_is_refused(args: dict[str, Any]) -> None:
    """Before anything judges it, and said so."""
    with pytest.raises(ActionError, match="pass a reference instead"):
        snapshot(args)
