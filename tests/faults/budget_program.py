"""A process that makes calls against a shared store as fast as it can; started by the races' tests."""

from __future__ import annotations

import sys
from pathlib import Path

from gate.lifecycle import State
from gate.model import Action
from gate.service import Service
from gate.verbs.claim import End
from tests.faults.notes import note


def main() -> None:
    """Submit and claim what the command line says, and print how many of each ran."""
    db, number, submits = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    holds = sys.argv[4].split(",") if sys.argv[4] else []
    gate = Service(db, durability="normal")
    session = f"p{number}"
    gate.open_session(session, agent="desk", on_behalf_of=None)
    print("ready", flush=True)
    sys.stdin.readline()
    ran = sum(
        send(gate, Action("desk.send", {"amount": 3, "n": number * 1000 + index}, "desk", session))
        for index in range(submits)
    )
    claimed = sum(_claims(gate, hold) for hold in holds)
    print(ran, claimed, flush=True)
    gate.close()


def send(gate: Service, action: Action) -> bool:
    """Submit a call and do it where it is allowed; tell whether it was."""
    submission = gate.submit(action, wait=False)
    if submission.kind == "run":
        _do(gate, submission.record.id, action)
    return submission.kind == "run"


def _claims(gate: Service, hold: str) -> bool:
    number = int(hold.split(":")[1])
    action = Action("desk.ask", {"amount": 3, "n": number}, "desk", "first")
    claimed = gate.claim(hold.split(":")[0], action)
    if claimed.run:
        _do(gate, claimed.record.id, action)
    return claimed.run and claimed.record.state == State.RUNNING


def _do(gate: Service, action_id: str, action: Action) -> None:
    assert gate.path is not None
    note(gate.path.with_name("effects"), {"action": action_id, **action.arguments})
    gate.settle(action_id, End(True, "1"))


if __name__ == "__main__":
    main()
