"""Plan what comes by time while a hold is pending: reminders, and handing it over to more people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from gate.clock import from_us, to_us
from gate.model import Requirement
from gate.requirements import asks_more
from gate.store.port import Row
from gate.verbs.turn import Turn


def timed(needs: Sequence[Requirement], now: datetime) -> tuple[Requirement, ...]:
    """Return requirements with the time at which each is handed over; one that has a time keeps it."""
    return tuple(
        replace(each, hand_over_at=now + each.hand_over.after)
        if each.hand_over is not None and each.hand_over_at is None
        else each
        for each in needs
    )


def count_again(turn: Turn, row: Row, before: Sequence[Requirement], needs: Sequence[Requirement]) -> None:
    """Have the people counted again who could meet what is required, where more is than before.

    Args:
        turn: The open turn.
        row: The action's joined row, pending.
        before: The requirements as people were counted for them.
        needs: The requirements of its current version.
    """
    if asks_more(before, needs):
        turn.notify("count", row)


def plan(turn: Turn, row: Row, needs: Sequence[Requirement], *, again: bool = False) -> None:
    """Put the reminders and hand-overs of a pending hold into the outbox, each due at its time.

    Args:
        turn: The open turn.
        row: The action's joined row.
        needs: The requirements of its current version, with their times.
        again: Whether earlier plans are replaced, since its requirements or its deadline have changed.
    """
    if again:
        turn.tx.run(
            "UPDATE notices SET done_at = ? WHERE action = ? AND done_at IS NULL "
            "AND kind IN ('remind', 'hand_over')",
            (turn.us, row["id"]),
        )
    for due in _reminders(turn, row, needs):
        turn.notify("remind", row, due_at=due)
    for each in needs:
        if each.hand_over_at is not None and not each.handed and to_us(each.hand_over_at) < row["expires_at"]:
            turn.notify("hand_over", row, text=", ".join(each.rules), due_at=to_us(each.hand_over_at))


def shorten_ask_again(turn: Turn, hold: str, added: Iterable[Requirement]) -> None:
    """Have an identical repeat asked about as soon as the strictest of a hold's requirements says.

    Args:
        turn: The open turn.
        hold: Its id.
        added: What is required of it on top of what was.
    """
    for span in {each.ask_again_after // timedelta(microseconds=1) for each in added}:
        turn.tx.run(
            "UPDATE holds SET ask_again_us = ? WHERE action = ? AND ask_again_us > ?", (span, hold, span)
        )


def _reminders(turn: Turn, row: Row, needs: Iterable[Requirement]) -> list[int]:
    """Return when people are reminded; a time that is past already is left out."""
    end = from_us(row["expires_at"])
    spans = {span for each in needs for span in each.remind_before}
    return sorted(due for span in spans if (due := to_us(end - span)) > turn.us)
