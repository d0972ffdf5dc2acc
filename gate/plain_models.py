"""Read and make again many models of one class that hold nothing but their fields."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import chain, repeat
from operator import attrgetter, itemgetter
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

from gate.shapes import beside, by_class, field_names, is_open, is_pydantic, is_secret_kind, slots

_OWN = frozenset({"__class__", "__getattribute__"})
"""What a class may answer itself that objects are asked here."""

_DICT, _GIVEN = attrgetter("__dict__"), attrgetter("__pydantic_fields_set__")
_BESIDE = attrgetter("__pydantic_extra__", "__pydantic_private__")

_FIELDS = itemgetter("fields")

Parts = dict[str, dict[str, Any]]
"""What a model holds, as ``model_parts`` gives it."""


@dataclass(frozen=True, slots=True)
class PlainModel:
    """A class of models whose fields are what its objects hold, whoever asks.

    Attributes:
        kind: The class.
        parts: Gives what each of many objects holds, in dicts of its own; None where one of them holds more
            than its fields.
        fill: Puts that into as many new objects.
    """

    kind: type
    parts: Callable[[Sequence[Any]], list[Parts] | None]
    fill: Callable[[Sequence[Any], Sequence[Parts]], None]

    def made(self, held: Sequence[Parts]) -> list[Any]:
        """Return new objects, each of which holds something; none of the code of their class runs."""
        made: list[Any] = list(map(object.__new__, repeat(self.kind, len(held))))
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
        return PlainModel(kind, partial(_in_dicts, set(names)), _fill_dicts) if kind.__dictoffset__ else None
    closed = members.keys() == set(names) and not kind.__dictoffset__
    return PlainModel(kind, partial(_in_slots, names), partial(_fill_slots, names)) if closed else None


def _in_dicts(names: Set[str], values: Sequence[Any]) -> list[Parts] | None:
    states = _states(values)
    return [{"fields": each} for each in states] if all(each.keys() == names for each in states) else None


def _states(values: Sequence[Any]) -> list[dict[str, Any]]:
    """Return copies of what objects have in their dicts."""
    return list(map(dict.copy, map(_DICT, values)))


def _fill_dicts(made: Sequence[Any], held: Sequence[Parts]) -> None:
    _put("__dict__", made, map(_FIELDS, held))


def _in_slots(names: Sequence[str], values: Sequence[Any]) -> list[Parts] | None:
    try:
        columns = [list(map(attrgetter(name), values)) for name in names]
    except AttributeError:
        return None
    rows = zip(*columns, strict=True)
    return [{"fields": each} for each in map(dict, map(zip, repeat(names), rows))]


def _fill_slots(names: Sequence[str], made: Sequence[Any], held: Sequence[Parts]) -> None:
    states = list(map(_FIELDS, held))
    for name in names:
        _put(name, made, map(itemgetter(name), states))


def _put(name: str, made: Sequence[Any], values: Iterable[Any]) -> None:
    """Set an attribute of each of many new objects, whatever their class makes of that."""
    deque(map(object.__setattr__, made, repeat(name), values), maxlen=0)


def _works_out(kind: type, name: str) -> bool:
    """Tell whether a class answers for an attribute itself, whatever an object holds."""
    found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    overrides = hasattr(type(found), "__set__") or hasattr(type(found), "__delete__")
    return overrides and not isinstance(found, MemberDescriptorType)


def _pydantic(kind: Any) -> PlainModel:
    return PlainModel(
        kind, partial(_in_pydantic, frozenset(kind.model_fields)), partial(_fill_pydantic, beside(kind))
    )


def _in_pydantic(fields: frozenset[str], values: Sequence[Any]) -> list[Parts] | None:
    states, given = _states(values), list(map(set, map(_GIVEN, values)))
    if any(each is not None for each in chain.from_iterable(map(_BESIDE, values))):
        return None
    if not all(map(fields.issuperset, chain(states, given))):
        return None
    return [
        {"fields": state, "set": dict.fromkeys(names, True)} if names else {"fields": state}
        for state, names in zip(states, given, strict=True)
    ]


def _fill_pydantic(empty: Sequence[str], made: Sequence[Any], held: Sequence[Parts]) -> None:
    _put("__dict__", made, map(_FIELDS, held))
    for name in empty:
        _put(name, made, repeat(None))
    _put("__pydantic_fields_set__", made, (set(each.get("set", ())) for each in held))
