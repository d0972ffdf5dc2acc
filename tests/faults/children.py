"""What the child processes of the harness do: an agent with guarded tools, and the bot as in production.

They are forked from a server that has the modules loaded already, so that many can be started and killed.
Upkeep is hurried there, since a test waits for what a user has half a minute for.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.faults.notes import note
from tests.forking import SERVER

__all__ = ["SERVER", "Orders", "note"]

_ready = threading.Lock()
_is_ready: list[bool] = []


def ready() -> None:
    """Wait until children can start at once: what they are forked from has loaded everything.

    On a busy machine that takes longer than anything that they are waited for.
    """
    with _ready:
        if not _is_ready:
            first = SERVER.Process(target=int, daemon=True)
            first.start()
            first.join()
            _is_ready.append(True)


@dataclass(frozen=True, slots=True)
class Orders:
    """What one child is told.

    Attributes:
        folder: Where the store, the policy and everything that is written stand.
        life: Name of this life, for its files.
        environ: Environment.
        kill: ``POINT#N`` at which it dies; empty for none.
        calls: Calls the agent makes, in order: tool, call id and arguments.
        session: Session of these calls.
    """

    folder: Path
    life: str
    environ: Mapping[str, str]
    kill: str = ""
    calls: Sequence[tuple[str, str, Mapping[str, Any]]] = ()
    session: str = "s1"


def agent(orders: Orders) -> None:
    """Make guarded calls one after the other; each effect and each outcome leaves a fsynced line."""
    reach = _begin(orders)
    from gate import Gate, person

    desk = Gate(policy=orders.folder / "policy.yml", db=orders.folder / "gate.db", agent="desk")

    @desk.guard("desk.pay")
    def pay(amount: int, to: str) -> str:
        reach("tool effect: before")
        note(orders.folder / "effects", {"action": desk.action_id(), "amount": amount, "to": to})
        reach("tool effect: after")
        return f"paid {amount}"

    with desk.session(orders.session, on_behalf_of=person("U0CAROL")):
        for tool, call_id, arguments in orders.calls:
            desk.call(id=call_id)
            outcome = desk.outcome({"pay": pay}[tool], **arguments)
            told = {"call": call_id, "action": outcome.action_id, "code": outcome.code}
            told |= {"result": getattr(outcome, "result", None)}
            told |= {"comments": [each.comment for each in outcome.decisions if each.comment]}
            note(orders.folder / "told", told)
            reach("told: after")
    desk.close()


def bot(orders: Orders) -> None:
    """Run ``gate-bot``."""
    _begin(orders)
    from bot.command import main

    main(["--db", str(orders.folder / "gate.db"), "--socket"])


def _begin(orders: Orders) -> Any:
    os.environ.clear()
    os.environ.update(orders.environ)
    sys.stderr = (orders.folder / f"{orders.life}.err").open("a", buffering=1)
    os.dup2(sys.stderr.fileno(), 2)
    sys.stdout = (orders.folder / f"{orders.life}.out").open("a", buffering=1)
    from tests.faults import kill_points

    _hurry()
    points = kill_points.Points(orders.folder / f"{orders.life}.points", orders.kill)
    kill_points.install(points)
    return points.reach


def _hurry() -> None:
    """Let leases, heartbeats and pacing take a fraction of their time."""
    import bot.notices as notices
    import bot.pacing as pacing
    import gate.expiry as expiry

    notices.LEASE = timedelta(seconds=0.5)
    pacing.PER_SECOND = 20.0
    expiry.HEARTBEAT = timedelta(seconds=0.3)  # type: ignore[attr-defined]
