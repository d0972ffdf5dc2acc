"""Time what happens once: importing the gate, and taking a new revision while calls are made."""

from __future__ import annotations

import os
import subprocess
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from time import perf_counter

from bench import policies, targets
from bench.measure import Plan, each, p99
from bench.roads import Desk, beside
from bench.targets import Target
from gate.policy.load import load_texts
from gate.service import Service

OPTIONAL = ("slack_sdk", "slack_bolt", "aiohttp", "apscheduler", "rich", "sqlite_utils", "sqlite3", "click")
ALL = "from gate import *"
"""Every public name, since what a program does not ask for is not even loaded."""
_LIST = f"import sys; {ALL}; print(*[m for m in {OPTIONAL!r} if m in sys.modules])"


def imported(plan: Plan) -> dict[Target, float]:
    """Time a fresh process that imports all that the gate exports beside one that imports nothing."""
    fresh = _Fresh(plan.place("bytecode"))
    listed, more = fresh.run(_LIST), []
    for _ in range(plan.size(31, 2)):
        plan.floor()
        more.append((fresh.time(ALL) - fresh.time("pass")) * 1e3)
    return {targets.IMPORT: median(more), targets.OPTIONAL: len(listed.split())}


class _Fresh:
    """Run code in fresh processes, whose first one compiles what it imports, as an installation does."""

    def __init__(self, bytecode: Path) -> None:
        self._set = {**os.environ, "PYTHONPYCACHEPREFIX": str(bytecode)}
        self._set.pop("PYTHONDONTWRITEBYTECODE", None)

    def run(self, code: str) -> str:
        """Run it and return what it prints."""
        command = [sys.executable, "-c", code]
        return subprocess.run(command, env=self._set, check=True, capture_output=True, text=True).stdout

    def time(self, code: str) -> float:
        """Return how long it takes, in seconds, the process's start and end included."""
        start = perf_counter()
        self.run(code)
        return perf_counter() - start


def revised(plan: Plan) -> dict[Target, float]:
    """Time calls while another process brings new revisions into force, and while it does not."""
    desk = Desk(plan.place("revised"), policies.for_tools(1000))
    desk.allowed()
    process, pipe = beside(_apply, desk.db)
    idle, busy = [], []
    for number in range(plan.size(12, 1)):
        plan.floor()
        idle += each(desk.allowed, plan.size(300, 20))
        pipe.send(number)
        while not pipe.poll():
            busy += each(desk.allowed, 1)
        pipe.recv()
        busy += each(desk.allowed, plan.size(150, 10))
    pipe.send(None)
    process.join()
    desk.close()
    return {targets.RELOAD: p99(busy) / p99(idle)}


def _apply(db: Path, pipe: Connection) -> None:
    """Apply another revision each time a number comes, and say when it is in force."""
    service = Service(db, kind="cli")
    while (number := pipe.recv()) is not None:
        text = policies.for_tools(1000) + f"# revision {number}\n"
        service.apply(load_texts({"bench.yml": text}), by="bench")
        pipe.send(number)
    service.close()
