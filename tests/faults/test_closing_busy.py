"""A gate that closes while others hold its store: what it has to say is said as soon as that can be."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from gate.lifecycle import State
from gate.service import Service
from gate.service import closing as goodbye
from gate.store import sqlite
from gate.verbs.claim import End
from tests.faults.judging import problems
from tests.gate_kit import until
from tests.kit import POLICY, act, service

GONE = POLICY.replace("expires_in: 1h,", "expires_in: 1h, on_caller_gone: cancel,")


@contextmanager
def held(db: Path) -> Iterator[None]:
    """Hold the store, as another process does in the middle of a transaction."""
    with closing(sqlite3.connect(db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let nobody wait for long."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    monkeypatch.setattr(goodbye, "AGAIN_AFTER", 0.01)
    return monkeypatch


def _rows(gate: Service, sql: str) -> list[tuple[object, ...]]:
    with gate.store.reader() as reader:
        return [tuple(row.values()) for row in reader.all(sql)]


def _closed(gate: Service) -> bool:
    return _rows(gate, "SELECT closed_at IS NULL AS open FROM processes ORDER BY id")[0] == (0,)


def test_waiters_are_taken_away_later(
    db: Path, hurried: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A hold that goes with its caller stays: the caller was told that it is pending, and is not gone."""
    gate, other = service(db, text=GONE), service(db, text=None, kind="bot")
    hold = gate.submit(act()).record.id
    with held(db), caplog.at_level(logging.INFO, "gate"):
        gate.close()
        assert "it is tried again" in caplog.text
        assert len(_rows(other, "SELECT n FROM waiters")) == 1
        assert not _closed(other)
    until(lambda: _closed(other))
    assert _rows(other, "SELECT n FROM waiters") == []
    other.heartbeat()
    assert other.action(hold).state == State.PENDING
    assert problems(other) == []
    other.close()


@pytest.mark.parametrize("how", ["the store is free again", "the store is held still"])
def test_ends_are_written_before_the_goodbye(db: Path, hurried: pytest.MonkeyPatch, how: str) -> None:
    """An end that could not be written is written when the gate closes or after: not in doubt, not late."""
    gate, other = service(db), service(db, text=None, kind="bot")
    running = gate.submit(act(amount=5, to="bob")).record.id
    with held(db):
        gate.settle(running, End(True, '"paid"'))
        if how == "the store is held still":
            gate.close()
    gate.close()
    until(lambda: _closed(other))
    other.heartbeat()
    assert other.action(running).state == State.SUCCEEDED
    assert not any(each.body.get("late") for each in other.records(action=running))
    assert problems(other) == []
    other.close()


def test_a_lost_file_that_comes_back_is_told(db: Path, hurried: pytest.MonkeyPatch) -> None:
    """While the store's file is away nothing is written into another; once it is back it knows."""
    gate, away = service(db), db.with_name("away")
    db.rename(away)
    gate.close()
    assert not db.exists()
    away.rename(db)
    other = service(db, text=None, kind="bot")
    until(lambda: _closed(other))
    other.close()


def test_it_is_given_up_at_last(
    db: Path, hurried: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A store that stays held is left alone after a while, and the log says what follows from that."""
    hurried.setattr(goodbye, "TRIED_FOR", 0.1)
    gate = service(db)
    with held(db):
        gate.close()
        until(lambda: "was never told" in caplog.text)
    assert "counts as gone" in caplog.text
