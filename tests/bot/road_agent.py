"""An agent in a process of its own.

It takes one call after the other from a pipe: ``tool``, ``args``, and ``id`` and ``wait`` where they are
given. It sends back what became of each, and appends one line to a file of events, fsynced, for everything
that a tool really does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from gate import Gate, person


@dataclass(frozen=True, slots=True)
class Given:
    """What an agent is told at its start: files, session, whom it acts for (empty: nobody), environment."""

    db: Path
    policy: Path
    events: Path
    session: str
    asker: str
    environ: Mapping[str, str]


def run(pipe: Connection, given: Given) -> None:
    """Make the calls that come through the pipe until it is closed."""
    os.environ.clear()
    os.environ.update(given.environ)
    gate = Gate(policy=given.policy, db=given.db, agent="support")
    tools = _tools(gate, given.events)
    with gate.session(given.session, on_behalf_of=person(given.asker) if given.asker else None):
        while True:
            try:
                call = pipe.recv()
            except EOFError:
                break
            pipe.send(_made(gate, tools, call))
    gate.close()


def _tools(gate: Gate, events: Path) -> dict[str, Callable[..., Any]]:
    @gate.guard("payments.issue_refund")
    def issue_refund(order_id: str, amount: int, currency: str) -> str:
        """Refund, and leave a trace."""
        _note(events, f"refund {order_id} {amount} {currency}")
        return f"RF-{order_id}"

    @gate.guard("payments.pay_out")
    def pay_out(amount: int) -> str:
        """Pay out, and leave a trace."""
        _note(events, f"pay out {amount}")
        return f"PO-{amount}"

    return {"issue_refund": issue_refund, "pay_out": pay_out}


def _note(events: Path, line: str) -> None:
    """Append a line that survives the death of this process."""
    with events.open("a") as file:
        file.write(f"{line}\n")
        file.flush()
        os.fsync(file.fileno())


def _made(gate: Gate, tools: Mapping[str, Callable[..., Any]], call: dict[str, Any]) -> dict[str, Any]:
    """Make one call and return what became of it."""
    gate.call(id=call.get("id"), wait=call.get("wait"))
    outcome = gate.outcome(tools[call["tool"]], **call["args"])
    return {
        "kind": type(outcome).__name__,
        "code": outcome.code,
        "action": outcome.action_id,
        "message": outcome.message_for_agent,
        "comments": [each.comment for each in outcome.decisions],
        "result": getattr(outcome, "result", None),
    }
