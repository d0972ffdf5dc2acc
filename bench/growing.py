"""Time what must not grow with history: calls, budgets, memory; and how fast a long log is checked."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

from bench import policies, targets
from bench.longer import lengthen
from bench.measure import Plan, alternating, ratio
from bench.roads import Desk
from bench.targets import Target

RECORDS_A_CALL = 2
_SCAN = re.compile(r"SCAN (?:TABLE )?(\w+)")


def history(plan: Plan) -> dict[Target, float]:
    """Time calls of one session on a store with a long log and ledger, beside those on an empty one."""
    old, new = _desk(plan.place("old")), _desk(plan.place("new"))
    for desk in (old, new):
        _in_session(desk, desk.allowed)()
        desk.close()
    calls, entries = plan.size(500_000, 2_000), plan.size(200_000, 1_000)
    lengthen(old.db, calls=calls, entries=entries)
    works = {"old": _in_session(old, old.allowed), "new": _in_session(new, new.allowed)}
    found = alternating(plan, works, rounds=plan.size(100, 3), times=plan.size(30, 5))
    scans = _scans(old, works["old"])
    rate = median(_verified(plan, old) for _ in range(plan.size(3, 1)))
    for desk in (old, new):
        desk.close()
    return {
        targets.LONG_LOG: ratio(found["old"], found["new"]),
        targets.SCANS: scans,
        targets.VERIFY: rate,
    }


def _desk(folder: Path) -> Desk:
    return Desk(folder, policies.for_tools(10, budgets=True))


def _in_session(desk: Desk, work: Callable[[], None]) -> Callable[[], None]:
    """Return work that is done in the one session that the store's history belongs to."""
    session = desk.gate.session("s1", on_behalf_of=None)

    def inside() -> None:
        with session:
            work()

    return inside


def _scans(desk: Desk, work: Callable[[], None]) -> int:
    """Return how many tables of more than a few rows the statements of one call read from end to end."""
    writer = desk.gate.service.store._writer
    assert writer is not None
    statements: list[str] = []
    writer.set_trace_callback(statements.append)
    work()
    writer.set_trace_callback(None)
    read = [each for each in statements if each.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE"))]
    plans = [str(row["detail"]) for each in read for row in writer.execute(f"EXPLAIN QUERY PLAN {each}")]
    tables = [table for plan in plans for table in _SCAN.findall(plan)]
    many = {row["name"] for row in writer.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return sum(
        table in many and len(writer.execute(f"SELECT 1 FROM {table} LIMIT 100").fetchall()) == 100
        for table in tables
    )


def _verified(plan: Plan, desk: Desk) -> float:
    """Return how many records are checked a second."""
    plan.floor()
    start = perf_counter()
    found = desk.gate.service.verify()
    took = perf_counter() - start
    if not found.ok:
        raise RuntimeError(f"the log that was measured is not whole: {found.problem}")
    return found.records / took


def memory(plan: Plan) -> dict[Target, float]:
    """Measure by how much a process of its own grows over many allowed calls."""
    plan.floor()
    folder, calls = plan.place("memory"), plan.size(1_000_000, 300)
    done = subprocess.run(
        [sys.executable, "-m", "bench.memory", str(folder), "--calls", str(calls)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return {targets.MEMORY: float(done.stdout)}
