"""Which way a changed value of a policy goes: looser, tighter, or nobody can say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, Literal

from gate.policy.words import written
from gate.values import decimal_of, limit_for, parse_duration

Way = Literal["looser", "tighter", ""]
Judge = Callable[[Any, Any], Way]


def opposite(way: Way) -> Way:
    """Return the other way; none stays none."""
    return "tighter" if way == "looser" else "looser" if way == "tighter" else ""


def way_of(part: str, key: str, old: Any, new: Any) -> Way:
    """Return which way the change of one value goes.

    Args:
        part: ``file``, ``approvals``, ``rule``, ``budget``, ``actions``, ``limits`` or ``names``.
        key: The key.
        old: Value before; None where it was not written.
        new: Value after; None where it is not written.

    Returns:
        The way, or nothing where it is not sure.
    """
    judge = _JUDGES.get((part, key)) or _ANYWHERE.get(key) if part != "names" else None
    try:
        return judge(old, new) if judge else ""
    except (ValueError, TypeError, KeyError):
        return ""


def _ranked(*words: Any, default: Any = None) -> Judge:
    """Judge by a list from loose to tight."""

    def judge(old: Any, new: Any) -> Way:
        one, two = (words.index(default if each is None else each) for each in (old, new))
        return "looser" if two < one else "tighter" if two > one else ""

    return judge


def _number(default: Any, more: Way) -> Judge:
    """Judge by size: ``more`` is the way of a larger number, span or limit."""

    def judge(old: Any, new: Any) -> Way:
        one, two = (_sizes(default if each is None else each) for each in (old, new))
        sizes = [(limit_for(one, code), limit_for(two, code)) for code in {*one, *two}]
        if any(size is None for pair in sizes for size in pair):
            return ""
        ways = {more if two > one else opposite(more) for one, two in sizes if one != two}  # type: ignore[operator]
        return ways.pop() if len(ways) == 1 else ""

    return judge


def _sizes(value: Any) -> Mapping[str, Decimal]:
    if isinstance(value, str):
        return {"*": Decimal(str(parse_duration(value).total_seconds()))}
    if isinstance(value, Mapping):
        return {key: _sizes(each)["*"] for key, each in value.items()}
    number = decimal_of(value)
    if number is None:
        raise ValueError("no size")
    return {"*": number}


def _set(more: Way) -> Judge:
    """Judge by what is listed: ``more`` is the way of a longer list."""

    def judge(old: Any, new: Any) -> Way:
        one, two = ({written(each) for each in value or ()} for value in (old, new))
        return more if one < two else opposite(more) if two < one else ""

    return judge


def same_in_effect(key: str, old: Any, new: Any) -> bool:
    """Tell whether two values of a key are the same once what is not written is filled in."""
    return key == "comment" and _comments(old) == _comments(new)


def _comments(value: Any) -> dict[str, Any]:
    return {"approve": "optional", "deny": "required"} | (value or {})


def _comment(old: Any, new: Any) -> Way:
    one, two = _comments(old), _comments(new)
    return _same_way(_ranked("optional", "required")(one[said], two[said]) for said in one)


def _same_way(ways: Iterable[Way]) -> Way:
    """Return the one way that all changes go; none where they go apart, or there is none."""
    found = set(ways) - {""}
    return found.pop() if len(found) == 1 else ""


def _asks(old: Any, new: Any) -> Way:
    """Judge by how often people may be asked: more often, or again sooner, loosens."""
    one, two = ({"count": 60, "window": "1h"} | (value or {}) for value in (old, new))
    more, longer = _number(None, "looser"), _number(None, "tighter")
    return _same_way((more(one["count"], two["count"]), longer(one["window"], two["window"])))


def _handed(old: Any, new: Any) -> Way:
    """Judge by who may answer in the end: whoever is added loosens."""
    one, two = ((value if isinstance(value, Mapping) else {}).get("approvers") or () for value in (old, new))
    return _set("looser")(one, two)


def _burst(old: Any, new: Any) -> Way:
    """Judge by when the burst card comes: later, or never, loosens."""
    (one, mine), (two, theirs) = map(_rate, (old, new))
    if mine != theirs or one == two:
        return ""
    return "tighter" if two and (not one or two < one) else "looser"


def _rate(burst: Any) -> tuple[int, str]:
    found = {"count": 5, "window": "10m"} | (burst or {})
    return found["count"], found["window"]


_THEN = _ranked("allow", "require_approval", "block", default="require_approval")
_ANYWHERE: Mapping[str, Judge] = {
    "then": _THEN,
    "approvers": _set("looser"),
    "quorum": _number(1, "tighter"),
    "distinct": _ranked(False, True, default=False),
    "comment": _comment,
    "expires_in": _number("4h", "looser"),
    "use_within": _number("4h", "looser"),
    "deliver_within": _number("10m", "looser"),
    "on_behalf_of_may_approve": _ranked(True, False, default=False),
    "hand_over": _handed,
    "on_caller_gone": _ranked("keep", "cancel", default="keep"),
    "redact": _set("tighter"),
    "show": _set("looser"),
    "operators": _set("looser"),
    "editable": _set("looser"),
}
_JUDGES: Mapping[tuple[str, str], Judge] = {
    ("file", "default"): _ranked("allow", "by_risk", "require_approval", "block"),
    ("file", "resolve"): _ranked("first_match", "strictest", default="strictest"),
    ("budget", "limit"): _number(None, "looser"),
    ("budget", "window"): _number(None, "tighter"),
    ("budget", "reads"): _ranked(False, True, default=False),
    ("budget", "headroom"): _number(0, "looser"),
    ("actions", "risk"): _ranked("read", "write", "destructive"),
    ("actions", "reversible"): _ranked(True, False, default=False),
    ("actions", "outbound"): _ranked(False, True, default=True),
    ("actions", "decisive"): _set("tighter"),
    ("limits", "pending_per_session"): _number(20, "looser"),
    ("limits", "asks_per_session"): _asks,
    ("limits", "burst"): _burst,
    ("limits", "pending_per_agent"): _number(100, "looser"),
}
"""Judges of keys where they stand; undeclared values of tools count as what the gate takes for them."""
