"""Read from the log what calls there were; nothing here writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from gate.lifecycle import State, Verb
from gate.model import Action, Principal
from gate.policy.backtest import Logged, LoggedAnswer, LoggedCall, LoggedEdit, LoggedStart
from gate.recorded import read_back
from gate.remembering import remembered
from gate.store import rows
from gate.store.port import Reader
from gate.values import format_path, parse_path
from gate.verbs.backfill import Told

PAGE = 2000

_AS_IT_IS = frozenset({str, int, float, bool, type(None)})
"""What is read back as it stands; most values are."""

_SIGNS = frozenset({"$decimal", "$int", "$dict"})
_SPAN = (
    "SELECT coalesce(min(seq), 0) AS first, coalesce(max(seq), 0) AS last FROM records "
    "WHERE at >= ? AND at < ?"
)
_ENTRIES = (
    "SELECT seq, body FROM records WHERE seq > ? AND seq <= ? "
    "AND kind IN ('submit', 'edit', 'approve', 'deny', 'claim') ORDER BY seq LIMIT ?"
)
_STOPPED = (
    "SELECT action FROM records WHERE seq BETWEEN ? AND ? "
    """AND instr(body, '"move":{"from":"running","to":"blocked"}')"""
)
"""Calls that were stopped before they began; found by the canonical text, which no value can spell."""


def called(reader: Reader) -> frozenset[str]:
    """Return the name of every action that was ever called."""
    return frozenset(row["name"] for row in reader.all("SELECT DISTINCT name FROM actions"))


def facts(reader: Reader) -> frozenset[str]:
    """Return the path of every fact that a call in the log had, such as ``facts.environment``."""
    found = reader.all(
        "SELECT DISTINCT json_extract(body, '$.facts') AS facts FROM records "
        "WHERE kind = 'submit' AND json_extract(body, '$.facts') IS NOT NULL"
    )
    return frozenset(path for row in found for path in _paths(("facts",), json.loads(row["facts"])))


def _paths(keys: tuple[str, ...], value: Any) -> Iterator[str]:
    if isinstance(value, Mapping) and not _SIGNS.intersection(value):
        for key, each in value.items():
            yield from _paths((*keys, key), each)
    else:
        yield format_path(keys)


def entries(
    reader: Reader,
    since: datetime,
    until: datetime,
    progress: Callable[[int, int], None] = lambda done, all_: None,
) -> Iterator[Logged]:
    """Yield what the log has of calls, in order.

    Args:
        reader: Where to read.
        since: From when on, UTC.
        until: Before when, UTC.
        progress: Told after each page how many records were passed, of how many.
    """
    span = reader.one(_SPAN, (since.isoformat(), until.isoformat())) or {"first": 0, "last": 0}
    first, last = span["first"], span["last"]
    stopped = frozenset(row["action"] for row in reader.all(_STOPPED, (first, last)))
    after = first - 1
    while last and (found := reader.all(_ENTRIES, (after, last, PAGE))):
        for row in found:
            entry = _entry(json.loads(row["body"]))
            if isinstance(entry, LoggedCall) and entry.id in stopped:
                entry = replace(entry, stopped=True)
            if entry is not None:
                yield entry
        after = found[-1]["seq"]
        progress(after - first + 1, last - first + 1)


def submitted(reader: Reader, action_id: str) -> Action | None:
    """Return a call as it was submitted, redacted; None where its record was archived."""
    row = reader.one("SELECT body FROM records WHERE action = ? AND kind = 'submit'", (action_id,))
    return _call(json.loads(row["body"])).action if row else None


def _entry(body: Mapping[str, Any]) -> Logged | None:
    if body["kind"] == Verb.SUBMIT:
        return _call(body)
    if body["kind"] == Verb.EDIT:
        hidden = _keys(tuple(body.get("erased", ())))
        return LoggedEdit(body["action"], _values(body.get("input", {}), "args"), hidden)
    end = body.get("move", {}).get("to")
    if end == State.RUNNING:
        return LoggedStart(body["action"], datetime.fromisoformat(body["at"]))
    if end in (State.APPROVED, State.DENIED):
        return LoggedAnswer(body["action"], "approved" if end == State.APPROVED else "denied")
    return None


def _call(body: Mapping[str, Any]) -> LoggedCall:
    hidden = dict.fromkeys(_keys(tuple(body.get("erased", ()))))

    def swap(path: str) -> str:
        hidden[parse_path(path)] = None
        return path

    told = body.get("tool")
    known = Told() if told is None else _told(told)
    action = Action(
        name=body["name"],
        arguments=_values(body.get("input", {}), "args"),
        agent=body["actor"].removeprefix("agent:"),
        session=body["session"],
        on_behalf_of=_principal(body.get("on_behalf_of", "")),
        effect=known.effect,
        parameters=known.parameters,
        source=known.source,
        facts={name: read_back(each, ("facts", name), swap) for name, each in body.get("facts", {}).items()},
        facts_lost=body.get("facts_lost", False),
    )
    return LoggedCall(
        id=body["action"],
        at=datetime.fromisoformat(body["at"]),
        action=action,
        hidden=tuple(hidden),
        answer=body["verdict"],
        rules=tuple(body.get("rules", ())),
        ran=body["move"]["to"] == State.RUNNING,
    )


def _values(values: Mapping[str, Any], root: str) -> dict[str, Any]:
    return {
        name: each if type(each) in _AS_IT_IS else read_back(each, (root, name))
        for name, each in values.items()
    }


@remembered
def _keys(paths: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(map(parse_path, paths))


_known_tools: dict[str, Told] = {}
"""What records say of tools, which say the same thousands of times."""


def _told(told: Mapping[str, Any]) -> Told:
    key = repr(told)
    found = _known_tools.get(key)
    if found is None:
        if len(_known_tools) > PAGE:
            _known_tools.clear()
        found = _known_tools[key] = rows.load(Told, json.dumps(told))
    return found


def _principal(text: str) -> Principal | None:
    kind, _, id_ = text.partition(":")
    return Principal(kind, id_) if kind in ("person", "email", "outside") else None  # type: ignore[arg-type]
