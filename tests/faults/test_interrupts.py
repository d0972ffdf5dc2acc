"""An interrupt between any two lines of the gate runs nothing twice and leaves nothing running or locked."""

from __future__ import annotations

import gc
import linecache
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import gate as package
from gate import Gate
from gate.lifecycle import State
from tests.faults.judging import did, problems, told
from tests.gate_kit import PATIENCE, gate_on
from tests.kit import answer

HOME = str(Path(package.__file__).parent)
NO_CODE = ("try:", "return", "continue", "break", "finally:", "else:", "pass")
"""Lines without an instruction at which the interpreter would let an interrupt in."""
STRIDE = 37


def interrupted(work: Callable[[], object], trace: Callable[[FrameType, str, Any], Any]) -> bool:
    """Do some work while a function that may interrupt it traces it; tell whether it was interrupted."""
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


class Interrupter:
    """Raise KeyboardInterrupt at one line of the gate, counted from the beginning of a call."""

    def __init__(self, at: int) -> None:
        self.at, self.count = at, 0

    def run(self, work: Callable[[], object]) -> bool:
        """Do some work; tell whether it was interrupted."""
        return interrupted(work, self._enter)

    def _enter(self, frame: FrameType, event: str, arg: Any) -> Any:
        return self._line if frame.f_code.co_filename.startswith(HOME) else None

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        text = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
        if event == "line" and text not in NO_CODE and not text.startswith("with "):
            self.count += 1
            if self.count == self.at:
                raise KeyboardInterrupt
        return self._line


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    made = gate_on(tmp_path)
    with made:
        yield made


@pytest.mark.parametrize("amount", [5, 50], ids=["allowed", "held"])
def test_an_interrupt_anywhere_leaves_nothing_running(gate: Gate, amount: int) -> None:
    """Whatever line it strikes, the call has run at most once, has an end, and the gate goes on working."""
    ran: list[str] = []

    @gate.guard("desk.pay")
    def pay(amount: int, to: str) -> str:
        did(gate, amount=amount, to=to)
        ran.append(to)
        return "paid"

    def call(name: str, wait: float | None = None) -> Any:
        gate.call(id=name, wait=wait)
        return gate.outcome(pay, amount, name)

    with gate.session("s1", on_behalf_of=None):
        for at in range(1, 1_000_000, STRIDE):
            name = f"call-{at}"
            if amount > 10:
                answer(gate.service, call(name, wait=0).action_id)
            if not Interrupter(at).run(lambda: call(name)):  # noqa: B023 - done before the next
                break
            gc.collect()
            _lock_is_free(gate)
            gate.service.heartbeat()
            after = told(gate, call(name, wait=0))
            assert ran.count(name) <= 1
            assert gate.service.action(after.action_id).state != State.RUNNING, at
    assert ran.count(name) == 1
    assert at > 10 * STRIDE
    assert problems(gate.service) == []


def test_an_interrupt_anywhere_leaves_nobody_waiting(gate: Gate) -> None:
    """Whatever line it strikes, the hold counts as waited for no more: the same call comes back to it."""

    @gate.guard("desk.pay")
    def pay(amount: int, to: str) -> str:
        return "paid"

    def call() -> Any:
        gate.call(wait=0.001)
        return gate.outcome(pay, 50, "bob")

    with gate.session("s1", on_behalf_of=None):
        for at in range(1, 1_000_000, STRIDE):
            interrupted = Interrupter(at).run(call)
            gc.collect()
            assert len(gate.service.holds()) <= 1, at
            gate.service.heartbeat()
            assert not any(hold.waiting for hold in gate.service.holds()), at
            if not interrupted:
                break
    assert at > 10 * STRIDE
    assert len(gate.service.holds()) == 1
    assert problems(gate.service) == []


def _lock_is_free(gate: Gate) -> None:
    """Fail where a thread that was interrupted still has the store."""
    freed = threading.Thread(target=gate.service.heartbeat, daemon=True)
    freed.start()
    freed.join(PATIENCE)
    assert not freed.is_alive()
