"""Write the values of a policy in one line, as YAML takes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gate.values import IDENTIFIER


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
