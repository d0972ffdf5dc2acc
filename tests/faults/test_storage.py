"""Full disks, lost files, damaged pages, a store held by others: nothing runs, and after it all goes on."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest

from gate import Gate
from gate.errors import StoreBusy, StoreError
from gate.lifecycle import State
from gate.service import Service
from gate.store import files, inspect, migrations, sqlite
from gate.store.port import Tx
from gate.verbs.claim import End
from tests.faults.invariants import Asked, Rules, broken, gather
from tests.gate_kit import PATIENCE, gate_on
from tests.kit import act, answer, post, service

Disk = tuple[Path, Callable[[], AbstractContextManager[None]]]

RULES = Rules({"desk/large": Asked(frozenset({"U0ALICE", "U0BOB"}))})


def _ends_well(gate: Service) -> None:
    """End what is open, close, and judge from outside what is left."""
    assert gate.path is not None
    gate.end_session("s1")
    gate.close()
    other = Service(gate.path, clock=gate.clock, kind="bot")
    other.heartbeat()
    other.close()
    assert broken(gather(RULES, gate.path, effects=gate.path.with_name("effects"))) == []


# ---- a full disk ------------------------------------------------------------------------------------------


@contextmanager
def _no_growth(folder: Path) -> Iterator[None]:
    """Let no file of this process grow beyond the largest of a folder."""
    with _limit(max(path.stat().st_size for path in folder.rglob("*") if path.is_file())):
        yield


@contextmanager
def _limit(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def _filled(folder: Path) -> Iterator[None]:
    """Take every free byte of a folder's file system."""
    ballast = folder / "ballast"
    try:
        with ballast.open("wb", buffering=0) as file, pytest.raises(OSError):
            for size in (65536, 4096, 1):
                while True:
                    try:
                        file.write(b"x" * size)
                    except OSError:
                        if size == 1:
                            raise
                        break
        yield
    finally:
        ballast.unlink()


def _mounted(folder: Path) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    return os.geteuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0


