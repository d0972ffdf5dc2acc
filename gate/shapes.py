"""Look inside models: pydantic models, dataclasses, named tuples and pydantic's secrets, field by field."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from inspect import getattr_static
from types import MemberDescriptorType
from typing import Any, TypeVar

T = TypeVar("T")

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]+")
_CLOSED = (str, bytes, int, float, list, dict, set, frozenset, type)
_NOTHING = object()
_BESIDE = ("__pydantic_extra__", "__pydantic_private__")
_LONGEST_NAMED = 200
_CLASSES = 1024
"""Of how many classes it is remembered what they are made of."""
_WRITTEN_IN_PYTHON = 1 << 9
"""Flag of a class that a class statement made (CPython's ``Py_TPFLAGS_HEAPTYPE``)."""


def by_class(ask: Callable[[type], T]) -> Callable[[type], T]:
    """Let a function remember what it says of a class: of that very one, whatever it is equal to."""
    known: dict[int, tuple[type, T]] = {}

    def answer(kind: type) -> T:
        found = known.get(id(kind))
        if found is None:
            if len(known) >= _CLASSES:
                known.clear()
            found = known[id(kind)] = (kind, ask(kind))  # the class is kept, so that no other gets its id
        return found[1]

    return answer


def spell(root: str, keys: Sequence[str | int]) -> str:
    """Return how people write the place of a value, such as ``args.lines[0]["unit price"]``.

    Args:
        root: Name of the whole, such as ``args``.
        keys: Keys and indexes from the root to the value.
    """
    parts = [root]
    for key in keys:
        if isinstance(key, int):
            parts.append(f"[{key}]")
        else:
            parts.append(f".{key}" if _PLAIN_KEY.fullmatch(key) else f"[{json.dumps(key)}]")
    return "".join(parts)


def plain_text(value: object) -> str | None:
    """Return the very text that a value is, also where its class adds to it; None where it is none.

    Half a surrogate pair makes none.
    """
    if not issubclass(type(value), str):  # the value itself is not asked
        return None
    text = str.__str__(value)
    return text if has_utf8(text) else None


def has_utf8(text: str) -> bool:
    """Tell whether a text has a UTF-8 form; half a surrogate pair has none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def storable(text: str) -> str:
    """Return a text that has a UTF-8 form: half a surrogate pair, which JSON may carry, is spelt out."""
    return text.encode("utf-8", "backslashreplace").decode()


def class_name(kind: type) -> str:
    """Return module and qualified name of a class; the name alone for built-in ones.

    Its metaclass is not asked: that may be anybody's code.
    """
    module, name = vars(type)["__module__"].__get__(kind), vars(type)["__qualname__"].__get__(kind)
    return str(name) if module == "builtins" else f"{module}.{name}"


def named(value: object) -> str:
    """Return how a message names what was given: a text or a number as it is written, all else by its class.

    Only plain values are asked to show themselves: others may raise, go on for ever, or tell a secret.
    """
    if type(value) is str:
        return repr(value if len(value) <= _LONGEST_NAMED else f"{value[:_LONGEST_NAMED]}…")
    if type(value) is int:
        return str(value) if value.bit_length() <= _LONGEST_NAMED else "a number too large to write"
    return repr(value) if value is None or type(value) in (bool, float) else f"({class_name(type(value))})"


def model_parts(value: object) -> dict[str, dict[str, Any]] | None:
    """Return everything a model holds, read from its attributes, or None where it is no model.

    Serializers are not asked: they may leave out, rename or hide fields.

    Args:
        value: Anything.

    Returns:
        ``fields`` by name, and ``held`` for what it carries beside them; for pydantic models also ``extra``,
        ``private`` and which fields were ``set``.
    """
    kind = type(value)
    if isinstance(value, _CLOSED) or not is_open(kind):
        return None
    names = field_names(kind)
    if names is not None:
        return _whole(value, _present(value, names))
    if isinstance(value, tuple):
        names = getattr(type(value), "_fields", ())
        fits = len(set(names)) == len(names) == len(value) and names
        return _whole(value, dict(zip(names, value, strict=True))) if fits else None
    if is_secret(value):
        return _whole(value, {"value": value.get_secret_value()})  # type: ignore[attr-defined]
    return _pydantic_parts(value) if _is_pydantic(value) else None


def is_secret(value: object) -> bool:
    """Tell whether a value is one of pydantic's secret types."""
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and isinstance(value, (pydantic.SecretStr, pydantic.SecretBytes))


def is_secret_kind(kind: type) -> bool:
    """Tell whether a class is one of pydantic's secret types."""
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and issubclass(kind, (pydantic.SecretStr, pydantic.SecretBytes))


def is_pydantic(kind: type) -> bool:
    """Tell whether a class is one of pydantic's models."""
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and issubclass(kind, pydantic.BaseModel)


def copy_model(value: Any, copied: Callable[[Any], Any]) -> Any:
    """Return a model of the same class that holds copies of everything the given one holds.

    Its own way to be copied is not asked: it may share, change or leave out what it holds.

    Args:
        value: Something that ``model_parts`` knows.
        copied: Copies one value that it holds.
    """
    kind = type(value)
    made = tuple.__new__(kind, map(copied, value)) if isinstance(value, tuple) else object.__new__(kind)
    if _is_pydantic(value):
        for name in ("__dict__", *beside(kind)):
            object.__setattr__(made, name, copied(getattr(value, name)))
        object.__setattr__(made, "__pydantic_fields_set__", set(value.__pydantic_fields_set__))
    else:
        for name, each in _state(value).items():
            object.__setattr__(made, name, copied(each))
    return made


def _is_pydantic(value: object) -> bool:
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and isinstance(value, pydantic.BaseModel)


@by_class
def is_open(kind: type) -> bool:
    """Tell whether objects of a class can hold nothing but attributes: no base is written in C but these."""
    return all(base.__flags__ & _WRITTEN_IN_PYTHON or base in (object, tuple) for base in kind.__mro__)


@by_class
def field_names(kind: type) -> tuple[str, ...] | None:
    """Return the names of a dataclass's fields; None for another class."""
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None


@by_class
def slots(kind: type) -> tuple[tuple[str, MemberDescriptorType], ...]:
    """Return the slots of a class and its bases, its own first."""
    members = [each for base in kind.__mro__ for each in vars(base).items()]
    return tuple((name, each) for name, each in members if isinstance(each, MemberDescriptorType))


@by_class
def beside(kind: type) -> tuple[str, ...]:
    """Return where objects of a pydantic class hold more than fields: for a root model, nowhere."""
    return tuple(name for name in _BESIDE if isinstance(getattr_static(kind, name), MemberDescriptorType))


def _whole(value: object, fields: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return fields, and beside them what else the object holds."""
    held = {
        name: each for name, each in _state(value).items() if not (name in fields and fields[name] is each)
    }
    if held and is_secret(value):
        known = [id(each) for each in fields.values()]
        held = {name: each for name, each in held.items() if id(each) not in known}
    return {"fields": fields, "held": held} if held else {"fields": fields}


def _state(value: object) -> dict[str, Any]:
    """Return every attribute that an object itself holds, in its slots and its dict."""
    kind = type(value)
    held: dict[str, Any] = {}
    for name, member in slots(kind):
        if name not in held:
            with suppress(AttributeError):
                held[name] = member.__get__(value, kind)
    return held | getattr(value, "__dict__", {})


def _pydantic_parts(value: Any) -> dict[str, dict[str, Any]]:
    names = type(value).model_fields
    parts = {
        "fields": {name: value.__dict__[name] for name in names if name in value.__dict__},
        "held": {name: each for name, each in value.__dict__.items() if name not in names},
        "extra": value.__pydantic_extra__ or {},
        "private": value.__pydantic_private__ or {},
        "set": dict.fromkeys(value.__pydantic_fields_set__ & names.keys(), True),
    }
    return {name: part for name, part in parts.items() if part or name == "fields"}


def _present(value: object, names: Sequence[str]) -> dict[str, Any]:
    found = {name: getattr(value, name, _NOTHING) for name in names}
    return {name: each for name, each in found.items() if each is not _NOTHING}
