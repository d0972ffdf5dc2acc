"""What is wrong with one new value by the JSON Schema of its place, in words for whoever gave it.

The library ``jsonschema`` checks every keyword; it is loaded with the first value. Nothing is fetched,
patterns take linear time, and where a schema cannot be followed to its end the value is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from functools import cache
from typing import Any

from gate.json_schema import Schema

MOST_REFERENCES = 1_000
"""How many references one check follows."""
MOST_NESTED = 32
"""How many of them may lie within each other: a circle ends here, long before the stack does."""

_DIGITS = 10_000
"""Digits that numbers are divided with; values have at most 8,000."""
_ENDLESS = "is described by a schema that does not end"
_UNREADABLE = "is described by a schema that cannot be read here"


class _Endless(Exception):
    """One check followed more references than it may, or deeper ones."""


def problem(schema: Schema, value: Any, definitions: Schema) -> str:
    """Return what is wrong with a value, in words; empty where nothing is.

    A ``format``, and a ``pattern`` that RE2 does not know, are left to the tool's own annotation, which is
    asked before the call runs.

    Args:
        schema: The schema; an empty one takes everything.
        value: A text, a number, a flag, None, or a list of them; numbers may be decimals.
        definitions: What references lead to.
    """
    if not schema:
        return ""
    try:
        whole = {**_exact(schema), "$defs": _exact(definitions)}
        with localcontext(prec=_DIGITS):
            errors = list(_checker(whole).iter_errors(_exact(value)))
            return _said(_first(errors)) if errors else ""
    except (_Endless, RecursionError):
        return _ENDLESS
    except Exception:  # the schema is anybody's: what cannot be checked is not taken
        return _UNREADABLE
    except BaseException as error:
        if not _is_panic(error):
            raise
        return _ENDLESS


def _is_panic(error: BaseException) -> bool:
    """Tell whether the library's compiled maps met the end of the stack; their class is nowhere."""
    return type(error).__module__ == "pyo3_runtime"


def _exact(part: Any) -> Any:
    """Return a schema or a value with decimals in the place of floats, so that 0.1 is 0.1 everywhere."""
    if isinstance(part, float):
        return Decimal(str(part))
    if isinstance(part, Mapping):
        return {key: _exact(each) for key, each in part.items()}
    return [_exact(each) for each in part] if isinstance(part, (list, tuple)) else part


def _checker(schema: Schema) -> Any:
    """Return the library's validator for one check: it fetches nothing, and follows so many references."""
    from referencing import Registry

    kind = _kind()
    left, nested = iter(range(MOST_REFERENCES)), [0]

    def counted(word: str) -> Callable[..., Iterator[Any]]:
        def follow(validator: Any, reference: str, instance: Any, inside: Schema) -> Iterator[Any]:
            if next(left, None) is None or nested[0] == MOST_NESTED:
                raise _Endless
            nested[0] += 1
            try:
                yield from kind.VALIDATORS[word](validator, reference, instance, inside)
            finally:
                nested[0] -= 1

        return follow

    bounded = _extended(kind, {word: counted(word) for word in ("$ref", "$dynamicRef")})
    return bounded(schema, registry=Registry())


@cache
def _kind() -> Any:
    """Return draft 2020-12 with numbers as decimals and patterns in linear time."""
    from jsonschema import Draft202012Validator

    types = Draft202012Validator.TYPE_CHECKER.redefine("number", _is_number).redefine("integer", _is_whole)
    return _extended(Draft202012Validator, {"pattern": _pattern}, type_checker=types)


def _extended(kind: Any, words: Mapping[str, Any], **more: Any) -> Any:
    from jsonschema import validators

    extend: Any = validators.extend  # its types are not told
    return extend(kind, words, **more)


def _is_number(checker: Any, value: object) -> bool:
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def _is_whole(checker: Any, value: Any) -> bool:
    return _is_number(checker, value) and value == int(value)


def _pattern(validator: Any, pattern: str, value: object, schema: Schema) -> Iterator[Any]:
    import re2  # type: ignore[import-untyped]
    from jsonschema import ValidationError

    options = re2.Options()
    options.log_errors = False
    try:
        fits = not isinstance(value, str) or re2.compile(pattern, options).search(value)
    except re2.error:  # another dialect
        return
    if not fits:
        yield ValidationError("another form")


def _first(errors: Sequence[Any]) -> Any:
    """Return the error that says most: of the wrong type, then in the order of what is said."""
    order = {word: place for place, word in enumerate(_SAID)}
    return min(errors, key=lambda each: order.get(each.validator, len(order)))


def _said(error: Any) -> str:
    if error.validator in ("anyOf", "oneOf") and error.context:
        return _said(_first(_about(error.context)))
    say = _SAID.get(error.validator)
    return say(error.validator_value, error.instance) if say else "is not among what the tool takes"


def _about(errors: Sequence[Any]) -> Sequence[Any]:
    """Return the errors of the alternative that is about such a value: the first whose type it has."""
    branches: dict[Any, list[Any]] = {}
    for each in errors:
        branches.setdefault(each.relative_schema_path[0], []).append(each)
    fitting = [branch for branch in branches.values() if not any(map(_is_of_another_type, branch))]
    return (fitting or list(branches.values()))[0]


def _is_of_another_type(error: Any) -> bool:
    return error.validator == "type" and not error.relative_path


_WORDS = {
    "string": "a text", "number": "a number", "integer": "a whole number", "boolean": "true or false",
    "null": "empty", "array": "a list", "object": "an object",
}  # fmt: skip


def _types(named: str | Sequence[str], value: Any) -> str:
    types = [named] if isinstance(named, str) else named
    return f"must be {' or '.join(_WORDS.get(each, each) for each in types)}"


def _one_of(listed: Sequence[Any], value: Any) -> str:
    return f"must be one of {', '.join(map(str, listed[:20]))}"


def _counted(bound: str, unit: str) -> Callable[[Any, Any], str]:
    return lambda limit, value: f"must have {bound} {limit} {unit}{'s' * (limit != 1)}"


_SAID: Mapping[str | None, Callable[[Any, Any], str]] = {
    "type": _types,
    "const": lambda only, value: _one_of([only], value),
    "enum": _one_of,
    "minimum": lambda limit, value: f"must be at least {limit}",
    "maximum": lambda limit, value: f"must be at most {limit}",
    "exclusiveMinimum": lambda limit, value: f"must be more than {limit}",
    "exclusiveMaximum": lambda limit, value: f"must be less than {limit}",
    "multipleOf": lambda step, value: f"must be a multiple of {step}",
    "minLength": _counted("at least", "character"),
    "maxLength": _counted("at most", "character"),
    "minItems": _counted("at least", "line"),
    "maxItems": _counted("at most", "line"),
    "uniqueItems": lambda unique, value: "must have no line twice",
    "pattern": lambda pattern, value: f"must have the form {pattern}",
}
"""What is said of a keyword that a value does not meet; what comes first is said first."""
