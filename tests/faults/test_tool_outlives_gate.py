"""A gate that is closed while its tool runs: the end is recorded when it comes, or stays in doubt."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.lifecycle import State
from gate.store import files
from gate.verbs.claim import End
from tests.faults.judging import problems
from tests.kit import act, service

PAID = End(True, '"paid"')


def test_an_end_after_the_close_is_recorded(db: Path) -> None:
    """The store is opened once more for it, and closed again."""
    gate, other = service(db), service(db)
    running = gate.submit(act(amount=5, to="bob")).record.id
    gate.close()
    gate.settle(running, PAID)
    assert other.action(running).state == State.SUCCEEDED
    assert other.action(running).result == PAID.result
    gate.settle(running, PAID)
    assert [each.body["kind"] for each in other.records(action=running)] == ["submit", "settle"]
    assert problems(other) == []
    other.close()


def test_an_end_that_others_gave_up_for_lost_is_a_late_one(db: Path) -> None:
    """Others find a closed gate's action in doubt; the process that ran it knows better, and says so."""
    gate, other = service(db), service(db)
    running = gate.submit(act(amount=5, to="bob")).record.id
    gate.close()
    other.heartbeat()
    assert other.action(running).state == State.IN_DOUBT
    gate.settle(running, PAID)
    assert other.action(running).state == State.SUCCEEDED
    assert other.records(action=running)[-1].body["late"] is True
    assert problems(other) == []
    other.close()


@pytest.mark.parametrize("where", ["another file", "no file", "memory"])
def test_an_end_goes_into_no_other_store(db: Path, where: str, caplog: pytest.LogCaptureFixture) -> None:
    """Where the store is not to be found any more, nothing is written and nothing raised: it stays open."""
    gate = service(":memory:" if where == "memory" else db)
    running = gate.submit(act(amount=5, to="bob")).record.id
    gate.close()
    away = db.with_name("away")
    if where != "memory":
        db.rename(away)
    if where == "another file":
        files.prepare(db)
    gate.settle(running, PAID)
    assert f"The end of action {running} could not be written" in caplog.text
    if where == "memory":
        return
    assert db.exists() == (where == "another file")
    assert not db.exists() or db.stat().st_size == 0
    away.replace(db)
    gate.settle(running, PAID)
    other = service(db)
    assert other.action(running).state == State.SUCCEEDED
    assert problems(other) == []
    other.close()
