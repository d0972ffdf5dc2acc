"""What opens or reads a store waits while another process has all of it, for as long as a call would."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from gate.clock import pause
from gate.store import connections
from gate.store.sqlite import SqliteStore
from tests.patience import PATIENCE

RECOVERS = """
import fcntl, sys

log = open(sys.argv[1], "r+b", buffering=0)
for place in (120, 122):  # the locks to write and to recover, as sqlite.org/walformat.html numbers them
    fcntl.lockf(log, fcntl.LOCK_EX, 1, place)
log.write(bytes(96))  # its header, which whoever recovers writes last
print("begun", flush=True)
sys.stdin.read()
"""


def _opens(path: Path) -> tuple[threading.Thread, list[object]]:
    """Open a store in a thread, and put what came of it into a list."""
    told: list[object] = []

    def opened() -> None:
        try:
            with closing(SqliteStore(path)) as store, store.reader() as reader:
                told.append(reader.one("PRAGMA journal_mode"))
        except Exception as error:
            told.append(error)

    thread = threading.Thread(target=opened)
    thread.start()
    return thread, told


def test_an_opening_waits_while_another_one_switches_to_the_log(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that has the whole file for longer than one try takes is waited for."""
    waits = threading.Event()

    def waiting(seconds: float) -> None:
        waits.set()
        pause(seconds)

    monkeypatch.setattr(connections, "pause", waiting)
    db.parent.mkdir()
    with closing(sqlite3.connect(db, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        thread, told = _opens(db)
        assert waits.wait(PATIENCE), told
        other.execute("ROLLBACK")
    thread.join(PATIENCE)
    assert [dict(each) for each in told] == [{"journal_mode": "wal"}]  # type: ignore[call-overload]


@contextmanager
def _recovering(store: Path) -> Iterator[None]:
    """Have another process recover the log of a store."""
    shared = f"{store}-shm"
    with subprocess.Popen(
        [sys.executable, "-c", RECOVERS, shared], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"begun\n"
        yield
        other.communicate(b"")


def test_a_read_waits_while_the_log_is_recovered(db: Path) -> None:
    """After a crash the first process recovers the log; the others wait for it, longer than one try takes."""
    with closing(SqliteStore(db)) as store:
        told: list[object] = []

        def read() -> None:
            with store.reader() as reader:
                told.append(reader.one("SELECT count(*) AS n FROM actions"))

        thread = threading.Thread(target=read)
        with _recovering(db):
            thread.start()
            thread.join(4 * connections.TRY_MS / 1000)
            assert thread.is_alive()
        thread.join(PATIENCE)
        assert [dict(each) for each in told] == [{"n": 0}]  # type: ignore[call-overload]
