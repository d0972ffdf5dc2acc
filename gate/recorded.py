"""Between the values of a call and the JSON in which the store keeps them; exact numbers stay exact."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from gate.digest import snapshot
from gate.errors import ActionError
from gate.redact import Redacted, Withheld, is_secret_name, keeps_secret, redact
from gate.secret_shapes import unmarked
from gate.values import format_path, parse_path

Swap = Callable[[str], Any]
"""Gives what stands for the value that was hidden at a path."""


def facts_text(facts: Mapping[str, Any]) -> str:
    """Return facts as the JSON text in which a session keeps them, where conditions and the log read them.

    Raises:
        ActionError: They hold something that cannot be judged, or that is named like a secret; the message
            names its path.
    """
    redacted = redact(facts_taken(facts), root="facts", most=sys.maxsize)
    for path in redacted.hidden:
        if is_secret_name(unmarked(parse_path(path)[-1])):
            raise ActionError(
                f"{path}: it is named like a secret, and the store keeps none, so no condition could read it:"
                " rename it, leave it out, or give it by guard(facts=…). Nothing ran."
            )
    return _text(redacted)


def facts_taken(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a copy of facts that shares nothing changeable with the caller's.

    Raises:
        ActionError: They hold something that cannot be judged; the message names its path.
    """
    try:
        return snapshot(facts)
    except ActionError as error:
        raise ActionError(str(error).replace("args", "facts", 1)) from None


LOST = "null"
"""What is written for the facts of a call whose host could not say them: none of them is known."""


def facts_shown(facts: Mapping[str, Any], *, lost: bool) -> str:
    """Return facts as JSON text for the log and the ledger: what a key names as secret is hidden.

    Args:
        facts: The facts.
        lost: Whether host code could not say them.
    """
    if lost:
        return LOST
    if not facts:
        return "{}"
    return _text(redact(facts, root="facts"))


def _text(redacted: Redacted) -> str:
    return json.dumps(redacted.arguments, ensure_ascii=False, allow_nan=False)


def read_facts(text: str) -> dict[str, Any]:
    """Return facts from the text that ``facts_text`` wrote; what it hid cannot be read by any condition."""
    return {} if text == "{}" else {name: _fact(read_back(each)) for name, each in json.loads(text).items()}


def _fact(value: Any) -> Any:
    if isinstance(value, list):
        return [_fact(each) for each in value]
    if isinstance(value, Mapping):
        return {key: _fact(each) for key, each in value.items()}
    return Withheld(value) if keeps_secret(value) else value


def read_back(value: Any, keys: tuple[str, ...] = (), swap: Swap | None = None) -> Any:
    """Return a value from its redacted JSON.

    Args:
        value: The JSON.
        keys: Way to it, root first.
        swap: What to put where a value was hidden; None leaves the text that says so.
    """
    if isinstance(value, list):
        return [read_back(each, keys, swap) for each in value]
    if isinstance(value, Mapping):
        return _mapping(value, keys, swap)
    if swap is not None and keeps_secret(value):
        return swap(format_path(keys))
    return value


def _mapping(value: Mapping[str, Any], keys: tuple[str, ...], swap: Swap | None) -> Any:
    if len(value) == 1:
        (key, inner), *_ = value.items()
        if key == "$decimal":
            return Decimal(inner)
        if key == "$int":
            return int(inner)
        if key == "$dict":
            value = inner
    return {key: read_back(each, (*keys, key), swap) for key, each in value.items()}
