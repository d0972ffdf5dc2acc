"""What people said of calls in doubt, and how an allowed call in doubt is shown, in the form of a hold."""

from __future__ import annotations

import json
from typing import Any

from gate.clock import from_us
from gate.lifecycle import State
from gate.model import Annotation, HoldRecord, Person, Requirement, ResolvedEffect, Ruling
from gate.store import rows
from gate.store.port import Reader, Row
from gate.verbs.turn import Turn


def annotation(reader: Reader, action_id: str, state: str) -> Annotation | None:
    """Return what a person said of a call in doubt; None where nobody did, and for any other call."""
    if state != State.IN_DOUBT:
        return None
    row = reader.one("SELECT * FROM annotations WHERE action = ?", (action_id,))
    if row is None:
        return None
    person = Person(row["team"], row["user"], row["name"])
    return Annotation(person, bool(row["ran"]), row["comment"], from_us(row["at"]))


def words(found: Annotation | None) -> str:
    """Say in a few words what a person said of a call in doubt; empty for nothing."""
    if found is None:
        return ""
    return f"a person says that it {'ran' if found.ran else 'did not run'}"


def allowed(reader: Reader, store: str, action_id: str) -> HoldRecord | None:
    """Return an allowed call that was in doubt, in the form of a hold with version 0; None for any other.

    Args:
        reader: Where to read.
        store: Id of the store.
        action_id: Its whole id.
    """
    row = reader.one(
        "SELECT a.*, d.* FROM doubts d JOIN actions a ON a.id = d.action WHERE a.id = ?", (action_id,)
    )
    if row is None:
        return None
    cards = reader.all("SELECT * FROM cards WHERE action = ? ORDER BY at", (action_id,))
    at = from_us(row["submitted_at"])
    return HoldRecord(
        id=row["id"],
        store=store,
        version=0,
        state=State(row["state"]),
        on_behalf_of=rows.principal(row["on_behalf_of"]),
        requirements=rows.load(tuple[Requirement, ...], row["requirements"]),
        effect=rows.load(ResolvedEffect, row["effect"]),
        cards=tuple(rows.card(each) for each in cards),
        annotation=annotation(reader, action_id, row["state"]),
        created_at=at,
        expires_at=at,
        deliver_by=at,
        ended_at=rows.moment(row["ended_at"]),
        end_reason=row["error"] or row["reason"],
        **{key: row[key] for key in ("nonce", "code", "name", "described", "agent", "session", "result")},
        **_told(submitted(reader, action_id)),
        **_NOTHING,
    )


_NOTHING: dict[str, Any] = {
    "decisive": (), "not_shown": (), "asked_by": None, "note": None, "decisions": (), "evidence": (),
    "history": (), "identical": None, "use_by": None, "waiting": False,
}  # fmt: skip
"""What a call that nobody was asked about has not."""


def submitted(reader: Reader, action_id: str) -> dict[str, Any]:
    """Return what the log has of the submit; nothing where that was archived."""
    row = reader.one("SELECT body FROM records WHERE action = ? AND kind = 'submit'", (action_id,))
    return dict(json.loads(row["body"])) if row else {}


def _told(body: dict[str, Any]) -> dict[str, Any]:
    reason = next(iter(body.get("reasons", ())), "")
    return {
        "arguments": body.get("input", {}),
        "hidden": tuple(body.get("erased", ())),
        "target": body.get("target"),
        "revision": body.get("revision", ""),
        "rulings": tuple(Ruling(rule, "allow", reason) for rule in body.get("rules", ())),
    }


def tell(turn: Turn, row: Row, sentence: str) -> None:
    """Refresh the cards of an action that people see, and say the same in their threads."""
    if shown(turn.tx, row):
        turn.tell_people({**row, "version": row["version"] or 0}, sentence, always=True)


def shown(reader: Reader, row: Row) -> bool:
    """Tell whether people see an action: it was held, or it was allowed and in doubt."""
    return bool(row.get("version")) or (
        reader.one("SELECT 1 FROM doubts WHERE action = ?", (row["id"],)) is not None
    )
