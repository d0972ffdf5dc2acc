"""Time allowed calls: the whole road beside bare commits of the same bytes, threads, large arguments."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

from bench import policies, targets
from bench.floors import ROW_BYTES, Rows
from bench.measure import Plan, Work, alternating, each, p99, ratio
from bench.replaying import Replay, statements
from bench.roads import Desk
from bench.stopwatch import watched
from bench.targets import Target
from gate.audit import canonical
from gate.store.port import Reader

THREADS = 8


def allowed(plan: Plan) -> dict[Target, float]:
    """Time the whole road beside two bare commits of what it writes, and once more with normal durability."""
    fed = Desk(plan.place("fed"), policies.for_tools(10, budgets=True))
    normal = Desk(plan.place("normal"), policies.for_tools(10), durability="normal")
    fed.allowed()
    replay = replayed(plan)
    rows = Rows(plan.place("rows") / "rows.db")
    first, second = ("x" * size for size in written(fed))

    def bare() -> None:
        rows.write(first)
        rows.write(second)

    works = {"fed": fed.allowed, "bare": bare, "sql": replay.call, "normal": normal.allowed}
    found = alternating(plan, works, rounds=plan.size(100, 3), times=plan.size(30, 5))
    counted = transactions(fed)
    of_sqlite = [_statements(normal) * 1e6 for _ in range(plan.size(300, 5))]
    for each_one in (fed, normal, rows, replay):
        each_one.close()
    return {
        targets.ALLOWED: ratio(found["fed"], found["bare"]),
        targets.ALLOWED_SQL: ratio(found["sql"], found["bare"]),
        targets.COMMITS: counted,
        targets.NORMAL: median(found["normal"]),
        targets.NORMAL_SQL: median(of_sqlite),
    }


def _statements(desk: Desk) -> float:
    """Return how much of an allowed call is SQLite's, in seconds."""
    with watched(desk.gate.service) as watch:
        desk.allowed()
    return watch.spent


def replayed(plan: Plan) -> Replay:
    """Return the statements of such a call on a store of their own, to be executed without the gate."""
    desk = Desk(plan.place("replayed"), policies.for_tools(10, budgets=True))
    for _ in range(50):  # so that the numbers of its run and its records are no others
        desk.allowed()
    noted = statements(desk)
    desk.close()
    return Replay(desk.db, noted)


def written(desk: Desk) -> tuple[int, int]:
    """Return how many bytes of rows one allowed call writes: with its submit, and with its end."""
    store = desk.gate.service.store
    with store.reader() as reader:
        before, upto = _bytes(reader), _head(reader)
    desk.allowed()
    with store.reader() as reader:
        added, end = _bytes(reader) - before, _length(reader, upto + 2)
    return added - end, end


def _head(reader: Reader) -> int:
    row = reader.one("SELECT seq FROM audit_head")
    return int(row["seq"]) if row else 0


def _length(reader: Reader, seq: int) -> int:
    row = reader.one("SELECT length(CAST(body AS BLOB)) + length(hash) AS n FROM audit WHERE seq = ?", (seq,))
    return int(row["n"]) if row else 0


def _bytes(reader: Reader) -> int:
    """Return the bytes of every value of every row of a store."""
    total = 0
    for table in reader.all("SELECT name FROM sqlite_master WHERE type = 'table'"):
        columns = reader.all(f"PRAGMA table_info({table['name']})")
        parts = " + ".join(f"coalesce(length(CAST({each['name']} AS BLOB)), 0)" for each in columns)
        row = reader.one(f"SELECT coalesce(sum({parts}), 0) AS n FROM {table['name']}")
        total += int(row["n"]) if row else 0
    return total


def transactions(desk: Desk) -> int:
    """Return how many transactions one allowed call commits."""
    store, count = desk.gate.service.store, 0
    begin = store.transaction

    @contextmanager
    def counted(**options: Any) -> Iterator[Any]:
        nonlocal count
        count += threading.current_thread() is here
        with begin(**options) as tx:
            yield tx

    here = threading.current_thread()
    store.transaction = counted  # type: ignore[method-assign]
    desk.allowed()
    store.transaction = begin  # type: ignore[method-assign]
    return count


def threads(plan: Plan) -> dict[Target, float]:
    """Time calls of eight threads at once beside those of one."""
    desk = Desk(plan.place("threads"), policies.for_tools(10))
    desk.allowed()
    rates, tails = [], []
    for _ in range(plan.size(7, 1)):
        plan.floor()
        alone = each(desk.allowed, plan.size(400, 20))
        together, took = _at_once(desk, plan.size(100, 5))
        rates.append(together / (1e6 / (sum(alone) / len(alone))))
        tails.append(p99(took) / median(took))
    desk.close()
    return {targets.THREADS: median(rates), targets.THREADS_P99: median(tails)}


def _at_once(desk: Desk, times: int) -> tuple[float, list[float]]:
    """Return the rate of all threads together, a second, and how long each call took."""
    took: list[float] = []
    started = threading.Barrier(THREADS + 1)

    def work() -> None:
        started.wait()
        took.extend(each(desk.allowed, times))

    workers = [threading.Thread(target=work) for _ in range(THREADS)]
    for worker in workers:
        worker.start()
    started.wait()
    start = perf_counter()
    for worker in workers:
        worker.join()
    return len(took) / (perf_counter() - start), took


def sizes(plan: Plan) -> dict[Target, float]:
    """Time allowed calls with large arguments, and what no gate that keeps them can leave out."""
    desk = Desk(plan.place("sizes"), policies.for_tools(10))
    rows = Rows(plan.place("least") / "rows.db")
    long, many = text(64 * 1024), lines(64 * 1024)
    given = {targets.TEXT_64K: long, targets.ROWS_64K: many, targets.TEXT_1M: text(990_000)}
    works: dict[Target, Work] = {
        target: partial(desk.pay, 5, value, "EUR", "bench") for target, value in given.items()
    }
    works[targets.TEXT_64K_LEAST] = partial(_least, rows, long)
    works[targets.ROWS_64K_LEAST] = partial(_least, rows, many)
    named = {target.name: work for target, work in works.items()}
    found = alternating(plan, named, rounds=plan.size(15, 2), times=plan.size(5, 1))
    desk.close()
    rows.close()
    return {target: median(found[target.name]) / 1000 for target in works}


_LONG_WORD = re.compile(r"[A-Za-z0-9_-]{20}")
"""What a search for secrets looks for at the least."""


def _least(rows: Rows, value: Any) -> None:
    """Write a value once as JSON, hash and search that, and commit it and a short row, each durably."""
    body = canonical({"input": value})
    hashlib.sha256(body.encode()).hexdigest()
    _LONG_WORD.search(body)
    rows.write(body)
    rows.write("x" * ROW_BYTES)


def text(size: int) -> str:
    """Return so many characters of text."""
    words = "All good words of a note. "
    return (words * (size // len(words) + 1))[:size]


def lines(size: int) -> list[dict[str, Any]]:
    """Return rows that have so many bytes as JSON."""
    found: list[dict[str, Any]] = []
    while len(json.dumps(found)) < size:
        found += [
            {"id": len(found) + n, "name": f"customer {n}", "city": "Lyon", "open": True} for n in range(50)
        ]
    return found
