"""A process is called dead only with proof."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from gate.processes import Identity, identify, is_dead

TELL = "import sys; from gate.processes import identify as t; print(t(), flush=True); sys.stdin.read()"


@pytest.fixture
def child() -> Iterator[tuple[subprocess.Popen[str], Identity]]:
    """Start a process that tells who it is and lives until it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", TELL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process, eval(process.stdout.readline(), {"Identity": Identity})
        process.kill()


def test_the_calling_process_lives() -> None:
    """A process knows itself and does not call itself dead."""
    me = identify()
    assert me.pid == os.getpid()
    assert me.start > 0
    assert not is_dead(me)


def test_a_killed_child_is_dead_before_and_after_it_is_reaped(
    child: tuple[subprocess.Popen[str], Identity],
) -> None:
    """A process that was killed is dead, also while it is a zombie."""
    process, identity = child
    assert not is_dead(identity)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert is_dead(identity)
    process.wait()
    assert is_dead(identity)


def test_a_pid_used_again_is_another_process() -> None:
    """The same pid with another start time is no proof of life."""
    assert is_dead(replace(identify(), start=1))


@pytest.mark.parametrize(
    "changes", [{"host": "elsewhere"}, {"boot": "earlier"}, {"namespace": "pid:[1]"}, {"start": 0}]
)
def test_without_proof_nothing_is_dead(
    changes: dict[str, object], child: tuple[subprocess.Popen[str], Identity]
) -> None:
    """A killed process of another host, boot or namespace may still be running, for all we know."""
    process, identity = child
    process.kill()
    process.wait()
    assert is_dead(identity)
    assert not is_dead(replace(identity, **changes))  # type: ignore[arg-type]
