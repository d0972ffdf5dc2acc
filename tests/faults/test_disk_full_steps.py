"""The disk fills before one step of a call and stays full to its end; after that the gate goes on."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.faults.invariants import broken
from tests.faults.stepping import Desk
from tests.faults.striking import STEPS, Struck, check, goes_on


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


@pytest.mark.parametrize("step", STEPS)
def test_the_disk_fills_before_a_step(tmp_path: Path, step: str) -> None:
    """What cannot be written does not run, who asked is told what to do, and afterwards it runs once."""
    desk = Desk(tmp_path)
    with desk.gate, desk.gate.session("s1", on_behalf_of=None):
        struck = Struck(desk, step, full(tmp_path))
        struck.go()
        check(desk, struck, step, refused="call again")
        goes_on(desk)
    assert broken(desk.seen()) == []
