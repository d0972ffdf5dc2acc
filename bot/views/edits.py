"""Changing a call: the form with an input for each value, and what cards say of what was changed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from bot import names
from bot.references import Origin
from bot.views import blocks, modals
from bot.views.fitting import Part, if_room
from bot.views.sentence import described
from bot.views.text import (
    Block,
    Shown,
    abridged,
    apart,
    clip,
    date,
    lines,
    named,
    one_line,
    plain,
    rich_text,
    visible,
    width,
)
from bot.views.text import shown as spelled
from gate import json_schema
from gate.changes import label as label_of
from gate.model import Edit, Field, HoldRecord, Person
from gate.values import parse_path

FIELDS = 40
"""How many inputs a form has at most; Slack takes a hundred blocks."""
CARD_CHANGES = 8
"""Most values of one change that a card names one by one."""
CARD_VALUE = 100
"""Widest of them there, before and after."""
LONGEST_TEXT = 3000
LONGEST_NUMBER = 64
MOST_OPTIONS = 100
OPTION = 75
SENT = 150
"""Widest value of an option."""
MULTILINE = 60
ON = "on"
ONCE = (
    "Once it is approved so, it runs one time with exactly these values."
    " Whatever has no input here stays as the card shows it."
)

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_BOUND = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?")
_UNFIT = Shown("Too long, or in no form that could be changed here:")


def edit_form(record: HoldRecord, origin: Origin, fields: Sequence[Field], *, editor: str = "") -> Block:
    """Return the form to change a call; every input holds the present value.

    Args:
        record: The hold.
        origin: Where the form was opened from.
        fields: The values that may be changed, with their schemas.
        editor: User id of who opens it; their own approval is replaced by the new one.
    """
    inputs = [(each, _input(record, each)) for each in fields[:FIELDS]]
    content = [
        blocks.section(lines(described(record), "", ONCE), 900),
        *(made for _, made in inputs if made is not None),
        *_unfit([each for each, made in inputs if made is None] + list(fields[FIELDS:])),
        modals.comment_input(optional=not modals.comment_required(record, "approve")),
        *_will_be_void(record, editor),
    ]
    return modals.form_modal("Edit and approve", "Approve as changed", content, names.EDIT_FORM, origin)


def block_of(path: str) -> str:
    """Return the id of the block with the input for a path."""
    return f"edit:{path}"


def problems(found: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with new values, by the block that shows it."""
    return {block_of(path): f"{why[:1].upper()}{why[1:]}." for path, why in found.items()}


def present(record: HoldRecord, field: Field) -> str:
    """Return the present value as the text that an input holds; empty for none."""
    value: Any = record.arguments
    for key in parse_path(field.path)[1:]:
        inner = value.get("$dict", value) if isinstance(value, Mapping) else {}
        value = inner.get(key)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "\n".join(str(each) for each in value)
    if isinstance(value, float):
        return format(Decimal(repr(value)), "f")
    if isinstance(value, Mapping) and len(value) == 1:
        return str(next(iter(value.values())))
    return str(value)


def member_of(field: Field, present: str) -> str:
    """Return the name of the member that people see so."""
    return next((name for name, value in field.members.items() if str(value) == present), present)


def options_of(field: Field) -> list[tuple[str, Shown]]:
    """Return what can be chosen: by what is sent, what is shown; nothing where it is typed."""
    if field.kind == "enum":
        return [(name, one_line(str(value))) for name, value in field.members.items()]
    if field.kind == "text" and field.schema:
        return [(each, one_line(each)) for each in json_schema.choices(field.schema, field.definitions)]
    return []


def chosen(value: str) -> str:
    """Return what an option stands for: it says so itself, since a list may change while a form is open."""
    return value.partition(":")[2]


def _input(record: HoldRecord, field: Field) -> Block | None:
    """Return the input for one value; None where no input could hold it whole."""
    now, block = present(record, field), block_of(field.path)
    element = _element(field, now)
    if element is None or len(block) > 255:
        return None
    return {
        "type": "input",
        "block_id": block,
        "label": plain(one_line(label_of(field.path)), 2000),
        "element": {**element, "action_id": names.FIELD},
        "optional": field.optional or field.kind == "flag",
        **_hint(now),
    }


def _hint(present: str) -> Block:
    now = abridged(one_line(present), 150) if present else Shown("nothing")
    return {"hint": plain(lines(f"Now: {now}"), 2000)}


def _element(field: Field, present: str) -> Block | None:
    options = options_of(field)
    if field.kind == "flag":
        return _checkbox(present)
    if options:
        return _select(options, member_of(field, present) if field.kind == "enum" else present)
    if field.kind == "date":
        return {"type": "datepicker", **({"initial_date": present} if present else {})}
    if field.kind in ("whole", "decimal", "float") and _fits_number(present):
        return _number(field, present)
    return _typed(field, present)


def _checkbox(present: str) -> Block:
    option = {"text": plain(Shown("yes"), OPTION), "value": ON}
    chosen = {"initial_options": [option]} if present == "true" else {}
    return {"type": "checkboxes", "options": [option], **chosen}


