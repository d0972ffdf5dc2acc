"""Threads that commit at once: each whole or not at all, and nobody goes on before it is on the disk."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from gate import forks
from gate.errors import StoreError
from gate.store import sharing, sqlite
from gate.store.sqlite import SqliteStore
from tests.faults.test_interrupts import Interrupter
from tests.gate_kit import PATIENCE

NOBODY = -1
"""A thread that says that it comes, and never does."""


@pytest.fixture
def store(db: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(db)
    yield made
    made.close()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let who waits for others wait as long as a test may take."""
    monkeypatch.setattr(sqlite, "PATIENCE", PATIENCE)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as made:
        yield made


def put(store: SqliteStore, *names: str, fault: Exception | None = None) -> None:
    """Write rows in one transaction that may be shared, and raise in the end where that is wanted."""
    with store.transaction(shared=True) as tx:
        for name in names:
            tx.insert("meta", key=name, value="")
        if fault is not None:
            raise fault


def there(store: SqliteStore) -> set[str]:
    """Return the names of the rows that everybody sees, but for those of a new store."""
    with store.reader() as reader:
        return {row["key"] for row in reader.all("SELECT key FROM meta WHERE length(key) = 1")}


def until(true: Callable[[], bool]) -> None:
    """Wait until something holds."""
    pause, left = threading.Event(), 2000
    while not true() and left:
        pause.wait(0.005)
        left -= 1
    assert true()


@contextmanager
def queued(store: SqliteStore, count: int) -> Iterator[None]:
    """Hold the writer until so many threads wait for it."""
    with store._lock:
        yield
        until(lambda: len(store._sharing._coming) == count)


def left_open(store: SqliteStore, pool: ThreadPoolExecutor, name: str) -> Future[None]:
    """Let a thread write a row and wait for somebody who does not come."""
    store._sharing._coming.add(NOBODY)
    waits = pool.submit(put, store, name)
    until(lambda: store._sharing.open is not None and not store._sharing.open.inside)
    return waits


def followed(store: SqliteStore, pool: ThreadPoolExecutor) -> tuple[Future[None], sqlite3.Connection]:
    """Let a thread leave its row to whoever comes next, who commits for both; return it and the writer."""
    waits = left_open(store, pool, "a")
    store._sharing._coming.clear()
    assert store._writer is not None
    return waits, store._writer


def commits(store: SqliteStore) -> list[str]:
    """Return a list that takes every commit from here on."""
    seen: list[str] = []
    assert store._writer is not None
    store._writer.set_trace_callback(lambda sql: seen.append(sql) if sql == "COMMIT" else None)
    return seen


def test_threads_that_queue_commit_at_once(store: SqliteStore, pool: ThreadPoolExecutor) -> None:
    """Those that waited for the writer wait for the disk once, and all of their rows are there."""
    with queued(store, 4):
        done = [pool.submit(put, store, name) for name in "abcd"]
        seen = commits(store)
    for each in done:
        each.result()
    assert there(store) == set("abcd")
    assert len(seen) == 1


def test_nobody_goes_on_before_the_commit(
    store: SqliteStore, pool: ThreadPoolExecutor, patient: None
) -> None:
    """A thread whose rows are written and not committed still waits, and nobody sees them."""
    first = left_open(store, pool, "a")
    assert not first.done()
    assert there(store) == set()
    store._sharing._coming.clear()
    put(store, "b")
    first.result(PATIENCE)
    assert there(store) == {"a", "b"}


def test_what_one_takes_back_is_taken_back_alone(store: SqliteStore, pool: ThreadPoolExecutor) -> None:
    """A thread that raises in between writes nothing, gets its own error, and undoes nothing of others."""
    with queued(store, 5):
        good = [pool.submit(put, store, name) for name in "abcd"]
        bad = pool.submit(put, store, "x", fault=ValueError("mine"))
    with pytest.raises(ValueError, match="mine"):
        bad.result()
    for each in good:
        each.result()
    assert there(store) == set("abcd")


def test_who_raises_goes_on_only_after_what_it_may_have_read(
    store: SqliteStore, pool: ThreadPoolExecutor, patient: None
) -> None:
    """What a thread has read of another's rows is on the disk before it can tell anybody."""
    first = left_open(store, pool, "a")
    with pytest.raises(ValueError, match="mine"):
        put(store, "x", fault=ValueError("mine"))
    assert there(store) == {"a"}
    first.result(PATIENCE)


