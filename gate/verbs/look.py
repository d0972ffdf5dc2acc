"""Read actions and holds back as values; nothing here writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

from gate.clock import from_us
from gate.errors import IllegalMove
from gate.lifecycle import OPEN, State
from gate.model import (
    ActionRecord,
    Decision,
    Evidence,
    HoldRecord,
    PastCall,
    Person,
    Requirement,
    ResolvedEffect,
    Ruling,
)
from gate.requirements import editable_paths
from gate.store import rows
from gate.store.port import Reader, Row
from gate.verbs import doubts, versions, waiting
from gate.verbs.turn import action_row

HISTORY = 20
"""How many earlier calls of the session a hold shows at most."""

DENIED = 10
"""How many denials of the agent's earlier calls a hold shows at most."""

SIMILAR = 10
"""How many other pending holds of the same action a hold shows at most."""

SHORTEST_PREFIX = 6

_HOLD = (
    "SELECT a.*, h.*, v.nonce, v.digest AS current_digest, v.revision, v.arguments, v.hidden, "
    "v.decisive, v.effect, "
    "v.rulings, v.requirements, v.view_required "
    "FROM actions a JOIN holds h ON h.action = a.id JOIN versions v ON v.action = a.id AND "
    "v.version = h.version "
)


def decisions(reader: Reader, action: str, version: int | None) -> tuple[Decision, ...]:
    """Return the decisions on one version, oldest first."""
    found = reader.all(
        "SELECT * FROM decisions WHERE action = ? AND version = ? ORDER BY at", (action, version)
    )
    return tuple(rows.decision(row) for row in found)


def requirements(row: Row) -> tuple[Requirement, ...]:
    """Return the requirements of a hold's current version from a joined row."""
    return _requirements(row["requirements"] or "[]")


@lru_cache(maxsize=256)
def _requirements(text: str) -> tuple[Requirement, ...]:
    """Read requirements; one decision and one claim ask for the same ones half a dozen times."""
    found: tuple[Requirement, ...] = rows.load(tuple[Requirement, ...], text)
    return found


def hides_decisive(decisive: Sequence[str], hidden: frozenset[str]) -> bool:
    """Tell whether a value that decides was hidden, whole or in part, or with what it stands in."""
    if not decisive:
        return bool(hidden)
    return any(_stands_in(one, path) or _stands_in(path, one) for path in decisive for one in hidden)


def _stands_in(one: str, path: str) -> bool:
    """Tell whether a path is another one, or that of something inside it."""
    return one == path or one.startswith((f"{path}.", f"{path}["))


def record(reader: Reader, row: Row) -> ActionRecord:
    """Return an action from its joined row."""
    named = [each.name_approver for each in requirements(row)]
    said = decisions(reader, row["id"], row["version"])
    changed = versions.edits(reader, row["id"], row["version"])
    found = rows.action_record(row, said, bool(named) and all(named), changed)
    looked = doubts.annotation(reader, row["id"], row["state"])
    return found if looked is None else replace(found, annotation=looked)


def action(reader: Reader, action_id: str) -> ActionRecord:
    """Return one action.

    Raises:
        IllegalMove: There is no such action.
    """
    return record(reader, action_row(reader, action_id))


