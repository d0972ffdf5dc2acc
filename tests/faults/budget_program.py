"""A process that makes calls against a shared store as fast as it can; started by the races' tests."""

from __future__ import annotations

import sys
from pathlib import Path

from gate.lifecycle import State
from gate.model import Action
from gate.service import Service


def main() -> None:
    """Submit and claim what the command line says, and print how many of each ran."""
    db, number, submits = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    holds = sys.argv[4].split(",") if sys.argv[4] else []
    gate = Service(db, durability="normal")
    session = f"p{number}"
    gate.open_session(session, agent="desk", on_behalf_of=None)
    print("ready", flush=True)
    sys.stdin.readline()
    ran = sum(_sends(gate, session, number * 1000 + index) for index in range(submits))
    claimed = sum(_claims(gate, hold) for hold in holds)
    print(ran, claimed, flush=True)
    gate.close()


def _sends(gate: Service, session: str, number: int) -> bool:
    action = Action("desk.send", {"amount": 3, "n": number}, "desk", session)
    return gate.submit(action, wait=False).kind == "run"


def _claims(gate: Service, hold: str) -> bool:
    number = int(hold.split(":")[1])
    claimed = gate.claim(hold.split(":")[0], Action("desk.ask", {"amount": 3, "n": number}, "desk", "first"))
    return claimed.run and claimed.record.state == State.RUNNING


if __name__ == "__main__":
    main()
