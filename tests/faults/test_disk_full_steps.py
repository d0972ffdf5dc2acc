"""The disk fills before one step of a call and stays full to its end; after that the gate goes on."""

from __future__ import annotations

import gc
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gate.errors import StoreError
from tests.faults.invariants import broken
from tests.faults.stepping import Desk, before_steps
from tests.kit import answer

STEPS = ("submit", "decide", "claim", "tool", "settle", "leave")


@contextmanager
def full(folder: Path) -> Iterator[None]:
    """Let no file grow beyond the store's largest, though notes of a few bytes still fit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    largest = max(path.stat().st_size for path in folder.glob("gate.db*"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class Filling:
    """Let people approve where the call waits, and fill the disk before the step that is named."""

    def __init__(self, desk: Desk, step: str) -> None:
        self._desk, self._step = desk, step
        self._full = full(desk.folder)
        self.is_full, self.refused = False, ""

    def before(self, number: int, name: str) -> None:
        """Do what comes before a step."""
        if name == "wait" and self._step == "decide":
            self._fill()
        if name == "wait":
            self._approve()
        if name == self._step:
            self._fill()

    def _approve(self) -> None:
        hold = self._desk.hold("c1")
        assert hold is not None
        try:
            answer(self._desk.service, hold)
        except StoreError as fault:
            self.refused = str(fault)

    def _fill(self) -> None:
        if not self.is_full:
            self.is_full = True
            self._full.__enter__()

    def make_room(self) -> None:
        """Let files grow again."""
        assert self.is_full
        self._full.__exit__(None, None, None)


@pytest.mark.parametrize("step", STEPS)
def test_the_disk_fills_before_a_step(tmp_path: Path, step: str) -> None:
    """What cannot be written does not run, who asked is told what to do, and afterwards it runs once."""
    desk = Desk(tmp_path)
    with desk.gate, desk.gate.session("s1", on_behalf_of=None):
        filling, told = Filling(desk, step), ""
        desk.gate.call(id="c1", wait=0.05 if step == "decide" else 20.0)
        try:
            with before_steps(filling.before):
                told = desk.gate.outcome(desk.pay, 50, "c1").code
        except StoreError as fault:
            told = str(fault)
        finally:
            filling.make_room()
        begun = step in ("tool", "settle", "leave")
        assert desk.begun == (["c1"] if begun else [])
        assert told == {"decide": "pending"}.get(step, "ran") if begun or step == "decide" else _says(told)
        if step == "decide":
            assert _says(filling.refused)
        gc.collect()
        desk.service.heartbeat()
        state, _ = desk.state("c1")
        assert state == {"submit": "nothing", "decide": "pending", "claim": "approved"}.get(step, "succeeded")
        _goes_on(desk)
    assert broken(desk.seen()) == []


def _says(told: str) -> bool:
    return "othing ran" in told and "gate.db" in told and "again" in told


def _goes_on(desk: Desk) -> None:
    """Let people answer what still waits, and make the same call again."""
    for _ in range(2):
        hold = desk.hold("c1")
        if hold is not None:
            answer(desk.service, hold)
        desk.call("c1", 50, wait=0)
    assert desk.state("c1")[0] == "succeeded"
    assert desk.begun == ["c1"]
    assert desk.call("c2", 5).code == "ran"
    assert desk.service.verify().ok
