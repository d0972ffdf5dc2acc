"""What a process does that makes calls against a shared store as fast as it can."""

from __future__ import annotations

from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from gate.lifecycle import State
from gate.model import Action
from gate.service import Service
from gate.verbs.claim import End
from tests.faults.notes import note


def race(pipe: Connection, db: Path, number: int, submits: int, holds: Sequence[str]) -> None:
    """Submit and claim once told to, and tell how many of each ran."""
    gate = Service(db, durability="normal")
    session = f"p{number}"
    gate.open_session(session, agent="desk", on_behalf_of=None)
    pipe.send("ready")
    pipe.recv()
    ran = sum(
        send(gate, Action("desk.send", {"amount": 3, "n": number * 1000 + index}, "desk", session))
        for index in range(submits)
    )
    pipe.send((ran, sum(_claims(gate, hold) for hold in holds)))
    gate.close()


def send(gate: Service, action: Action) -> bool:
    """Submit a call and do it where it is allowed; tell whether it was."""
    submission = gate.submit(action, wait=False)
    if submission.kind == "run":
        do(gate, submission.record.id, action)
    return submission.kind == "run"


def _claims(gate: Service, hold: str) -> bool:
    number = int(hold.split(":")[1])
    action = Action("desk.ask", {"amount": 3, "n": number}, "desk", "first")
    claimed = gate.claim(hold.split(":")[0], action)
    if claimed.run:
        do(gate, claimed.record.id, action)
    return claimed.run and claimed.record.state == State.RUNNING


def do(gate: Service, action_id: str, action: Action) -> None:
    """Do what was allowed, and settle it."""
    assert gate.path is not None
    note(gate.path.with_name("effects"), {"action": action_id, **action.arguments})
    gate.settle(action_id, End(True, "1"))
