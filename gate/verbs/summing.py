"""Have a summary of the week posted: once for each Monday, whoever and however many want to."""

from __future__ import annotations

from datetime import datetime, timedelta

from gate.store.port import Reader
from gate.verbs.turn import Turn

_KEY = "summary"
_MONDAY, _HOUR = 0, 9


def latest(now: datetime) -> datetime:
    """Return the latest Monday 09:00 UTC that is not after a time."""
    day = now.replace(hour=_HOUR, minute=0, second=0, microsecond=0)
    found = day - timedelta(days=(day.weekday() - _MONDAY) % 7)
    return found if found <= now else found - timedelta(days=7)


def last(reader: Reader) -> datetime | None:
    """Return the Monday up to which summaries were posted; None where none ever was wanted."""
    row = reader.one("SELECT value FROM meta WHERE key = ?", (_KEY,))
    return datetime.fromisoformat(row["value"]) if row else None


def begin(turn: Turn) -> None:
    """Begin with the next Monday, where no summary was ever wanted."""
    turn.tx.run("INSERT OR IGNORE INTO meta VALUES (?, ?)", (_KEY, latest(turn.now).isoformat()))


def post(turn: Turn, due: datetime, channel: str, text: str) -> bool:
    """Have a summary posted, unless that was done for this Monday already.

    Args:
        turn: The open turn.
        due: The Monday.
        channel: Where.
        text: What.

    Returns:
        Whether it will be posted.
    """
    before = last(turn.tx)
    if before is not None and before >= due:
        return False
    turn.tx.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KEY, due.isoformat()))
    turn.notify("announce", None, channel=channel, text=text)
    return True
