"""Equal digests mean equal types and values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from gate.digest import action_digest, snapshot
from gate.model import Action


class Shade(Enum):
    LIGHT = 1
    DARK = "1"


@dataclass
class Box:
    content: Any


@dataclass
class Crate:
    content: Any


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(2**53 - 2, 2**53 + 2),
    st.sampled_from([0.0, -0.0, 1.0, 1.5, 2.0**53, 1e22, 0.1]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "0", "1", "true", "null", "1.0", "$int", "LIGHT", "2026-01-01"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
    st.sampled_from([Decimal("1"), Decimal("1.0"), Decimal("-0"), Decimal("1E+2")]),
    st.sampled_from([b"", b"1", date(2026, 1, 1), datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=UTC)]),
    st.sampled_from([UUID(int=1), Shade.LIGHT, Shade.DARK]),
)
KEYS = st.sampled_from(["a", "b", "$int", "$dict", "$tuple", "$float", "$model", ""])


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(KEYS, inner, max_size=3),
        inner.map(Box),
        inner.map(Crate),
    )


VALUES = st.recursive(SCALARS, _containers, max_leaves=6)


def same(one: Any, other: Any) -> bool:
    """Compare types and values all the way down, signs of zero and digits of decimals included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (Box, Crate)):
        return same(one.content, other.content)
    return repr(one) == repr(other)


def _digest(value: Any) -> str:
    return action_digest(b"key", Action("a.b", snapshot({"value": value}), "agent", "session"))


@given(VALUES, VALUES)
def test_equal_digests_mean_equal_types_and_values(one: Any, other: Any) -> None:
    """Two arguments have the same digest exactly when types and values are the same throughout."""
    assert (_digest(one) == _digest(other)) == same(one, other)


@given(VALUES)
def test_a_snapshot_is_the_same_call(value: Any) -> None:
    """A snapshot has the types, the values and so the digest of what was given."""
    taken = snapshot({"value": value})
    assert same(taken["value"], value)
    assert _digest(taken["value"]) == _digest(value)
