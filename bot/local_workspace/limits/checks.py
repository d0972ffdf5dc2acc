"""The small checks that the tables of limits are written in.

A check looks at one value at one JSON pointer and adds a sentence for each thing that is wrong. The
sentences have the form that Slack's Web API gives, so that a bot's error handling sees the real thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Findings:
    """What is wrong with one payload, in the order in which it was found."""

    sentences: list[str] = field(default_factory=list)

    def add(self, what: str, pointer: str) -> None:
        """Add one sentence about the value at `pointer`."""
        self.sentences.append(f"{what} [json-pointer:{pointer}]")


Check = Callable[[object, str, Findings], None]


def anything(value: object, pointer: str, findings: Findings) -> None:
    """Accept every value: the limits of this field are not known."""


def string(low: int, high: int, pattern: str | None = None) -> Check:
    """Return a check for a string of `low` to `high` characters that matches `pattern`, if one is given."""

    def check(value: object, pointer: str, findings: Findings) -> None:
        if not isinstance(value, str):
            findings.add("must provide a string", pointer)
        elif len(value) > high:
            findings.add(f"must be less than {high + 1} characters", pointer)
        elif len(value) < low:
            findings.add(f"must be more than {low - 1} characters", pointer)
        elif pattern is not None and not re.fullmatch(pattern, value):
            findings.add("must match the format", pointer)

    return check


def one_of(*allowed: str) -> Check:
    """Return a check for one of a few strings."""

    def check(value: object, pointer: str, findings: Findings) -> None:
        if value not in allowed:
            findings.add(f"must be one of: {', '.join(allowed)}", pointer)

    return check


def flag(value: object, pointer: str, findings: Findings) -> None:
    """Accept true and false only."""
    if not isinstance(value, bool):
        findings.add("must be a boolean", pointer)


def integer(low: int, high: int) -> Check:
    """Return a check for a whole number between `low` and `high`."""

    def check(value: object, pointer: str, findings: Findings) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            findings.add("must be an integer", pointer)
        elif value > high:
            findings.add(f"must be less than {high + 1}", pointer)
        elif value < low:
            findings.add(f"must be more than {low - 1}", pointer)

    return check


def items(check_item: Check, low: int, high: int) -> Check:
    """Return a check for a list of `low` to `high` items, each checked by `check_item`."""

    def check(value: object, pointer: str, findings: Findings) -> None:
        if not isinstance(value, list):
            findings.add("must provide an array", pointer)
            return
        if len(value) > high:
            findings.add(f"no more than {high} items allowed", pointer)
        elif len(value) < low:
            findings.add(f"no fewer than {low} items allowed", pointer)
        for place, item in enumerate(value[:high]):
            check_item(item, f"{pointer}/{place}", findings)

    return check


def shape(
    required: Mapping[str, Check],
    optional: Mapping[str, Check] | None = None,
    *,
    also: Sequence[Check] = (),
    open_ended: bool = False,
) -> Check:
    """Return a check for an object.

    Args:
        required: fields that must be there.
        optional: fields that may be there.
        also: checks of the whole object, run when its fields were in order.
        open_ended: accept further fields. Default false: they are errors, as in Slack.
    """
    known = {**required, **(optional or {}), "type": anything}
    rest = anything if open_ended else _unknown

    def check(value: object, pointer: str, findings: Findings) -> None:
        if not isinstance(value, dict):
            findings.add("must provide an object", pointer)
            return
        before = len(findings.sentences)
        for name in required:
            if name not in value:
                findings.add(f"missing required field: {name}", pointer)
        for name, inner in value.items():
            known.get(name, rest)(inner, f"{pointer}/{name}", findings)
        rules = also if len(findings.sentences) == before else ()
        for rule in rules:
            rule(value, pointer, findings)

    return check


def _unknown(value: object, pointer: str, findings: Findings) -> None:
    above, _slash, name = pointer.rpartition("/")
    findings.add(f"invalid additional property: {name}", above)


def tagged(table: Mapping[str, Check], *allowed: str) -> Check:
    """Return a check that picks the table's check by the object's `type`.

    Args:
        table: the checks by type.
        allowed: the types that may stand in this place. Default: all of the table.
    """

    def check(value: object, pointer: str, findings: Findings) -> None:
        kind = value.get("type") if isinstance(value, dict) else None
        if not isinstance(value, dict):
            findings.add("must provide an object", pointer)
        elif not isinstance(kind, str):
            findings.add("missing required field: type", pointer)
        elif kind not in table or (allowed and kind not in allowed):
            findings.add(f"unsupported type: {kind}", f"{pointer}/type")
        else:
            table[kind](value, pointer, findings)

    return check
