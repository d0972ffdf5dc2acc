"""Turn a call into bytes: two calls that differ in any type or value have different bytes.

JSON has fewer types than Python, so everything that JSON cannot tell apart is written as an object with one
key that starts with ``$`` (a tag); a dict of the caller's with such a key is itself wrapped. Floats with an
integral value are tagged too, since the canonical form writes ``1`` and ``1.0`` alike.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timezone
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import rfc8785

from gate.errors import ActionError, GateError
from gate.model import Action
from gate.shapes import class_name, copy_model, model_parts, spell

MAX_DEPTH = 64
MAX_VALUES = 20_000
MAX_BYTES = 1_000_000
_MAX_INT_BITS = 13_000
_SAFE_INT = 2**53
_SMALLEST_PLAIN = 0.0001
_LAST_SORTED = "\ud800"
"""Among characters below this one, code points sort as UTF-16 units do; above U+FFFF they do not."""
_SHORT = 1000
_PREFIX = b"gate.action.v1\n"

_Path = tuple["_Path", str | int] | str


def tagged(value: object, *, path: str = "value") -> Any:
    """Return the tagged JSON form of a value.

    Args:
        value: What to write down.
        path: How errors call the value.

    Raises:
        ActionError: The value has a part that cannot be judged; the message names its path.
    """
    return _Walk().value(value, path)


def canonical(form: Any) -> bytes:
    """Return the RFC 8785 bytes of a tagged form."""
    return rfc8785.dumps(form)


def written(value: object, *, path: str = "value") -> bytes:
    """Return the RFC 8785 bytes of the tagged form of a value; see ``tagged``."""
    walk = _Walk()
    return _encoded(walk.value(value, path), plain=walk.plain)


def _encoded(form: Any, *, plain: bool) -> bytes:
    """Return the RFC 8785 bytes of a tagged form; ``json`` writes the same, and sooner, where it is plain."""
    return _ENCODER.encode(form).encode() if plain else canonical(form)


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, check_circular=False)


def snapshot(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy that shares nothing changeable with the caller's arguments.

    Args:
        arguments: Bound arguments by parameter name.

    Raises:
        ActionError: An argument cannot be judged; the message names its path.
    """
    try:
        tagged(_mapping(arguments), path="args")
        return copied(arguments)
    except GateError:
        raise
    except Exception as error:  # models are anybody's code, and another thread may change what is read here
        raise ActionError(
            f"args: the arguments cannot be read ({class_name(type(error))}). Nothing ran."
        ) from error


def _mapping(arguments: Any) -> dict[str, Any]:
    """Return arguments as a dict; what is no mapping is refused, never taken for a call without any."""
    if not isinstance(arguments, Mapping):
        kind = class_name(type(arguments))
        raise ActionError(f"args: must be values by parameter name, not a {kind}. Nothing ran.")
    return dict(arguments)


