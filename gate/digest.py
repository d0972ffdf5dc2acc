"""Turn a call into bytes: two calls that differ in any type or value have different bytes.

JSON has fewer types than Python, so everything that JSON cannot tell apart is written as an object with one
key that starts with ``$`` (a tag); a dict of the caller's with such a key is itself wrapped. Floats with an
integral value are tagged too, since the canonical form writes ``1`` and ``1.0`` alike.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Callable, Mapping
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
        tagged(getattr(action, part), path=part)  # stored beside the call, so judged too, but not digested
    person = action.on_behalf_of
    form = {
        "name": tagged(action.name, path="name"),
        "target": tagged(action.target, path="target"),
        "arguments": tagged(_mapping(action.arguments), path="args"),
        "agent": tagged(action.agent, path="agent"),
        "session": tagged(action.session, path="session"),
        "on_behalf_of": tagged(
            [person.kind, person.id, person.team] if person else None, path="on_behalf_of"
        ),
    }
    return hmac.new(key, _PREFIX + canonical(form), hashlib.sha256).hexdigest()


class _Walk:
    """One pass over one value, counting what it has seen."""

    __slots__ = ("bytes", "inside", "values")

    def __init__(self) -> None:
        self.values = 0
        self.bytes = 0
        self.inside: set[int] = set()

    def value(self, value: Any, path: _Path) -> Any:
        """Return the tagged form of one value."""
        self.values += 1
        if self.values > MAX_VALUES:
            raise _refused(path, f"the call has more than {MAX_VALUES:,} values; pass a reference instead")
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

    def text(self, value: str, path: _Path) -> str:
        """Return text, refusing what has no UTF-8 form."""
        try:
            self.spend(len(value.encode()), path)
        except UnicodeEncodeError:
            raise _refused(path, "the text has half a surrogate pair, which has no UTF-8 form") from None
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
        return {"$float": repr(value)} if value.is_integer() else value

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
        with _Inside(self, value, path):
            return [self.value(element, (path, index)) for index, element in enumerate(value)]

    def mapping(self, value: dict[Any, Any], path: _Path) -> Any:
        """Return a dict, wrapped if one of its keys looks like a tag."""
        with _Inside(self, value, path):
            return self.pairs(value, path)

    def pairs(self, value: Mapping[Any, Any], path: _Path) -> Any:
        """Return the tagged entries of a dict or the fields of a model."""
        form = {self.key(key, path): self.value(each, (path, key)) for key, each in value.items()}
        return {"$dict": form} if any(key.startswith("$") for key in form) else form

    def key(self, key: Any, path: _Path) -> str:
        """Return the key of a dict, refusing what is no text."""
        if type(key) is not str:
            raise _refused(path, f"a key is of type {class_name(type(key))}; write keys as text")
        return self.text(key, path)

    def model(self, value: Any, path: _Path) -> Any:
        """Return a model as its class and every field, read from its attributes."""
        parts = model_parts(value)
        if parts is None:
            raise _refused(path, _unknown(value))
        with _Inside(self, value, path):
            form = {name: self.pairs(fields, path) for name, fields in parts.items()}
        return {"$model": [class_name(type(value)), form]}


class _Inside:
    """Stand inside one container: refuse cycles and too many levels."""

    __slots__ = ("mark", "path", "walk")

    def __init__(self, walk: _Walk, value: object, path: _Path) -> None:
        self.walk, self.mark, self.path = walk, id(value), path

    def __enter__(self) -> None:
        if self.mark in self.walk.inside:
            raise _refused(self.path, "the value contains itself")
        if len(self.walk.inside) >= MAX_DEPTH:
            raise _refused(self.path, f"the value lies more than {MAX_DEPTH} levels deep")
        self.walk.inside.add(self.mark)

    def __exit__(self, *_: object) -> None:
        self.walk.inside.discard(self.mark)


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
        return [_copied(each) for each in value]
    if kind is dict:
        return {key: _copied(each) for key, each in value.items()}
    if kind is tuple:
        return tuple(map(_copied, value))
    if value is None or kind is bool or kind in _HANDLERS or isinstance(value, Enum):
        return value  # nothing in it can change
    return copy_model(value, _copied)


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
