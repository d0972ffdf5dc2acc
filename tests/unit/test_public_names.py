"""What ``import gate`` gives, and what it leaves unloaded."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

import gate
import gate.model

NAMES = [
    "Gate",
    "Session",
    "Evidence",
    "Effect",
    "Hold",
    "Verdict",
    "person",
    "email",
    "outside",
    "GateError",
    "PolicyError",
    "Ran",
    "Refused",
    "Blocked",
    "Denied",
    "Expired",
    "Cancelled",
    "Undelivered",
    "Pending",
    "InDoubt",
]

HEAVY = [
    "slack_bolt",
    "slack_sdk",
    "aiohttp",
    "apscheduler",
    "jsonschema",
    "rich",
    "sqlite_utils",
    "sqlite3",
    "_sqlite3",
    "structlog",
    "bot",
    "click",
    "yaml",
    "pydantic",
]

LATER = ["gate.calling", "gate.digest", "gate.redact", "gate.service", "gate.store.sqlite", "gate.trip"]
"""What only calls, or an open gate, need."""

FORKS = ["concurrent.futures.thread", "logging"]
"""What asks about forks itself, and has to do so before the first gate does."""

PROBE = f"""
import sys
from gate import *
print(*[name for name in {HEAVY + LATER + FORKS!r} if name in sys.modules])
made = Gate(policy="nowhere")
made.guard("a.b")(lambda x: x)
print(*[name for name in {HEAVY + LATER!r} if name in sys.modules and name != "pydantic"])
"""


def test_there_are_exactly_the_twenty_public_names() -> None:
    """The package has the public names of the design, no more, and each is there."""
    assert len(NAMES) == 20
    assert sorted(gate.__all__) == sorted(NAMES)
    assert all(hasattr(gate, name) for name in NAMES)


def test_what_is_loaded_on_demand_is_as_if_it_had_been_there() -> None:
    """Every exported name is listed, is what its module has, and is pickled; no other name is there."""
    for package in (gate, gate.model):
        assert set(package.__all__) <= set(dir(package))
        assert all(getattr(package, name) is getattr(package, name) for name in package.__all__)
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = package.nothing
    assert pickle.loads(pickle.dumps(gate.Gate)) is gate.Gate
    assert gate.Evidence is gate.model.Evidence is gate.model.calls.Evidence


def test_importing_loads_nothing_heavy() -> None:
    """A process that imports all names, makes a gate and guards a tool has no driver, scheduler or Slack.

    Nor has it what only calls need.
    """
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["", "", ""]
