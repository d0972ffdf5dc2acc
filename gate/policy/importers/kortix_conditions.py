"""Carry the argument conditions of Kortix rules over: texts, globs and regular expressions."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from gate.policy.importers import patterns
from gate.policy.importers.reading import Place
from gate.policy.matching import compile_regex
from gate.values import quoted

_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_FORBIDDEN = frozenset({"__proto__", "constructor", "prototype"})
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{0,14}[1-9])?")
_ONE_ADDRESS = r"[^@,;\s<>]+"
_REGEX = re.compile(r"/(.+)/([a-z]*)", re.DOTALL)


def condition(rule: Place, *, restrictive: bool) -> dict[str, Any]:
    """Return the condition of one rule as it stands under ``when``.

    Args:
        rule: The rule; what cannot be carried over is added to its problems.
        restrictive: Whether the rule holds or blocks.

    Returns:
        Paths and what must hold there; empty for a rule without conditions.
    """
    found: list[tuple[str, dict[str, Any]]] = []
    for place in rule.each("conditions"):
        place.only("arg", "match", "negate")
        one = _one(place, restrictive)
        if one is not None:
            found.append(one)
    return _joined(found)


def _joined(parts: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    joined = dict(parts)
    return joined if len(joined) == len(parts) else {"all": [{path: test} for path, test in parts]}


def _one(place: Place, restrictive: bool) -> tuple[str, dict[str, Any]] | None:
    path, match, negate = _path(place), place.raw.get("match"), place.raw.get("negate", False)
    if not isinstance(match, str) or not match:
        place.bad("must be a text that is not empty: quote it", "match")
    if not isinstance(negate, bool):
        place.bad("must be true or false", "negate")
    if not path or not isinstance(match, str) or not match or not isinstance(negate, bool):
        return None
    try:
        return f"args.{path}", _test(match, negate=negate, ignore_case=restrictive is not negate)
    except ValueError as error:
        place.bad(f"{quoted(match)} {error}", "match")
        return None


def _path(place: Place) -> str:
    path = place.text("arg", required=True)
    if path and (not _PATH.fullmatch(path) or _FORBIDDEN.intersection(path.split("."))):
        place.bad(f"{quoted(path)} is not a path of arguments: write names joined by dots", "arg")
        return ""
    return path


def _test(match: str, *, negate: bool, ignore_case: bool) -> dict[str, Any]:
    """Return what must hold.

    A text of several addresses ends in a domain too, so where a rule lets calls run to a domain the whole
    text must be one address.
    """
    regex = _REGEX.fullmatch(match)
    if regex is not None:
        return {"not_regex" if negate else "regex": _expression(regex[1], regex[2], ignore_case)}
    if match.startswith("*@") and "*" not in match[1:] and not ignore_case:
        return {"not_regex" if negate else "regex": _ONE_ADDRESS + match[1:].replace(".", r"\.")}
    if "*" in match:
        return {"not_glob" if negate else "glob": re.sub(r"\*+", "*", match)}
    also = _as_value(match)
    if also is not None:
        return {"not_in" if negate else "in": [also, match]}
    return {"ne" if negate else "eq": match}


def _expression(body: str, flags: str, ignore_case: bool) -> str:
    """Return an expression for the whole value.

    Kortix ignores case. Ours does where that makes the rule apply more widely, or less widely where it lets
    calls run; else another case is undecided.
    """
    if flags not in ("", "i"):
        raise ValueError(f"has the flags {quoted(flags)}: only i is carried over")
    pattern = patterns.whole(body)
    compile_regex(pattern)
    return f"(?i:{pattern})" if ignore_case else pattern


def _as_value(text: str) -> Any:
    """Return the number or truth value that is written so, which Kortix takes for the same."""
    if text in ("true", "false"):
        return text == "true"
    if not _NUMBER.fullmatch(text):
        return None
    return Decimal(text) if "." in text else int(text)
