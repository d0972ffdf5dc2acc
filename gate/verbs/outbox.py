"""The outbox: lease notices to a bot, and record what became of them."""

from __future__ import annotations

from datetime import datetime, timedelta

from gate.clock import to_us
from gate.lifecycle import OPEN, State
from gate.model import Notice
from gate.store import anchors
from gate.store.anchors import Anchor
from gate.store.port import Reader, Row
from gate.verbs import ends, publishing
from gate.verbs.turn import Turn, action_row

KEPT = timedelta(days=35)
"""How long a notice is kept that is done."""

PAGE = 500
"""How many notices one transaction forgets at most."""

_FREE = (
    "FROM (SELECT *, min(CASE WHEN kind IN ('card', 'burst') THEN id END) "
    "OVER (PARTITION BY session, channel, kind) AS first FROM notices WHERE done_at IS NULL) "
    "WHERE due_at <= ? AND leased_until <= ? AND (first IS NULL OR id = first)"
)
"""What may be leased now. A card waits for the older ones of its session in its channel: none overtakes
another that is being posted or has to be tried again; so does the card of a burst, of which there is one."""


def any_due(reader: Reader, now: datetime) -> bool:
    """Tell whether any notice waits to be leased."""
    us = to_us(now)
    return reader.one(f"SELECT 1 {_FREE} LIMIT 1", (us, us)) is not None


def lease(turn: Turn, *, limit: int, lease: timedelta) -> list[Notice]:
    """Lease due notices: round-robin over sessions, oldest first within each, one card at a time.

    Args:
        turn: The open turn.
        limit: How many at most.
        lease: How long nobody else gets them.
    """
    found = turn.tx.all(
        f"SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY session ORDER BY id) AS place {_FREE}) "  # noqa: S608
        "ORDER BY place, id LIMIT ?",
        (turn.us, turn.us, limit),
    )
    head = publishing.head(turn.tx)
    for row in found:
        row["anchor"] = str(head) if head and row["kind"] in _ANCHORED else ""
        turn.tx.run(
            "UPDATE notices SET leased_until = ?, attempts = attempts + 1, anchor = ? WHERE id = ?",
            (to_us(turn.now + lease), row["anchor"], row["id"]),
        )
    return [_notice(row) for row in found]


_ANCHORED = ("reply", "announce")
"""Kinds of messages that carry the head of the log, as committed before they were leased."""


def _notice(row: Row) -> Notice:
    return Notice(
        row["id"],
        row["kind"],
        row["action"],
        row["version"],
        row["channel"],
        row["text"] + (f"\nLog {row['anchor']}" if row["anchor"] else ""),
        row["attempts"] + 1,
    )


def done(turn: Turn, notice_id: int, *, channel: str, ts: str) -> Anchor | None:
    """Record that a notice was posted; the first card starts the time in which people may see it.

    Returns:
        The head of the log that was posted with it, or None.
    """
    row = _row(turn, notice_id)
    if row is None:
        return None
    turn.tx.run("UPDATE notices SET done_at = ?, error = '' WHERE id = ?", (turn.us, notice_id))
    if row["kind"] in ("card", "doubt") and channel and ts:
        learn(turn, row["action"], row["version"], channel, ts)
    return next(iter(anchors.find(row["anchor"])), None)


def learn(turn: Turn, action_id: str, version: int, channel: str, ts: str) -> None:
    """Record that a message shows a hold; one that is known already changes nothing.

    A card that comes at or after the deadline revives nothing: the hold ends first, and the card is told so.
    """
    added = turn.tx.run(
        "INSERT OR IGNORE INTO cards VALUES (?, ?, ?, ?, ?)", (channel, ts, action_id, version, turn.us)
    )
    if not added:
        return
    row = action_row(turn.tx, action_id)
    if not row["version"]:
        turn.notify("refresh", {**row, "version": 0})
        return
    ends.expire(turn, row)
    row = action_row(turn.tx, action_id)
    if row["state"] in OPEN:
        turn.tx.run(
            "UPDATE holds SET accepted_at = ? WHERE action = ? AND accepted_at IS NULL", (turn.us, action_id)
        )
    if row["state"] == State.PENDING:
        turn.tx.run("UPDATE holds SET deadline = expires_at WHERE action = ?", (action_id,))
    if row["state"] != State.PENDING or row["version"] != version:
        turn.notify("refresh", row)


def unlearnt(reader: Reader, since: datetime) -> list[tuple[str, str]]:
    """Return hold and channel of each card that was in some bot's hands when its hold ended.

    Slack may have taken it though the store never learnt so.

    Args:
        reader: Where to read.
        since: Cards asked for earlier are left alone.
    """
    found = reader.all(
        "SELECT DISTINCT n.action, n.channel FROM notices n WHERE n.kind = 'card' AND n.attempts > 0 "
        "AND n.done_at IS NOT NULL AND n.made_at > ? AND NOT EXISTS "
        "(SELECT 1 FROM cards c WHERE c.action = n.action AND c.channel = n.channel) ORDER BY n.id",
        (to_us(since),),
    )
    return [(row["action"], row["channel"]) for row in found]


def retry(turn: Turn, notice: Notice, *, after: timedelta, error: str) -> None:
    """Give a notice back to be tried again later, if it is still the caller's."""
    if _in_hand(turn, notice) is not None:
        turn.tx.run(
            "UPDATE notices SET due_at = ?, leased_until = 0, error = ? WHERE id = ?",
            (to_us(turn.now + after), error, notice.id),
        )


def failed(turn: Turn, notice: Notice, *, error: str) -> None:
    """Record that a notice can never be posted, if it is still the caller's.

    A hold whose card cannot be posted ends undelivered.
    """
    row = _in_hand(turn, notice)
    if row is None:
        return
    turn.tx.run("UPDATE notices SET done_at = ?, error = ? WHERE id = ?", (turn.us, error, notice.id))
    turn.log(
        "notice_failed",
        actor="bot",
        action=row["action"],
        notice=row["kind"],
        channel=row["channel"],
        reason=error,
    )
    if row["kind"] == "card":
        reason = f"Slack refused the card for {row['channel']}: {error}."
        ends.undeliver(turn, row["action"], code="delivery_failed", reason=reason)


def forget(turn: Turn) -> int:
    """Forget a batch of the oldest notices, done long ago, that nothing asks for any more; return how many.

    No hold waits so long, nor is a card looked for that a store never learnt of. The newest notice stays, so
    that no number is given twice.
    """
    return turn.tx.run(
        "DELETE FROM notices WHERE done_at <= ? AND id IN "
        "(SELECT id FROM notices WHERE id < (SELECT max(id) FROM notices) ORDER BY id LIMIT ?)",
        (to_us(turn.now - KEPT), PAGE),
    )


def _in_hand(turn: Turn, notice: Notice) -> Row | None:
    """Return the row of a notice that was neither leased again nor posted since the caller leased it.

    The lease of one that took long may have run out: another bot has it then, or has posted it.
    """
    row = _row(turn, notice.id)
    again = row is None or row["done_at"] is not None or row["attempts"] > notice.attempts
    return None if again else row


def _row(turn: Turn, notice_id: int) -> Row | None:
    return turn.tx.one("SELECT * FROM notices WHERE id = ?", (notice_id,))
