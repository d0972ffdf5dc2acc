"""Which policy is in force: read it inside a transaction, and replace it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from gate.clock import from_us
from gate.policy.diff import describe_changes
from gate.policy.load import load_texts
from gate.policy.policyset import PolicyFile, PolicySet
from gate.shapes import storable
from gate.store.port import Reader
from gate.verbs.turn import Turn

TOLD = 10
"""Most changes of a policy that its channels are told one by one."""
WIDEST = 240
"""Characters after which one of them is cut; the log has it whole."""


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


def place(reader: Reader, revision: str) -> str:
    """Return the path from which the policy in force was applied; empty where that is not known."""
    row = reader.one("SELECT revision, place FROM policy ORDER BY n DESC LIMIT 1")
    return row["place"] if row and row["revision"] == revision else ""


def was_replaced(reader: Reader, revision: str) -> bool:
    """Tell whether a revision was in force before and is not now."""
    known = reader.one("SELECT 1 FROM policy WHERE revision = ?", (revision,))
    return known is not None and current(reader) != revision


@dataclass(frozen=True, slots=True)
class Change:
    """What bringing a policy into force changes, worked out before the transaction.

    Attributes:
        before: Revision that it replaces; None for the first.
        policy: The policy.
        words: What changes, in words; empty where it is in force already.
        channels: Channels that the old or the new one names.
    """

    before: str | None
    policy: PolicySet
    words: tuple[str, ...]
    channels: tuple[str, ...]


def compare(reader: Reader, policy: PolicySet, channel: str | None) -> Change:
    """Work out what bringing a policy into force would change.

    Args:
        reader: Where to read.
        policy: The policy.
        channel: Channel that replaces every channel of policies; None for none.
    """
    before = current(reader)
    if before == policy.revision:
        return Change(before, policy, (), ())
    stored = texts(reader, before) if before else None
    old = load_texts(stored) if stored else None
    named = tuple(dict.fromkeys([*(old.named_channels() if old else ()), *policy.named_channels()]))
    channels = (channel,) if channel and named else named
    return Change(before, policy, tuple(describe_changes(old, policy)), channels)


def apply(turn: Turn, change: Change, *, by: str, count: Callable[[Turn], None]) -> bool:
    """Bring a policy into force, record who did, and announce it once to each channel it touches.

    Args:
        turn: The open turn.
        change: What it changes.
        by: Who applies it.
        count: Makes the ledger count by its budgets.

    Returns:
        False where another revision came into force since the change was worked out; nothing was done.
    """
    policy = change.policy
    if current(turn.tx) != change.before:
        return False
    if change.before == policy.revision:
        return True
    turn.tx.run(
        "INSERT OR IGNORE INTO revisions VALUES (?, ?)", (policy.revision, json.dumps(dict(policy.texts)))
    )
    count(turn)
    place, words = storable(policy.place), change.words
    turn.tx.insert(
        "policy", revision=policy.revision, at=turn.us, by=by, changes=json.dumps(words), place=place
    )
    turn.log(
        "policy", actor=by, revision=policy.revision, before=change.before, changes=list(words), place=place
    )
    for channel in change.channels:
        turn.notify("announce", None, channel=channel, text=_announcement(change, by))
    for row in turn.tx.all(_ASKED):
        turn.notify("refresh", row)
    return True


_ASKED = (
    "SELECT a.id, a.session, h.version FROM actions a JOIN holds h ON h.action = a.id "
    "WHERE a.state = 'pending' AND EXISTS (SELECT 1 FROM cards c WHERE c.action = a.id)"
)
"""Holds whose cards stand: another policy may want more people for them, and the cards say how many."""


def _announcement(change: Change, by: str) -> str:
    """Say in a channel what came into force: a first policy by its size, a changed one by its changes."""
    revision = change.policy.revision[:12]
    if change.before is None:
        files = ", ".join(f"{file.name} ({_size(file)})" for file in change.policy.files)
        return (
            f"The approval gate is at work: policy {files}, revision {revision}, applied by {by}. Calls that "
            "it holds are asked about here; 'gate policy show' prints it."
        )
    told = [f"• {_short(line)}" for line in change.words[:TOLD]]
    more = [f"… and {len(change.words) - TOLD} more changes"] if len(change.words) > TOLD else []
    return "\n".join([f"The policy was changed by {by} (revision {revision}).", *told, *more])


def _size(file: PolicyFile) -> str:
    parts = {"rule": len(file.rules), "budget": len(file.budgets)}
    return (
        " and ".join(f"{count} {name}{'s' * (count > 1)}" for name, count in parts.items() if count)
        or "no rules"
    )


def _short(line: str) -> str:
    return line if len(line) <= WIDEST else line[: WIDEST - 1] + "…"
