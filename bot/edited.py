"""Read what a form changes: only what is not the value that the form was opened with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from bot import names
from bot.payloads import input_choice, input_value, input_values
from bot.views.edits import FIELDS, block_of, chosen, member_of, options_of, present
from gate.model import Field, HoldRecord


def given(record: HoldRecord, fields: Sequence[Field], values: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return by path each value that a form changes.

    Args:
        record: The hold as it stands.
        fields: The values that may be changed.
        values: State of the form's inputs.
    """
    found: dict[str, Any] = {}
    for each in fields[:FIELDS]:
        if block_of(each.path) in (values or {}):
            now, new = present(record, each), _read(each, values)
            if not _unchanged(each, now, new):
                found[each.path] = None if new == "" and each.optional else new
    return found


def _read(field: Field, values: Mapping[str, Any] | None) -> str:
    block = block_of(field.path)
    if field.kind == "flag":
        return "true" if input_values(values, block, names.FIELD) else "false"
    option = input_choice(values, block, names.FIELD)
    return input_value(values, block, names.FIELD) if option is None else chosen(option)


def _unchanged(field: Field, now: str, new: str) -> bool:
    """Tell whether an input was left as it was; one that could not show its value was not touched."""
    if field.kind == "flag":
        return new == (now or "false")
    options = options_of(field)
    if options:
        shown = member_of(field, now) if field.kind == "enum" else now
        return new == shown or (not new and shown not in {sent for sent, _ in options})
    if field.kind in ("whole", "decimal", "float"):
        return bool(_number(new) == _number(now))
    return _same(new) == _same(now)


def _number(text: str) -> Any:
    try:
        found = Decimal(text.strip())
    except InvalidOperation:
        return text.strip()
    return found if found.is_finite() else text.strip()


def _same(text: str) -> str:
    """Return what tells two texts apart; Slack trims them and writes line breaks in its own way."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
