"""Values of exact types at the paths that people may change: which type stands there, and how one is read."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from gate import json_schema
from gate.digest import tagged
from gate.errors import ActionError
from gate.model import Field
from gate.model.edits import FieldKind
from gate.schema_problems import problem
from gate.shapes import class_name
from gate.values import quoted

LONGEST = 20_000
"""How many characters a new text may have."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,4000}")
_NUMBER = re.compile(r"[+-]?([0-9]{1,4000}(\.[0-9]{0,4000})?|\.[0-9]{1,4000})")
_OFFSET = re.compile(r"([+-])([0-9]{2}):([0-9]{2})")

_KINDS: Mapping[type, FieldKind] = {
    bool: "flag", int: "whole", float: "float", Decimal: "decimal", str: "text", date: "date",
    datetime: "datetime", UUID: "uuid", type(None): "unknown",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Typed:
    """One new value.

    Attributes:
        tag: Its tagged form, exactly as it counts in digests.
        value: What policies read and people see: a member of an enumeration by its value.
    """

    tag: Any
    value: Any


def field_of(path: str, value: object) -> Field | None:
    """Return the place of a value that may be changed; None where such a value cannot be.

    Args:
        path: Its path.
        value: What stands there in the call.
    """
    kind = _KINDS.get(type(value))
    if isinstance(value, datetime):
        return Field(path, "datetime", zone=_zone(value))
    if kind is not None:
        return Field(path, kind)
    if isinstance(value, Enum) and isinstance(value.name, str):
        members = {name: _shown(each) for name, each in type(value).__members__.items()}
        return Field(path, "enum", class_name(type(value)), members)
    if type(value) is list and value and all(type(each) is str for each in value):
        return Field(path, "texts")
    return None


def _shown(member: Enum) -> Any:
    return member.value if isinstance(member.value, (str, int)) else member.name


def _zone(value: datetime) -> str | None:
    if value.tzinfo is None:
        return None
    key = getattr(value.tzinfo, "key", None)
    return str(key) if key else value.isoformat()[-6:]


def with_schema(field: Field, schema: Mapping[str, Any]) -> Field:
    """Return a field with what the JSON Schema of all arguments says of it.

    Args:
        field: As the call has it.
        schema: JSON Schema of the tool's arguments; empty where none is known.
    """
    found = json_schema.part(schema, field.path)
    if found is None:
        return field
    definitions = json_schema.definitions_of(schema, field.path)
    told = replace(field, schema=found, definitions=definitions)
    kinds = json_schema.kinds(found, definitions)
    return replace(told, kind=_refined(field.kind, kinds), optional="null" in kinds)


def _refined(kind: FieldKind, kinds: frozenset[str]) -> FieldKind:
    """Return the type that new values have, from what stands there and what the schema takes."""
    if kind == "whole" and "number" in kinds:
        return "decimal" if "string" in kinds else "float"
    if kind != "unknown":
        return kind
    if "number" in kinds:
        return "decimal" if "string" in kinds else "float"
    named: Mapping[str, FieldKind] = {
        "integer": "whole", "boolean": "flag", "date": "date", "uuid": "uuid", "string": "text",
    }  # fmt: skip
    return next((named[each] for each in named if each in kinds), "unknown")


def typed(field: Field, given: object) -> Typed:
    """Read a new value for a field: of its type, or a text that spells one.

    Args:
        field: The field, with its schema where one is known.
        given: The value, or a text.

    Returns:
        The value in its exact type.

    Raises:
        ValueError: It is of another type, or the schema does not take it; the message says what it takes.
    """
    if given is None or (given == "" and field.optional and field.kind != "text"):
        if not field.optional:
            raise ValueError("needs a value")
        return Typed(None, None)
    found = _READERS[field.kind](field, given)
    try:
        tag = found.tag if field.kind == "enum" else tagged(found.value)
    except ActionError as error:
        raise ValueError(str(error).removeprefix("value: ").removesuffix(" Nothing ran.")) from None
    wrong = problem(field.schema, _plain(found.value), field.definitions)
    if wrong:
        raise ValueError(wrong)
    return Typed(tag, found.value)


def _plain(value: Any) -> Any:
    """Return a value as JSON Schema knows it."""
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value


def _flag(field: Field, given: object) -> Typed:
    words = {"true": True, "false": False}
    found = words.get(given) if isinstance(given, str) else given
    if not isinstance(found, bool):
        raise ValueError("must be true or false")
    return Typed(found, found)


def _whole(field: Field, given: object) -> Typed:
    if isinstance(given, str) and _WHOLE.fullmatch(given.strip()):
        given = int(given.strip())
    if type(given) is not int:
        raise ValueError("must be a whole number")
    return Typed(given, given)


def _decimal(field: Field, given: object) -> Typed:
    if isinstance(given, str) and _NUMBER.fullmatch(given.strip()):
        given = Decimal(given.strip())
    if type(given) is int:
        given = Decimal(given)
    if not isinstance(given, Decimal) or not given.is_finite():
        raise ValueError("must be a number, such as 250 or 250.50")
    return Typed(given, given)


def _float(field: Field, given: object) -> Typed:
    if isinstance(given, str) and _NUMBER.fullmatch(given.strip()):
        given = float(given.strip())
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise ValueError("must be a number, such as 250 or 250.5")
    try:
        found = float(given)
    except OverflowError:
        raise ValueError("is too large a number") from None
    if not math.isfinite(found):
        raise ValueError("must be a number that is not too large")
    return Typed(found, found)


def _text(field: Field, given: object) -> Typed:
    if type(given) is not str:
        raise ValueError("must be a text")
    if len(given) > LONGEST:
        raise ValueError(f"must have at most {LONGEST:,} characters")
    return Typed(given, given)


def _texts(field: Field, given: object) -> Typed:
    lines = [line.strip() for line in given.splitlines()] if isinstance(given, str) else given
    if not isinstance(lines, (list, tuple)) or not all(type(each) is str for each in lines):
        raise ValueError("must be texts, one on each line")
    kept = [each for each in lines if each]
    if not kept:
        raise ValueError("needs at least one line")
    if sum(map(len, kept)) > LONGEST:
        raise ValueError(f"must have at most {LONGEST:,} characters")
    return Typed(kept, kept)


def _date(field: Field, given: object) -> Typed:
    if isinstance(given, str):
        given = _iso(date.fromisoformat, given, "must be a date such as 2026-11-29")
    if type(given) is not date:
        raise ValueError("must be a date such as 2026-11-29")
    return Typed(given, given)


def _datetime(field: Field, given: object) -> Typed:
    said = "must be a date and time such as 2026-11-29T14:30:00"
    if isinstance(given, str):
        given = _iso(datetime.fromisoformat, given, said)
    if type(given) is not datetime:
        raise ValueError(said)
    if field.zone is None:
        if given.tzinfo is not None:
            raise ValueError("must have no offset, like the time that stands there")
        return Typed(given, given)
    zone = _zone_of(field.zone)
    if given.tzinfo is None:
        given = given.replace(tzinfo=zone)
    try:
        placed = given if given.tzinfo == zone else given.astimezone(zone)
    except OverflowError:
        raise ValueError("is in no year that exists there") from None
    return Typed(placed, placed)


def _zone_of(text: str) -> timezone | ZoneInfo:
    found = _OFFSET.fullmatch(text)
    if found is None:
        try:
            return ZoneInfo(text)
        except (ZoneInfoNotFoundError, ValueError):
            raise ValueError(f"has a zone that is not known here: {quoted(text)}") from None
    minutes = int(found[2]) * 60 + int(found[3])
    return timezone(timedelta(minutes=-minutes if found[1] == "-" else minutes))


def _uuid(field: Field, given: object) -> Typed:
    if isinstance(given, str):
        given = _iso(UUID, given, "must be a UUID")
    if type(given) is not UUID:
        raise ValueError("must be a UUID")
    return Typed(given, given)


def _iso(read: Callable[[str], Any], text: str, said: str) -> Any:
    try:
        return read(text.strip())
    except ValueError:
        raise ValueError(said) from None


def _enum(field: Field, given: object) -> Typed:
    name = given.name if isinstance(given, Enum) else given
    if not isinstance(name, str) or name not in field.members:
        name = next((one for one, value in field.members.items() if _same(value, given)), None)
    if not isinstance(name, str):
        named = ", ".join(str(each) for each in [*field.members.values()][:20])
        raise ValueError(f"must be one of {named}")
    return Typed({"$enum": [field.enum, name]}, field.members[name])


def _same(value: object, given: object) -> bool:
    """Tell whether two values are the same and of one type: 1 is not True."""
    return type(value) is type(given) and value == given


def _unknown(field: Field, given: object) -> Typed:
    raise ValueError("cannot be changed here: nothing was given, and nobody knows what the tool takes")


_READERS: Mapping[FieldKind, Callable[[Field, object], Typed]] = {
    "flag": _flag, "whole": _whole, "float": _float, "decimal": _decimal, "text": _text, "texts": _texts,
    "date": _date, "datetime": _datetime, "uuid": _uuid, "enum": _enum, "unknown": _unknown,
}  # fmt: skip


def untagged(tag: Any, present: object) -> Any:
    """Return the value that a tagged form stands for.

    Args:
        tag: Tagged form of a value that ``typed`` read.
        present: What stands in the call now; tells the class of an enumeration.

    Raises:
        ValueError: No such value can be made here.
    """
    value = _made(tag, present)
    if isinstance(value, Enum):
        return value
    if tagged(value) != tag:
        raise ValueError("the value is not exactly what was approved")
    return value


def _made(tag: Any, present: object) -> Any:
    if not isinstance(tag, Mapping):
        return list(tag) if isinstance(tag, list) else tag
    (word, inner), *_ = tag.items()
    try:
        return _MAKERS[word](inner, present)
    except (KeyError, TypeError, InvalidOperation, ZoneInfoNotFoundError):
        raise ValueError("the value is of a type that is not known here") from None


def _member(inner: Any, present: object) -> Enum:
    if not isinstance(present, Enum) or class_name(type(present)) != inner[0]:
        raise ValueError(f"nothing of the class {inner[0]} stands there")
    return type(present)[inner[1]]


def _moment(inner: Any, present: object) -> datetime:
    text, fold, zone = inner
    found = datetime.fromisoformat(text)
    return found.replace(tzinfo=ZoneInfo(zone) if zone else found.tzinfo, fold=fold)


_MAKERS: Mapping[str, Callable[[Any, object], Any]] = {
    "$int": lambda inner, _: int(inner),
    "$float": lambda inner, _: float(inner),
    "$decimal": lambda inner, _: Decimal(inner),
    "$date": lambda inner, _: date.fromisoformat(inner),
    "$datetime": _moment,
    "$uuid": lambda inner, _: UUID(inner),
    "$enum": _member,
}
