"""Heads of the log as they are published: what a start compares with, and the daily post."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gate.errors import StoreError
from gate.store.anchors import DIGITS, Anchor
from gate.store.port import Reader
from gate.verbs import ends, headroom
from gate.verbs.turn import Turn


def head(reader: Reader) -> Anchor | None:
    """Return the newest record as an anchor; None for an empty log."""
    row = reader.one("SELECT seq, hash FROM audit_head")
    return Anchor(row["seq"], row["hash"][:DIGITS]) if row and row["seq"] else None


def refuse_older(reader: Reader, known: Sequence[Anchor], path: Path | None) -> None:
    """Refuse a store that lacks a record which was published, or has another in its place.

    Args:
        reader: Where to read.
        known: What was published, oldest first.
        path: The store's file.

    Raises:
        StoreError: It is an older copy, or was changed (code ``store_restored``).
    """
    newest = max(known, key=lambda each: each.seq, default=None)
    last = head(reader) or Anchor(0, "")
    if newest is not None and newest.seq > last.seq:
        raise _older(path, f"its log ends at #{last.seq}, but {newest} was published")
    row = newest and reader.one("SELECT hash FROM audit WHERE seq = ?", (newest.seq,))
    if newest is not None and row and not row["hash"].startswith(newest.digits):
        raise _older(path, f"its record #{newest.seq} is not the one that was published as {newest}")


def refuse_shorter(seq: int, known: int, path: Path | None) -> None:
    """Refuse a store whose log has become shorter than this process has seen it.

    Raises:
        StoreError: It has (code ``store_restored``).
    """
    if seq < known:
        raise _older(
            path, f"its log ends at #{seq}, but this process has seen #{known}; start it again after"
        )


def _older(path: Path | None, why: str) -> StoreError:
    return StoreError(
        f"The store {path} is an older copy: {why}. Nothing ran. Put the newest copy in place, or take this "
        "one with 'gate db adopt', which cancels its open holds.",
        code="store_restored",
    )


def adopt(turn: Turn, known: Sequence[Anchor], *, by: str) -> int:
    """Take a store as it is, though records are missing; cancel its open holds and return how many.

    What people let pass ends too: calls that are not known any more may have used it up.

    Args:
        turn: The open turn.
        known: What was published, oldest first.
        by: Who says so.
    """
    cancelled = ends.cancel_open(
        turn, code="store_adopted", reason="An older copy of the store was adopted.", actor=by
    )
    headroom.revoke_all(turn)
    newest = max(known, key=lambda each: each.seq, default=None)
    turn.log("adopted", actor=by, cancelled=cancelled, published=str(newest or ""))
    return cancelled


def daily(turn: Turn, channel: str) -> None:
    """Have the head of the log posted, at most once each day, where the log grew since the last time.

    The first day of a store is left out.
    """
    day, last = f"{turn.now:%Y-%m-%d}", turn.tx.one("SELECT value FROM meta WHERE key = 'published'")
    before, seq = last["value"].split() if last else (day, "0")
    if last and before >= day:
        return
    newest = head(turn.tx)
    now = newest.seq if newest else 0
    if last and channel and now > int(seq):
        turn.notify("announce", None, channel=channel, text=f"The approval gate's log has {now:,} records.")
    value = f"{day} {now}"
    turn.tx.run("INSERT OR REPLACE INTO meta VALUES ('published', ?)", (value,))
