"""The JSON and the words of the values that the command line shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any

from gate.model import Approver, Principal, Requirement
from gate.redact import plain
from gate.values import format_duration


def as_json(value: Any) -> Any:
    """Return any value of the gate as JSON: times in ISO 8601, spans as ``4h``, approvers by their id."""
    if isinstance(value, Principal):
        return {value.kind: value.id} | ({"team": value.team} if value.team else {})
    if isinstance(value, (Approver, Path, Decimal)):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: as_json(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): as_json(each) for key, each in value.items()}
    return _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, timedelta):
        return format_duration(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (frozenset, set)):
        return sorted(as_json(each) for each in value)
    return [as_json(each) for each in value] if isinstance(value, (list, tuple)) else value


def moment(at: datetime | str | None, *, zone: bool = True) -> str:
    """Write a time for people: UTC, to the second; empty for none.

    Args:
        at: The time, or its ISO 8601 text.
        zone: Whether UTC stands behind it.
    """
    if at is None:
        return ""
    known = datetime.fromisoformat(at) if isinstance(at, str) else at
    return known.strftime("%Y-%m-%d %H:%M:%S") + (" UTC" if zone else "")


def span(duration: timedelta) -> str:
    """Write a rough span for people, in its two largest units."""
    seconds = max(0, int(duration.total_seconds()))
    parts = [(seconds // 86400, "d"), (seconds % 86400 // 3600, "h"), (seconds % 3600 // 60, "min")]
    said = [f"{count} {unit}" for count, unit in [*parts, (seconds % 60, "s")] if count]
    return " ".join(said[:2]) or "0 s"


def count(number: int, thing: str) -> str:
    """Write how many there are of something."""
    return f"{number} {thing}{'s' * (number != 1)}"


def revision(text: str) -> str:
    """Return the part of a revision that people read."""
    return text[:12]


def principal(value: Principal | None) -> str:
    """Say for whom somebody acts."""
    if value is None:
        return "nobody"
    team = f" of {value.team}" if value.team else ""
    return f"{value.kind} {value.id}{team}"


def argument(value: Any) -> str:
    """Write one redacted argument: text in quotes as JSON, exact numbers by their digits."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else plain(value)


def requirement(need: Requirement) -> str:
    """Say who must approve, and how many."""
    who = ", ".join(map(str, need.approvers))
    return (
        f"{need.quorum} of {who}" if need.quorum > 1 else f"one of {who}" if len(need.approvers) > 1 else who
    )
