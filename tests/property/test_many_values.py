"""A list of values of any kinds is judged at once as each of them is alone."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model import Action, Parameters, ResolvedEffect
from gate.policy.checks import single_values
from gate.policy.effects import Known
from gate.policy.matching import matches_glob, matches_regex
from gate.policy.membership import is_in
from gate.policy.operators import Test, compares, equals, opposite
from gate.policy.patterns import Wildcard
from gate.policy.reading import Subject
from gate.policy.truth import agreed

_VALUES = st.sampled_from(
    [
        1, -1, 10**17, 2**70, 0.5, 3.0, float("inf"), Decimal("1.5"), Decimal("NaN"), True, False, "a", "A",
        "ß", "5", " a ", "a\nb", b"a", b"", {}, {"k": 1}, date(2026, 1, 1),
    ]
)  # fmt: skip
_TESTS = {
    "eq": equals("a"), "ne": opposite(equals("a")), "eq 5": equals(Decimal(5)), "eq true": equals(True),
    "in": is_in(["a", Decimal(1), True]), "in texts": is_in(["a", "b"]), "gte": compares("gte", Decimal(0)),
    "glob": matches_glob("*a*"), "not_glob": opposite(matches_glob("a")), "regex": matches_regex("[a-z]+"),
}  # fmt: skip
_CALL = Subject(
    Action("desk.run", {"v": 1}, "bench", "s1", parameters=Parameters(frozenset({"v"}))),
    Known(ResolvedEffect("write", reversible=False, outbound=True, guessed=True)),
)


@pytest.mark.parametrize("test", _TESTS.values(), ids=_TESTS)
@given(st.lists(_VALUES, min_size=1, max_size=6))
def test_a_list_is_judged_as_its_values_are(test: Test, values: list[Any]) -> None:
    """Claim: where the values agree, the list says what each says; else how many match."""
    check = single_values(("args", "v"), [test], "a value", optional=False)
    alone = agreed(check(each, _CALL) for each in values)
    found = check(values, _CALL)
    assert found == alone if alone is not None else "call once for each" in str(found)


@given(st.lists(st.text("ab*c", max_size=5), max_size=6), st.text("ab*c", max_size=5))
def test_wildcards_match_many_as_each_alone(texts: list[str], pattern: str) -> None:
    """Claim: looking at all texts at once first tells no other matches."""
    wildcard = Wildcard(pattern)
    assert wildcard.column(texts) == list(map(wildcard.match, texts))
