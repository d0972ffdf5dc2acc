"""An agent in a process of its own: with DB POLICY WORK EVENTS as its words it does one piece of work.

It appends one line of JSON to EVENTS, fsynced, for everything that a tool really does, one to ``told`` beside
it for what became of the call, and prints that as its last line.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from gate import Gate, person
from tests.faults.notes import note

DB, POLICY, WORK, EVENTS = sys.argv[1:5]

gate = Gate(policy=POLICY, db=DB, agent="desk")


def _did(what: str) -> None:
    note(Path(EVENTS), {"action": gate.action_id(), "did": what})


@gate.guard("desk.pay")
def pay(amount: int, to: str) -> str:
    """Pay, and leave a trace."""
    _did(f"paid {amount} {to}")
    return f"paid {amount}"


@gate.guard("desk.hang")
def hang() -> None:
    """Begin, say so, and never end."""
    _did("hang begun")
    signal.pause()


def with_id() -> object:
    """Make one held call under a call id and wait for it."""
    gate.call(id="c1")
    return gate.outcome(pay, 50, "bob")


def without_id() -> object:
    """Make one held call without a call id and wait for it."""
    return gate.outcome(pay, 50, "bob")


def poll() -> object:
    """Make one held call without a call id and do not wait."""
    gate.call(wait=0)
    return gate.outcome(pay, 50, "bob")


def poll_with_id() -> object:
    """Make one held call under a call id and do not wait."""
    gate.call(id="c1", wait=0)
    return gate.outcome(pay, 50, "bob")


def hang_with_id() -> object:
    """Make an allowed call whose tool never ends."""
    gate.call(id="h1")
    return gate.outcome(hang)


def preload() -> object:
    """Open the gate, fork two children that each make an allowed and a held call, and make one as well."""
    gate.open()
    children = [_fork(number) for number in (1, 2)]
    pay(3, "parent")
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def _fork(number: int) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        pay(number, "child")
        with gate.session(f"run-{number}", on_behalf_of=None):
            code = 0 if pay(50 + number, "child") == f"paid {50 + number}" else 2
    finally:
        os._exit(code)


WORKS: dict[str, Callable[[], object]] = {
    work.__name__: work for work in (with_id, without_id, poll, poll_with_id, hang_with_id, preload)
}

if __name__ == "__main__":
    with gate.session("s1", on_behalf_of=person("U0ASKER")):
        outcome = WORKS[WORK]()
    if hasattr(outcome, "code"):
        note(Path(EVENTS).with_name("told"), {"action": outcome.action_id, "code": outcome.code})
    print(getattr(outcome, "code", outcome), getattr(outcome, "result", ""), flush=True)
