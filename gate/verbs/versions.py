"""The versions of a held call: what people changed, and what the next change needs to know of it."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gate.clock import from_us
from gate.model import Change, Edit, Field, Person
from gate.store import rows
from gate.store.port import Reader, Row


@dataclass(frozen=True, slots=True)
class Recorded:
    """What is kept of a held call that may be changed, so that a changed one can be judged.

    Attributes:
        fields: Places of the values that may be changed.
        hidden: By path what stands for each hidden value, as JSON text; see ``ledger.Entry``.
        facts: The call's own facts as JSON text, null where they were lost; its session's are looked up.
        told: What the code declared of the tool, as JSON text.
    """

    fields: tuple[Field, ...]
    hidden: str
    facts: str
    told: str


def recorded(row: Row) -> Recorded | None:
    """Return what is kept of a call from the row of its hold; None where nothing in it may be changed."""
    text = row["recorded"]
    found: Recorded | None = rows.load(Recorded, text) if text else None
    return found


def edits(reader: Reader, action: str, version: int | None) -> tuple[Edit, ...]:
    """Return what people changed, oldest first; nothing for a first version."""
    if not version or version < 2:
        return ()
    found = reader.all(
        "SELECT version, editor, changes, made_at FROM versions WHERE action = ? AND version > 1 "
        "ORDER BY version",
        (action,),
    )
    return tuple(_edit(reader, action, row) for row in found)


def _edit(reader: Reader, action: str, row: Row) -> Edit:
    person = Person(*json.loads(row["editor"]))
    changes = tuple(Change(*each) for each in json.loads(row["changes"]))
    gone = voided(reader, action, row["version"] - 1, person)
    return Edit(row["version"], person, from_us(row["made_at"]), changes, gone)


def voided(reader: Reader, action: str, version: int, editor: Person) -> tuple[Person, ...]:
    """Return the others who had approved a version, oldest first."""
    found = reader.all(
        "SELECT team, user, name FROM decisions WHERE action = ? AND version = ? AND said = 'approve' "
        "ORDER BY at, rowid",
        (action, version),
    )
    people = [Person(row["team"], row["user"], row["name"]) for row in found]
    return tuple(each for each in people if each != editor)


def changed_by(reader: Reader, action: str, version: int) -> Person | None:
    """Return who made a version by changing the one before; None for a first one."""
    row = reader.one("SELECT editor FROM versions WHERE action = ? AND version = ?", (action, version))
    return Person(*json.loads(row["editor"])) if row and row["editor"] else None


def decides_more(before: Sequence[str], now: Sequence[str], changed: Collection[str] = ()) -> bool:
    """Tell whether more decides now than what a look at the full view before surely showed.

    A look counts from the page on that shows the last decisive value, which may come before the others.

    Args:
        before: Decisive paths of then; none means all.
        now: Decisive paths of now.
        changed: Paths that whoever looked changed since, and so knows.
    """
    return bool(before) and (not now or not {*now} <= {*before, *changed})
