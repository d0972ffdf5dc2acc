"""What the JSON Schema of a place says of a new value: every keyword, in words, bounded whatever it holds."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from typing import Any

import pytest

from gate.schema_problems import MOST_NESTED, MOST_REFERENCES, problem

LOOK = "import sys, gate, gate.fields; print([each for each in ('jsonschema', 're2') if each in sys.modules])"
DOUBLING: dict[str, Any] = {
    f"n{level}": {"allOf": [{"$ref": f"#/$defs/n{level + 1}"}] * 2} for level in range(60)
} | {"n60": {}}
"""Sixty levels, each of which refers to the next one twice."""


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        ({}, object(), ""),
        ({"type": "string"}, 1, "must be a text"),
        ({"type": ["integer", "null"]}, Decimal("1.5"), "must be a whole number or empty"),
        ({"type": "integer"}, Decimal("2.0"), ""),
        ({"type": "number"}, True, "must be a number"),
        ({"enum": ["low", 2]}, "middle", "must be one of low, 2"),
        ({"enum": [1]}, True, "must be one of 1"),
        ({"const": "a"}, "b", "must be one of a"),
        ({"minimum": 0.1}, Decimal("0.1"), ""),
        ({"minimum": 0.1}, 0.1, ""),
        ({"minimum": 0.1}, Decimal("0.09"), "must be at least 0.1"),
        ({"maximum": 500}, 501, "must be at most 500"),
        ({"exclusiveMinimum": 0}, 0, "must be more than 0"),
        ({"exclusiveMaximum": 9}, 9, "must be less than 9"),
        ({"multipleOf": 0.01}, Decimal("1.105"), "must be a multiple of 0.01"),
        ({"multipleOf": 0.01}, Decimal("1e40"), ""),
        ({"minLength": 1}, "", "must have at least 1 character"),
        ({"maxLength": 2}, "abc", "must have at most 2 characters"),
        ({"maxItems": 1}, ["a", "b"], "must have at most 1 line"),
        ({"items": {"maxLength": 1}}, ["a", "bc"], "must have at most 1 character"),
        ({"uniqueItems": True}, ["a", "a"], "must have no line twice"),
        ({"contains": {"const": "a"}}, ["b"], "is not among what the tool takes"),
        ({"not": {"const": 3}}, 3, "is not among what the tool takes"),
        ({"if": {"minimum": 9}, "then": {"multipleOf": 5}}, 11, "must be a multiple of 5"),
        ({"oneOf": [{"minimum": 1}, {"minimum": 2}]}, 3, "is not among what the tool takes"),
        ({"pattern": "^[a-z]+$"}, "Bob", "must have the form ^[a-z]+$"),
        ({"pattern": "(?=a)b"}, "c", ""),
        ({"minimum": 5, "type": "string"}, 1, "must be a text"),
    ],
)  # fmt: skip
def test_each_keyword_is_checked_and_said(schema: dict[str, Any], value: Any, said: str) -> None:
    """A value that a keyword does not take is told so; numbers count as written, not as their binary form."""
    assert problem(schema, value, {}) == said


def test_the_alternative_that_is_about_such_a_value_is_the_one_that_is_told() -> None:
    """Of a number or a text or nothing, a number that is too large is told of the number's bound."""
    small = {"$ref": "#/$defs/small"}
    schema = {"anyOf": [{"type": "string", "pattern": "^x"}, small, {"type": "null"}]}
    assert (
        problem(schema, Decimal(600), {"small": {"type": "number", "maximum": 500}}) == "must be at most 500"
    )


@pytest.mark.parametrize(
    ("schema", "definitions"),
    [
        ({"$ref": "#/$defs/a"}, {"a": {"$ref": "#/$defs/a"}}),
        ({"$ref": "#"}, {}),
        ({"anyOf": [{"$dynamicRef": "#/$defs/a"}]}, {"a": {"not": {"$ref": "#/$defs/a"}}}),
        ({"$ref": "#/$defs/n0"}, DOUBLING),
    ],
)
def test_a_schema_without_an_end_takes_nothing(schema: dict[str, Any], definitions: dict[str, Any]) -> None:
    """References in a circle, and those that double sixty times, are followed for a bounded while."""
    assert problem(schema, 1, definitions) == "is described by a schema that does not end"


def _circle(links: int) -> dict[str, Any]:
    """Return definitions whose last leads to the first."""
    places = {f"n{at}": {"not": {"$ref": f"#/$defs/n{at + 1}"}} for at in range(links)}
    return places | {f"n{links}": {"$ref": "#/$defs/n0"}}


def test_a_circle_is_found_wherever_the_stack_stands() -> None:
    """Whatever is left of the stack, a circle and nesting that is deeper than it raise nothing."""
    nested: dict[str, Any] = {"const": 1}
    for _ in range(180):
        nested = {"not": nested}
    circle = {"anyOf": [{"$dynamicRef": "#/$defs/n0"}]}, _circle(3)

    def ask(frames: int, schema: dict[str, Any], definitions: dict[str, Any]) -> str:
        return ask(frames - 1, schema, definitions) if frames else problem(schema, 1, definitions)

    assert {ask(frames, *circle) for frames in range(60)} == {"is described by a schema that does not end"}
    assert {ask(frames, nested, {}) for frames in range(60)} <= {
        "",
        "is described by a schema that does not end",
    }


def test_references_within_each_other_are_followed_to_their_bound() -> None:
    """So many nested references as are named are followed; one more is not."""
    chain: dict[str, Any] = {f"n{at}": {"$ref": f"#/$defs/n{at + 1}"} for at in range(1, MOST_NESTED + 1)}
    end = {f"n{MOST_NESTED}": {"maximum": 1}}
    assert problem({"$ref": "#/$defs/n1"}, 2, chain | end) == "must be at most 1"
    end = {f"n{MOST_NESTED + 1}": {"maximum": 1}}
    assert problem({"$ref": "#/$defs/n1"}, 2, chain | end) == "is described by a schema that does not end"


def test_as_many_references_as_a_schema_may_have_are_followed() -> None:
    """The bound is the one that is named: one reference fewer is still followed to its end."""
    chain = [{"$ref": "#/$defs/end"}] * MOST_REFERENCES
    end = {"end": {"maximum": 1}}
    assert problem({"allOf": chain}, 2, end) == "must be at most 1"
    assert problem({"allOf": [*chain, chain[0]]}, 2, end) == "is described by a schema that does not end"


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "file:///etc/hostname"},
        {"$ref": "#/$defs/nowhere"},
        {"type": "file"},
        {"minimum": "a"},
        {"multipleOf": 0},
        {"allOf": 3},
    ],
)
def test_a_schema_that_cannot_be_read_takes_nothing(schema: dict[str, Any]) -> None:
    """Nothing is fetched from anywhere, and what makes no sense refuses the value in one sentence."""
    assert problem(schema, 1, {}) == "is described by a schema that cannot be read here"


def test_a_pattern_takes_linear_time() -> None:
    """A pattern that backtracks without end elsewhere is answered for the longest text."""
    assert problem({"pattern": "^(a+)+$"}, "a" * 20_000 + "b", {}) == "must have the form ^(a+)+$"


def test_the_library_is_loaded_with_the_first_value() -> None:
    """Importing the gate, and what reads new values, loads neither the checker nor the patterns."""
    found = subprocess.run([sys.executable, "-c", LOOK], check=True, capture_output=True, text=True).stdout
    assert found.strip() == "[]"
