"""The driver fails at one statement of a turn: what that was to do is done, or surely not done."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from gate.errors import StoreError
from gate.service import Service
from gate.verbs.claim import End
from tests.faults.judging import did, problems
from tests.gate_kit import gate_on
from tests.kit import ALICE, act, answer, service

When = Literal["before", "lost", "after"]
"""Whether the statement is not done, loses the whole transaction, or is done before it fails."""

FAULTS = [MemoryError(), sqlite3.OperationalError("disk I/O error")]


class Failing:
    """A connection of which the next statement of a kind fails, once, and for the thread that has it fail."""

    def __init__(self, connection: sqlite3.Connection, sql: str, when: When, fault: Exception) -> None:
        self._connection, self._sql, self._when, self._fault = connection, sql, when, fault
        self.failed, self._thread = False, threading.get_ident()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, sql: str, *params: Any) -> sqlite3.Cursor:
        """Execute one statement, unless it is the one that fails."""
        mine = threading.get_ident() == self._thread
        if self.failed or not mine or not sql.startswith(self._sql):
            return self._connection.execute(sql, *params)
        self.failed = True
        if self._when == "lost":
            self._connection.execute("ROLLBACK")
        if self._when == "after":
            self._connection.execute(sql, *params)
        raise self._fault


@pytest.fixture(params=["full", "normal"])
def gate(db: Path, request: pytest.FixtureRequest) -> Iterator[Service]:
    """Return an open store with one run in it."""
    made = service(db, durability=request.param)
    made.settle(made.submit(act(amount=5, to="bob")).record.id, End(True, "1"))
    yield made
    made.close()


def failing(gate: Service, sql: str, when: When, fault: Exception) -> Failing:
    """Have the writer fail at one statement."""
    assert gate.store._writer is not None
    made = Failing(gate.store._writer, sql, when, fault)
    gate.store._writer = made  # type: ignore[assignment]
    return made


def allowed(gate: Service) -> object:
    """Let a call be allowed."""
    return gate.submit(act(amount=6, to="bob")).kind


def frozen(gate: Service) -> object:
    """Freeze an agent."""
    return gate.freeze("agent", "other", by="ops", reason="audit")


def decided(gate: Service) -> object:
    """Hold a call and approve it; the hold is there before anything fails."""
    return answer(gate, gate.holds()[-1], ALICE).state


VERBS = [allowed, frozen, decided]


@pytest.mark.parametrize("fault", FAULTS, ids=["memory", "disk"])
@pytest.mark.parametrize("verb", VERBS, ids=lambda each: each.__name__)
@pytest.mark.parametrize(
    ("sql", "when"),
    [
        ("BEGIN", "before"), ("BEGIN", "after"), ("COMMIT", "before"), ("COMMIT", "lost"),
        ("INSERT INTO audit", "before"), ("INSERT INTO audit", "lost"), ("INSERT INTO audit", "after"),
    ],
)  # fmt: skip
def test_a_turn_that_fails_is_one_fault_and_not_done(
    gate: Service, verb: Callable[[Service], object], sql: str, when: When, fault: Exception
) -> None:
    """Whoever asked gets the documented fault; nothing of it is there, and the next time it works."""
    gate.submit(act(amount=50, to="bob"))
    before = gate.records()
    broken = failing(gate, sql, when, fault)
    with pytest.raises(StoreError, match="Nothing ran") as caught:
        verb(gate)
    assert (caught.value.code, broken.failed) == ("store_error", True)
    assert gate.records() == before
    verb(gate)
    assert len(gate.records()) > len(before)
    assert gate.verify().ok


@pytest.mark.parametrize("verb", VERBS, ids=lambda each: each.__name__)
def test_a_commit_that_was_done_before_it_failed_counts(
    gate: Service, verb: Callable[[Service], object]
) -> None:
    """Where the log has what was committed, nobody is told that it is not there."""
    gate.submit(act(amount=50, to="bob"))
    before = gate.records()
    broken = failing(gate, "COMMIT", "after", MemoryError())
    assert verb(gate)
    assert broken.failed
    assert len(gate.records()) > len(before)
    assert gate.verify().ok


def test_a_transaction_that_could_not_be_rolled_back_is_none(gate: Service) -> None:
    """It is left open and rolled back before the next begins; nobody reads what it wrote."""
    before = gate.records()
    assert gate.store._writer is not None
    inner = failing(gate, "ROLLBACK", "before", MemoryError())
    outer = failing(gate, "INSERT INTO audit", "after", MemoryError())
    with pytest.raises(StoreError, match="out of memory"):
        allowed(gate)
    assert (inner.failed, outer.failed) == (True, True)
    assert gate.records() == before
    assert allowed(gate) == "run"
    assert gate.verify().ok


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_reader_without_memory_is_one_fault(gate: Service, when: When) -> None:
    """Reading fails in the same words, and works again."""
    reader = Failing(gate.store._read, "SELECT", when, MemoryError())
    gate.store._read = reader  # type: ignore[assignment]
    with pytest.raises(StoreError, match="out of memory"):
        gate.holds()
    assert reader.failed
    assert gate.holds() == []


@pytest.mark.parametrize("when", ["before", "lost", "after"])
def test_a_guarded_call_runs_only_where_its_record_is_there(tmp_path: Path, when: When) -> None:
    """User code meets no raw error: its tool runs where the submit is in the log, and else not at all."""
    with gate_on(tmp_path) as gate:

        @gate.guard("desk.pay")
        def pay(amount: int) -> int:
            did(gate, amount=amount)
            return amount

        pay(4)
        failing(gate.service, "COMMIT", when, MemoryError())
        if when == "after":
            assert pay(5) == 5
        else:
            with pytest.raises(StoreError, match="Nothing ran"):
                pay(5)
        assert pay(6) == 6
        assert problems(gate.service) == []


def test_the_end_of_a_call_without_memory_is_told_later(tmp_path: Path) -> None:
    """A tool that has run gives its result, whatever becomes of the record of its end, which comes later."""
    with gate_on(tmp_path) as gate:

        @gate.guard("desk.pay")
        def pay(amount: int) -> str:
            done.append(gate.action_id())
            failing(gate.service, "COMMIT", "lost", MemoryError())
            return f"paid {amount}"

        done: list[str] = []
        assert pay(5) == "paid 5"
        gate.service.heartbeat()
        assert gate.service.action(done[0]).state == "succeeded"
