"""Copy what was judged, so that nobody changes what another one holds."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from gate.plain_models import plain_model
from gate.shapes import copy_model
from gate.tagging import HANDLERS

_FROZEN = (frozenset(HANDLERS) - {list, dict, tuple}) | {bool, type(None)}
"""Exact types of values in which nothing can change."""


def copied(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a deep copy of arguments that were judged before."""
    return {name: copied_value(value) for name, value in arguments.items()}


def copied_value(value: Any) -> Any:
    """Return a deep copy of one value that was judged before."""
    kind = type(value)
    if kind in _FROZEN:
        return value
    if kind is dict:
        return {key: each if type(each) in _FROZEN else copied_value(each) for key, each in value.items()}
    if kind is list:
        return [each if type(each) in _FROZEN else copied_value(each) for each in value]
    if kind is tuple:
        return tuple(map(copied_value, value))
    return value if issubclass(kind, Enum) else _copied_model(value)


def _copied_model(value: Any) -> Any:
    plain = plain_model(type(value))
    held = plain.parts(value) if plain else None
    if plain is None or held is None:
        return copy_model(value, copied_value)
    return plain.made(copied_value(held))
