"""An allowed call reads no more rows, however many calls were made before it."""

from __future__ import annotations

from pathlib import Path

from gate.service import Service
from gate.store.sqlite import SqliteStore
from gate.verbs.claim import End
from tests.kit import act, service


def _run(gate: Service) -> None:
    gate.settle(gate.submit(act(amount=5, to="bob")).record.id, End(True))


def _steps(gate: Service) -> int:
    """Return how often SQLite asked whether to go on, once for each few instructions, during one call."""
    asked = [0]

    def more() -> None:
        asked[0] += 1

    assert isinstance(gate.store, SqliteStore)
    writer = gate.store._writer
    assert writer is not None
    writer.set_progress_handler(more, 10)
    try:
        _run(gate)
    finally:
        writer.set_progress_handler(None, 0)
    return asked[0]


def test_a_call_costs_the_same_after_a_thousand_alike(db: Path) -> None:
    """The work of SQLite for one more identical call does not grow with those that ended before."""
    gate = service(db, durability="normal")
    for _ in range(10):
        _run(gate)
    few = _steps(gate)
    for _ in range(1000):
        _run(gate)
    assert _steps(gate) < 2 * few
    gate.close()
