"""Write the values of a policy in one line: as YAML takes them, or so that equal ones are equal texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gate.values import IDENTIFIER, decimal_of, exact_text


def flow(value: Any) -> str:
    """Write a value as YAML in one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(str(key))}: {flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(flow, value)) + "]"
    return f"{value:f}" if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False)


def short(value: Any, limit: int = 160) -> str:
    """Write a value in one line, at most ``limit`` characters of it."""
    text = flow(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _key(key: str) -> str:
    return key if IDENTIFIER.fullmatch(key.replace(".", "_")) else json.dumps(key, ensure_ascii=False)


def written(value: Any) -> str:
    """Write a value of a policy so that equal values are equal texts: numbers by their value."""
    return json.dumps(_plain(value), ensure_ascii=False, sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    number = decimal_of(value)
    return {"number": exact_text(number)} if number is not None else value
