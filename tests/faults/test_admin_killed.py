"""Archive, adopt, backup and a new key, killed with -9 between any two of their lines: the store goes on."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import gate as package
from gate.clock import FakeClock
from gate.errors import Fault, StoreError
from gate.lifecycle import State
from gate.service import Service
from tests.kit import act, answer, service

HOME = str(Path(package.__file__).parent)
POINTS = int(os.environ.get("GATE_SOAK_ADMIN", "8"))
"""At how many points each of them is killed, spread over all its lines."""
LATER = timedelta(days=1)


def _made(folder: Path) -> str:
    """Make a store with some records, and return the id of its one open hold."""
    gate = service(folder / "gate.db")
    for number in range(5):
        gate.submit(act(amount=number + 1, to="bob"))
    hold = gate.submit(act()).record.id
    gate.heartbeat()
    gate.close()
    return hold


def _archive(gate: Service, folder: Path) -> None:
    gate.archive(gate.clock.now() + LATER, folder / "archive.jsonl", by="cli:x")


def _backup(gate: Service, folder: Path) -> None:
    gate.backup(folder / "copy.db", by="cli:x")


def _adopt(gate: Service, folder: Path) -> None:
    gate.adopt(by="cli:x", anyway=True)


def _renew_key(gate: Service, folder: Path) -> None:
    gate.renew_key(by="cli:x")


VERBS: dict[str, Callable[[Service, Path], None]] = {
    "archive": _archive,
    "backup": _backup,
    "adopt": _adopt,
    "renew_key": _renew_key,
}


def _opened(folder: Path) -> Service:
    return Service(folder / "gate.db", clock=FakeClock(), kind="cli", create=False, renew_key=True)


def _in_child(folder: Path, verb: Callable[[Service, Path], None], at: int) -> tuple[bool, int]:
    """Do it in a forked process that dies at a line; tell whether it died, and how many lines it came to."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _work(folder, verb, at, writing)
    os.close(writing)
    with open(reading) as told:
        lines = told.read()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status), int(lines or 0)


def _work(folder: Path, verb: Callable[[Service, Path], None], at: int, told: int) -> None:
    passed = 0

    def line(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal passed
        if event == "line":
            passed += 1
            if passed == at:
                os.kill(os.getpid(), signal.SIGKILL)
        return line

    code = 1
    try:
        gate = _opened(folder)
        sys.settrace(lambda frame, event, arg: line if frame.f_code.co_filename.startswith(HOME) else None)
        verb(gate, folder)
        sys.settrace(None)
        os.write(told, str(passed).encode())
        code = 0
    finally:
        os._exit(code)


@pytest.mark.parametrize("name", VERBS)
@pytest.mark.timeout(3600)
def test_killed_at_any_line(tmp_path: Path, name: str) -> None:
    """Wherever it died, the store opens, its log is whole, nothing half counts, and it can be done again."""
    first = tmp_path / "whole"
    first.mkdir()
    hold = _made(first)
    shutil.copytree(first, tmp_path / "calm")
    _, lines = _in_child(tmp_path / "calm", VERBS[name], 0)
    assert lines > POINTS
    _goes_on(tmp_path / "calm", name, hold)
    for at in range(1, lines + 1, max(1, lines // POINTS)):
        folder = tmp_path / str(at)
        shutil.copytree(first, folder)
        died, _ = _in_child(folder, VERBS[name], at)
        assert died, at
        _goes_on(folder, name, hold)
        shutil.rmtree(folder)


def _goes_on(folder: Path, name: str, hold: str) -> None:
    if name == "backup":
        _no_half_copy(folder)
    gate = service(folder / "gate.db")
    assert gate.verify().ok
    stays = name in ("archive", "backup") or gate.action(hold).state == State.PENDING
    if stays:
        answer(gate, hold)
        assert gate.claim(hold, act()).run
    else:
        assert gate.action(hold).code == {"adopt": "store_adopted", "renew_key": "key_renewed"}[name]
        assert not gate.claim(hold, act()).run
    assert gate.submit(act(amount=5, to="bob")).kind == "run"
    _again(gate, folder, name)
    assert gate.verify().ok
    gate.close()


def _again(gate: Service, folder: Path, name: str) -> None:
    """Do it once more; a file that was left is named, and without it there is nothing in the way."""
    for path in (folder / "archive.jsonl", folder / "copy.db"):
        if path.exists():
            with pytest.raises(Fault, match=path.name):
                VERBS[name](gate, folder)
            path.rename(path.with_name("left"))
    for path in folder.glob("copy.db*"):
        path.unlink()
    VERBS[name](gate, folder)
    if name == "archive":
        assert (folder / "archive.jsonl").exists()


def _no_half_copy(folder: Path) -> None:
    """A copy that is there either opens and is whole, or is refused; it is never half a store."""
    copy = folder / "copy.db"
    if not copy.exists():
        return
    away = folder / "elsewhere"
    away.mkdir()
    for path in folder.glob("copy.db*"):
        shutil.copy(path, away)
    with suppress(StoreError):
        gate = Service(away / "copy.db", clock=FakeClock(), kind="cli", create=False)
        assert gate.verify().ok
        gate.close()
