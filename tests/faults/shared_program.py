"""What a process of many threads does until it dies amid a transaction that several of them write into."""

from __future__ import annotations

import functools
import os
import signal
import sqlite3
import threading
from pathlib import Path
from typing import Any

import gate.store.connections as connections
from gate.model import Action
from gate.service import Service
from tests.faults.budget_program import do
from tests.faults.kill_points import Namespace
from tests.faults.notes import note

THREADS, CALLS = 8, 5


def call_until_killed(db: Path, number: int, statement: str, at: int) -> None:
    """Make calls from many threads, and die at one statement.

    Args:
        db: The store.
        number: Of this process; its session is named after it.
        statement: ``before X`` or ``after X``.
        at: Which time from when all threads are ready; 0: never.
    """
    dying = _Dying(*statement.split(" ", 1))
    connect = functools.partial(sqlite3.connect, factory=dying.connection())
    connections.sqlite3 = Namespace(sqlite3, connect=connect)  # type: ignore[assignment, attr-defined]
    gate = Service(db)
    gate.open_session(f"p{number}", agent="desk", on_behalf_of=None)
    ready = threading.Barrier(THREADS, action=lambda: dying.arm(at))
    threads = [threading.Thread(target=_work, args=(gate, ready, number, each)) for each in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gate.close()


class _Dying:
    """Count one statement, and kill this process at the time that is ordered."""

    def __init__(self, when: str, sql: str) -> None:
        self._when, self._sql = when, sql
        self._left = 0

    def arm(self, at: int) -> None:
        """Count from here on."""
        self._left = at

    def connection(self) -> type[sqlite3.Connection]:
        """Return a class of connections that tell of every statement."""
        dying = self

        class Connection(sqlite3.Connection):
            def execute(self, sql: str, *params: Any) -> sqlite3.Cursor:
                dying.pass_by("before", sql)
                done = super().execute(sql, *params)
                dying.pass_by("after", sql)
                return done

        return Connection

    def pass_by(self, when: str, sql: str) -> None:
        """Note that a statement is about to be executed, or was."""
        if self._left and (when, sql) == (self._when, self._sql):
            self._left -= 1
            if not self._left:
                os.kill(os.getpid(), signal.SIGKILL)


def _work(gate: Service, ready: threading.Barrier, number: int, thread: int) -> None:
    assert gate.path is not None
    ready.wait()
    for index in range(CALLS):
        name = number * 10_000 + thread * 100 + index
        action = Action("desk.send", {"amount": 3, "n": name}, "desk", f"p{number}")
        submission = gate.submit(action, wait=False)
        note(gate.path.with_name("told"), {"action": submission.record.id, "code": submission.kind})
        if submission.kind == "run":
            do(gate, submission.record.id, action)
