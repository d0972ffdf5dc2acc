"""Open and end sessions, and add what hosts know about their case."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from gate.errors import NoSession
from gate.evidence import check_size
from gate.model import Evidence, Principal
from gate.redact import hide
from gate.store import rows
from gate.store.port import Reader
from gate.verbs import ends
from gate.verbs.turn import Turn


def open_session(
    turn: Turn,
    id_: str,
    *,
    agent: str,
    on_behalf_of: Principal | None,
    evidence: Sequence[Evidence],
    facts: str = "{}",
) -> None:
    """Open a session, or open it again as what it is; its facts are replaced by these.

    Args:
        turn: The open turn.
        id_: Its id.
        agent: Which agent runs.
        on_behalf_of: For whom, or None.
        evidence: Lines for people.
        facts: Its facts as JSON text, without secrets.

    Raises:
        NoSession: It has ended, or was opened for another agent or for somebody else.
    """
    row = turn.tx.one("SELECT * FROM sessions WHERE id = ?", (id_,))
    behalf = rows.principal_text(on_behalf_of)
    if row is None:
        turn.tx.insert("sessions", id=id_, agent=agent, on_behalf_of=behalf, opened_at=turn.us, facts=facts)
        turn.log(
            "session", actor=f"agent:{agent}", session=id_, on_behalf_of=str(on_behalf_of or ""),
            facts=json.loads(facts),
        )  # fmt: skip
    elif row["ended_at"] is not None:
        raise NoSession(f"The session {id_!r} has ended; give the next run an id of its own.")
    elif (row["agent"], row["on_behalf_of"]) != (agent, behalf):
        raise NoSession(
            f"The session {id_!r} was opened by the agent {row['agent']!r}"
            f" for {rows.principal(row['on_behalf_of']) or 'nobody'}; it cannot change hands. Use another id."
        )
    elif row["facts"] != facts:
        turn.tx.run("UPDATE sessions SET facts = ? WHERE id = ?", (facts, id_))
        turn.log("facts", actor="host", session=id_, now=json.loads(facts))
    add_evidence(turn, id_, evidence)


def facts_of(reader: Reader, id_: str) -> str:
    """Return the facts of a session as JSON text; none for one that is not known."""
    row = reader.one("SELECT facts FROM sessions WHERE id = ?", (id_,))
    return str(row["facts"]) if row else "{}"


def add_evidence(turn: Turn, id_: str, evidence: Sequence[Evidence]) -> None:
    """Add the lines that the session does not have yet, without secrets of a known shape.

    Raises:
        ActionError: It would have more than a session may have.
    """
    for given in evidence:
        line = replace(given, text=hide(given.text), url=hide(given.url) if given.url else None)
        added = turn.tx.run(
            "INSERT OR IGNORE INTO evidence (session, text, weight, url) VALUES (?, ?, ?, ?)",
            (id_, line.text, line.weight, line.url or ""),
        )
        if added:
            turn.log("evidence", actor="host", session=id_, text=line.text, weight=line.weight, url=line.url)
    if evidence:
        check_size(*_size(turn, id_))


def _size(turn: Turn, id_: str) -> tuple[int, int]:
    """Return how many lines of evidence a session has, and how many characters those have together."""
    row = turn.tx.one(
        "SELECT count(*) AS lines, total(length(text) + length(url)) AS size FROM evidence WHERE session = ?",
        (id_,),
    )
    return (int(row["lines"]), int(row["size"])) if row else (0, 0)


def end_session(turn: Turn, id_: str) -> int:
    """End a session and cancel its open holds; return how many. One that has ended stays as it is."""
    if not turn.tx.run("UPDATE sessions SET ended_at = ? WHERE id = ? AND ended_at IS NULL", (turn.us, id_)):
        return 0
    turn.log("session_ended", actor="host", session=id_)
    return ends.cancel_open(
        turn, code="session_ended", reason="Its session was ended.", actor="host", session=id_
    )
