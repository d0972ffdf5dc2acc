"""Write values as JSON so that two that differ in any type or value have different bytes.

JSON has fewer types than Python, so everything that JSON cannot tell apart is written as an object with one
key that starts with ``$`` (a tag); a dict of the caller's with such a key is itself wrapped. Floats with an
integral value are tagged too, since the canonical form writes ``1`` and ``1.0`` alike.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, timezone
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import rfc8785

from gate.errors import ActionError
from gate.shapes import class_name, has_utf8, model_parts, plain_text, spell

MAX_DEPTH = 64
MAX_VALUES = 20_000
MAX_BYTES = 1_000_000
MAX_INT_BITS = 13_000
SAFE_INT = 2**53
"""Whole numbers below it are the same in every reader of JSON."""
SMALLEST_PLAIN = 0.0001
"""Smallest fraction that ``json`` writes as RFC 8785 does."""
LAST_SORTED = "\uffff"
"""Up to this character code points sort as UTF-16 units do."""
_NO_UTF8 = "the text has half a surrogate pair, which has no UTF-8 form"

Path = tuple["Path", str | int] | str


def tagged(value: object, *, path: str = "value") -> Any:
    """Return the tagged JSON form of a value.

    Args:
        value: What to write down.
        path: How errors call the value.

    Raises:
        ActionError: The value has a part that cannot be judged; the message names its path.
    """
    return Walk().value(value, path)


def canonical(form: Any) -> bytes:
    """Return the RFC 8785 bytes of a tagged form."""
    return rfc8785.dumps(form)


ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, check_circular=False)
"""Writes a form as RFC 8785 does, and sooner, but for keys and small fractions: see ``LAST_SORTED``."""

MANY_KEYS = 500
"""From how many keys on it is quicker to put them in order first than to let ``json`` compare entries."""


def in_order(form: Any) -> Any:
    """Return a form with its keys in order where it is a dict of many."""
    if type(form) is not dict or len(form) < MANY_KEYS:
        return form
    return {key: form[key] for key in sorted(form)}


class Walk:
    """One pass over one value, each by itself, counting what it has seen."""

    __slots__ = ("bytes", "inside", "values")

    def __init__(self) -> None:
        self.values = 1
        self.bytes = 0
        self.inside: set[int] = set()

    def value(self, value: Any, path: Path) -> Any:
        """Return the tagged form of one value; whoever asks has counted it."""
        if value is None or value is True or value is False:
            return value
        kind = type(value)
        handler = HANDLERS.get(kind)
        if handler is not None:
            return handler(self, value, path)
        if issubclass(kind, Enum):
            return self.enum(value, path)
        return self.model(value, path)

    def spend(self, count: int, path: Path) -> None:
        """Count bytes of text and data."""
        self.bytes += count
        if self.bytes > MAX_BYTES:
            raise refused(path, "the call is larger than 1 MB; pass a reference instead")

    def enter(self, value: object, values: int, path: Path) -> None:
        """Go into a container, refusing cycles and too many levels; a pass that is refused ends there."""
        if id(value) in self.inside:
            raise refused(path, "the value contains itself")
        if len(self.inside) >= MAX_DEPTH:
            raise refused(path, f"the value lies more than {MAX_DEPTH} levels deep")
        self.inside.add(id(value))
        self.values += values
        if self.values > MAX_VALUES:
            raise refused(path, f"the call has more than {MAX_VALUES:,} values; pass a reference instead")

    def text(self, value: str, path: Path) -> str:
        """Return text, refusing what has no UTF-8 form."""
        size = utf8_size(value)
        if size is None:
            raise refused(path, _NO_UTF8)
        self.spend(size, path)
        return value

    def integer(self, value: int, path: Path) -> Any:
        """Return a small integer as it is, a large one tagged."""
        if -SAFE_INT < value < SAFE_INT:
            return value
        if value.bit_length() > MAX_INT_BITS:
            raise refused(path, "the integer has more than 3,900 digits")
        return {"$int": self.text(str(value), path)}

    def real(self, value: float, path: Path) -> Any:
        """Return a float with a fraction as it is, an integral one tagged."""
        if not math.isfinite(value):
            raise refused(path, f"{value} is no number that can be compared")
        return {"$float": repr(value)} if value.is_integer() else value

    def decimal(self, value: Decimal, path: Path) -> Any:
        """Return a decimal as its exact text."""
        if not value.is_finite():
            raise refused(path, f"{value} is no number that can be compared")
        return {"$decimal": self.text(str(value), path)}

    def moment(self, value: datetime, path: Path) -> Any:
        """Return a time with its offset, its zone and its fold."""
        return {"$datetime": [value.isoformat(), value.fold, self.text(_zone(value), path)]}

    def data(self, value: bytes, path: Path) -> Any:
        """Return bytes as their digest and length."""
        self.spend(len(value), path)
        return {"$bytes": [hashlib.sha256(value).hexdigest(), len(value)]}

    def enum(self, value: Enum, path: Path) -> Any:
        """Return a member of an enumeration as class and name."""
        kind, name = name_of_class(type(value), path), plain_text(value.name)
        if name is None:
            raise refused(path, f"this value of {kind} has no name with a UTF-8 form")
        return {"$enum": [kind, name]}

    def items(self, value: list[Any] | tuple[Any, ...], path: Path) -> list[Any]:
        """Return the tagged elements of a list or tuple."""
        self.enter(value, len(value), path)
        form = [self.value(element, (path, index)) for index, element in enumerate(list(value))]
        self.inside.remove(id(value))
        return form

    def mapping(self, value: dict[Any, Any], path: Path) -> Any:
        """Return a dict, wrapped if one of its keys looks like a tag."""
        self.enter(value, len(value), path)
        form = self.pairs(value, path)
        self.inside.remove(id(value))
        return form

    def pairs(self, value: Mapping[Any, Any], path: Path) -> Any:
        """Return the tagged entries of a dict or the fields of a model."""
        given = dict(value)  # looked at once: another thread may put something else into the caller's dict
        self.spend(sum(self.key(key, path) for key in given), path)
        form = {key: self.value(each, (path, key)) for key, each in given.items()}
        return {"$dict": form} if any(key.startswith("$") for key in form) else form

    def key(self, key: Any, path: Path) -> int:
        """Return how many bytes a key has, refusing what is no text."""
        if type(key) is not str:
            raise refused(path, f"a key is of type {class_name(type(key))}; write keys as text")
        size = utf8_size(key)
        if size is None:
            raise refused(path, _NO_UTF8)
        return size

    def model(self, value: Any, path: Path) -> Any:
        """Return a model as its class and every field, read from its attributes."""
        parts = model_parts(value)
        if parts is None:
            raise refused(path, _unknown(value))
        self.enter(value, sum(map(len, parts.values())), path)
        form = {name: self.pairs(fields, path) for name, fields in parts.items()}
        self.inside.remove(id(value))
        return {"$model": [name_of_class(type(value), path), form]}


HANDLERS: dict[type, Callable[[Walk, Any, Path], Any]] = {
    str: Walk.text,
    int: Walk.integer,
    float: Walk.real,
    list: Walk.items,
    dict: Walk.mapping,
    tuple: lambda walk, value, path: {"$tuple": walk.items(value, path)},
    Decimal: Walk.decimal,
    datetime: Walk.moment,
    date: lambda walk, value, path: {"$date": value.isoformat()},
    UUID: lambda walk, value, path: {"$uuid": str(value)},
    bytes: Walk.data,
}
"""Exact types only: a subclass may carry more than its base shows."""


_LONGEST_PLACE = 1_000


def name_of_class(kind: type, path: Path) -> str:
    """Return the name of a class, refusing one that has no UTF-8 form."""
    name = class_name(kind)
    if not has_utf8(name):
        raise refused(path, "the name of its class has half a surrogate pair, which has no UTF-8 form")
    return name


def utf8_size(text: str) -> int | None:
    """Return how many bytes a text has in UTF-8; None where it has no such form."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        return None


def _zone(value: datetime) -> str:
    zone = value.tzinfo
    if zone is None or isinstance(zone, timezone):
        return ""
    return zone.key if isinstance(zone, ZoneInfo) and zone.key else class_name(type(zone))


def _unknown(value: object) -> str:
    kind = class_name(type(value))
    base = next((each for each in HANDLERS if isinstance(value, each)), None)
    if base is not None:
        return f"{kind} is a kind of {base.__name__} that may carry more than it shows; pass a plain one"
    return f"values of type {kind} cannot be shown to a person; pass text, numbers, lists, dicts or a model"


def refused(path: Path, why: str) -> ActionError:
    """Return the refusal of a value, by its path without secrets: a key may be one."""
    from gate.secret_shapes import hide_shapes

    keys: list[str | int] = []
    while not isinstance(path, str):
        path, key = path
        keys.append(key)
    place, _ = hide_shapes(spell(path, keys[::-1]))
    shown = place if len(place) <= _LONGEST_PLACE else f"{place[:_LONGEST_PLACE]}…"
    return ActionError(f"{shown}: {why}. Nothing ran.")
