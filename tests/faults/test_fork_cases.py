"""Forks end at whatever moment they begin, and what either side records is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.fork_cases import CASES, run_case
from tests.forking import SERVER


@pytest.mark.parametrize("name", CASES)
def test_a_fork_at_the_worst_moment_ends(tmp_path: Path, name: str) -> None:
    """Nobody waits for ever for whom a fork waits for; a process that hangs tells where, and fails."""
    process = SERVER.Process(target=run_case, args=(name, tmp_path / "gate.db"))
    process.start()
    process.join()
    assert process.exitcode == 0
