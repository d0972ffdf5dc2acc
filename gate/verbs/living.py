"""Which processes live, and what becomes of the actions of those that do not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from gate import processes
from gate.clock import from_us, to_us
from gate.processes import Identity
from gate.store import rows
from gate.store.port import Reader, Row
from gate.verbs import claim, leaving, waiting
from gate.verbs.turn import ACTION, Turn
from gate.verbs.waiting import HEARTBEAT, SILENCE


@dataclass(frozen=True, slots=True)
class Living:
    """One process that uses the store.

    Attributes:
        kind: ``agent``, ``bot`` or ``cli``.
        identity: Host, boot, pid namespace, pid and start time.
        opened_at: Since when, UTC.
        beat_at: Last sign of life, UTC.
    """

    kind: str
    identity: Identity
    opened_at: datetime
    beat_at: datetime


def register(turn: Turn, kind: str) -> int:
    """Record this process and return its row id."""
    identity = rows.dump(Identity, processes.identify())
    return turn.tx.insert(
        "processes", kind=kind, identity=identity, opened_at=turn.us, beat_at=turn.us, steady_since=turn.us
    )


def leave(turn: Turn) -> None:
    """Record that this process goes, and that none of its waiters waits any more.

    A command runs nothing and waits for nothing, so nothing names it: it is forgotten, however often one that
    looks at the store is started.
    """
    turn.tx.run("DELETE FROM waiters WHERE process = ?", (turn.process,))
    turn.tx.run("DELETE FROM processes WHERE id = ? AND kind = 'cli'", (turn.process,))
    turn.tx.run("UPDATE processes SET closed_at = ? WHERE id = ?", (turn.us, turn.process))


def beat(turn: Turn, in_hand: Iterable[str], waits: Iterable[int]) -> None:
    """Say that this process lives, doubt the actions of those that do not, and end the waits of those gone.

    Args:
        turn: The open turn.
        in_hand: Actions that this process is running now.
        waits: Numbers of this process's waits whose callers are not gone.
    """
    gap = to_us(turn.now - 2 * HEARTBEAT)
    turn.tx.run(
        "UPDATE processes SET steady_since = CASE WHEN beat_at < ? THEN ? ELSE steady_since END, beat_at = ? "
        "WHERE id = ?",
        (gap, turn.us, turn.us, turn.process),
    )
    for action, why in waiting.forget_gone(turn, waits).items():
        leaving.caller_gone(turn, action, why)
    mine = frozenset(in_hand)
    for row in turn.tx.all(ACTION + "WHERE a.state = 'running'"):
        reason = _lost(turn, row, mine)
        if reason:
            claim.doubt(turn, row, code="in_doubt", reason=reason)


def alive(reader: Reader, now: datetime) -> list[Living]:
    """Return the processes that said within the last ten heartbeats that they live, oldest first."""
    since = to_us(now - SILENCE)
    found = reader.all(
        "SELECT * FROM processes WHERE closed_at IS NULL AND beat_at > ? ORDER BY opened_at, id", (since,)
    )
    return [_living(row) for row in found]


def another_bot(reader: Reader, process: int, since: datetime) -> bool:
    """Tell whether a bot other than one process may have lived at or after a time."""
    found = reader.one(
        "SELECT 1 FROM processes WHERE kind = 'bot' AND id <> ? AND beat_at > ? AND "
        "coalesce(closed_at, ?) >= ? LIMIT 1",
        (process, to_us(since - SILENCE), to_us(since), to_us(since)),
    )
    return found is not None


def bot_before(reader: Reader, process: int, now: datetime) -> Living | None:
    """Return the oldest bot that lives and was there before a process; None where there is none.

    Args:
        reader: Where to read.
        process: Row id of the process.
        now: The time that counts, UTC.
    """
    found = reader.all(
        "SELECT * FROM processes WHERE kind = 'bot' AND closed_at IS NULL AND beat_at > ? AND id < ? "
        "ORDER BY id",
        (to_us(now - SILENCE), process),
    )
    there = (_living(row) for row in found)
    return next((each for each in there if not processes.is_dead(each.identity)), None)


def _living(row: Row) -> Living:
    identity = rows.load(Identity, row["identity"])
    return Living(row["kind"], identity, from_us(row["opened_at"]), from_us(row["beat_at"]))


def _lost(turn: Turn, row: Row, mine: frozenset[str]) -> str:
    """Return why nobody has a running action in hand any more; empty while somebody may."""
    if row["process"] == turn.process:
        return "" if row["id"] in mine else "the process that ran it no longer has it in hand."
    runner = turn.tx.one("SELECT * FROM processes WHERE id = ?", (row["process"],))
    if runner is None or runner["closed_at"] is not None:
        return "the process that ran it has closed the gate without saying how it ended."
    if processes.is_dead(rows.load(Identity, runner["identity"])):
        return "the process that ran it has died."
    return "the process that ran it is silent; it may still be running." if _silent(turn, runner) else ""


def _silent(turn: Turn, runner: Row) -> bool:
    """Tell whether a process was silent for ten heartbeats through which this one was steady."""
    since = to_us(turn.now - SILENCE)
    me = turn.tx.one("SELECT steady_since FROM processes WHERE id = ?", (turn.process,))
    return bool(runner["beat_at"] <= since and me and me["steady_since"] <= since)
