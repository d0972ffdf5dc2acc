"""As much of JSON Schema as describes one value of a call: which part is about it, and what is wrong with it.

The words that pydantic writes for annotations are understood; any other word says nothing here, and the
annotation itself is asked again before the call runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
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


def problem(schema: Schema, value: Any, definitions: Schema, depth: int = 0) -> str:
    """Return what is wrong with a value, in words; empty where nothing is.

    Args:
        schema: The schema; an empty one takes everything.
        value: A JSON value; numbers may be decimals.
        definitions: What references lead to.
        depth: How deep in the schema this is.
    """
    if depth > _DEEPEST:
        return "is described by a schema that does not end"
    found, there = _parted(schema, definitions)
    for check in _CHECKS:
        wrong = check(found, value)
        if wrong:
            return wrong
    inner = [
        problem(there, value, definitions, depth + 1) if there else "",
        next(
            (p for each in found.get("allOf", ()) if (p := problem(each, value, definitions, depth + 1))), ""
        ),
        _any_of(found, value, definitions, depth),
        *(problem(found.get("items", {}), each, definitions, depth + 1) for each in _items(found, value)),
    ]
    return next((each for each in inner if each), "")


def _parted(schema: Schema, definitions: Schema) -> tuple[Schema, Schema]:
    """Return what a schema says itself, and what the reference in it leads to; both must hold."""
    found = _REF.fullmatch(str(schema.get("$ref", "")))
    if found is None:
        return schema, {}
    beside = {key: each for key, each in schema.items() if key != "$ref"}
    return beside, definitions.get(_unescaped(found[1]), {})


def _unescaped(name: str) -> str:
    return name.replace("~1", "/").replace("~0", "~")


def _items(schema: Schema, value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) and isinstance(schema.get("items"), Mapping) else ()


def _any_of(schema: Schema, value: Any, definitions: Schema, depth: int) -> str:
    """Return the problem of the alternative that is about such a value."""
    branches = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    wrongs = [problem(each, value, definitions, depth + 1) for each in branches]
    if not wrongs or "" in wrongs:
        return ""
    about = [
        w for each, w in zip(branches, wrongs, strict=True) if not _type(_resolved(each, definitions), value)
    ]
    return (about or wrongs)[0]


_WORDS = {
    "string": "a text", "number": "a number", "integer": "a whole number", "boolean": "true or false",
    "null": "empty", "array": "a list", "object": "an object",
}  # fmt: skip


def _type(schema: Schema, value: Any) -> str:
    named = schema.get("type")
    types = [named] if isinstance(named, str) else named
    if not types or any(_is(each, value) for each in types):
        return ""
    return f"must be {' or '.join(_WORDS.get(each, str(each)) for each in types)}"


def _is(kind: str, value: Any) -> bool:
    number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    tests: Mapping[str, bool] = {
        "string": isinstance(value, str), "number": number, "boolean": isinstance(value, bool),
        "integer": number and value == int(value), "null": value is None,
        "array": isinstance(value, list), "object": isinstance(value, Mapping),
    }  # fmt: skip
    return tests.get(kind, True)


def _listed_only(schema: Schema, value: Any) -> str:
    listed = _listed(schema)
    if not listed or any(
        each == value and isinstance(each, bool) is isinstance(value, bool) for each in listed
    ):
        return ""
    return f"must be one of {', '.join(map(str, listed[:20]))}"


def _bounds(schema: Schema, value: Any) -> str:
    if not _is("number", value):
        return ""
    for word, fits, said in _BOUNDS:
        limit = schema.get(word)
        if _is("number", limit) and not fits(_exact(value), _exact(limit)):
            return f"must be {said} {limit}"
    return ""


def _exact(number: Any) -> Decimal:
    return number if isinstance(number, Decimal) else Decimal(str(number))


_BOUNDS: Sequence[tuple[str, Callable[[Decimal, Decimal], bool], str]] = (
    ("minimum", lambda value, limit: value >= limit, "at least"),
    ("maximum", lambda value, limit: value <= limit, "at most"),
    ("exclusiveMinimum", lambda value, limit: value > limit, "more than"),
    ("exclusiveMaximum", lambda value, limit: value < limit, "less than"),
    ("multipleOf", lambda value, limit: not limit or not value % limit, "a multiple of"),
)


def _size(schema: Schema, value: Any) -> str:
    if not isinstance(value, (str, list)):
        return ""
    low, high, unit = ("minLength", "maxLength", "character") if isinstance(value, str) else _LISTS
    for word, fits, said in ((low, len(value).__ge__, "at least"), (high, len(value).__le__, "at most")):
        limit = schema.get(word)
        if isinstance(limit, int) and not fits(limit):
            return f"must have {said} {limit} {unit}{'s' * (limit != 1)}"
    return ""


_LISTS = ("minItems", "maxItems", "line")


def _pattern(schema: Schema, value: Any) -> str:
    pattern = schema.get("pattern")
    if not isinstance(value, str) or not isinstance(pattern, str):
        return ""
    try:
        fits = re.search(pattern, value) is not None
    except re.error:  # another dialect; the annotation is asked before it runs
        return ""
    return "" if fits else f"must have the form {pattern}"


_CHECKS = (_type, _listed_only, _bounds, _size, _pattern)
