"""The roads that are timed: an allowed call, and from a decision to the caller that runs."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from gate import Gate
from gate.model import Person, Route
from gate.service import Service

POLICY = """
version: 1
name: bench
default: require_approval
approvals: {channel: C0APPROVALS, approvers: [U0ALICE], comment: {approve: optional, deny: optional}}
limits: {pending_per_session: 1000, pending_per_agent: 1000, asks_per_session: {count: 100000, window: 1h}}
rules:
  - {id: small, match: desk.pay, when: {args.amount: {gt: 0, lte: 10}}, then: allow}
"""
ALICE = Person("T0LOCAL", "U0ALICE")
ROUTE = Route(app="A0GATE", api_host="127.0.0.1")


class Desk:
    """One gate with one tool, and an approver."""

    def __init__(self, folder: Path, name: str) -> None:
        self.policy = folder / "bench.yml"
        self.policy.write_text(POLICY)
        self.db = folder / f"{name}.db"
        self.gate = Gate(policy=self.policy, db=self.db, agent="bench")
        self.ran = 0.0

        @self.gate.guard("desk.pay")
        def pay(amount: int, to: str, currency: str, reason: str) -> str:
            self.ran = perf_counter()
            return "paid"

        self.pay = pay

    def allowed(self) -> float:
        """Return the time of one allowed call with four arguments, in seconds."""
        start = perf_counter()
        self.pay(5, "bob", "EUR", "bench")
        return perf_counter() - start

    def decided_here(self, number: int) -> float:
        """Return the time from a decision in this process to the start of the tool, in seconds."""
        return self._held(number, lambda: approve(self.gate.service))

    def decided_elsewhere(self, number: int, pipe: object) -> float:
        """Return the same for a decision that another process makes, in seconds."""
        told: list[float] = []

        def ask() -> float:
            pipe.send("go")  # type: ignore[attr-defined]
            told.append(pipe.recv())  # type: ignore[attr-defined]
            return told[0]

        return self._held(number, ask)

    def _held(self, number: int, decide: Callable[[], float]) -> float:
        caller = threading.Thread(target=self.pay, args=(1000 + number, "bob", "EUR", "bench"))
        caller.start()
        pause = threading.Event()
        while not any(hold.waiting for hold in self.gate.service.holds()):
            pause.wait(0.002)
        pause.wait(0.02)
        decided = decide()
        caller.join()
        return self.ran - decided


def approve(service: Service) -> float:
    """Approve the one open hold and return when the decision began (perf_counter)."""
    (hold,) = service.holds()
    start = perf_counter()
    service.decide(
        hold.id, store=hold.store, nonce=hold.nonce, person=ALICE,
        satisfies=frozenset({"U0ALICE"}), said="approve", route=ROUTE,
    )  # fmt: skip
    return start


def other_process(db: Path, pipe: object) -> None:
    """Approve whatever is open each time somebody says ``go``."""
    service = Service(db, kind="bot")
    while pipe.recv() == "go":  # type: ignore[attr-defined]
        pipe.send(approve(service))  # type: ignore[attr-defined]
    service.close()


def approver(db: Path) -> tuple[multiprocessing.Process, object]:
    """Start an approver in another process and return it with the pipe to it."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    started = context.Process(target=other_process, args=(db, there), daemon=True)
    started.start()
    return started, here  # type: ignore[return-value]
