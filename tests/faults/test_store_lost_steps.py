"""The store is lost, swapped or locked away before one step of a call; after that the gate goes on."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from gate.errors import StoreError
from gate.service import Service
from gate.store import files
from tests.faults.invariants import broken
from tests.faults.stepping import Desk
from tests.faults.striking import BEGUN, STEPS, Struck, goes_on, says

MEMORY = Path("/dev/shm")
"""Where whoever may use the machine may make folders, and everybody may pass."""


@contextmanager
def _away(folder: Path, instead: Callable[[Path, Path], object]) -> Iterator[None]:
    db, away = folder / "gate.db", folder / "away"
    os.link(db, away)
    db.unlink()
    instead(away, db)
    there = db.read_bytes() if db.exists() else b""
    try:
        yield
    finally:
        assert (db.read_bytes() if db.exists() else b"") == there  # nothing was written into what lay there
        away.replace(db)


LOST: dict[str, Callable[[Path], AbstractContextManager[None]]] = {
    "unlinked": lambda folder: _away(folder, lambda away, db: None),
    "replaced by an empty file": lambda folder: _away(folder, lambda away, db: files.prepare(db)),
    "replaced by a copy": lambda folder: _away(folder, shutil.copyfile),
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("lost", LOST)
def test_the_store_is_lost_before_a_step(tmp_path: Path, lost: str, step: str) -> None:
    """Nothing runs without its own store, nor on another; who asked is told; with it back it runs once."""
    desk = Desk(tmp_path)
    with desk.gate, desk.gate.session("s1", on_behalf_of=None):
        struck = Struck(desk, step, LOST[lost](tmp_path))
        struck.go()
        assert desk.begun == (["c1"] if step in BEGUN else [])
        assert struck.told == "ran" if step in BEGUN else says(struck.told, "back")
        assert says(struck.refused, "back") if step == "decide" else not struck.refused
        state, _ = desk.state("c1")
        assert state == {"submit": "nothing", "decide": "pending", "claim": "approved"}.get(step, "succeeded")
        goes_on(desk)
    assert broken(desk.seen()) == []


@contextmanager
def _locked(folder: Path, mode: int) -> Iterator[None]:
    """Give a folder another mode and its store none to write; a process of root becomes one of nobody."""
    root = os.geteuid() == 0
    for path in folder.glob("gate.db*"):
        path.chmod(0o444)
    folder.chmod(mode)
    if root:
        os.seteuid(65534)
    try:
        with pytest.raises(StoreError) as caught:
            Service(folder / "gate.db", kind="bot")
        told = str(caught.value)
        assert says(told, "Name a writable file") or says(told, "Let this user write it")
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        for path in folder.glob("gate.db*"):
            path.chmod(0o600)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Give a folder that every user can reach, and in which the tool's notes stay writable."""
    folder = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.exists() else None))
    folder.chmod(0o755)
    for name in ("effects", "told"):
        (folder / name).touch()
        (folder / name).chmod(0o666)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("step", ["submit", "decide", "claim", "settle"])
def test_the_store_turns_read_only_before_a_step(open_folder: Path, step: str) -> None:
    """Whoever has it open goes on and records all; whoever opens it meanwhile is refused and told why."""
    desk = Desk(open_folder)
    with desk.gate, desk.gate.session("s1", on_behalf_of=None):
        struck = Struck(desk, step, _locked(open_folder, 0o555))
        struck.go(wait=20.0)
        assert (struck.told, struck.refused) == ("ran", "")
        assert desk.begun == ["c1"]
        goes_on(desk)
    assert broken(desk.seen()) == []


@pytest.mark.parametrize("step", ["submit", "decide", "claim", "leave"])
def test_the_store_cannot_be_reached_before_a_step(open_folder: Path, step: str) -> None:
    """Who may not look into the folder any more runs nothing and is told so; with the right it runs once."""
    desk = Desk(open_folder)
    with desk.gate, desk.gate.session("s1", on_behalf_of=None):
        struck = Struck(desk, step, _locked(open_folder, 0))
        struck.go()
        assert desk.begun == (["c1"] if step in BEGUN else [])
        assert struck.told == "ran" if step in BEGUN else says(struck.told, "Let this user")
        assert says(struck.refused, "Let this user") if step == "decide" else not struck.refused
        goes_on(desk)
    assert broken(desk.seen()) == []
