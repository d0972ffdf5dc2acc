"""The file system turns read-only under a process: nothing runs, it is told why, and after it all goes on."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from gate.errors import StoreError
from gate.lifecycle import State
from gate.store import faults, files
from tests.faults.invariants import broken
from tests.faults.judging import problems
from tests.faults.read_only import apart, read_only
from tests.faults.stepping import Desk
from tests.faults.striking import STEPS, Struck, check, goes_on, says
from tests.kit import act, answer, service

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("step", STEPS)
def test_the_disk_turns_read_only_before_a_step(tmp_path: Path, step: str) -> None:
    """What cannot be written does not run, who asked is told what to do, and once it can be it runs once."""
    desk = Desk(tmp_path)
    with desk.gate, desk.gate.session("s1", on_behalf_of=None):
        struck = Struck(desk, step, read_only(tmp_path / "gate.db"))
        apart(desk.gate.bind(struck.call))
        struck.look()
        check(desk, struck, step, refused="takes no writes")
        goes_on(desk)
    assert broken(desk.seen()) == []


def test_reading_goes_on(db: Path) -> None:
    """On such a disk everything can be looked at, and the log verified; each verb that writes is refused."""
    gate = service(db)
    hold = gate.submit(act()).record.id

    def look() -> None:
        with read_only(db):
            for verb in (
                lambda: gate.submit(act(amount=5, to="bob")),
                lambda: answer(gate, hold),
                lambda: gate.cancel(hold, by="cli:ops", reason="no"),
                lambda: gate.freeze("agent", "desk", by="cli:ops", reason="no"),
            ):
                with pytest.raises(StoreError, match="Nothing ran"):
                    verb()
            assert gate.hold(hold).state == State.PENDING
            assert gate.verify().ok

    apart(look)
    answer(gate, hold)
    assert gate.action(hold).state == State.APPROVED
    assert problems(gate) == []
    gate.close()


MOUNTED = """
import subprocess, sys
from pathlib import Path
from tests.kit import act, service

folder = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(folder)], check=True)
service(folder / "gate.db").close()
subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
try:
    service(folder / "gate.db")
except Exception as error:
    print(type(error).__name__, error.code, error)
subprocess.run(["mount", "-o", "remount,rw", str(folder)], check=True)
gate = service(folder / "gate.db")
print(gate.submit(act(amount=5, to="bob")).kind)
"""


def _on_a_mount(folder: Path) -> list[str] | None:
    """Return what a process with mounts of its own says; None where none can be had."""
    if shutil.which("unshare") is None:
        return None
    command = ["unshare", "-rm", sys.executable, "-c", MOUNTED, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return done.stdout.splitlines() if "mount" not in done.stderr and done.stdout else None


def _without_one(folder: Path, patch: pytest.MonkeyPatch) -> list[str]:
    """Return what this process says where the system calls a folder's file system read-only."""
    service(folder / "gate.db").close()
    with patch.context() as patched:
        patched.setattr(files, "on_read_only_disk", lambda path: True)
        patched.setattr(os, "access", lambda path, mode: False)
        with pytest.raises(StoreError) as caught:
            service(folder / "gate.db")
    gate = service(folder / "gate.db")
    return [f"StoreError {caught.value.code} {caught.value}", gate.submit(act(amount=5, to="bob")).kind]


def test_no_store_is_opened_on_such_a_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening it there is refused with the reason and what to do; mounted for writing it opens."""
    refused, kind = _on_a_mount(tmp_path) or _without_one(tmp_path, monkeypatch)
    assert refused.startswith("StoreError store_readonly The store ")
    assert "Read-only file system. Nothing ran. Name a writable file" in refused
    assert kind == "run"


@pytest.mark.parametrize("kind", ["SQLITE_IOERR_WRITE", "SQLITE_READONLY", "SQLITE_CANTOPEN"])
def test_a_read_only_mount_is_named(db: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the driver calls it, the fault says what the system knows of its file system."""
    error = sqlite3.OperationalError("whatever")
    error.sqlite_errorcode = getattr(sqlite3, kind)
    assert "mounted read-only" not in str(faults.explained(error, db))
    monkeypatch.setattr(faults, "on_read_only_disk", lambda path: path == db)
    said = faults.explained(error, db)
    assert (said.code, says(str(said), "Mount it for writing and call again")) == ("store_readonly", True)
