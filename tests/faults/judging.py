"""Bring what a run left open to its end, and judge the whole of it from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gate import Gate
from gate.service import Service
from tests.faults.invariants import Rules, broken, gather
from tests.faults.notes import note
from tests.faults.stepping import RULES


def did(gate: Gate, **effect: Any) -> None:
    """Note, inside a running tool, what it really does."""
    note(_beside(gate.service, "effects"), {"action": gate.action_id(), **effect})


def told(gate: Gate, outcome: Any) -> Any:
    """Note what a caller was told, and return it."""
    note(_beside(gate.service, "told"), {"action": outcome.action_id, "code": outcome.code})
    return outcome


def problems(service: Service, rules: Rules = RULES) -> list[str]:
    """Return every invariant that a run broke; sessions are ended first, and what the dead ran is doubted.

    Args:
        service: On the store of the run.
        rules: What the run's policy says.
    """
    with service.store.reader() as reader:
        open_ = [row["id"] for row in reader.all("SELECT id FROM sessions WHERE ended_at IS NULL")]
    for session in open_:
        service.end_session(session)
    service.heartbeat()
    db = service.path
    assert db is not None
    return broken(gather(rules, db, effects=_beside(service, "effects"), told=_beside(service, "told")))


def _beside(service: Service, name: str) -> Path:
    assert service.path is not None
    return service.path.with_name(name)
