"""How values become columns and come back."""

from __future__ import annotations

import json
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from gate.clock import from_us
from gate.forks import whole
from gate.lifecycle import State
from gate.model import ActionRecord, Card, Decision, Edit, Person, Principal
from gate.store.faults import unreadable
from gate.store.port import Row


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    with whole():
        return TypeAdapter(kind)


def dump(kind: Any, value: object) -> str:
    """Return a value as JSON text.

    Args:
        kind: Its type, such as ``tuple[Requirement, ...]``.
        value: The value.
    """
    return _adapter(kind).dump_json(value).decode()


def told(kind: Any, value: object) -> Any:
    """Return a value as the values of JSON that ``dump`` writes, for a record of the log."""
    return _adapter(kind).dump_python(value, mode="json")


def load(kind: Any, text: str) -> Any:
    """Return the value of that type that ``dump`` wrote.

    Raises:
        StoreError: The text is none of these any more (code ``store_damaged``).
    """
    try:
        return _adapter(kind).validate_json(text)
    except ValidationError:
        raise unreadable() from None


def principal_text(value: Principal | None) -> str:
    """Return for whom as one column; empty for nobody."""
    return "" if value is None else f"{value.kind}:{value.team or ''}:{value.id}"


def principal(text: str) -> Principal | None:
    """Return for whom from its column."""
    if not text:
        return None
    kind, team, id_ = text.split(":", 2)
    return Principal(cast("Any", kind), id_, team or None)


def moment(microseconds: int | None) -> datetime | None:
    """Return a nullable time column as a time."""
    return None if microseconds is None else from_us(microseconds)


def decision(row: Row) -> Decision:
    """Return a decision from its row."""
    person = Person(row["team"], row["user"], row["name"])
    return Decision(
        person,
        row["said"],
        row["comment"],
        from_us(row["at"]),
        row["version"],
        bool(row["headroom"]),
        frozenset(json.loads(row["counts"])),
    )


def card(row: Row) -> Card:
    """Return a card from its row."""
    return Card(row["channel"], row["ts"], row["version"])


@lru_cache(maxsize=1024)
def _rules(text: str) -> tuple[str, ...]:
    found: tuple[str, ...] = load(tuple[str, ...], text)
    return found


def action_record(
    row: Row, decisions: tuple[Decision, ...], named: bool, edits: tuple[Edit, ...] = ()
) -> ActionRecord:
    """Return an action from its row, joined with its hold where it has one."""
    state = State(row["state"])
    return ActionRecord(
        id=row["id"],
        name=row["name"],
        state=state,
        code=row["code"] or ("pending" if state in (State.PENDING, State.APPROVED) else ""),
        version=row["version"] or 0,
        digest=row["current_digest"] or row["digest"],
        rules=_rules(row["rules"]),
        reason=row["reason"],
        decisions=decisions,
        name_approver=named,
        expires_at=moment(row["expires_at"]),
        use_by=moment(row["use_by"]),
        result=row["result"],
        kept=bool(row["kept"]),
        error=row["error"],
        late=bool(row["late"]),
        patch=json.loads(row["patch"]) if edits else {},
        edits=edits,
    )
