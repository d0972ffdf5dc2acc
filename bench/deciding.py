"""Time what lies between a decision and the tool, and what waiting costs."""

from __future__ import annotations

import asyncio
import threading
from statistics import median
from time import perf_counter, process_time

from bench import policies, targets
from bench.measure import Plan, p99
from bench.roads import Desk, beside, other_process
from bench.stopwatch import watched
from bench.targets import Target

WAITERS = 500


def decided(plan: Plan) -> dict[Target, float]:
    """Time from a decision to the start of the tool, decided in this process and in another."""
    desk = Desk(plan.place("decided"), policies.for_tools(10))
    process, pipe = beside(other_process, desk.db)
    here, there = [], []
    for number in range(plan.size(200, 3)):
        plan.floor()
        here.append(desk.decided_here(number) * 1e3)
        there.append(desk.decided_elsewhere(100_000 + number, pipe) * 1e3)
    pipe.send("stop")
    process.join()
    statements = [_statements(desk, 200_000 + number) * 1e3 for number in range(plan.size(100, 3))]
    desk.close()
    return {
        targets.HERE: median(here),
        targets.HERE_SQL: median(statements),
        targets.HERE_P99: p99(here),
        targets.THERE: median(there),
    }


def _statements(desk: Desk, number: int) -> float:
    """Return how much of the way from a decision here to the start of the tool is SQLite's, in seconds."""
    with watched(desk.gate.service) as watch:
        desk.clock = watch.now
        try:
            return desk.decided_here(number)
        finally:
            desk.clock = perf_counter


def waiting(plan: Plan) -> dict[Target, float]:
    """Measure what half as many threads and half as many coroutines take while all of them only wait."""
    desk, count = Desk(plan.place("waiting"), policies.for_tools(10)), plan.size(WAITERS, 20)
    crowd = _Crowd(desk, count)
    crowd.gather()
    took = []
    for _ in range(plan.size(5, 1)):
        plan.floor()
        took.append(_idle(plan.size(4, 1)))
    desk.close()  # releases all of them
    crowd.leave()
    return {targets.WAITERS: median(took)}


def _idle(seconds: float) -> float:
    """Return how much of one core this process takes while this thread does nothing, in percent."""
    cpu, start = process_time(), perf_counter()
    threading.Event().wait(seconds)
    return (process_time() - cpu) / (perf_counter() - start) * 100


class _Crowd:
    """Callers that wait for people, half of them in threads and half in coroutines."""

    def __init__(self, desk: Desk, count: int) -> None:
        self._desk, self._count = desk, count
        self._threads = [threading.Thread(target=self._wait, args=(number,)) for number in range(count // 2)]
        self._loop = threading.Thread(target=lambda: asyncio.run(self._coroutines()))

        @desk.gate.guard("desk.pay_later")
        async def pay_later(amount: int) -> str:
            return "paid"

        self._later = pay_later

    def gather(self) -> None:
        """Let all of them begin, and return when all wait."""
        for thread in (*self._threads, self._loop):
            thread.start()
        pause = threading.Event()
        while self._waits() < self._count:
            pause.wait(0.05)
        pause.wait(0.5)

    def leave(self) -> None:
        """Wait until all are gone."""
        for thread in (*self._threads, self._loop):
            thread.join()

    def _waits(self) -> int:
        with self._desk.gate.service.store.reader() as reader:
            row = reader.one("SELECT count(*) AS n FROM waiters")
        return int(row["n"]) if row else 0

    def _wait(self, number: int) -> None:
        self._desk.gate.outcome(self._desk.pay, 1000 + number, "bob", "EUR", "bench")

    async def _coroutines(self) -> None:
        calls = (
            self._desk.gate.outcome(self._later, 1000 + n) for n in range(self._count - self._count // 2)
        )
        await asyncio.gather(*calls)
