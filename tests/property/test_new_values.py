"""New values of changed calls: what the schema says of them, and their exact types there and back."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from gate.binding import Binding
from gate.binding import json_schema as schema_of
from gate.digest import tagged
from gate.fields import field_of, typed, untagged, with_schema
from gate.schema_problems import problem

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from([0.5, 2.0, -1.5])
    | st.text("ab1", max_size=4),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
BOUNDS = st.dictionaries(
    st.sampled_from(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
                     "minItems", "maxItems"]),
    st.integers(0, 4), max_size=2,
)  # fmt: skip
PLAIN = st.builds(
    lambda kind, bounds, rest: {**({"type": kind} if kind else {}), **bounds, **rest},
    st.sampled_from(["string", "number", "integer", "boolean", "null", "array", ["string", "null"], None]),
    BOUNDS,
    st.sampled_from([{}, {"pattern": "^a"}, {"enum": ["a", 1, True]}, {"const": "ab"}, {"multipleOf": 2},
                     {"$ref": "#/$defs/small"}]),
)  # fmt: skip
SCHEMAS = st.recursive(
    PLAIN,
    lambda inner: st.builds(lambda word, each: {word: each}, st.sampled_from(["anyOf", "allOf"]),
                            st.lists(inner, min_size=1, max_size=3))
    | st.builds(lambda each: {"type": "array", "items": each}, inner),
    max_leaves=4,
)  # fmt: skip
DEFINITIONS = {"small": {"type": "integer", "maximum": 3}}


SAID = re.compile(r"|must (be|have) .+|is not among what the tool takes")


@settings(max_examples=150, deadline=None)
@given(schema=SCHEMAS, value=JSON)
def test_what_is_said_is_words_and_the_same_for_a_decimal(schema: dict[str, Any], value: Any) -> None:
    """Whatever the schema, nothing but words comes back, and 0.5 is judged alike as float and as Decimal."""
    said = problem(schema, value, DEFINITIONS)
    assert SAID.fullmatch(said)
    exact = Decimal(str(value)) if isinstance(value, float) else value
    assert problem(schema, exact, DEFINITIONS) == said


class Level(Enum):
    """Two levels."""

    LOW = "low"
    HIGH = 2


class Order(BaseModel):
    """A model with bounds."""

    amount: Annotated[Decimal, Field(gt=0, le=500)]
    level: Level = Level.LOW
    kind: Literal["a", "b"] = "a"


def tool(
    amount: Annotated[Decimal, Field(ge=1, le=500)],
    count: Annotated[int, Field(ge=1, le=9)],
    rate: float,
    to: Annotated[str, Field(min_length=1, max_length=5, pattern="^[a-z]+$")],
    kind: Literal["a", "b"],
    day: date,
    order: Order,
    limit: int | None = None,
    words: list[str] | None = None,
) -> None:
    """Take everything."""


SCHEMA = schema_of(Binding(tool))
HINTS = {"amount": Annotated[Decimal, Field(ge=1, le=500)], "count": Annotated[int, Field(ge=1, le=9)],
         "rate": float, "to": Annotated[str, Field(min_length=1, max_length=5, pattern="^[a-z]+$")],
         "kind": Literal["a", "b"], "day": date, "limit": int | None}  # fmt: skip
PRESENT = {"amount": Decimal(5), "count": 5, "rate": 0.5, "to": "bob", "kind": "a", "day": date(2026, 1, 1),
           "limit": None}  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(name=st.sampled_from(sorted(PRESENT)), text=st.text("ab1250.-+eE \n", max_size=8))
def test_what_is_read_is_of_its_type_and_the_annotation_takes_it(name: str, text: str) -> None:
    """A text that a field reads becomes a value of the type that stood there, which the annotation takes."""
    present = PRESENT[name]
    field = field_of(f"args.{name}", present)
    assert field is not None
    try:
        new = typed(with_schema(field, SCHEMA), text)
    except ValueError:
        return
    value = untagged(new.tag, present)
    assert value == new.value
    if present is not None and value is not None:
        assert type(value) is type(present)
    TypeAdapter(HINTS[name]).validate_python(value)


@settings(max_examples=100, deadline=None)
@given(value=st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-1000, max_value=1000))
def test_a_decimal_is_taken_exactly_where_the_annotation_takes_it(value: Decimal) -> None:
    """The bounds of a Decimal parameter count for new values as pydantic counts them."""
    field = field_of("args.amount", Decimal(1))
    assert field is not None
    try:
        TypeAdapter(HINTS["amount"]).validate_python(value)
    except ValidationError:
        with pytest.raises(ValueError, match="must be"):
            typed(with_schema(field, SCHEMA), value)
    else:
        assert typed(with_schema(field, SCHEMA), str(value)).tag == tagged(value)


ZONES = st.sampled_from(
    [None, timezone.utc, timezone(timedelta(hours=-5, minutes=-30)), ZoneInfo("Europe/Berlin")]  # noqa: UP017
)


@settings(max_examples=150, deadline=None)
@given(
    value=st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(allow_nan=False, allow_infinity=False) | st.text(st.characters(codec="utf-8"), max_size=20)
    | st.dates() | st.uuids() | st.sampled_from(Level) | st.lists(st.text("abc", min_size=1), min_size=1)
    | st.datetimes(min_value=datetime(1971, 1, 1), max_value=datetime(2200, 1, 1), timezones=ZONES),
)  # fmt: skip
def test_values_come_back_exactly(value: Any) -> None:
    """Whatever may be changed is the same after its way through the store, type, digits and zone included."""
    field = field_of("args.v", value)
    assert field is not None
    new = typed(field, value)
    back = untagged(new.tag, value)
    assert tagged(back) == tagged(value) == new.tag
    assert type(back) is type(value)


@pytest.mark.parametrize(
    ("path", "present", "given_", "said"),
    [
        ("args.order.amount", Decimal(5), "600", "must be at most 500"),
        ("args.order.amount", Decimal(5), "0", "must be more than 0"),
        ("args.order.level", Level.LOW, "MIDDLE", "must be one of low, 2"),
        ("args.order.kind", "a", "c", "must be one of a, b"),
        ("args.amount", Decimal(5), "2,50", "must be a number, such as 250 or 250.50"),
        ("args.count", 5, "5.5", "must be a whole number"),
        ("args.to", "bob", "Bob", "must have the form ^[a-z]+$"),
        ("args.to", "bob", "", "must have at least 1 character"),
        ("args.day", date(2026, 1, 1), "29.11.2026", "must be a date such as 2026-11-29"),
        ("args.count", 5, None, "needs a value"),
        ("args.words", ["a"], " \n ", "needs at least one line"),
    ],
)
def test_what_is_wrong_is_said_in_words(path: str, present: Any, given_: Any, said: str) -> None:
    """Also of values inside a model, the schema's bound is what the editor reads."""
    field = field_of(path, present)
    assert field is not None
    with pytest.raises(ValueError, match=re.escape(said)):
        typed(with_schema(field, SCHEMA), given_)
