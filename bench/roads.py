"""The roads that are timed: an allowed call, and from a decision to the caller that runs."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import perf_counter
from typing import Any

from bench import policies
from gate import Gate
from gate.model import Person, Route
from gate.service import Service

ALICE = Person("T0LOCAL", "U0ALICE")
ROUTE = Route(app="A0GATE", api_host="127.0.0.1")


class Desk:
    """One gate with one tool, and an approver.

    Args:
        folder: Where its policy and store lie.
        text: Its policy.
        options: More of the gate's own.
    """

    def __init__(self, folder: Path, text: str, **options: Any) -> None:
        self.policy = folder / "bench.yml"
        self.policy.write_text(text)
        self.db = folder / "bench.db"
        self.gate = Gate(policy=self.policy, db=self.db, agent="bench", **options)
        self.ran = 0.0
        self.clock: Callable[[], float] = perf_counter

        @self.gate.guard(policies.TOOL)
        def pay(amount: int, to: Any, currency: str, reason: str) -> str:
            self.ran = self.clock()
            return "paid"

        self.pay = pay

    def allowed(self) -> None:
        """Make one allowed call with four arguments."""
        self.pay(5, "bob", "EUR", "bench")

    def close(self) -> None:
        """Close the gate."""
        self.gate.close()

    def decided_here(self, number: int) -> float:
        """Return the time from a decision in this process to the tool's start, in the clock's seconds."""
        return self._held(number, lambda: approve(self.gate.service, self.clock))

    def decided_elsewhere(self, number: int, pipe: Connection) -> float:
        """Return the same for a decision that another process makes, in seconds."""

        def ask() -> float:
            pipe.send("go")
            return float(pipe.recv())

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


def approve(service: Service, clock: Callable[[], float] = perf_counter) -> float:
    """Approve the one open hold and return when the decision began."""
    (hold,) = service.holds()
    start = clock()
    service.decide(
        hold.id, store=hold.store, nonce=hold.nonce, person=ALICE,
        satisfies=frozenset({"U0ALICE"}), said="approve", route=ROUTE,
    )  # fmt: skip
    return start


def other_process(db: Path, pipe: Connection) -> None:
    """Approve whatever is open each time somebody says ``go``."""
    service = Service(db, kind="bot")
    while pipe.recv() == "go":
        pipe.send(approve(service))
    service.close()


def beside(work: Callable[..., None], *args: Any) -> tuple[BaseProcess, Connection]:
    """Start work in another process and return that with the pipe to it."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    started = context.Process(target=work, args=(*args, there), daemon=True)
    started.start()
    return started, here
