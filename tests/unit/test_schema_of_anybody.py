"""A tool's JSON Schema may come from anybody: it is read to an end, and nothing in it raises."""

from __future__ import annotations

from typing import Any

import pytest

from gate import json_schema
from gate.fields import with_schema
from gate.model import Field
from gate.schema_problems import problem

_DEFS: dict[str, Any] = {
    "Same": {"anyOf": [{"$ref": "#/$defs/Same"}, {"$ref": "#/$defs/Same"}]},
    "Wide": {"allOf": [{"anyOf": [{"$ref": "#/$defs/Wide"}] * 3}] * 3},
    "Loop": {"$ref": "#/$defs/Loop"},
    "Number": 5,
}
_ODD: list[Any] = [
    {"enum": {"a": 1}}, {"enum": 5}, {"enum": "abc"}, {"enum": [[1], {"a": 2}]}, {"type": [{}]}, {"type": 5},
    {"type": ["string", ["x"]]}, {"anyOf": {"a": {}}}, {"anyOf": 5}, {"oneOf": ["a", 5]}, {"properties": 5},
    {"properties": [1]}, {"properties": {"y": 5}}, {"$ref": 5}, {"$ref": "#/$defs/Number"}, {"$defs": 5},
    {"additionalProperties": 5}, {"type": "string", "format": {}}, {"const": {}}, {"$ref": "#/$defs/Nowhere"},
    *({"$ref": f"#/$defs/{name}"} for name in _DEFS),
]  # fmt: skip


@pytest.mark.parametrize("odd", _ODD, ids=str)
def test_an_odd_schema_says_nothing_and_raises_nothing(odd: dict[str, Any]) -> None:
    """What is of another form, or leads to itself, neither raises nor is followed for ever."""
    json_schema.kinds(odd, _DEFS)
    json_schema.choices(odd, _DEFS)
    assert isinstance(problem(odd, "value", _DEFS), str)
    whole = {"properties": {"x": {"$defs": _DEFS, **odd}}}
    for path in ("args.x", "args.x.y", "args.z"):
        json_schema.part(whole, path)
        with_schema(Field(path, "text"), whole)


@pytest.mark.parametrize(
    "whole", [{"properties": 5}, {"properties": {"x": 5}}, {"properties": {"x": {"$defs": 5}}}]
)
def test_a_schema_of_no_parameters_says_nothing(whole: dict[str, Any]) -> None:
    """Where no parameters are told, nothing is known of any."""
    json_schema.part(whole, "args.x.y")
    assert json_schema.definitions_of(whole, "args.x") == {}


def test_branches_are_read_in_their_order() -> None:
    """Choices stand in the order of the schema, however deep they lie."""
    schema = {"anyOf": [{"anyOf": [{"const": "a"}, {"enum": ["b", "c"]}]}, {"const": "d"}, {"type": "null"}]}
    assert json_schema.choices(schema, {}) == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    "odd",
    [
        {"anyOf": 5},
        {"anyOf": None},
        {"anyOf": ["a", 5]},
        {"anyOf": {"a": 1}},
        {"anyOf": [{"type": ["number"]}]},
    ],
    ids=str,
)
def test_an_odd_alternative_bounds_nothing(odd: dict[str, Any]) -> None:
    """A bound is read of alternatives that are numbers; of whatever else stands there, none is."""
    assert json_schema.bound(odd, "minimum") is None
    assert json_schema.bound({"anyOf": [{"type": "number", "minimum": 3}, *_ODD]}, "minimum") == 3
    assert json_schema.bound({"minimum": 1, **odd}, "minimum") == 1