@pytest.mark.parametrize("fault", [None, ValueError("mine")], ids=["whole", "taken back"])
def test_a_commit_that_fails_is_everybodys(
    store: SqliteStore, pool: ThreadPoolExecutor, patient: None, fault: Exception | None
) -> None:
    """Where the disk does not take it, each of them is told so, nothing is there, and the next one works."""
    first, writer = followed(store, pool)
    writer.set_authorizer(_no_commit)
    with pytest.raises(StoreError, match="Nothing ran"):
        put(store, "b", fault=fault)
    with pytest.raises(StoreError, match="Nothing ran"):
        first.result(PATIENCE)
    writer.set_authorizer(None)
    assert there(store) == set()
    put(store, "c")
    assert there(store) == {"c"}


class Forgetful:
    """A connection that has no memory left to commit with, so that SQLite takes everything back."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, sql: str, *params: Any) -> sqlite3.Cursor:
        if sql != "COMMIT":
            return self._connection.execute(sql, *params)
        self._connection.execute("ROLLBACK")
        raise MemoryError


def test_a_commit_without_memory_is_no_success(
    store: SqliteStore, pool: ThreadPoolExecutor, patient: None
) -> None:
    """Where SQLite finds no memory at the commit, nobody who wrote into it is told that it is on the disk."""
    first, writer = followed(store, pool)
    store._writer = Forgetful(writer)  # type: ignore[assignment]
    with pytest.raises(StoreError, match=r"out of memory\. Nothing ran"):
        put(store, "b")
    with pytest.raises(StoreError, match=r"out of memory\. Nothing ran"):
        first.result(PATIENCE)
    store._writer = writer
    assert there(store) == set()
    put(store, "c")
    assert there(store) == {"c"}


def test_an_interrupt_stays_one_where_the_commit_of_others_fails(
    store: SqliteStore, pool: ThreadPoolExecutor, patient: None
) -> None:
    """Who is interrupted inside a part is not told of a fault instead; the others are told of it."""
    first, writer = followed(store, pool)
    writer.set_authorizer(_no_commit)
    with pytest.raises(KeyboardInterrupt), store.transaction(shared=True):
        raise KeyboardInterrupt
    with pytest.raises(StoreError, match="Nothing ran"):
        first.result(PATIENCE)
    writer.set_authorizer(None)
    assert there(store) == set()


def _no_commit(kind: int, what: str | None, *more: Any) -> int:
    refused = kind == sqlite3.SQLITE_TRANSACTION and what == "COMMIT"
    return sqlite3.SQLITE_DENY if refused else sqlite3.SQLITE_OK


def test_a_disk_that_is_full_is_told_to_all_as_what_it_is(
    store: SqliteStore, pool: ThreadPoolExecutor, patient: None
) -> None:
    """Where one finds no room and SQLite takes everything back, each is told that the disk is full."""
    first, writer = followed(store, pool)
    (pages,) = writer.execute("PRAGMA page_count").fetchone()
    writer.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="its disk is full") as mine, store.transaction(shared=True) as tx:
        tx.insert("meta", key="b", value="b" * 100_000)
    with pytest.raises(StoreError, match="its disk is full") as others:
        first.result(PATIENCE)
    assert mine.value.code == others.value.code == "store_full"
    assert there(store) == set()
    writer.execute("PRAGMA max_page_count = 1000000")
    put(store, "c")
    assert there(store) == {"c"}


def test_a_transaction_that_was_lost_is_no_success(
    store: SqliteStore, pool: ThreadPoolExecutor, patient: None
) -> None:
    """Where SQLite rolled everything back by itself, who waits is told so, and who follows begins anew."""
    first = left_open(store, pool, "a")
    assert store._writer is not None
    store._writer.execute("ROLLBACK")
    store._sharing._coming.clear()
    put(store, "b")
    with pytest.raises(StoreError, match="Nothing ran"):
        first.result(PATIENCE)
    assert there(store) == {"b"}


def test_who_never_comes_is_waited_for_a_moment(store: SqliteStore) -> None:
    """A thread that was interrupted on its way keeps nobody for long."""
    store._sharing._coming.add(NOBODY)
    put(store, "a")
    assert there(store) == {"a"}
    assert store._sharing._coming == set()


def test_what_may_not_be_shared_commits_by_itself(
    store: SqliteStore, pool: ThreadPoolExecutor, patient: None
) -> None:
    """It finds committed what others left open, and is committed alone."""
    first = left_open(store, pool, "a")
    with store.transaction() as tx:
        assert there(store) == {"a"}
        tx.insert("meta", key="b", value="")
        assert not store._sharing.open
    first.result(PATIENCE)
    assert there(store) == {"a", "b"}


def test_a_transaction_never_grows_without_end(
    store: SqliteStore, pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many write into one at most; those after them begin another."""
    monkeypatch.setattr(sharing, "MOST", 2)
    with queued(store, 4):
        done = [pool.submit(put, store, name) for name in "abcd"]
        seen = commits(store)
    for each in done:
        each.result()
    assert there(store) == set("abcd")
    assert len(seen) == 2


