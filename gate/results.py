"""Between a record of the store and what the caller gets, and between a result and what the store keeps."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gate.changes import changed_words
from gate.lifecycle import OPEN, State
from gate.model import ActionRecord
from gate.outcomes import Details, Outcome, Ran, outcome, ran
from gate.redact import has_secret, redact
from gate.secret_shapes import SHORTEST
from gate.tagging import MAX_DEPTH

RESULT_BYTES = 64 * 1024
"""Largest result that is kept, as JSON text in UTF-8."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)

_STILL_RUNNING = "It is still running elsewhere."


def details(record: ActionRecord, *, shared: bool = False) -> Details:
    """Return what an outcome knows from the store's record."""
    return Details(
        action_id=record.id,
        name=record.name,
        rules=record.rules,
        reason=record.reason,
        decisions=record.decisions,
        named=record.name_approver,
        error=record.error,
        shared=shared,
        annotation=record.annotation,
        edits=changed_words(record.edits),
        editors=tuple(each.person for each in record.edits),
    )


def outcome_of(record: ActionRecord) -> Ran[Any] | Outcome:
    """Return what a caller gets that did not run the action itself.

    Args:
        record: The action as the store has it.
    """
    if record.state in OPEN:
        return outcome("pending", details(record))
    if record.state == State.RUNNING:
        return outcome("in_doubt", replace(details(record, shared=True), reason=_STILL_RUNNING))
    if record.state == State.SUCCEEDED:
        return _ran(record)
    return outcome(record.code, details(record, shared=record.state in (State.FAILED, State.IN_DOUBT)))


def kept_result(result: Any, *, secrets: Sequence[str] = ()) -> str | None:
    """Return a result as JSON text if the store may keep it, else None.

    It may if it is plain JSON that reads back equal, is at most 64 KB long and 64 levels deep, and holds
    nothing secret.

    Args:
        result: What the tool returned.
        secrets: Texts that were hidden in the arguments.
    """
    try:
        if not _is_json(result, MAX_DEPTH):
            return None
        text = _ENCODER.encode(result)
        kept = len(text.encode()) <= RESULT_BYTES and not _holds_secret(result, text, secrets)
    except (ValueError, RecursionError):  # half a surrogate pair, or a caller that is itself too deep
        return None
    return text if kept else None


def _holds_secret(result: Any, text: str, secrets: Sequence[str]) -> bool:
    hidden = len(text) >= SHORTEST and redact({"result": result}).hidden
    return bool(hidden or (secrets and has_secret(text, secrets)))


def _is_json(value: Any, levels: int) -> bool:
    """Tell whether a value is of JSON's own types all the way down, and that at most so many levels."""
    kind = type(value)
    if kind is dict:
        return levels > 0 and all(
            type(key) is str and _is_json(each, levels - 1) for key, each in value.items()
        )
    if kind is list:
        return levels > 0 and all(_is_json(each, levels - 1) for each in value)
    return value is None or kind in (bool, int, str) or (kind is float and math.isfinite(value))


def _ran(record: ActionRecord) -> Ran[Any]:
    kept = record.kept and record.result is not None
    result = json.loads(record.result) if kept and record.result is not None else None
    return ran(result, details(record, shared=True), kept=kept)
