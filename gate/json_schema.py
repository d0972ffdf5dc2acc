"""Which part of a JSON Schema is about one value of a call, and what it says of types and choices.

A schema may come from anybody: what in it has another form than it should says nothing, and neither does what
leads to itself again and again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gate.values import parse_path

Schema = Mapping[str, Any]

_DEEPEST = 32
_MOST_BRANCHES = 1_000
_FORMS = ("date", "uuid")
_REF = re.compile(r"#/\$defs/(.+)")


def parameter(path: str) -> str:
    """Return the parameter that a path such as ``args.order.amount`` begins with."""
    return parse_path(path)[1]


def part(schema: Schema, path: str) -> Schema | None:
    """Return the schema of the value at a path, or None where nothing is said of it.

    Args:
        schema: JSON Schema of a tool's arguments.
        path: Path of an argument, or of a value in one.
    """
    _, first, *rest = parse_path(path)
    found = inside(schema, "properties").get(first)
    if not isinstance(found, Mapping):
        return None
    definitions = definitions_of(schema, path)
    for key in rest:
        found = _property(found, key, definitions)
        if found is None:
            return None
    return _resolved(found, definitions)


def definitions_of(schema: Schema, path: str) -> Schema:
    """Return what the references in the schema of a parameter lead to.

    Args:
        schema: JSON Schema of a tool's arguments.
        path: Path of the parameter, or of a value in it.
    """
    found = inside(schema, "properties").get(parameter(path))
    return inside(found, "$defs") if isinstance(found, Mapping) else {}


def inside(schema: Schema, word: str) -> Schema:
    """Return the mapping under a word of a schema; an empty one where anything else stands there."""
    found = schema.get(word)
    return found if isinstance(found, Mapping) else {}


def listed(schema: Schema, word: str) -> Sequence[Any]:
    """Return the list under a word of a schema; an empty one where anything else stands there."""
    found = schema.get(word)
    return found if isinstance(found, (list, tuple)) else ()


def _property(schema: Schema, key: str, definitions: Schema) -> Schema | None:
    for branch in _branches(schema, definitions):
        found = inside(branch, "properties").get(key, branch.get("additionalProperties"))
        if isinstance(found, Mapping):
            return found
    return None


def _resolved(schema: Schema, definitions: Schema) -> Schema:
    """Return a schema that is no bare reference; what stands beside the reference stays."""
    for _ in range(_DEEPEST):
        found = _REF.fullmatch(str(schema.get("$ref", "")))
        if found is None:
            return schema
        beside = {key: each for key, each in schema.items() if key != "$ref"}
        schema = {**inside(definitions, _unescaped(found[1])), **beside}
    return {}


def _branches(schema: Schema, definitions: Schema) -> Sequence[Schema]:
    """Return a schema, or what it is any or all of, references resolved; none where these are too many."""
    found: list[Schema] = []
    left: list[Any] = [schema]
    for _ in range(_MOST_BRANCHES):
        if not left:
            return found
        each = left.pop()
        known = _resolved(each, definitions) if isinstance(each, Mapping) else {}
        inner = [one for word in ("anyOf", "oneOf", "allOf") for one in listed(known, word)]
        left.extend(reversed(inner))
        found += [] if inner else [known]
    return () if left else found


def kinds(schema: Schema, definitions: Schema) -> frozenset[str]:
    """Return the types that a schema takes: JSON's own, and formats of texts in the place of ``string``."""
    found: set[str] = set()
    for branch in _branches(schema, definitions):
        named = branch.get("type")
        types = [each for each in (named, *listed(branch, "type")) if isinstance(each, str)]
        types += ["string"] if "enum" in branch and not types else []
        form = branch.get("format")
        found.update(str(form) if each == "string" and form in _FORMS else each for each in types)
    return frozenset(found)


def choices(schema: Schema, definitions: Schema) -> tuple[str, ...]:
    """Return the texts that a schema lists as the only ones; empty where it lists none."""
    found = [_choices(each) for each in _branches(schema, definitions) if each.get("type") != "null"]
    if not found or not all(found):
        return ()
    return tuple(dict.fromkeys(each for one in found for each in one if isinstance(each, str)))


def _choices(schema: Schema) -> Sequence[Any]:
    return [schema["const"]] if "const" in schema else listed(schema, "enum")


def bound(schema: Schema, word: str) -> Any:
    """Return a bound that stands openly in a schema, or in its one alternative that is a number.

    Args:
        schema: The schema of one value.
        word: ``minimum`` or ``maximum``.

    Returns:
        Whatever stands there, in any form; None for nothing.
    """
    others = [each for each in listed(schema, "anyOf") if isinstance(each, Mapping)]
    numbers = [each for each in others if each.get("type") in ("number", "integer")]
    return schema.get(word, numbers[0].get(word) if len(numbers) == 1 else None)


def _unescaped(name: str) -> str:
    return name.replace("~1", "/").replace("~0", "~")
