"""The summary of the week: on Mondays 09:00 UTC, once, whoever asks, and short."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gate.clock import FakeClock
from gate.service import Service
from gate.summary import post_due
from gate.verbs.summing import latest
from tests.kit import act, answer, post, service

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
CHANNEL = "C0NUMBERS"


@pytest.mark.parametrize(
    ("now", "found"),
    [
        (MONDAY, MONDAY),
        (MONDAY - timedelta(microseconds=1), MONDAY - timedelta(days=7)),
        (MONDAY + timedelta(days=6, hours=23), MONDAY),
        (datetime(2026, 3, 1, 12, tzinfo=UTC), datetime(2026, 2, 23, 9, tzinfo=UTC)),
    ],
)
def test_the_latest_monday_is_found(now: datetime, found: datetime) -> None:
    """At nine itself it is that one."""
    assert latest(now) == found
    assert found.weekday() == 0


def _posted(gate: Service) -> list[str]:
    """Return the summaries that a bot would post now, and post them."""
    return [each.text for each in post(gate) if each.kind == "announce" and each.channel == CHANNEL]


def test_a_summary_is_posted_on_monday_and_once() -> None:
    """The first Monday after it was first asked for; not before, and not again."""
    clock = FakeClock(MONDAY - timedelta(days=3))
    gate = service(clock=clock)
    assert not post_due(gate, CHANNEL)
    hold = gate.submit(act(amount=50, to="bob")).record.id
    post(gate)
    clock.advance(timedelta(seconds=2))
    answer(gate, hold, said="deny")
    clock.advance(MONDAY - clock.now() - timedelta(seconds=1))
    assert not post_due(gate, CHANNEL)
    clock.advance(timedelta(seconds=1))
    assert post_due(gate, CHANNEL)
    assert not post_due(gate, CHANNEL)
    (text,) = _posted(gate)
    assert text.startswith(
        "The approval gate, 29 Dec to 05 Jan 2026: 1 call held: 0 approved, 1 denied, 0 exp"
    )
    assert "Half were decided within 2 s, nine of ten within 2 s. 1 of 1 answers came within three" in text
    assert "Busiest hour: 09–10 UTC (1)." in text
    assert "Denials by agent: desk (1)." in text
    assert "desk/large might block (0 of 1 approved in 30 days): gate policy backtest --try" in text
    clock.advance(timedelta(days=7))
    assert post_due(gate, CHANNEL)
    (text,) = _posted(gate)
    assert "nothing was held." in text.partition("\n")[0]


def test_two_bots_post_one_summary_and_a_restart_none(tmp_path: Path) -> None:
    """The store remembers for all of them; one that was missed is posted late, and only the newest."""
    clock = FakeClock(MONDAY - timedelta(days=3))
    one, two = (service(tmp_path / "gate.db", clock=clock) for _ in range(2))
    assert not post_due(one, CHANNEL)
    clock.advance(timedelta(days=10))
    due = two.summary_due()
    assert due is not None
    assert due == one.summary_due() == MONDAY + timedelta(days=7)
    assert one.post_summary(due, channel=CHANNEL, text="x")
    assert not two.post_summary(due, channel=CHANNEL, text="x")
    one.close()
    again = service(tmp_path / "gate.db", clock=clock)
    assert not post_due(again, CHANNEL)
    assert len(_posted(two)) == 1
    for each in (again, two):
        each.close()
