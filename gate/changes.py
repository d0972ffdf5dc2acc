"""Say what people changed in a call, as they, the log and the agent read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gate.model import Change, Edit
from gate.redact import plain
from gate.values import format_path, parse_path

_LONGEST = 200


def in_words(changes: Iterable[Change]) -> str:
    """Say what was changed, such as ``amount from 400 to 250``."""
    return " and ".join(
        f"{label(each.path)} from {shown(each.before)} to {shown(each.after)}" for each in changes
    )


def label(path: str) -> str:
    """Return how people call the value at a path: ``amount`` for ``args.amount``."""
    return format_path(parse_path(path)[1:])


def shown(value: Any) -> str:
    """Write one redacted JSON value as text, cut after 200 characters with its length."""
    text = "nothing" if value is None else plain(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"


def net(edits: Iterable[Edit]) -> tuple[Change, ...]:
    """Return what several edits changed together: each value as it was at first, and as it is now."""
    first: dict[str, Any] = {}
    last: dict[str, Any] = {}
    for change in (each for edit in edits for each in edit.changes):
        first.setdefault(change.path, change.before)
        last[change.path] = change.after
    return tuple(Change(path, before, last[path]) for path, before in first.items() if before != last[path])


def changed_words(edits: Sequence[Edit]) -> tuple[str, ...]:
    """Say what all edits together changed, one text for each value."""
    if not edits:
        return ()
    return tuple(in_words([each]) for each in net(edits))
