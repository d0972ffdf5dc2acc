"""A caller's process that is killed while it waits: where the rule says so, proof of its death cancels."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.lifecycle import State
from tests.faults.test_processes_die import RULES, World

CANCEL = RULES.replace("expires_in: 1h,", "expires_in: 1h, on_caller_gone: cancel,")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    made.policy.write_text(CANCEL)
    yield made
    made.stop()


def test_a_killed_caller_is_gone_and_a_stopped_one_is_not(world: World) -> None:
    """A stopped process may go on, so its hold stays; once killed, the next heartbeat cancels it."""
    agent = world.agent("with_id")
    hold = world.hold()
    agent.send(signal.SIGSTOP)
    world.gate.heartbeat()
    assert world.gate.hold(hold.id).state == State.PENDING
    agent.kill()
    world.gate.heartbeat()
    record = world.gate.hold(hold.id)
    assert (record.code, record.end_reason) == ("caller_gone", "The process that waited for it has died.")
    assert world.agent("with_id").finish().startswith("caller_gone")
    assert world.happened() == []
