"""What every store does: whole transactions, one writer, a reader apart, and no raw error."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.errors import StoreBusy, StoreError
from gate.store import files, sqlite
from gate.store.sqlite import SqliteStore


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, db: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(db if request.param == "file" else ":memory:")
    yield made
    made.close()


def _names(store: SqliteStore) -> list[str]:
    with store.reader() as reader:
        return [row["name"] for row in reader.all("SELECT name FROM tools ORDER BY name")]


def test_commits_on_leaving(store: SqliteStore) -> None:
    """What a transaction wrote stands after it."""
    with store.transaction() as tx:
        tx.insert("tools", name="a.b", body="{}", seen_at=1)
    assert _names(store) == ["a.b"]


def test_rolls_back_whole_on_any_exception(store: SqliteStore) -> None:
    """A transaction that raises leaves nothing behind, and the next one works."""
    with pytest.raises(KeyboardInterrupt), store.transaction() as tx:
        tx.insert("tools", name="a.b", body="{}", seen_at=1)
        raise KeyboardInterrupt
    assert _names(store) == []
    test_commits_on_leaving(store)


def test_raw_errors_do_not_cross(store: SqliteStore) -> None:
    """A broken statement comes out as StoreError, not as the driver's."""
    with pytest.raises(StoreError), store.transaction() as tx:
        tx.run("INSERT INTO nowhere VALUES (1)")


def test_a_transaction_inside_another_is_refused(store: SqliteStore) -> None:
    """Nesting would commit half of the outer one, so it is refused."""
    with pytest.raises(StoreError, match="inside another"), store.transaction(), store.transaction():
        pass


def test_the_reader_cannot_write(db: Path) -> None:
    """The read-only connection refuses to write."""
    store = SqliteStore(db)
    with pytest.raises(StoreError), store.reader() as reader:
        reader.all("DELETE FROM meta")


def test_closed_store_says_so(store: SqliteStore) -> None:
    """A closed store refuses with one clear sentence."""
    store.close()
    with pytest.raises(StoreError, match="closed"), store.transaction():
        pass


def test_foreign_keys_hold(store: SqliteStore) -> None:
    """A row cannot point at an action that is not there."""
    with pytest.raises(StoreError), store.transaction() as tx:
        tx.insert("waiters", action="nobody", process=1)


def test_files_belong_to_their_owner_alone(db: Path) -> None:
    """The folder is 0700; database and key are 0600, and the key is not in the database."""
    store = SqliteStore(db)
    assert db.parent.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in db.parent.iterdir()} == {0o600}
    store.close()
    assert store.key.hex().encode() not in db.read_bytes()


def test_both_openers_get_the_same_store(db: Path) -> None:
    """A second opener finds the key and the id that the first one made."""
    first, second = SqliteStore(db), SqliteStore(db)
    assert first.key == second.key


def test_busy_store_ends_in_store_busy(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that never lets go makes the others say StoreBusy, and they recover after it."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.2)
    store = SqliteStore(db)
    other = sqlite3.connect(db, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match="nothing ran"), store.transaction():
        pass
    other.execute("COMMIT")
    test_commits_on_leaving(store)


def test_replaced_file_is_noticed(db: Path) -> None:
    """A store whose file was swapped refuses to write to either."""
    store = SqliteStore(db)
    os.replace(db, db.with_suffix(".old"))
    db.write_bytes(b"")
    with pytest.raises(StoreError, match="not the store that was opened"), store.transaction():
        pass


def test_missing_key_refuses_to_open(db: Path) -> None:
    """Without its key a store does not open, and the message says what to do."""
    SqliteStore(db).close()
    files.key_path(db).unlink()
    with pytest.raises(StoreError, match="gate key new") as caught:
        SqliteStore(db)
    assert caught.value.code == "key_missing"


def test_newer_schema_refuses_to_open(db: Path) -> None:
    """A store of a newer version is left untouched."""
    SqliteStore(db).close()
    raw = sqlite3.connect(db)
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(StoreError, match="newer"):
        SqliteStore(db)


def test_no_store_where_none_may_be_made(db: Path) -> None:
    """Looking at a store that is not there makes none."""
    with pytest.raises(StoreError, match="no store"):
        SqliteStore(db, create=False)
    assert not db.exists()


def test_a_file_that_is_no_store_is_refused(db: Path) -> None:
    """Some other file is refused with a sentence and stays as it is."""
    db.parent.mkdir(parents=True)
    db.write_bytes(b"not a database, but long enough to be mistaken for one" * 40)
    before = db.read_bytes()
    with pytest.raises(StoreError):
        SqliteStore(db)
    assert db.read_bytes() == before


def test_a_forked_child_uses_a_connection_of_its_own(db: Path) -> None:
    """A child writes through its own connection, and the parent's still works."""
    store = SqliteStore(db)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with store.transaction() as tx:
                tx.insert("tools", name="child.one", body="{}", seen_at=1)
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    with store.transaction() as tx:
        tx.insert("tools", name="parent.one", body="{}", seen_at=1)
    assert _names(store) == ["child.one", "parent.one"]


def test_opening_twice_in_one_process_keeps_the_locks(db: Path) -> None:
    """A second opening drops no lock of the first: another process that closes cannot take the log away."""
    first = SqliteStore(db)
    second = SqliteStore(db)
    for store in (first, second):
        with store.transaction() as tx:
            tx.insert("tools", name=f"here.{store is first}", body="{}", seen_at=1)
    code = (
        "import sys; from gate.store.sqlite import SqliteStore; s = SqliteStore(sys.argv[1])\n"
        "with s.transaction() as tx: tx.insert('tools', name='there.one', body='{}', seen_at=1)\n"
        "s.close()"
    )
    subprocess.run([sys.executable, "-c", code, str(db)], check=True)
    assert db.with_name("gate.db-wal").exists()
    assert len(_names(first)) == len(_names(second)) == 3


def test_what_an_interrupt_left_open_is_ended(db: Path) -> None:
    """A snapshot or a transaction left behind by an interrupt neither shows old rows nor blocks new ones."""
    store = SqliteStore(db)
    store._read.execute("BEGIN")
    store._read.execute("SELECT * FROM meta").fetchall()
    assert store._writer is not None
    store._writer.execute("BEGIN IMMEDIATE")
    store._writer.execute("INSERT INTO meta VALUES ('half', 'done')")
    with store.transaction() as tx:
        tx.insert("meta", key="new", value="1")
        with pytest.raises(StoreError, match="inside another"), store.transaction():
            pass
    with store.reader() as reader, store.reader() as same:
        assert same.one("SELECT value FROM meta WHERE key = 'new'") == {"value": "1"}
        assert reader.one("SELECT value FROM meta WHERE key = 'half'") is None
    store.close()


def test_the_version_is_another_once_anybody_has_committed(db: Path) -> None:
    """It stays the same while nobody writes and after what was rolled back, and differs after each commit."""
    store, other = SqliteStore(db), SqliteStore(db)
    seen = [store.version()]
    assert store.version() == seen[-1]
    for number, writer in enumerate((store, other, store)):
        with writer.transaction() as tx:
            tx.insert("meta", key=f"k{number}", value="")
        assert store.version() not in seen
        seen.append(store.version())
    with pytest.raises(ValueError), store.transaction() as tx:
        tx.insert("meta", key="rolled back", value="")
        raise ValueError
    assert store.version() == seen[-1]
    with store.reader():
        assert store.version() is None
    other.close()
    store.close()


def test_nobody_can_tell_the_version_of_a_store_in_memory() -> None:
    """There is one connection then, which does not tell of its own commits."""
    assert SqliteStore(":memory:").version() is None
