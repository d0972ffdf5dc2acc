"""Refuse an effect that code declares of a tool and that can be true of no call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gate.errors import GuardError
from gate.model import Effect, Parameters
from gate.values import parse_path, quoted

_KEYS = ("risk", "reversible", "outbound", "amount", "currency", "unit", "count", "describe", "decisive")


def check_effect(effect: Effect | None, takes: Parameters) -> None:
    """Refuse words that do not exist, paths that cannot, and parameters that the tool does not have.

    Args:
        effect: What the code declares; None for nothing.
        takes: What the tool takes.

    Raises:
        GuardError: Something is wrong; says which key, and what to write.
    """
    if effect is None:
        return
    given = {key: value for key in _KEYS if (value := getattr(effect, key)) not in (None, ())}
    wrong = _unreadable(given) or next(_not_taken(given, takes), None)
    if wrong is not None:
        raise GuardError(f"effect=Effect({wrong[0]}=…): {wrong[1]}.")


def _unreadable(given: dict[str, Any]) -> tuple[str, str] | None:
    """Return the first key that a policy could not say either, and why."""
    from pydantic import ValidationError

    from gate.policy.schema import ActionKeys

    if isinstance(decisive := given.get("decisive", []), str):
        return "decisive", f"{quoted(decisive)} is one text: write a list of paths"
    try:
        ActionKeys.model_validate(given | ({"decisive": list(decisive)} if decisive else {}))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        context = first.get("ctx", {})
        entries = context.get("entries") or [(0, str(context.get("error", first["msg"])))]
        return str(first["loc"][0]), str(entries[0][1])
    return None


def _not_taken(given: dict[str, Any], takes: Parameters) -> Iterator[tuple[str, str]]:
    """Yield the keys with a path into a parameter that the tool does not have."""
    if takes.open:
        return
    for key, path in _paths(given):
        if path[0] == "args" and path[1] not in takes.names:
            named = ", ".join(sorted(takes.names)) or "nothing"
            yield key, f"the tool has no parameter {quoted(path[1])}: it takes {named}"


def _paths(given: dict[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    from gate.policy.paths import template_paths

    for key in ("amount", "currency", "count"):
        if str(given.get(key, "")).startswith("args"):
            yield key, parse_path(given[key])
    yield from (("decisive", parse_path(path)) for path in given.get("decisive", ()))
    yield from (("describe", path) for path in template_paths(given.get("describe", "")))
