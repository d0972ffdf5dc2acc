"""Pick the decisive values and the others out of a record, and tell whether a card can hold them uncut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.views import blocks
from bot.views.text import (
    Block,
    Shown,
    abridged,
    apart,
    clip,
    flat,
    has_gap,
    lines,
    one_line,
    preformatted,
    shown,
    width,
)
from gate.model import HoldRecord
from gate.redact import NOT_GIVEN as MISSING
from gate.redact import is_hidden
from gate.values import format_path, parse_path

NOT_GIVEN = Shown(MISSING)
SHORT = 160
"""Widest value that goes into a field beside others."""
CARD_ROOM = 4000
"""Width of all decisive values together that a card shows uncut."""
CARD_VALUES = 20
"""Most decisive values that a card shows uncut."""
CARD_BLOCKS = 40
"""Most blocks that they may fill: with the rest of a card, and a word of what is left out, Slack takes 50."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value as people see it.

    Attributes:
        label: Its path, without ``args.``, as one line; no two values of a hold have the same.
        text: Visible text, line breaks kept.
        count: How many elements it has where it is a list; None for anything else.
        compact: Lists and mappings in one line; None where ``text`` serves.
    """

    label: Shown
    text: Shown
    count: int | None = None
    compact: Shown | None = None

    @property
    def title(self) -> Shown:
        """Return the label, with the number of elements of a list."""
        if self.count is None:
            return self.label
        return Shown(f"{self.label} ({self.count} {'item' if self.count == 1 else 'items'})")

    @property
    def short(self) -> bool:
        """Tell whether it fits into a field: one short line that looks like one."""
        one = "\n" not in self.text and not has_gap(self.text)
        return one and width(self.text) <= SHORT and width(self.label) <= SHORT


def _inside(value: Any) -> Mapping[str, Any] | None:
    """Return a JSON mapping as plain keys; None for anything else, tagged scalars included."""
    if not isinstance(value, Mapping):
        return None
    inner = value.get("$dict", value) if len(value) == 1 else value
    return inner if isinstance(inner, Mapping) else None


def _walk(arguments: Mapping[str, Any], keys: tuple[str, ...]) -> tuple[tuple[str, ...], Any]:
    """Follow keys through mappings; where something else stands, show that whole."""
    here: Any = arguments
    for depth, key in enumerate(keys):
        inside = _inside(here)
        if inside is None:
            return keys[:depth], here
        if key not in inside:
            return keys, _Missing
        here = inside[key]
    return keys, here


class _Missing:
    """Stands for a path that the call does not give."""


def _context_value(record: HoldRecord, path: str) -> str | None:
    spelled = {
        "action": record.name,
        "agent": record.agent,
        "session.id": record.session,
        "on_behalf_of": str(record.on_behalf_of) if record.on_behalf_of else NOT_GIVEN,
    }
    return spelled.get(path)


def _value(record: HoldRecord, path: str) -> Value | None:
    root, *keys = parse_path(path)
    if root != "args":
        text = _context_value(record, path)
        return None if text is None else Value(one_line(f"{path} (of the call)"), shown(text))
    found, value = _walk(record.arguments, tuple(keys))
    if value is _Missing:
        return Value(_label(found), NOT_GIVEN)
    return _given(record, found, value)


def _given(record: HoldRecord, keys: tuple[str, ...], value: Any) -> Value:
    compact = flat(shown(value, compact=True)) if isinstance(value, (list, Mapping)) else None
    return Value(_label(keys), _shown(record, keys, value), _count(value), compact)


def _count(value: Any) -> int | None:
    """Return how many elements a list has, tagged or not; None for anything else."""
    if isinstance(value, Mapping) and len(value) == 1:
        value = value.get("$tuple")
    return len(value) if isinstance(value, list) else None


def _label(keys: tuple[str, ...]) -> Shown:
    """Name an argument; a name that could be taken for more than a name stands in brackets and quotes."""
    return apart(one_line(format_path(("args", *keys)).removeprefix("args.")))


def _shown(record: HoldRecord, keys: tuple[str, ...], value: Any) -> Shown:
    """Write a value; what redaction hid is no text of the agent's and stands without quotes."""
    hidden = is_hidden(value) and format_path(("args", *keys)) in record.hidden
    return Shown(value) if hidden else shown(value)


def all_values(record: HoldRecord) -> tuple[Value, ...]:
    """Return every argument, uncut."""
    return tuple(_given(record, (name,), value) for name, value in record.arguments.items())


def decisive_values(record: HoldRecord) -> tuple[Value, ...]:
    """Return every decisive value, uncut, in the policy's order; all arguments where none is named."""
    if not record.decisive:
        return all_values(record)
    found = (_value(record, path) for path in record.decisive)
    return tuple({value.label: value for value in found if value is not None}.values())


def other_values(record: HoldRecord) -> tuple[Value, ...]:
    """Return the arguments that are not among the decisive values."""
    if not record.decisive:
        return ()
    named = {value.label for value in decisive_values(record)}
    return tuple(value for value in all_values(record) if value.label not in named)


def fits_card(values: tuple[Value, ...]) -> bool:
    """Tell whether a card shows these decisive values uncut."""
    room = sum(width(value.text) + width(value.label) for value in values)
    return len(values) <= CARD_VALUES and room <= CARD_ROOM and len(uncut(values)) <= CARD_BLOCKS


def uncut(values: tuple[Value, ...]) -> list[Block]:
    """Return values whole: short ones as lines of a paragraph, others in boxes of their own."""
    short = [(value.title, value.text) for value in values if value.short]
    told = [blocks.facts(short[at : at + 10]) for at in range(0, len(short), 10)]
    for value in values:
        if not value.short:
            told.extend(blocks.named_text(value.title, value.text))
    return told


def listing(values: tuple[Value, ...], most: int, limit: int) -> Block:
    """Return values in one box, a line each: long ones without their middle, and a count of the rest."""
    told = [
        f"{clip(value.title, 60)}: {abridged(value.compact or flat(value.text), limit)}"
        for value in values[:most]
    ]
    more = [f"… and {len(values) - most} more"] if len(values) > most else []
    return preformatted(lines(*told, *more))