@pytest.fixture(params=["limit", "small disk"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    """Return a folder, and what fills its disk; without the right to mount it is a limit of the process."""
    if request.param == "limit" or not _mounted(tmp_path):
        yield tmp_path, lambda: _no_growth(tmp_path)
        return
    yield tmp_path, lambda: _filled(tmp_path)
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def _tool(gate: Gate, ran: list[int]) -> Callable[[int], str]:
    @gate.guard("desk.pay")
    def pay(amount: int) -> str:
        ran.append(amount)
        return f"paid {amount}"

    return pay


def test_nothing_runs_on_a_full_disk_and_all_goes_on_after(disk: Disk) -> None:
    """An allowed call that cannot be recorded does not run, and the error says what to do; later ones do."""
    folder, full = disk
    ran: list[int] = []
    with gate_on(folder) as gate:
        pay = _tool(gate, ran)
        assert pay(5) == "paid 5"
        with full():
            for _ in range(3):
                with pytest.raises(StoreError, match="Nothing ran") as caught:
                    pay(6)
                assert "gate.db" in str(caught.value)
                assert "call again" in str(caught.value)
        assert ran == [5]
        assert pay(7) == "paid 7"
        assert ran == [5, 7]
        assert gate.service.verify().ok
        path = gate.service.path
    assert path is not None
    assert broken(gather(RULES, path, effects=path.with_name("effects"))) == []


def test_decisions_and_claims_wait_for_a_full_disk(disk: Disk) -> None:
    """On a full disk an answer is not recorded and an approved call does not start; both work after."""
    folder, full = disk
    gate = service(folder / "gate.db")
    hold = gate.submit(act()).record.id
    post(gate)
    with full(), pytest.raises(StoreError):
        answer(gate, hold)
    assert gate.hold(hold).decisions == ()
    answer(gate, hold)
    with full(), pytest.raises(StoreError):
        gate.claim(hold, act())
    assert gate.action(hold).state == State.APPROVED
    assert gate.claim(hold, act()).run
    assert gate.verify().ok
    _ends_well(gate)


def test_an_end_that_cannot_be_written_is_written_later(disk: Disk) -> None:
    """A tool whose disk fills while it runs keeps its result, and its end is recorded once there is room."""
    folder, full = disk
    gate = service(folder / "gate.db")
    action = gate.submit(act(amount=5, to="bob")).record.id
    with full():
        gate.settle(action, End(True, '"paid"'))
        assert gate.action(action).state == State.RUNNING
    gate.heartbeat()
    assert gate.action(action).state == State.SUCCEEDED
    _ends_well(gate)


def test_a_backup_onto_a_full_disk_leaves_no_half(db: Path, tmp_path: Path) -> None:
    """A copy or an export that does not fit is not kept, and the store goes on."""
    gate = service(db)
    for _ in range(20):
        gate.submit(act(amount=5, to="bob" * 200))
    with _limit(4096):
        with pytest.raises(StoreError):
            gate.backup(tmp_path / "copy.db", by="cli:x")
        with pytest.raises(StoreError, match="cannot be written"):
            gate.export_file(tmp_path / "export.jsonl")
    assert not list(tmp_path.glob("copy.db*"))
    assert not (tmp_path / "export.jsonl").exists()
    assert gate.submit(act(amount=5, to="bob")).kind == "run"
    _ends_well(gate)


# ---- others hold it ---------------------------------------------------------------------------------------

STOPS = """
import os, signal, sys
from gate.service import Service
gate = Service(sys.argv[1], kind="agent")
with gate.store.transaction() as tx:
    tx.insert("tools", name="stopped.one", body="{}", seen_at=1)
    os.kill(os.getpid(), signal.SIGSTOP)
gate.close()
"""


@contextmanager
def _stopped(db: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process that stops inside a transaction."""
    process = subprocess.Popen([sys.executable, "-c", STOPS, str(db)])
    try:
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE)


@pytest.mark.parametrize("then", ["continues", "is killed"])
def test_a_process_stopped_inside_a_transaction(db: Path, then: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others get StoreBusy and run nothing, reading goes on, and after it they go on on a whole log."""
    gate = service(db)
    hold = gate.submit(act()).record.id
    with _stopped(db) as process:
        monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.2)
        for verb in (
            lambda: gate.submit(act(amount=5, to="bob")),
            lambda: answer(gate, hold),
            lambda: gate.claim(hold, act()),
        ):
            with pytest.raises(StoreBusy, match="nothing ran"):
                verb()
        assert gate.hold(hold).state == State.PENDING
        assert gate.verify().ok
        monkeypatch.undo()
        process.send_signal(signal.SIGCONT if then == "continues" else signal.SIGKILL)
        process.wait(PATIENCE)
    assert answer(gate, hold).state == State.APPROVED
    assert gate.claim(hold, act()).run
    names = [tool["name"] for tool in _rows(gate, "SELECT name FROM tools")]
    assert names == (["stopped.one"] if then == "continues" else [])
    assert gate.verify().ok
    _ends_well(gate)


def _rows(gate: Service, sql: str) -> list[dict[str, object]]:
    with gate.store.reader() as reader:
        return [dict(row) for row in reader.all(sql)]


# ---- files that cannot be written, vanish or are swapped --------------------------------------------------


@contextmanager
def _unwritable(folder: Path) -> Iterator[None]:
    """Take the right to write a folder and its files away from this process, root's too."""
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        for path in folder.iterdir():
            path.chmod(0o600)


def test_a_store_that_cannot_be_written_is_refused_at_start() -> None:
    """A read-only store is not opened, the error names it, and with the right back it opens."""
    folder = Path(tempfile.mkdtemp())
    try:
        folder.chmod(0o755)
        service(folder / "gate.db").close()
        with _unwritable(folder), pytest.raises(StoreError, match="Nothing ran") as caught:
            service(folder / "gate.db")
        assert str(folder / "gate.db") in str(caught.value)
        gate = service(folder / "gate.db")
        assert gate.submit(act(amount=5, to="bob")).kind == "run"
        _ends_well(gate)
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("how", ["unlinked", "replaced"])
def test_a_store_whose_file_goes_away(db: Path, how: str) -> None:
    """While another file or none lies at the path, neither is written or read; with it back, all goes on."""
    gate = service(db)
    hold = gate.submit(act()).record.id
    post(gate)
    away = db.with_name("away")
    db.rename(away)
    if how == "replaced":
        files.prepare(db)
    for verb in (
        lambda: gate.submit(act(amount=5, to="bob")),
        lambda: answer(gate, hold),
        lambda: gate.claim(hold, act()),
        lambda: gate.action(hold),
    ):
        with pytest.raises(StoreError) as caught:
            verb()
        assert caught.value.code == "store_replaced"
    assert not db.exists() or db.stat().st_size == 0
    away.rename(db)
    answer(gate, hold)
    assert gate.claim(hold, act()).run
    assert gate.verify().ok
    _ends_well(gate)


def test_a_lost_key_that_comes_back(db: Path) -> None:
    """Without its key a store is not opened; with it, the hold from before is claimed with its approval."""
    gate = service(db)
    hold = gate.submit(act()).record.id
    post(gate)
    answer(gate, hold)
    key, away = files.key_path(db), db.with_name("away")
    key.rename(away)
    assert gate.submit(act(amount=5, to="bob")).kind == "run"
    gate.close()
    with pytest.raises(StoreError) as caught:
        service(db)
    assert caught.value.code == "key_missing"
    away.rename(key)
    gate = service(db)
    assert gate.claim(hold, act()).run
    _ends_well(gate)


def test_another_key_claims_nothing(db: Path) -> None:
    """With a key that is not the store's nothing opens, so nothing that was approved runs under it."""
    gate = service(db)
    hold = gate.submit(act()).record.id
    answer(gate, hold)
    gate.close()
    files.write_key(db)
    with pytest.raises(StoreError, match="not the one of this store"):
        service(db)
    files.write_key(db, gate.store.key)
    gate = service(db)
    assert gate.action(hold).state == State.APPROVED
    _ends_well(gate)


# ---- damage and other schemas -----------------------------------------------------------------------------


def _page(db: Path, table: str) -> tuple[int, int]:
    """Return place and size of the first page of a table; everything is in the database file itself."""
    with closing(sqlite3.connect(db)) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = raw.execute("PRAGMA page_size").fetchone()
        (page,) = raw.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    return (page - 1) * size, size


def _overwrite(db: Path, place: int, text: bytes) -> bytes:
    with db.open("r+b") as file:
        file.seek(place)
        before = file.read(len(text))
        file.seek(place)
        file.write(text)
    return before


@pytest.mark.parametrize(
    "table", ["meta", "policy", "sessions", "processes", "actions", "audit", "audit_head"]
)
def test_a_damaged_page_runs_nothing(db: Path, table: str) -> None:
    """Where a page that a call needs is damaged, nothing runs and the error says so; mended, all goes on."""
    gate = service(db)
    hold = gate.submit(act()).record.id
    answer(gate, hold)
    gate.close()
    place, size = _page(db, table)
    before = _overwrite(db, place, b"\xa5" * size)
    with pytest.raises(StoreError) as caught:
        damaged = service(db, text=None)
        damaged.submit(act(amount=5, to="bob"))
    assert caught.value.code == "store_damaged"
    assert "backup" in str(caught.value)
    _overwrite(db, place, before)
    gate = service(db, text=None)
    assert gate.submit(act(amount=5, to="bob")).kind == "run"
    assert gate.claim(hold, act()).run
    assert gate.verify().ok
    _ends_well(gate)


def test_no_backup_of_a_damaged_store(db: Path, tmp_path: Path) -> None:
    """A copy with a damaged page is not kept as if it were one."""
    gate = service(db)
    gate.submit(act())
    gate.close()
    place, size = _page(db, "headroom")
    gate = service(db, text=None)
    _overwrite(db, place, b"\xa5" * size)
    with pytest.raises(StoreError) as caught:
        gate.backup(tmp_path / "copy.db", by="cli:x")
    assert caught.value.code == "store_damaged"
    assert not (tmp_path / "copy.db").exists()
    gate.close()


def test_a_newer_version_migrates_under_a_running_one(db: Path) -> None:
    """Once a newer version has changed the tables, an older one that still runs writes nothing."""
    gate = service(db)
    with closing(sqlite3.connect(db)) as raw:
        raw.execute("UPDATE audit_head SET schema = 99")
        raw.commit()
    with pytest.raises(StoreError, match="Nothing ran") as caught:
        gate.submit(act(amount=5, to="bob"))
    assert caught.value.code == "newer_schema"
    with closing(sqlite3.connect(db)) as raw:
        raw.execute("UPDATE audit_head SET schema = ?", (migrations.NEWEST,))
        raw.commit()
    assert gate.submit(act(amount=5, to="bob")).kind == "run"
    _ends_well(gate)


def _one_more(tx: Tx) -> None:
    tx.run("CREATE TABLE later (x INTEGER) STRICT")


def test_an_older_schema_is_refused_until_it_is_migrated(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store of an older version is not opened; migrating keeps its hold, and then all goes on."""
    gate = service(db)
    hold = gate.submit(act()).record.id
    answer(gate, hold)
    gate.close()
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, _one_more))
    monkeypatch.setattr(migrations, "NEWEST", migrations.NEWEST + 1)
    with pytest.raises(StoreError, match="gate db migrate") as caught:
        service(db)
    assert caught.value.code == "older_schema"
    assert inspect.migrate(db) == (migrations.NEWEST - 1, migrations.NEWEST)
    gate = service(db)
    assert gate.claim(hold, act()).run
    assert gate.verify().ok
    _ends_well(gate)
