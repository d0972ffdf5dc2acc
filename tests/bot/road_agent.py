"""An agent in a process of its own: ``road_agent.py DB POLICY EVENTS SESSION ASKER``.

It reads one call a line from standard input, as JSON: ``tool``, ``args``, and ``id`` and ``wait`` where
they are given. It writes what became of each as one line of JSON, and appends one line to EVENTS, fsynced,
for everything that a tool really does.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gate import Gate, Session, person

DB, POLICY, EVENTS, SESSION, ASKER = sys.argv[1:6]

gate = Gate(policy=POLICY, db=DB, agent="support")


def note(line: str) -> None:
    """Append a line that survives the death of this process."""
    with Path(EVENTS).open("a") as file:
        file.write(f"{line}\n")
        file.flush()
        os.fsync(file.fileno())


@gate.guard("payments.issue_refund")
def issue_refund(order_id: str, amount: int, currency: str) -> str:
    """Refund, and leave a trace."""
    note(f"refund {order_id} {amount} {currency}")
    return f"RF-{order_id}"


@gate.guard("payments.pay_out")
def pay_out(amount: int) -> str:
    """Pay out, and leave a trace."""
    note(f"pay out {amount}")
    return f"PO-{amount}"


TOOLS: dict[str, Callable[..., Any]] = {"issue_refund": issue_refund, "pay_out": pay_out}


def made(call: dict[str, Any]) -> dict[str, Any]:
    """Make one call and return what became of it."""
    gate.call(id=call.get("id"), wait=call.get("wait"))
    outcome = gate.outcome(TOOLS[call["tool"]], **call["args"])
    return {
        "kind": type(outcome).__name__,
        "code": outcome.code,
        "action": outcome.action_id,
        "message": outcome.message_for_agent,
        "comments": [each.comment for each in outcome.decisions],
        "result": getattr(outcome, "result", None),
    }


def session() -> Session:
    """Return the session that all calls belong to."""
    return gate.session(SESSION, on_behalf_of=person(ASKER) if ASKER else None)


if __name__ == "__main__":
    with session():
        for line in sys.stdin:
            print(json.dumps(made(json.loads(line))), flush=True)
    gate.close()