def copied(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a deep copy of arguments that were judged before."""
    return {name: _copied(value) for name, value in arguments.items()}


def action_digest(key: bytes, action: Action) -> str:
    """Return the keyed digest of what a person approves: name, target, arguments, agent, session, for whom.

    Args:
        key: The store's key.
        action: The call; ``arguments`` must be a snapshot.

    Returns:
        HMAC-SHA-256 in lower-case hexadecimal.

    Raises:
        ActionError: A part of the call cannot be judged.
    """
    for part in ("call_id", "note", "parent"):
        _beside(getattr(action, part), part)  # stored beside the call, so judged too, but not digested
    person, walk = action.on_behalf_of, _Walk()
    form = {
        "name": _beside(action.name, "name"),
        "target": _beside(action.target, "target"),
        "arguments": walk.value(_mapping(action.arguments), "args"),
        "agent": _beside(action.agent, "agent"),
        "session": _beside(action.session, "session"),
        "on_behalf_of": person and tagged([person.kind, person.id, person.team], path="on_behalf_of"),
    }
    return hmac.digest(key, _PREFIX + _encoded(form, plain=walk.plain), "sha256").hex()


def _beside(value: object, path: str) -> Any:
    """Return the tagged form of what stands beside the arguments, most often a short text or nothing."""
    if value is None or (type(value) is str and len(value) <= _SHORT and value.isascii()):
        return value
    return tagged(value, path=path)


class _Walk:
    """One pass over one value, counting what it has seen.

    Attributes:
        plain: Whether ``json`` writes the form as RFC 8785 does; it sorts keys by code points, not by UTF-16
            units, and writes small fractions with another exponent.
    """

    __slots__ = ("bytes", "inside", "plain", "values")

    def __init__(self) -> None:
        self.values = 1
        self.bytes = 0
        self.inside: set[int] = set()
        self.plain = True

    def value(self, value: Any, path: _Path) -> Any:
        """Return the tagged form of one value; whoever asks has counted it."""
        if value is None or value is True or value is False:
            return value
        handler = _HANDLERS.get(type(value))
        if handler is not None:
            return handler(self, value, path)
        if isinstance(value, Enum):
            return self.enum(value, path)
        return self.model(value, path)

    def spend(self, count: int, path: _Path) -> None:
        """Count bytes of text and data."""
        self.bytes += count
        if self.bytes > MAX_BYTES:
            raise _refused(path, "the call is larger than 1 MB; pass a reference instead")

    def enter(self, value: object, values: int, path: _Path) -> None:
        """Go into a container, refusing cycles and too many levels; a pass that is refused ends there."""
        if id(value) in self.inside:
            raise _refused(path, "the value contains itself")
        if len(self.inside) >= MAX_DEPTH:
            raise _refused(path, f"the value lies more than {MAX_DEPTH} levels deep")
        self.inside.add(id(value))
        self.values += values
        if self.values > MAX_VALUES:
            raise _refused(path, f"the call has more than {MAX_VALUES:,} values; pass a reference instead")

    def text(self, value: str, path: _Path) -> str:
        """Return text, refusing what has no UTF-8 form."""
        size = _size(value)
        if size is None:
            raise _refused(path, "the text has half a surrogate pair, which has no UTF-8 form")
        self.spend(size, path)
        return value

    def integer(self, value: int, path: _Path) -> Any:
        """Return a small integer as it is, a large one tagged."""
        if -_SAFE_INT < value < _SAFE_INT:
            return value
        if value.bit_length() > _MAX_INT_BITS:
            raise _refused(path, "the integer has more than 3,900 digits")
        return {"$int": self.text(str(value), path)}

    def real(self, value: float, path: _Path) -> Any:
        """Return a float with a fraction as it is, an integral one tagged."""
        if not math.isfinite(value):
            raise _refused(path, f"{value} is no number that can be compared")
        if value.is_integer():
            return {"$float": repr(value)}
        self.plain = self.plain and abs(value) >= _SMALLEST_PLAIN
        return value

    def decimal(self, value: Decimal, path: _Path) -> Any:
        """Return a decimal as its exact text."""
        if not value.is_finite():
            raise _refused(path, f"{value} is no number that can be compared")
        return {"$decimal": self.text(str(value), path)}

    def moment(self, value: datetime, path: _Path) -> Any:
        """Return a time with its offset, its zone and its fold."""
        return {"$datetime": [value.isoformat(), value.fold, self.text(_zone(value), path)]}

    def data(self, value: bytes, path: _Path) -> Any:
        """Return bytes as their digest and length."""
        self.spend(len(value), path)
        return {"$bytes": [hashlib.sha256(value).hexdigest(), len(value)]}

    def enum(self, value: Enum, path: _Path) -> Any:
        """Return a member of an enumeration as class and name."""
        if not isinstance(value.name, str):
            raise _refused(path, f"this value of {class_name(type(value))} has no name")
        return {"$enum": [class_name(type(value)), value.name]}

    def items(self, value: list[Any] | tuple[Any, ...], path: _Path) -> list[Any]:
        """Return the tagged elements of a list or tuple."""
        self.enter(value, len(value), path)
        kinds = set(map(type, value))
        if (kinds == _TEXTS and self.texts(value, path)) or (kinds == _INTEGERS and _all_small(value)):
            form = list(value)
        else:
            form = [self.value(element, (path, index)) for index, element in enumerate(value)]
        self.inside.remove(id(value))
        return form

    def texts(self, value: Sequence[str], path: _Path) -> bool:
        """Count many texts at once; False where one of them has to be refused by its own path."""
        size = _size("".join(value))
        if size is None or self.bytes + size > MAX_BYTES:
            return False
        self.bytes += size
        return True

    def mapping(self, value: dict[Any, Any], path: _Path) -> Any:
        """Return a dict, wrapped if one of its keys looks like a tag."""
        self.enter(value, len(value), path)
        form = self.pairs(value, path)
        self.inside.remove(id(value))
        return form

    def pairs(self, value: Mapping[Any, Any], path: _Path) -> Any:
        """Return the tagged entries of a dict or the fields of a model."""
        form = {}
        wrapped = False
        for key, each in value.items():
            if type(key) is not str or not key.isascii():
                self.key(key, path)
            else:
                self.bytes += len(key)
            if key[:1] == "$":
                wrapped = True
            kind = type(each)
            if kind is bool or (kind is int and -_SAFE_INT < each < _SAFE_INT):
                form[key] = each
            elif kind is str and each.isascii():
                self.bytes += len(each)
                form[key] = each
            else:
                form[key] = self.value(each, (path, key))
            if self.bytes > MAX_BYTES:
                self.spend(0, (path, key))
        return {"$dict": form} if wrapped else form

    def key(self, key: Any, path: _Path) -> None:
        """Count the key of a dict, refusing what is no text."""
        if type(key) is not str:
            raise _refused(path, f"a key is of type {class_name(type(key))}; write keys as text")
        self.text(key, path)
        self.plain = self.plain and max(key) < _LAST_SORTED

    def model(self, value: Any, path: _Path) -> Any:
        """Return a model as its class and every field, read from its attributes."""
        parts = model_parts(value)
        if parts is None:
            raise _refused(path, _unknown(value))
        self.enter(value, sum(map(len, parts.values())), path)
        form = {name: self.pairs(fields, path) for name, fields in parts.items()}
        self.inside.remove(id(value))
        return {"$model": [class_name(type(value)), form]}


_HANDLERS: dict[type, Callable[[_Walk, Any, _Path], Any]] = {
    str: _Walk.text,
    int: _Walk.integer,
    float: _Walk.real,
    list: _Walk.items,
    dict: _Walk.mapping,
    tuple: lambda walk, value, path: {"$tuple": walk.items(value, path)},
    Decimal: _Walk.decimal,
    datetime: _Walk.moment,
    date: lambda walk, value, path: {"$date": value.isoformat()},
    UUID: lambda walk, value, path: {"$uuid": str(value)},
    bytes: _Walk.data,
}
"""Exact types only: a subclass may carry more than its base shows."""


def _copied(value: Any) -> Any:
    kind = type(value)
    if kind is list:
        return list(value) if set(map(type, value)) <= _SINGLE else [_copied(each) for each in value]
    if kind is dict:
        return {key: _copied(each) for key, each in value.items()}
    if kind is tuple:
        return tuple(map(_copied, value))
    if value is None or kind is bool or kind in _HANDLERS or isinstance(value, Enum):
        return value  # nothing in it can change
    return copy_model(value, _copied)


_TEXTS, _INTEGERS = {str}, {int}
_SINGLE = {str, int, float, bool, type(None)}


def _all_small(value: Sequence[int]) -> bool:
    return min(value) > -_SAFE_INT and max(value) < _SAFE_INT


def _size(text: str) -> int | None:
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
    base = next((each for each in _HANDLERS if isinstance(value, each)), None)
    if base is not None:
        return f"{kind} is a kind of {base.__name__} that may carry more than it shows; pass a plain one"
    return f"values of type {kind} cannot be shown to a person; pass text, numbers, lists, dicts or a model"


def _refused(path: _Path, why: str) -> ActionError:
    keys: list[str | int] = []
    while not isinstance(path, str):
        path, key = path
        keys.append(key)
    return ActionError(f"{spell(path, keys[::-1])}: {why}. Nothing ran.")
