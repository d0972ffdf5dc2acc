"""The store's high-water mark: no transaction lies before one that is already there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from gate.audit import Head
from gate.clock import from_us
from gate.errors import ClockError, StoreError
from gate.store.port import Reader
from gate.verbs import ends
from gate.verbs.turn import Turn

AHEAD = timedelta(minutes=5)
"""How far the store's newest time may lie before a process's own until its calls are refused."""

JUMP = timedelta(seconds=60)
"""From which difference on a wall clock that was moved is told in the log."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """What came of setting the store's newest time.

    Attributes:
        before: The newest time that the store had, UTC.
        now: The one it has now, UTC.
        cancelled: How many open holds of the refused time were taken back.
    """

    before: datetime
    now: datetime
    cancelled: int


@dataclass(frozen=True, slots=True)
class Newest:
    """What the store has last, as each turn has to know it.

    Attributes:
        head: The newest record.
        mark: Newest time, in microseconds.
        key_id: Which key the rows are made with; empty where none was noted.
        revision: The policy in force; None before the first.
        schema: Number of its schema.
    """

    head: Head
    mark: int
    key_id: str
    revision: str | None
    schema: int


_NEWEST = (
    "SELECT seq, hash, mark, schema, (SELECT value FROM meta WHERE key = 'key_id') AS key_id, "
    "(SELECT revision FROM policy ORDER BY n DESC LIMIT 1) AS revision FROM audit_head"
)


def look(reader: Reader) -> Newest:
    """Return what the store has last.

    Raises:
        StoreError: Its log has no head (code ``store_damaged``).
    """
    row = reader.one(_NEWEST)
    if row is None:
        raise StoreError(
            "The store is damaged: its log has no head. Nothing ran. Stop what uses it, keep a copy, put the "
            "newest backup in its place and run 'gate db adopt'.",
            code="store_damaged",
        )
    head = Head(row["seq"], row["hash"])
    return Newest(head, row["mark"], row["key_id"] or "", row["revision"], row["schema"])


def time_of(reader: Reader, own: datetime) -> datetime:
    """Return the time that counts: process time, or the store's newest where that is later."""
    return max(own, from_us(look(reader).mark))


def keep(turn: Turn) -> None:
    """Make this turn's time the store's newest, also where the turn writes no record."""
    turn.tx.run("UPDATE audit_head SET mark = ? WHERE mark < ?", (turn.us, turn.us))


def refuse_behind(turn: Turn) -> None:
    """Refuse a call whose process lives more than five minutes before the store's newest time.

    Raises:
        ClockError: It does; nothing ran.
    """
    if turn.now - turn.own > AHEAD:
        raise ClockError(
            f"The store's newest record is of {_told(turn.now)}, but the clock of this process says "
            f"{_told(turn.own)}. Nothing ran. If the record is right, set the machine's clock and start "
            "again; if the clock is right, run 'gate clock accept'."
        )


def note_jump(turn: Turn, wall: datetime) -> None:
    """Record that the wall clock was moved; deadlines do not follow it."""
    turn.log("clock_jump", actor="gate", wall=wall.isoformat(), own=turn.own.isoformat())


def accept(turn: Turn, *, by: str) -> Accepted:
    """Make process time the store's newest, also where that goes back.

    What was asked, allowed or put off in the time that is refused is taken back, since its deadlines lie
    there: open holds are cancelled, headroom ends, and messages are due at once. What ran, was asked or was
    refused then counts as of now, so that no budget forgets it early or counts what runs next until that time
    has come, no denial answers repeats until then, and no session has asked too often until then.

    Args:
        turn: The open turn.
        by: Who says so.
    """
    before = turn.now
    turn.go_to(turn.own)
    turn.tx.run("UPDATE audit_head SET mark = ?", (turn.us,))
    ids = [row["action"] for row in turn.tx.all(_REFUSED, (turn.us, turn.us))]
    for action in ids:
        ends.cancel(turn, action, code="cancelled_by_operator", reason=_WHY, actor=by)
    turn.tx.run(
        "UPDATE headroom SET remaining = 0 WHERE action IN (SELECT action FROM decisions WHERE at > ?)",
        (turn.us,),
    )
    turn.tx.run(
        "UPDATE notices SET leased_until = 0, due_at = CASE WHEN kind IN ('remind', 'hand_over') THEN due_at "
        "ELSE min(due_at, ?) END WHERE done_at IS NULL",
        (turn.us,),
    )
    for table, column in _TIMES:
        turn.tx.run(f"UPDATE {table} SET {column} = ? WHERE {column} > ?", (turn.us, turn.us))  # noqa: S608 - constants
    turn.tx.run("UPDATE processes SET beat_at = min(beat_at, ?), steady_since = ?", (turn.us, turn.us))
    turn.log("clock", actor=by, before=before.isoformat(), cancelled=len(ids))
    return Accepted(before, turn.now, len(ids))


_WHY = "It was asked or approved at a time that the store's clock was set back from."

_TIMES = (
    ("ledger", "at"),
    ("charges", "at"),
    ("actions", "submitted_at"),
    ("actions", "ended_at"),
    ("holds", "asked_at"),
)
"""Where the store keeps when something was, which windows are counted from; the log keeps what was told."""

_REFUSED = (
    "SELECT h.action FROM holds h JOIN actions a ON a.id = h.action WHERE a.state IN ('pending', 'approved') "
    "AND (h.asked_at > ? OR EXISTS (SELECT 1 FROM decisions d WHERE d.action = h.action AND d.at > ?))"
)


def _told(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")
