"""Copy what was judged, so that nobody changes what another one holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import chain
from typing import Any

from gate.plain_models import plain_model
from gate.shapes import copy_model
from gate.tagging import HANDLERS

_FROZEN = (frozenset(HANDLERS) - {list, dict, tuple}) | {bool, type(None)}
"""Exact types of values in which nothing can change."""

_NO_MODELS = _FROZEN | {dict, list, tuple}

_MANY = 8
"""From how many values on it is quicker to look at all of them together."""


def copied(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a deep copy of arguments that were judged before."""
    return {name: copied_value(value) for name, value in arguments.items()}


def copied_value(value: Any) -> Any:
    """Return a deep copy of one value that was judged before."""
    kind = type(value)
    if kind in _FROZEN:
        return value
    if kind is dict:
        return _renewed(value.copy())
    if kind is list:
        if len(value) >= _MANY:
            return _copied_each(list(value))
        return [each if type(each) in _FROZEN else copied_value(each) for each in value]
    if kind is tuple:
        return tuple(map(copied_value, value))
    return value if issubclass(kind, Enum) else _copied_models(kind, [value])[0]


def _renewed_each(taken: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put copies into dicts that nobody else has."""
    inside = chain.from_iterable(map(dict.values, taken))
    return taken if _FROZEN.issuperset(map(type, inside)) else list(map(_renewed, taken))


def _renewed(taken: dict[str, Any]) -> dict[str, Any]:
    """Put copies into a dict that nobody else has, in place of what lies in it."""
    if len(taken) >= _MANY and _FROZEN.issuperset(map(type, taken.values())):
        return taken
    for key, each in taken.items():
        kind = type(each)
        if kind is dict:
            taken[key] = _renewed(each.copy())
        elif kind not in _FROZEN:
            taken[key] = copied_value(each)
    return taken


def _copied_each(taken: list[Any]) -> list[Any]:
    """Return copies of what lies in a list that nobody else has; dicts and models of one class together."""
    if _FROZEN.issuperset(map(type, taken)):
        return taken
    kind = type(taken[0])
    if set(map(type, taken)) != {kind} or issubclass(kind, Enum):
        return [each if type(each) in _FROZEN else copied_value(each) for each in taken]
    if kind is dict:
        return _renewed_each(list(map(dict.copy, taken)))
    return list(map(copied_value, taken)) if kind in _NO_MODELS else _copied_models(kind, taken)


def _copied_models(kind: type, values: Sequence[Any]) -> list[Any]:
    plain = plain_model(kind)
    held = plain.parts(values) if plain else None
    if plain is None or held is None:
        return [copy_model(each, copied_value) for each in values]
    inside = chain.from_iterable(part.values() for each in held for part in each.values())
    if _FROZEN.issuperset(map(type, inside)):
        return plain.made(held)
    return plain.made([{name: _renewed(part) for name, part in each.items()} for each in held])
