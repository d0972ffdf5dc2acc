"""What people change in a call before they approve it: places that may be changed, and what was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from gate.model.people import Person

FieldKind = Literal[
    "flag", "whole", "float", "decimal", "text", "date", "datetime", "uuid", "enum", "texts", "unknown"
]


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a call that its approvers may change.

    Attributes:
        path: Its path, such as ``args.amount``.
        kind: Its type; a new value has the same. ``unknown`` where nothing was given and no schema tells.
        enum: Full name of the class of an enumeration's member; empty for everything else.
        members: Names of the members of that class, and the value of each as people see it.
        zone: Zone or offset of a datetime as text; None for one that has none, and for everything else.
        optional: Whether it may be left without a value.
        schema: JSON Schema of the value, references resolved at its top; empty where none is known.
        definitions: What references in that schema lead to.
    """

    path: str
    kind: FieldKind
    enum: str = ""
    members: Mapping[str, Any] = field(default_factory=dict)
    zone: str | None = None
    optional: bool = False
    schema: Mapping[str, Any] = field(default_factory=dict)
    definitions: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Change:
    """One value that was changed.

    Attributes:
        path: Its path.
        before: What stood there, as redacted JSON.
        after: What stands there now, as JSON.
    """

    path: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Edit:
    """What one person changed, which made the next version of a hold.

    Attributes:
        version: The version that it made.
        person: Who changed it.
        at: When, UTC.
        changes: What changed against the version before.
        voided: People whose approval of the version before no longer counts; not told to agents.
    """

    version: int
    person: Person
    at: datetime
    changes: tuple[Change, ...]
    voided: tuple[Person, ...] = ()