def _select(options: Sequence[tuple[str, Shown]], present: str) -> Block | None:
    values = [f"{at}:{sent}" for at, (sent, _) in enumerate(options)]
    wide = any(width(text) > OPTION for _, text in options) or any(width(each) > SENT for each in values)
    if len(options) > MOST_OPTIONS or wide:
        return None
    made = [
        {"text": plain(text, OPTION), "value": value}
        for value, (_, text) in zip(values, options, strict=True)
    ]
    at = next((at for at, (sent, _) in enumerate(options) if sent == present), None)
    return {"type": "static_select", "options": made, **({} if at is None else {"initial_option": made[at]})}


def _fits_number(present: str) -> bool:
    return len(present) <= LONGEST_NUMBER and (not present or _NUMBER.fullmatch(present) is not None)


def _number(field: Field, present: str) -> Block:
    made: Block = {"type": "number_input", "is_decimal_allowed": field.kind != "whole"}
    for word, key in (("minimum", "min_value"), ("maximum", "max_value")):
        bound = str(json_schema.bound(field.schema, word))
        if _BOUND.fullmatch(bound) and _within(present, bound, word):
            made[key] = bound
    return made | ({"initial_value": present} if present else {})


def _within(present: str, bound: str, word: str) -> bool:
    """Tell whether Slack takes a bound: it draws no input whose first value is outside."""
    sign = 1 if word == "minimum" else -1
    return not present or sign * (Decimal(present) - Decimal(bound)) >= 0


def _typed(field: Field, present: str) -> Block | None:
    if len(present) > LONGEST_TEXT or (visible(present) != present and field.kind == "text"):
        return None
    long = field.kind == "texts" or len(present) > MULTILINE or "\n" in present
    made: Block = {
        "type": "plain_text_input",
        "multiline": long,
        "max_length": max(_most(field), len(present)),
    }
    return made | ({"initial_value": present} if present else {})


def _most(field: Field) -> int:
    most = field.schema.get("maxLength") if field.kind == "text" else None
    return min(most, LONGEST_TEXT) if type(most) is int and most > 0 else LONGEST_TEXT


def _unfit(fields: Sequence[Field]) -> list[Block]:
    """Say which values may be changed, but not in this form."""
    if not fields:
        return []
    listed = ", ".join(label_of(each.path) for each in fields)
    return [blocks.context(plain(lines(f"{_UNFIT} {clip(one_line(listed), 1000)}"), 2000))]


def _will_be_void(record: HoldRecord, editor: str) -> list[Block]:
    given = [each.person for each in record.decisions if each.said == "approve"]
    people = [each for each in given if each.user != editor]
    if not people:
        return []
    said = " will have to look again: what was approved before a change becomes void."
    return [blocks.prose(*_people(people), rich_text(Shown(said)))]


def _people(people: Sequence[Person]) -> list[Block]:
    found: list[Block] = []
    for at, each in enumerate(people):
        found += [rich_text(Shown(" and "))] if at else []
        found.append(named(each.user))
    return found


def edit_blocks(record: HoldRecord, most: int = 1, *, changes: int = FIELDS, limit: int = 200) -> list[Block]:
    """Return what people changed in a call, the newest change first; nothing where nobody did.

    Args:
        record: The hold.
        most: How many changes are told at most.
        changes: How many values of each one are named at most.
        limit: Widest value, 60 at least.
    """
    shown = [_edit(each, changes, limit) for each in reversed(record.edits[-most:])]
    more = len(record.edits) - most
    if more > 0:
        shown.append(blocks.context(plain(Shown(f"and {more} earlier change{'s' * (more > 1)}"), 100)))
    return shown


def parts_of_card(record: HoldRecord, most: int = 1) -> list[Part]:
    """Return the same for a card, where each change stands as far as there is room."""
    shown = edit_blocks(record, most, changes=CARD_CHANGES, limit=CARD_VALUE)
    return [if_room([each]) for each in shown]


def _edit(edit: Edit, most: int, limit: int) -> Block:
    parts = [rich_text(Shown("Changed by "), bold=True), named(edit.person.user), rich_text(Shown(" "))]
    parts += [date(edit.at), rich_text(Shown(": "))]
    for at, each in enumerate(edit.changes[:most]):
        before, after = (_value(value, limit) for value in (each.before, each.after))
        label = clip(apart(one_line(label_of(each.path))), 100)
        start = Shown(f"{'; ' if at else ''}{label} {before} → ")
        parts += [rich_text(start), rich_text(after, bold=True)]
    left = len(edit.changes) - most
    parts += [rich_text(Shown(f"; and {left} more"))] if left > 0 else []
    void = rich_text(Shown(f". Void: the approval{'s' * (len(edit.voided) > 1)} of "))
    return blocks.prose(*parts, *([void, *_people(edit.voided)] if edit.voided else []))


def _value(value: Any, limit: int) -> Shown:
    if value is None:
        return Shown("nothing")
    return apart(abridged(one_line(spelled(value, compact=True)), limit))
