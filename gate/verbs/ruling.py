"""Which policy is in force: read it inside a transaction, and replace it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from gate.clock import from_us
from gate.policy.changes import describe_changes
from gate.policy.load import PolicySet, load_texts
from gate.store.port import Reader
from gate.verbs.turn import Turn


@dataclass(frozen=True, slots=True)
class Revision:
    """One time a policy came into force.

    Attributes:
        revision: Digest of its content.
        at: Since when, UTC.
        by: Who applied it.
        changes: What changed, in words.
    """

    revision: str
    at: datetime
    by: str
    changes: tuple[str, ...]


def current(reader: Reader) -> str | None:
    """Return the revision in force; None before the first."""
    row = reader.one("SELECT revision FROM policy ORDER BY n DESC LIMIT 1")
    return row["revision"] if row else None


def texts(reader: Reader, revision: str) -> Mapping[str, str] | None:
    """Return the files of a revision by name, exactly as they were applied; None if it never was."""
    row = reader.one("SELECT texts FROM revisions WHERE revision = ?", (revision,))
    return dict(json.loads(row["texts"])) if row else None


def revisions(reader: Reader) -> list[Revision]:
    """Return every time a policy came into force, oldest first."""
    found = reader.all("SELECT * FROM policy ORDER BY n")
    return [
        Revision(row["revision"], from_us(row["at"]), row["by"], tuple(json.loads(row["changes"])))
        for row in found
    ]


def was_replaced(reader: Reader, revision: str) -> bool:
    """Tell whether a revision was in force before and is not now."""
    known = reader.one("SELECT 1 FROM policy WHERE revision = ?", (revision,))
    return known is not None and current(reader) != revision


def apply(turn: Turn, policy: PolicySet, *, by: str) -> Sequence[str]:
    """Bring a policy into force, record who did, and announce it once to each channel it touches.

    Returns:
        What changed, in words; empty where it was in force already.
    """
    before = current(turn.tx)
    if before == policy.revision:
        return ()
    stored = texts(turn.tx, before) if before else None
    old = load_texts(stored) if stored else None
    changes = describe_changes(old, policy)
    turn.tx.run(
        "INSERT OR IGNORE INTO revisions VALUES (?, ?)", (policy.revision, json.dumps(dict(policy.texts)))
    )
    turn.tx.insert("policy", revision=policy.revision, at=turn.us, by=by, changes=json.dumps(list(changes)))
    turn.log("policy", actor=by, revision=policy.revision, before=before, changes=list(changes))
    channels = dict.fromkeys([*(old.channels() if old else ()), *policy.channels()])
    for channel in channels:
        turn.notify("announce", None, channel=channel, text=_announcement(policy.revision, by, changes))
    return changes


def _announcement(revision: str, by: str, changes: Sequence[str]) -> str:
    lines = "\n".join(f"• {line}" for line in changes[:20])
    more = f"\n… and {len(changes) - 20} more" if len(changes) > 20 else ""
    return f"Policy revision {revision[:12]} is in force, applied by {by}.\n{lines}{more}"
