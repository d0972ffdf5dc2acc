"""Say whether a path written in a policy can exist, and where it may stand."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from gate.policy.reading import KNOWN_PATHS
from gate.values import format_path, parse_path, quoted

NOT_YET = "is not in this version"
_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean "…"?)`` for the nearest known word, or nothing."""
    near = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)
    return f" (did you mean {quoted(near[0])}?)" if near else ""


def check_path(text: str) -> tuple[str, ...]:
    """Read a path that a condition may use.

    Raises:
        ValueError: It is no path, cannot exist, or belongs to a later version.
    """
    keys = parse_path(text)
    if keys[0] == "facts" or keys == ("effect", "count"):
        raise ValueError(f"{quoted(text)} {NOT_YET}")
    if keys[0] == "args":
        if len(keys) == 1:
            raise ValueError('"args" alone is no value: name an argument, such as args.amount')
        return keys
    if keys not in KNOWN_PATHS:
        known = ["args", *map(format_path, sorted(KNOWN_PATHS))]
        raise ValueError(
            f"{quoted(text)} does not exist{_nearest(keys, known)}; there are args.…, {', '.join(known[1:])}"
        )
    return keys


def check_argument_path(text: str) -> tuple[str, ...]:
    """Read a path that must lie inside the arguments, such as ``args.card.number``.

    Raises:
        ValueError: It is no such path, or belongs to a later version.
    """
    keys = check_path(text)
    if keys[0] != "args":
        raise ValueError(f"{quoted(text)} is no argument: write args.…")
    return keys


def template_paths(template: str) -> tuple[tuple[str, ...], ...]:
    """Return the argument paths that a ``describe`` template names.

    Raises:
        ValueError: A field is no argument path, or a brace stands alone.
    """
    rest = _FIELD.sub("", template)
    if "{" in rest or "}" in rest:
        raise ValueError("a brace stands alone: write {args.name} for a value, {{ and }} for braces")
    return tuple(
        check_argument_path(found[1].strip()) for found in _FIELD.finditer(template) if found[1] is not None
    )


def _nearest(keys: tuple[str, ...], known: list[str]) -> str:
    """Return a hint; a misspelt root is likelier than another path that looks alike."""
    if len(keys) > 1 and keys[0] not in {path.split(".")[0] for path in known}:
        root = did_you_mean(keys[0], ["args"]) and format_path(("args", *keys[1:]))
        if root:
            return f" (did you mean {quoted(root)}?)"
    return did_you_mean(format_path(keys), known)
