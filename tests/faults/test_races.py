"""Several processes decide, claim, cancel, expire and freeze the same holds at random; the log judges."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.faults import racing
from tests.faults.children import SERVER
from tests.faults.invariants import broken, gather

HOLDS = int(os.environ.get("GATE_SOAK_HOLDS", "120"))
SEED = int(os.environ.get("GATE_SOAK_SEED", "1"))
MOVES = 12
"""How many things are done for each hold, by all processes together."""
SHORT = HOLDS <= 120
PROCESSES = [4] if SHORT else [2, 4, 8]
PATIENCE = 60.0


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("processes", PROCESSES)
def test_races_on_the_same_holds(tmp_path: Path, processes: int) -> None:
    """Whatever comes first, every hold has one true end, each effect one claim, each claim its approvals."""
    counter, start = SERVER.Value("q", 0), SERVER.Event()
    clock = racing.SharedClock(counter)
    count = limit = -(-HOLDS // len(PROCESSES))
    gate, holds = racing.prepared(tmp_path, count, limit, clock)
    answers: Any = SERVER.Queue()
    print(f"{processes} processes, {count} holds, seed {SEED}")
    moves = count * MOVES // processes
    orders = [
        racing.Race(tmp_path, limit, number, SEED * 100 + number, holds, moves) for number in range(processes)
    ]
    racers = [SERVER.Process(target=racing.race, args=(each, counter, start, answers)) for each in orders]
    for each in racers:
        each.start()
    start.set()
    codes: Counter[str] = Counter()
    for _ in racers:
        codes.update(answers.get(timeout=PATIENCE + count))
    for each in racers:
        each.join()
    assert [code for code in codes if not code.isidentifier()] == []
    clock.advance(7200)
    gate.sweep()
    gate.heartbeat()
    gate.close()
    seen = gather(
        racing.rules_for(limit), tmp_path / "gate.db", effects=tmp_path / "effects", told=tmp_path / "told"
    )
    ends = Counter(seen.states.values())
    print(dict(ends), dict(codes))
    assert broken(seen) == []
    assert {"succeeded", "failed", "in_doubt", "denied", "expired"} <= set(ends)
    assert "already_decided" in codes
