"""Take one held call whose store is struck before a step: what its caller and those who answer are told."""

from __future__ import annotations

import gc
from contextlib import AbstractContextManager

from gate.errors import StoreError
from gate.model import HoldRecord
from tests.faults.stepping import Desk, before_steps
from tests.kit import answer

STEPS = ("submit", "decide", "claim", "tool", "settle", "leave")
BEGUN = ("tool", "settle", "leave")
"""Steps before which the call is in hand already."""


class Struck:
    """Let people approve where the call waits, and strike the store before the step that is named.

    Args:
        desk: The gate and its tool.
        step: Before which step; ``decide`` is before people answer.
        fault: Is entered when the store is struck, and left when the fault is gone.

    Attributes:
        told: What the caller got: a code, or the words of the fault.
        refused: What those who answered were told; empty where their answer was taken.
    """

    def __init__(self, desk: Desk, step: str, fault: AbstractContextManager[None]) -> None:
        self._desk, self._step, self._fault = desk, step, fault
        self._struck = False
        self._hold: HoldRecord | None = None
        self.told, self.refused = "", ""

    def go(self, wait: float | None = None) -> None:
        """Make the call to its end, and let the gate find what became of it; see ``call``."""
        self.call(wait)
        self.look()

    def look(self) -> None:
        """Let the gate find what became of the call."""
        gc.collect()
        self._desk.service.heartbeat()

    def call(self, wait: float | None = None) -> None:
        """Make the call to its end, and let the fault go.

        Args:
            wait: How many seconds the caller waits; None: a moment where no answer can be taken.
        """
        moment = 0.05 if self._step == "decide" else 20.0
        self._desk.gate.call(id="c1", wait=moment if wait is None else wait)
        try:
            with before_steps(self._before):
                self.told = self._desk.gate.outcome(self._desk.pay, 50, "c1").code
        except StoreError as fault:
            self.told = str(fault)
        finally:
            assert self._struck
            self._fault.__exit__(None, None, None)

    def _before(self, number: int, name: str) -> None:
        if name == "wait" and self._step == "decide":
            self._strike()
        if name == "wait":
            self._approve()
        if name == self._step:
            self._strike()

    def _approve(self) -> None:
        hold = self._hold or self._desk.hold("c1")
        assert hold is not None
        try:
            answer(self._desk.service, hold)
        except StoreError as fault:
            self.refused = str(fault)

    def _strike(self) -> None:
        if not self._struck:
            if self._step == "decide":
                self._hold = self._desk.hold("c1")  # those who answer have its card before them
            self._struck = True
            self._fault.__enter__()


def check(desk: Desk, struck: Struck, step: str, *, refused: str) -> None:
    """Assert what must hold of a call whose store was struck before a step and is well again.

    Args:
        desk: The gate and its tool.
        struck: The call, at its end.
        step: Before which step it was struck.
        refused: What those who answered meanwhile were told to do.
    """
    assert desk.begun == (["c1"] if step in BEGUN else [])
    if step in BEGUN:
        assert struck.told == "ran"
    else:
        assert struck.told == "pending" if step == "decide" else says(struck.told, "call again")
    assert says(struck.refused, refused) if step == "decide" else not struck.refused
    state, _ = desk.state("c1")
    assert state == {"submit": "nothing", "decide": "pending", "claim": "approved"}.get(step, "succeeded")


def says(told: str, remedy: str) -> bool:
    """Tell whether a fault says that nothing ran, where, and what to do."""
    return "othing ran" in told and "gate.db" in told and remedy in told


def goes_on(desk: Desk) -> None:
    """Let people answer what still waits, and make the same call again: it runs once, and others do."""
    for _ in range(2):
        hold = desk.hold("c1")
        if hold is not None:
            answer(desk.service, hold)
        desk.call("c1", 50, wait=0)
    assert desk.state("c1")[0] == "succeeded"
    assert desk.begun == ["c1"]
    assert desk.call("c2", 5).code == "ran"
    assert desk.service.verify().ok
