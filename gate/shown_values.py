"""How single values are written for people, what lies inside others, and which texts a value holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from gate.plain_models import plain_model
from gate.shapes import is_secret, model_parts

HIDDEN = "(hidden)"
SHORTEST_SECRET = 4
"""Shortest text that is looked for in later texts."""

SMALL_INT = 2**53
CARD_NUMBERS = range(10**12, 10**19)


def fields_of_each(kind: type, values: Sequence[Any]) -> Sequence[Any]:
    """Return ``fields_of`` each of many values of one class."""
    plain = plain_model(kind)
    held = plain.parts(values) if plain else None
    return list(map(fields_of, values)) if held is None else [each["fields"] for each in held]


def fields_of(value: Any) -> Mapping[str, Any] | None:
    """Return what lies inside a dict or model; secrets are closed."""
    if isinstance(value, Mapping):
        return value
    parts = None if is_secret(value) or issubclass(type(value), Enum) else model_parts(value)
    return None if parts is None else {**parts["fields"], **parts.get("extra", {}), **parts.get("held", {})}


def scalar(value: Any) -> Any:
    """Return a single value as JSON; what has no number's or text's form by what people call it."""
    if type(value) in WRITERS:
        return WRITERS[type(value)](value)
    if issubclass(type(value), Enum):
        return value.value if isinstance(value.value, (str, int)) else value.name
    for base, write in WRITERS.items():
        if isinstance(value, base) and not isinstance(value, bool):
            return write(value)
    return HIDDEN if is_secret(value) else value


def exact(value: int) -> Any:
    """Return a whole number as JSON, tagged where a reader of JSON might not keep it."""
    return value if -SMALL_INT < value < SMALL_INT else {"$int": str(value)}


WRITERS: Mapping[type, Callable[[Any], Any]] = {
    int: exact,
    Decimal: lambda value: {"$decimal": str(value)},
    datetime: datetime.isoformat,
    date: date.isoformat,
    UUID: str,
    bytes: lambda value: f"({len(value)} bytes)",
}
"""How values of these types are written as JSON."""


def texts_in(value: Any) -> list[str]:
    """Return every text inside a hidden value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, bytes):
        return [value.decode("utf-8", "replace"), repr(value)[2:-1], value.hex()]
    if isinstance(value, (int, float, Decimal, UUID)) and not isinstance(value, bool):
        return [text for text in (str(value),) if len(text) >= SHORTEST_SECRET]
    if is_secret(value):
        return texts_in(value.get_secret_value())
    inner = fields_of(value)
    each = inner.values() if inner is not None else value if isinstance(value, (list, tuple)) else ()
    return [text for item in each for text in texts_in(item)]
