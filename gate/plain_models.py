"""Read and make again many models of one class that hold nothing but their fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

from gate.shapes import by_class, field_names, is_open, is_pydantic, is_secret_kind, slots

_OWN = frozenset({"__class__", "__getattribute__"})
"""What a class may answer itself that objects are asked here."""

Parts = dict[str, dict[str, Any]]
"""What a model holds, as ``model_parts`` gives it."""


@dataclass(frozen=True, slots=True)
class PlainModel:
    """A class of models whose fields are what its objects hold, whoever asks.

    Attributes:
        kind: The class.
        parts: Gives what an object holds; None where that is more than its fields.
        fill: Puts that into a new object.
    """

    kind: type
    parts: Callable[[Any], Parts | None]
    fill: Callable[[Any, Parts], None]

    def made(self, held: Parts) -> Any:
        """Return a new object that holds something; none of the code of its class runs."""
        made: Any = object.__new__(self.kind)
        self.fill(made, held)
        return made


@by_class
def plain_model(kind: type) -> PlainModel | None:
    """Return how objects of a class are read and made again; None where each must be looked at by itself."""
    if not is_open(kind) or issubclass(kind, tuple) or is_secret_kind(kind) or _answers_itself(kind):
        return None
    names = field_names(kind)
    if names is not None:
        return _dataclass(kind, names)
    return _pydantic(kind) if is_pydantic(kind) else None


def _answers_itself(kind: type) -> bool:
    own = [vars(base) for base in kind.__mro__[:-1]]
    held = [each["__dict__"] for each in own if "__dict__" in each]
    return any(map(_OWN.intersection, own)) or not all(
        isinstance(each, GetSetDescriptorType) for each in held
    )


def _dataclass(kind: type, names: Sequence[str]) -> PlainModel | None:
    if any(_works_out(kind, each) for each in names):
        return None
    members = dict(slots(kind))
    if not members:
        return PlainModel(kind, partial(_in_dict, set(names)), _fill_dict)
    closed = members.keys() == set(names) and not kind.__dictoffset__
    return PlainModel(kind, partial(_in_slots, names), _fill_slots) if closed else None


def _in_dict(names: Set[str], value: Any) -> Parts | None:
    state = dict(value.__dict__)
    return {"fields": state} if state.keys() == names else None


def _fill_dict(made: Any, held: Parts) -> None:
    made.__dict__.update(held["fields"])


def _in_slots(names: Sequence[str], value: Any) -> Parts | None:
    try:
        return {"fields": {name: getattr(value, name) for name in names}}
    except AttributeError:
        return None


def _fill_slots(made: Any, held: Parts) -> None:
    for name, each in held["fields"].items():
        object.__setattr__(made, name, each)


def _works_out(kind: type, name: str) -> bool:
    """Tell whether a class answers for an attribute itself, whatever an object holds."""
    found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    overrides = hasattr(type(found), "__set__") or hasattr(type(found), "__delete__")
    return overrides and not isinstance(found, MemberDescriptorType)


def _pydantic(kind: Any) -> PlainModel:
    fields: Mapping[str, Any] = kind.model_fields

    def parts(value: Any) -> Parts | None:
        state, given = dict(value.__dict__), value.__pydantic_fields_set__
        beside = (value.__pydantic_extra__, value.__pydantic_private__)
        if beside != (None, None) or not (state.keys() <= fields.keys() and given <= fields.keys()):
            return None
        return {"fields": state, "set": dict.fromkeys(given, True)} if given else {"fields": state}

    def fill(made: Any, held: Parts) -> None:
        object.__setattr__(made, "__dict__", held["fields"])
        object.__setattr__(made, "__pydantic_extra__", None)
        object.__setattr__(made, "__pydantic_private__", None)
        object.__setattr__(made, "__pydantic_fields_set__", set(held.get("set", ())))

    return PlainModel(kind, parts, fill)
