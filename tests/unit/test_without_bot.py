"""What an agent's process says while no bot is there to ask people, and once one is."""

from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path

import pytest

from gate.clock import FakeClock
from tests.kit import act, service


def _said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if "bot is alive" in each.getMessage()]


def test_a_call_that_nobody_is_asked_about_says_until_when(caplog: pytest.LogCaptureFixture) -> None:
    """Without a bot a held call says which it is and when it ends: that is when a card has to stand."""
    clock = FakeClock()
    gate = service(clock=clock)
    held = gate.submit(act()).record
    until = f"{clock.now() + timedelta(minutes=10):%Y-%m-%d %H:%M:%S} UTC"
    (line,) = _said(caplog)
    assert line.startswith(f"desk.pay is held as {held.id}, but no bot is alive")
    assert line.endswith(f"If nobody is asked by {until}, it ends without running.")


def test_a_bot_that_came_is_told_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Once a bot lives, the process that missed one says so, once; one that missed none says nothing."""
    clock = FakeClock()
    path = tmp_path / "store" / "gate.db"
    gate, other = service(path, clock=clock), service(path, clock=clock)
    gate.submit(act())
    gate.heartbeat()
    assert len(_said(caplog)) == 1
    bot = service(path, text=None, clock=clock, kind="bot")
    for each in (gate, other, gate):
        each.heartbeat()
    assert _said(caplog)[1:] == ["A bot is alive now: it asks about what waits."]
    gate.submit(act(amount=60, to="bob"))
    assert len(_said(caplog)) == 2
    bot.close()
    gate.submit(act(amount=70, to="bob"))
    assert "no bot is alive" in _said(caplog)[-1]


def test_a_call_that_waits_says_where_people_are_asked(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever listens for information hears of each held call once: where it is asked, and until when."""
    clock = FakeClock()
    path = tmp_path / "store" / "gate.db"
    gate, bot = service(path, clock=clock), service(path, text=None, clock=clock, kind="bot")
    gate.submit(act())
    assert caplog.messages == []
    caplog.set_level(logging.INFO, "gate")
    held = gate.submit(act(amount=60, to="bob")).record
    until = f"{clock.now() + timedelta(hours=1):%Y-%m-%d %H:%M:%S} UTC"
    assert caplog.messages == [
        f"desk.pay is held as {held.id} and waits: people are asked in C0APPROVALS and may answer until "
        f"{until}. 'gate holds show {held.id}' has all of it."
    ]
    bot.close()
    gate.close()
