"""Bursts: notice that a session's holds come too fast, and keep one card in each channel about them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from gate.clock import from_us, to_us
from gate.errors import IllegalMove
from gate.ids import new_id
from gate.lifecycle import State
from gate.model import Burst, BurstHold, ResolvedEffect
from gate.policy.limits import Limits
from gate.store import rows
from gate.store.port import Reader, Row
from gate.verbs import freezing, look
from gate.verbs.turn import GATE, Turn


def watch(turn: Turn, row: Row, channels: Iterable[str], limits: Limits) -> None:
    """Open a burst in each channel of a new hold, where its session has asked too often within the window.

    Args:
        turn: The open turn.
        row: The joined row of the new hold.
        channels: Where it gets cards.
        limits: From which number of holds on, within which window.
    """
    if not limits.burst or _asked(turn, row["session"], limits) <= limits.burst:
        return
    for channel in channels:
        if not _open(turn, row["session"], channel):
            _begin(turn, row, channel, limits)


def _asked(turn: Turn, session: str, limits: Limits) -> int:
    since = to_us(turn.now - limits.burst_window)
    found = turn.tx.one(
        "SELECT count(*) AS n FROM (SELECT 1 FROM holds WHERE asked_in = ? AND asked_at > ? LIMIT ?)",
        (session, since, limits.burst + 1),
    )
    return int(found["n"]) if found else 0


def _open(turn: Turn, session: str, channel: str) -> bool:
    found = turn.tx.one(
        "SELECT 1 FROM bursts WHERE session = ? AND channel = ? AND closed_at IS NULL", (session, channel)
    )
    return found is not None


def _begin(turn: Turn, row: Row, channel: str, limits: Limits) -> None:
    first = turn.tx.one(
        "SELECT min(h.asked_at) AS since FROM holds h JOIN actions a ON a.id = h.action "
        "WHERE a.session = ? AND a.state = 'pending'",
        (row["session"],),
    )
    since = first["since"] if first and first["since"] is not None else turn.us
    turn.tx.insert(
        "bursts", id=new_id(), session=row["session"], channel=channel, opened_at=turn.us, since=since,
        most=limits.burst, window_us=to_us(turn.now) - to_us(turn.now - limits.burst_window),
    )  # fmt: skip
    turn.log("burst", actor=GATE, session=row["session"], channel=channel, count=limits.burst)


def follow(turn: Turn) -> None:
    """Bring the burst cards of sessions up to date whose holds this turn moved; close those that are over."""
    for session in sorted(turn.moved):
        for burst in turn.tx.all("SELECT * FROM bursts WHERE session = ? AND closed_at IS NULL", (session,)):
            if turn.tx.one(_WAITS.format("1") + " LIMIT 1", (session, burst["channel"])) is None:
                turn.tx.run("UPDATE bursts SET closed_at = ? WHERE id = ?", (turn.us, burst["id"]))
            _tell(turn, burst)


def _tell(turn: Turn, burst: Row) -> None:
    """Have the card of a burst drawn again; what still waits to be drawn serves for both."""
    waiting = turn.tx.one(
        "SELECT 1 FROM notices WHERE kind = 'burst' AND session = ? AND text = ? AND done_at IS NULL "
        "AND leased_until <= ?",
        (burst["session"], burst["id"], turn.us),
    )
    if waiting is None:
        turn.tx.insert(
            "notices", kind="burst", action=None, session=burst["session"], version=0,
            channel=burst["channel"], text=burst["id"], made_at=turn.us, due_at=turn.us,
        )  # fmt: skip


_WAITS = (
    "SELECT {} FROM sessions s JOIN actions a ON a.agent = s.agent AND a.session = s.id AND "
    "a.state = 'pending' JOIN notices n ON n.action = a.id AND n.kind = 'card' "
    "JOIN holds h ON h.action = a.id JOIN versions v ON v.action = a.id AND v.version = h.version "
    "WHERE s.id = ? AND n.channel = ?"
)
"""The holds of a session that wait for people in one channel."""


def posted(turn: Turn, burst_id: str, ts: str) -> None:
    """Record which message is the card of a burst; the first one stays."""
    turn.tx.run("UPDATE bursts SET ts = ? WHERE id = ? AND ts = ''", (ts, burst_id))


def deleted(turn: Turn, burst_id: str, ts: str) -> None:
    """Have the card of an open burst posted anew where the one that stood there was deleted.

    Args:
        turn: The open turn.
        burst_id: Which burst.
        ts: The message that is gone; nothing is done where another one stands for it by now.
    """
    known = (burst_id, ts)
    if turn.tx.run("UPDATE bursts SET ts = '' WHERE id = ? AND ts = ? AND closed_at IS NULL", known):
        _tell(turn, turn.tx.all("SELECT * FROM bursts WHERE id = ?", (burst_id,))[0])


def post_again(turn: Turn) -> None:
    """Forget where the cards of open bursts stand, and have new ones posted."""
    for row in turn.tx.all("SELECT * FROM bursts WHERE closed_at IS NULL"):
        turn.tx.run("UPDATE bursts SET ts = '' WHERE id = ?", (row["id"],))
        _tell(turn, row)


def burst(reader: Reader, store: str, burst_id: str) -> Burst:
    """Return one burst as it stands.

    Raises:
        IllegalMove: There is none with this id.
    """
    row = reader.one(
        "SELECT b.*, s.agent, s.on_behalf_of FROM bursts b JOIN sessions s ON s.id = b.session "
        "WHERE b.id = ?",
        (burst_id,),
    )
    if row is None:
        raise IllegalMove("This burst is not known here any more; nothing was recorded.", code="unknown_hold")
    where = (row["session"], row["channel"])
    found = reader.all(_WAITS.format(_COLUMNS) + " GROUP BY a.id ORDER BY a.submitted_at, a.rowid", where)
    return Burst(
        id=row["id"],
        store=store,
        session=row["session"],
        agent=row["agent"],
        on_behalf_of=rows.principal(row["on_behalf_of"]),
        channel=row["channel"],
        ts=row["ts"],
        opened_at=from_us(row["opened_at"]),
        closed_at=rows.moment(row["closed_at"]),
        count=row["most"],
        window=from_us(row["window_us"]) - from_us(0),
        pending=() if row["closed_at"] else tuple(map(_hold, found)),
        ended=_ended(reader, row),
        frozen=freezing.freeze_of(reader, row["agent"], row["session"]) is not None,
    )


_COLUMNS = (
    "a.id, a.name, a.described, a.submitted_at, v.arguments, v.hidden, v.effect, v.requirements, v.nonce, "
    "h.expires_at"
)


def _hold(row: Row) -> BurstHold:
    return BurstHold(
        id=row["id"],
        name=row["name"],
        described=row["described"],
        arguments=json.loads(row["arguments"]),
        hidden=tuple(json.loads(row["hidden"])),
        effect=rows.load(ResolvedEffect, row["effect"]),
        expires_at=from_us(row["expires_at"]),
        comment_to_deny=any("deny" in each.comment_required for each in look.requirements(row)),
        nonce=row["nonce"],
    )


def _ended(reader: Reader, row: Row) -> dict[State, int]:
    """Return how many holds of a burst do not wait any more, by state."""
    found = reader.all(
        "SELECT state, count(*) AS n FROM (SELECT DISTINCT a.id, a.state FROM holds h "
        "JOIN actions a ON a.id = h.action JOIN notices n ON n.action = a.id AND n.kind = 'card' "
        "WHERE h.asked_in = ? AND h.asked_at BETWEEN ? AND coalesce(?, h.asked_at) AND n.channel = ? "
        "AND a.state <> 'pending') GROUP BY state",
        (row["session"], row["since"], row["closed_at"], row["channel"]),
    )
    return {State(each["state"]): each["n"] for each in found}
