"""Say whether a path written in a policy can exist, and where it may stand."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from gate.policy.reading import KNOWN_PATHS
from gate.values import format_path, parse_path, quoted

OPEN_ROOTS = {"args": "args.amount", "facts": "facts.environment"}
"""Roots under which any key may stand, each with an example."""

_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean "…"?)`` for the nearest known word, or nothing."""
    near = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)
    return f" (did you mean {quoted(near[0])}?)" if near else ""


def check_path(text: str) -> tuple[str, ...]:
    """Read a path that a condition may use.

    Raises:
        ValueError: It is no path, or cannot exist.
    """
    keys = parse_path(text)
    if keys[0] in OPEN_ROOTS:
        if len(keys) == 1:
            raise ValueError(f"{quoted(text)} alone is no value: name one, such as {OPEN_ROOTS[keys[0]]}")
        return keys
    if keys not in KNOWN_PATHS:
        known = [*OPEN_ROOTS, *map(format_path, sorted(KNOWN_PATHS))]
        there = ", ".join([*(f"{root}.…" for root in OPEN_ROOTS), *known[len(OPEN_ROOTS) :]])
        raise ValueError(f"{quoted(text)} does not exist{_nearest(keys, known)}; there are {there}")
    return keys


def check_argument_path(text: str) -> tuple[str, ...]:
    """Read a path that must lie inside the arguments, such as ``args.card.number``.

    Raises:
        ValueError: It is no such path.
    """
    keys = parse_path(text)
    if keys[0] != "args":
        meant = quoted(format_path(_inside(keys)))
        raise ValueError(f"{quoted(text)} is no argument: write args.… (did you mean {meant}?)")
    return check_path(text)


def _inside(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return the path into the arguments that is likest: a root that is known, or misspelt, is replaced."""
    roots = {*OPEN_ROOTS, *(path[0] for path in KNOWN_PATHS)}
    replaced = len(keys) > 1 and (keys[0] in roots or did_you_mean(keys[0], ["args"]))
    return ("args", *(keys[1:] if replaced else keys))


def template_paths(template: str) -> tuple[tuple[str, ...], ...]:
    """Return the paths that a ``describe`` template names.

    Raises:
        ValueError: A field is no path, or one that cannot exist, or a brace stands alone.
    """
    rest = _FIELD.sub("", template)
    if "{" in rest or "}" in rest:
        raise ValueError("a brace stands alone: write {args.name} for a value, {{ and }} for braces")
    return tuple(check_path(found[1].strip()) for found in _FIELD.finditer(template) if found[1] is not None)


def _nearest(keys: tuple[str, ...], known: list[str]) -> str:
    """Return a hint; a misspelt root is likelier than another path that looks alike."""
    if len(keys) > 1 and keys[0] not in {path.split(".")[0] for path in known}:
        near = next((root for root in OPEN_ROOTS if did_you_mean(keys[0], [root])), None)
        if near is not None:
            return f" (did you mean {quoted(format_path((near, *keys[1:])))}?)"
    return did_you_mean(format_path(keys), known)