def states(reader: Reader, ids: Sequence[str]) -> dict[str, tuple[State, int]]:
    """Return state and version of each action that exists, in one query."""
    found = reader.all(
        "SELECT a.id, a.state, coalesce(h.version, 0) AS version FROM actions a LEFT JOIN holds h "
        "ON h.action = a.id "
        "WHERE a.id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return {row["id"]: (State(row["state"]), row["version"]) for row in found}


_BEGINS = {
    "actions": "SELECT id FROM actions WHERE id >= ? AND id < ? LIMIT 2",
    "holds": "SELECT action AS id FROM (SELECT action FROM holds UNION ALL SELECT action FROM doubts) "
    "WHERE action >= ? AND action < ? LIMIT 2",
}


def full_id(reader: Reader, prefix: str, *, table: Literal["actions", "holds"] = "actions") -> str:
    """Return the one id that begins so.

    Args:
        reader: Where to look.
        prefix: An id, or at least six characters of it.
        table: ``actions`` or ``holds``.

    Raises:
        IllegalMove: None or several begin so, or the prefix is too short.
    """
    if len(prefix) < SHORTEST_PREFIX or not prefix.isalnum():
        raise IllegalMove(f"{prefix!r} is no id: give at least six of its characters.", code="unknown_hold")
    found = reader.all(
        _BEGINS[table],
        (prefix.lower(), prefix.lower() + "\x7f"),
    )
    if len(found) != 1:
        what = "More than one id begins" if found else "No id begins"
        then = (
            "Give more of its characters." if found else "'gate audit list' has the newest: is it this store?"
        )
        raise IllegalMove(f"{what} with {prefix!r} in this store. {then}", code="unknown_hold")
    return str(found[0]["id"])


def _held_id(reader: Reader, hold_id: str) -> str:
    """Return the whole id of a hold; of a call that was never held it is said where its story is."""
    try:
        return full_id(reader, hold_id, table="holds")
    except IllegalMove:
        call = full_id(reader, hold_id)
    raise IllegalMove(
        f"The call {call} was never held. 'gate audit why {call}' tells what became of it.",
        code="unknown_hold",
    )


def hold(reader: Reader, store: str, hold_id: str) -> HoldRecord:
    """Return one hold as people see it, or an allowed call that is in doubt.

    Args:
        reader: Where to read.
        store: Id of the store.
        hold_id: Its id or at least six characters of it.

    Raises:
        IllegalMove: There is no such hold.
    """
    full = _held_id(reader, hold_id)
    row = reader.one(_HOLD + "WHERE a.id = ?", (full,))
    if row is None:
        if (doubtful := doubts.allowed(reader, store, full)) is not None:
            return doubtful
        raise IllegalMove(f"There is no hold {hold_id} in this store.", code="unknown_hold")
    return _hold(reader, store, row)


def holds(
    reader: Reader, store: str, states: frozenset[State] | None = OPEN, limit: int = 200
) -> list[HoldRecord]:
    """Return holds, oldest first; None for those in any state."""
    wanted = json.dumps(sorted(states if states is not None else State))
    found = reader.all(
        _HOLD + "WHERE a.state IN (SELECT value FROM json_each(?)) ORDER BY a.submitted_at DESC LIMIT ?",  # noqa: S608 - constants
        (wanted, limit),
    )
    return [_hold(reader, store, row) for row in reversed(found)]


_PAST = "SELECT a.*, h.version FROM actions a LEFT JOIN holds h ON h.action = a.id "


def past_call(reader: Reader, row: Row) -> PastCall:
    """Return an earlier call from its row, joined with its hold; a denied one with who said so, and why."""
    said: Row | None = None
    if row["state"] == State.DENIED:
        said = reader.one(
            "SELECT user, comment FROM decisions WHERE action = ? AND said = 'deny' ORDER BY at DESC LIMIT 1",
            (row["id"],),
        )
    return PastCall(
        row["id"],
        row["name"],
        row["described"],
        State(row["state"]),
        from_us(row["submitted_at"]),
        (said and said["comment"]) or _looked(reader, row) or row["reason"],
        held=bool(row.get("version")),
        by=said["user"] if said else "",
        ended_at=rows.moment(row["ended_at"]),
    )


def _looked(reader: Reader, row: Row) -> str:
    """Return what a person said of an earlier call in doubt; empty for any other."""
    return doubts.words(doubts.annotation(reader, row["id"], row["state"]))


def past(reader: Reader, action_id: str) -> PastCall:
    """Return one call as an earlier one is shown.

    Raises:
        IllegalMove: There is no such action.
    """
    return past_call(reader, action_row(reader, action_id))


def _history(reader: Reader, row: Row) -> tuple[PastCall, ...]:
    found = reader.all(
        _PAST + "WHERE a.session = ? AND a.submitted_at <= ? AND a.id <> ? ORDER BY "
        "a.submitted_at DESC LIMIT ?",
        (row["session"], row["submitted_at"], row["id"], HISTORY),
    )
    return tuple(past_call(reader, each) for each in found)


def _denied(reader: Reader, row: Row) -> tuple[PastCall, ...]:
    """Return which of this agent's earlier calls were denied, in whichever session, the last denied first."""
    found = reader.all(
        _PAST + "WHERE a.state = 'denied' AND a.agent = ? AND a.submitted_at <= ? AND a.id <> ? "
        "ORDER BY a.ended_at DESC LIMIT ?",
        (row["agent"], row["submitted_at"], row["id"], DENIED),
    )
    return tuple(past_call(reader, each) for each in found)


def _similar(reader: Reader, row: Row) -> tuple[PastCall, ...]:
    """Return the other holds of the same action that wait; none for a hold that does not wait itself."""
    if row["state"] != State.PENDING:
        return ()
    found = reader.all(
        _PAST + "WHERE a.state = 'pending' AND a.name = ? AND a.id <> ? ORDER BY a.submitted_at LIMIT ?",
        (row["name"], row["id"], SIMILAR),
    )
    return tuple(past_call(reader, each) for each in found)


def _hold(reader: Reader, store: str, row: Row) -> HoldRecord:
    return HoldRecord(
        id=row["id"],
        store=store,
        state=State(row["state"]),
        cards=tuple(
            rows.card(each)
            for each in reader.all("SELECT * FROM cards WHERE action = ? ORDER BY at", (row["id"],))
        ),
        decisions=decisions(reader, row["id"], row["version"]),
        history=_history(reader, row),
        denied=_denied(reader, row),
        similar=_similar(reader, row),
        annotation=doubts.annotation(reader, row["id"], row["state"]),
        waiting=waiting.any_left(reader, row["id"]),
        view_required=bool(row["view_required"]),
        result=row["result"],
        edits=versions.edits(reader, row["id"], row["version"]),
        editable=_editable(row),
        in_burst=_in_burst(reader, row),
        **_plain(row),
        **_times(row),
        **_judged(row),
    )


def _in_burst(reader: Reader, row: Row) -> bool:
    """Tell whether people can look at a waiting hold on the card of a burst in its channel too."""
    if row["state"] != State.PENDING:
        return False
    found = reader.one(
        "SELECT 1 FROM bursts b JOIN notices n ON n.action = ? AND n.kind = 'card' AND n.channel = b.channel "
        "WHERE b.session = ? AND b.closed_at IS NULL AND b.ts <> '' LIMIT 1",
        (row["id"], row["session"]),
    )
    return found is not None


def _editable(row: Row) -> tuple[str, ...]:
    """Return the paths that may be changed: those that every rule allows, and whose value can be."""
    kept = versions.recorded(row)
    allowed = editable_paths(requirements(row)) if kept else ()
    return tuple(each.path for each in kept.fields if each.path in allowed) if kept else ()


def _plain(row: Row) -> dict[str, Any]:
    same = ("version", "nonce", "code", "name", "described", "agent", "session", "target", "note", "revision")
    asker = json.loads(row["asker"]) if row["asker"] else None
    return {key: row[key] for key in same} | {
        "on_behalf_of": rows.principal(row["on_behalf_of"]),
        "asked_by": Person(*asker) if asker else None,
        "end_reason": row["error"] or row["reason"],
    }


def _times(row: Row) -> dict[str, Any]:
    return {
        "created_at": from_us(row["submitted_at"]),
        "expires_at": from_us(row["expires_at"]),
        "deliver_by": from_us(row["deliver_by"]),
        "use_by": rows.moment(row["use_by"]),
        "deadline": rows.moment(row["deadline"]),
        "ended_at": rows.moment(row["ended_at"]),
    }


def _judged(row: Row) -> dict[str, Any]:
    return {
        "arguments": json.loads(row["arguments"]),
        "decisive": tuple(json.loads(row["decisive"])),
        "hidden": tuple(json.loads(row["hidden"])),
        "not_shown": tuple(json.loads(row["not_shown"])),
        "effect": rows.load(ResolvedEffect, row["effect"]),
        "rulings": rows.load(tuple[Ruling, ...], row["rulings"]),
        "requirements": requirements(row),
        "evidence": rows.load(tuple[Evidence, ...], row["evidence"]),
        "identical": rows.load(PastCall | None, row["identical"]),
    }
