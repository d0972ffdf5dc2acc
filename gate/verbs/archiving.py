"""Take the oldest records out of the log, once they stand in a file, and tell so in the log."""

from __future__ import annotations

from datetime import datetime

from gate.errors import StoreError
from gate.exporting import Span
from gate.store.port import Reader
from gate.verbs.turn import Turn


def last_before(reader: Reader, before: datetime) -> int:
    """Return the number of the last record of the unbroken run from the first on that lies before a time."""
    row = reader.one("SELECT min(seq) AS first FROM records WHERE at >= ?", (before.isoformat(),))
    if row and row["first"] is not None:
        return int(row["first"]) - 1
    newest = reader.one("SELECT seq FROM audit_head")
    return int(newest["seq"]) if newest else 0


def archive(turn: Turn, span: Span, *, file: str, sha256: str, by: str) -> None:
    """Take records out that stand in a file now, and record which.

    Args:
        turn: The open turn.
        span: Which records the file has.
        file: Name of the file.
        sha256: Its SHA-256.
        by: Who does it.

    Raises:
        StoreError: The log is not the one that was written any more; nothing was taken out.
    """
    base = turn.tx.one("SELECT base_seq FROM audit_head") or {"base_seq": 0}
    last = turn.tx.one("SELECT hash FROM audit WHERE seq = ?", (span.last,)) or {"hash": ""}
    if base["base_seq"] + 1 != span.first or last["hash"] != span.head:
        raise StoreError(f"The log was archived by somebody else meanwhile; {file} was not needed.")
    turn.tx.run("DELETE FROM audit WHERE seq <= ?", (span.last,))
    turn.tx.run("UPDATE audit_head SET base_seq = ?, base_hash = ?", (span.last, span.head))
    turn.log("archive", actor=by, first=span.first, last=span.last, head=span.head, file=file, sha256=sha256)
