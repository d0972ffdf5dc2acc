"""Which part of a JSON Schema is about one value of a call, and what it says of types and choices."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gate.values import parse_path

Schema = Mapping[str, Any]

_DEEPEST = 32
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
    found = schema.get("properties", {}).get(first)
    if not isinstance(found, Mapping):
        return None
    definitions = found.get("$defs", {})
    for key in rest:
        found = _property(found, key, definitions)
        if found is None:
            return None
    return _resolved(found, definitions)


def _property(schema: Schema, key: str, definitions: Schema) -> Schema | None:
    for branch in _branches(schema, definitions):
        found = branch.get("properties", {}).get(key, branch.get("additionalProperties"))
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
        schema = {**definitions.get(_unescaped(found[1]), {}), **beside}
    return {}


def _branches(schema: Schema, definitions: Schema, depth: int = 0) -> Iterator[Schema]:
    """Yield a schema, or what it is any or all of, references resolved."""
    found = _resolved(schema, definitions)
    inner = [each for word in ("anyOf", "oneOf", "allOf") for each in found.get(word, ())]
    if not inner or depth > _DEEPEST:
        yield found
    for each in inner:
        yield from _branches(each, definitions, depth + 1)


def kinds(schema: Schema, definitions: Schema) -> frozenset[str]:
    """Return the types that a schema takes: JSON's own, and formats of texts in the place of ``string``."""
    found: set[str] = set()
    for branch in _branches(schema, definitions):
        named = branch.get("type")
        types = [named] if isinstance(named, str) else list(named or ())
        types += ["string"] if "enum" in branch and not types else []
        form = branch.get("format")
        found.update(form if each == "string" and form in ("date", "uuid") else each for each in types)
    return frozenset(found)


def choices(schema: Schema, definitions: Schema) -> tuple[str, ...]:
    """Return the texts that a schema lists as the only ones; empty where it lists none."""
    listed = [_listed(each) for each in _branches(schema, definitions) if each.get("type") != "null"]
    if not listed or not all(listed):
        return ()
    return tuple(dict.fromkeys(each for one in listed for each in one if isinstance(each, str)))


def _listed(schema: Schema) -> Sequence[Any]:
    return [schema["const"]] if "const" in schema else list(schema.get("enum", ()))


def _unescaped(name: str) -> str:
    return name.replace("~1", "/").replace("~0", "~")