@pytest.mark.parametrize("end", ["close", "fork"])
def test_what_is_open_is_committed_before_the_file_is_let_go_of(
    store: SqliteStore, pool: ThreadPoolExecutor, patient: None, end: str
) -> None:
    """Closing and forking lose nothing of what a thread waits for."""
    first = left_open(store, pool, "a")
    if end == "close":
        store.close()
        first.result(PATIENCE)
        store = store.again()
    else:
        forks.before()
        forks.after_in_parent()
        first.result(PATIENCE)
    assert there(store) == {"a"}
    store.close()


@pytest.mark.parametrize("follows", [False, True], ids=["alone", "following"])
def test_an_interrupt_anywhere_leaves_whole_parts_alone(
    store: SqliteStore, pool: ThreadPoolExecutor, patient: None, follows: bool
) -> None:
    """Whatever line it strikes of one that follows: all its rows are there or none, and the other's are."""
    for at in range(1, 10_000):
        first = left_open(store, pool, "a")
        store._sharing._coming.clear()
        interrupted = Interrupter(at).run(lambda: put(store, "x", "y"))
        with store.transaction(shared=follows) as tx:  # a heartbeat, at the latest
            tx.run("DELETE FROM meta WHERE key = 'none'")
        first.result(PATIENCE)
        assert there(store) in ({"a"}, {"a", "x", "y"}), at
        assert interrupted or there(store) == {"a", "x", "y"}
        with store.transaction() as tx:
            tx.run("DELETE FROM meta WHERE length(key) = 1")
        if not interrupted:
            break
    assert at > 30


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_killed_before_the_commit_has_written_nothing(db: Path) -> None:
    """Rows of several threads that were written, and not committed, are gone with their process."""
    SqliteStore(db).close()
    pid = os.fork()
    if pid == 0:
        with suppress(BaseException):
            _killed_at_commit(SqliteStore(db))
        os._exit(1)
    assert os.WTERMSIG(os.waitpid(pid, 0)[1]) == signal.SIGKILL
    store = SqliteStore(db)
    assert there(store) == set()
    put(store, "e")
    store.close()


def _killed_at_commit(store: SqliteStore) -> None:
    """Let four threads write into one transaction, and die when it would be committed."""
    assert store._writer is not None
    with ThreadPoolExecutor(4) as pool, queued(store, 4):
        done = [pool.submit(put, store, name) for name in "abcd"]
        store._writer.set_trace_callback(
            lambda sql: os.kill(os.getpid(), signal.SIGKILL) if sql == "COMMIT" else None
        )
    [each.result() for each in done]


def test_half_a_part_is_never_followed(store: SqliteStore, pool: ThreadPoolExecutor, patient: None) -> None:
    """What two interrupts in a row left of a part is taken back before the next thread writes."""
    first, writer = followed(store, pool)
    assert store._sharing.follow(store._writer)
    writer.execute("INSERT INTO meta VALUES ('x', '')")
    put(store, "b")
    first.result(PATIENCE)
    assert there(store) == {"a", "b"}


def test_an_interrupt_while_waiting_leaves_nothing_open(store: SqliteStore) -> None:
    """Whatever line it strikes of a thread that waits for others, all it wrote is there or nothing is."""
    for at in range(1, 10_000):
        store._sharing._coming.add(NOBODY)
        interrupted = Interrupter(at).run(lambda: put(store, "x", "y"))
        with store.transaction() as tx:
            tx.run("DELETE FROM meta WHERE key = 'none'")
        assert there(store) in (set(), {"x", "y"}), at
        with store.transaction() as tx:
            tx.run("DELETE FROM meta WHERE length(key) = 1")
        if not interrupted:
            break
    assert there(store) == set()
    assert at > 30


def test_a_nested_transaction_is_refused_where_others_wait(
    store: SqliteStore, pool: ThreadPoolExecutor, patient: None
) -> None:
    """A transaction begun inside a part of one is refused as ever; the others are committed."""
    first = left_open(store, pool, "a")
    with (
        pytest.raises(StoreError, match="inside another"),
        store.transaction(shared=True),
        store.transaction(shared=True),
    ):
        pass
    first.result(PATIENCE)
    assert there(store) == {"a"}
