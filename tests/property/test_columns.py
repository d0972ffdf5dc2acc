"""Thousands of values at once are judged as each by itself is: same form, same copy, same refusals."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, SecretStr

from gate.columns import UnusualError
from gate.columns import taken as in_columns
from gate.copies import copied_value
from gate.digest import snapshot
from gate.errors import ActionError
from gate.tagging import canonical, tagged
from gate.taking import taken


@dataclass
class Line:
    """A dataclass that holds anything."""

    number: Any
    rest: Any = None


@dataclass(frozen=True, slots=True)
class Slotted:
    """The same in slots."""

    number: Any
    rest: Any = None


@dataclass(frozen=True, slots=True)
class Empty:
    """A dataclass that holds nothing, and could not."""


@dataclass
class Worked:
    """A dataclass that answers for a field itself."""

    number: Any

    @property  # type: ignore[no-redef]
    def number(self) -> Any:
        return self.__dict__.get("_n")

    @number.setter
    def number(self, value: Any) -> None:
        self.__dict__["_n"] = value


class Form(BaseModel):
    """A model of pydantic's."""

    number: Any
    rest: Any = None


class Open(BaseModel):
    """A model that takes more than its fields."""

    model_config = ConfigDict(extra="allow")
    number: Any


class Kind(Enum):
    """A member with a name."""

    ONE = 1


Pair = namedtuple("Pair", "one two")

_TEXTS = st.sampled_from(["", "a", "ü", "😀", "\uffff", "\ud7ff", "$a", "x" * 40])
_SINGLES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(2**53 - 2, 2**53 + 2), _TEXTS,
    st.floats(allow_nan=False, allow_infinity=False), st.floats(-0.0002, 0.0002),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.sampled_from([b"\x00", Kind.ONE, date(2026, 1, 2), datetime(2026, 1, 2, tzinfo=UTC)]),
    st.sampled_from([SecretStr("x"), 1e-7, -1.5e-5]),
)  # fmt: skip
_WRONG = st.sampled_from(
    [float("nan"), Decimal("NaN"), {1, 2}, "\ud800", {1: 2}, 10**5000, object, {"\udc00": 1}]
)


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    alike = inner.flatmap(lambda value: st.lists(st.just(value), min_size=2, max_size=12))
    return st.one_of(
        st.lists(inner, max_size=5),
        alike,
        alike.map(lambda values: {f"k{number}": each for number, each in enumerate(values)}),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(_TEXTS, inner, max_size=4),
        st.builds(Line, inner, inner),
        st.builds(Slotted, inner, inner),
        st.builds(Worked, inner),
        st.builds(Empty),
        st.builds(Form, number=inner),
        st.builds(lambda one, two: Open.model_validate({"number": one, "more": two}), inner, inner),
        st.builds(Pair, inner, inner),
    )


_VALUES = st.recursive(_SINGLES, _containers, max_leaves=15)


def _is_small_enough(value: Any) -> bool:
    """Tell whether a value is judged at all: lists of alike lists soon have more than 20,000 values."""
    try:
        tagged(value)
    except ActionError:
        return False
    return True


def _shares(one: Any, two: Any) -> bool:
    """Tell whether two values have something in common that can change."""
    if isinstance(one, dict):
        return one is two or any(_shares(each, two[key]) for key, each in one.items())
    if isinstance(one, (list, tuple)):
        return (one is two and isinstance(one, list)) or any(map(_shares, one, two))
    if isinstance(one, (Line, Worked, BaseModel)):
        return one is two or _shares(one.__dict__, two.__dict__)
    return isinstance(one, Slotted) and _shares((one.number, one.rest), (two.number, two.rest))


@given(_VALUES.filter(_is_small_enough))
def test_a_copy_is_equal_shares_nothing_and_has_the_form_of_the_value(value: Any) -> None:
    """Claim: the bytes are those of the form of each value by itself, and nobody reaches into the copy."""
    copy, data, _ = taken(value)
    assert data == canonical(tagged(value)) == canonical(tagged(copy))
    assert repr(copy) == repr(value)
    for other in (copy, copied_value(copy)):
        assert type(other) is type(value)
        assert not _shares(value, other)


@given(_VALUES, _WRONG)
def test_what_is_refused_by_itself_is_refused_among_many(value: Any, wrong: Any) -> None:
    """Claim: one value that cannot be judged, among whatever others, gives the refusal with its own path."""
    with pytest.raises(ActionError) as alone:
        tagged({"a": [value, wrong, value]}, path="args")
    with pytest.raises(ActionError) as among:
        snapshot({"a": [value, wrong, value]})
    assert str(among.value) == str(alone.value)


@pytest.mark.parametrize(
    "value",
    [
        Line(1),
        Slotted(1),
        Empty(),
        Worked(1),
        Form(number=1),
        Open.model_validate({"number": 1, "more": 2}),
        Pair(1, 2),
        SecretStr("x"),
        (1,),
    ],
    ids=lambda value: type(value).__name__,
)
def test_many_models_need_no_walk(value: Any) -> None:
    """Claim: models of every sort are judged at once; only what is refused is walked through."""
    assert in_columns({"a": [value, value]})[1] == canonical(tagged({"a": [value, value]}))
    with pytest.raises(UnusualError):
        in_columns({"a": [value, object()]})
