"""Parallel calls never pass a budget together: from threads, from processes, at submit and at claim."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from gate.lifecycle import State
from gate.model import Action, Person, Route
from gate.policy.load import load_texts
from gate.service import Service
from tests.faults.budget_program import race, send
from tests.faults.invariants import Asked, Rules
from tests.faults.judging import problems
from tests.forking import SERVER

LIMIT = 40
POLICY = f"""
version: 1
name: desk
default: allow
approvals: {{channel: C0APPROVALS, approvers: [U0ALICE], comment: {{approve: optional, deny: optional}}}}
limits: {{pending_per_session: 1000, pending_per_agent: 1000, asks_per_session: {{count: 1000, window: 1h}}}}
actions:
  "desk.*": {{risk: write, amount: args.amount, currency: EUR}}
rules:
  - {{id: ask, match: desk.ask, then: require_approval, reason: Ask.}}
budgets:
  - {{id: money, match: "desk.*", sum: effect.amount, limit: {{EUR: {LIMIT}}}, per: agent, window: 24h}}
"""
ROUTE = Route(app="A0GATE", api_host="127.0.0.1", channel="C0APPROVALS")
ALICE = Asked(frozenset({"U0ALICE"}))
RULES = Rules({"desk/ask": ALICE, "desk/money": ALICE}, budget="desk/money", limit=Decimal(LIMIT))


def _service(db: Path) -> Service:
    gate = Service(db, policy=load_texts({"desk.yml": POLICY}))
    gate.open_session("first", agent="desk", on_behalf_of=None)
    return gate


def _approved(gate: Service, number: int) -> str:
    """Return an approved hold of a call that adds three."""
    action = Action("desk.ask", {"amount": 3, "n": number}, "desk", "first")
    hold = gate.hold(gate.submit(action, wait=False).record.id)
    gate.decide(
        hold.id, store=hold.store, nonce=hold.nonce, person=Person("T0LOCAL", "U0ALICE"),
        satisfies=frozenset({"U0ALICE"}), said="approve", route=ROUTE,
    )  # fmt: skip
    return hold.id


def _charged(gate: Service) -> tuple[int, int]:
    """Return how much was charged by the totals, and how many runs the ledger has."""
    with gate.store.reader() as reader:
        totals = reader.all(
            "SELECT max(CAST(c.total AS INTEGER)) AS total FROM charges c JOIN series s ON s.id = c.series "
            "JOIN budgets b ON b.id = s.budget WHERE b.active = 1 GROUP BY s.id"
        )
        runs = reader.all("SELECT n FROM ledger")
    return sum(int(row["total"]) for row in totals), len(runs)


def test_threads_never_pass_a_budget_together(tmp_path: Path) -> None:
    """Of eighty calls from eight threads exactly as many run as the limit has room for."""
    gate = _service(tmp_path / "gate.db")
    start, ran = threading.Barrier(8), []

    def work(worker: int) -> None:
        start.wait()
        for index in range(10):
            action = Action("desk.send", {"amount": 3, "n": worker * 100 + index}, "desk", "first")
            ran.append(send(gate, action))

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(ran), sum(ran)) == (80, LIMIT // 3)
    assert _charged(gate) == (LIMIT // 3 * 3, LIMIT // 3)
    assert problems(gate, RULES) == []
    gate.close()


@pytest.mark.parametrize("claims", [0, 6])
def test_processes_never_pass_a_budget_together(tmp_path: Path, claims: int) -> None:
    """Four processes submit, and claim the same approved holds: no more runs than the limit has room for."""
    gate = _service(tmp_path / "gate.db")
    holds = [f"{_approved(gate, number)}:{number}" for number in range(claims)]
    pipes, workers = zip(*(_worker(tmp_path / "gate.db", number, holds) for number in range(4)), strict=True)
    assert [pipe.recv() for pipe in pipes] == ["ready"] * 4
    for pipe in pipes:
        pipe.send("go")
    counts = [pipe.recv() for pipe in pipes]
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0, 0]
    assert sum(ran + claimed for ran, claimed in counts) == LIMIT // 3
    assert _charged(gate) == (LIMIT // 3 * 3, LIMIT // 3)
    states = [gate.action(hold.split(":")[0]).state for hold in holds]
    assert set(states) <= {State.SUCCEEDED, State.PENDING}
    assert problems(gate, RULES) == []
    gate.close()


def _worker(db: Path, number: int, holds: Sequence[str]) -> tuple[Connection, BaseProcess]:
    """Start a process that makes calls once it is told to."""
    ours, theirs = SERVER.Pipe()
    process = SERVER.Process(target=race, args=(theirs, db, number, 8, holds), daemon=True)
    process.start()
    theirs.close()
    return ours, process


def test_a_policy_applied_amid_calls_counts_them_all(tmp_path: Path) -> None:
    """Budgets that come into force while threads make calls miss none and count none twice."""
    gate = _service(tmp_path / "gate.db")
    free = POLICY.split("budgets:")[0]
    gate.apply(load_texts({"desk.yml": free}), by="cli:x")
    start = threading.Barrier(4)

    def work(worker: int) -> None:
        start.wait()
        for index in range(30):
            action = Action("desk.send", {"amount": 3, "n": worker * 100 + index}, "desk", "first")
            send(gate, action)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(3)]
    for thread in threads:
        thread.start()
    start.wait()
    for limit in (10_000, 20_000):
        text = POLICY.replace(f"EUR: {LIMIT}", f"EUR: {limit}").replace("per: agent", "per: everything")
        gate.apply(load_texts({"desk.yml": text}), by="cli:x")
    gate.apply(load_texts({"desk.yml": POLICY.replace(f"EUR: {LIMIT}", "EUR: 10000")}), by="cli:x")
    for thread in threads:
        thread.join()
    assert _charged(gate) == (270, 90)
    assert problems(gate, replace(RULES, limit=Decimal(10_000))) == []
    gate.close()
