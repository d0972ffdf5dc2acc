"""An interrupt that somebody keeps, as every notebook does, keeps nothing of the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.store import sqlite, statements
from gate.store.sqlite import SqliteStore
from tests.faults.test_interrupts import Interrupter


@pytest.fixture
def stores(db: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[SqliteStore, SqliteStore]]:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.2)
    mine, other = SqliteStore(db), SqliteStore(db)
    yield mine, other
    mine.close()
    other.close()


@pytest.mark.parametrize("kind", ["transaction", "reader"])
def test_rows_that_were_being_read_hold_no_old_state(
    stores: tuple[SqliteStore, SqliteStore], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the interrupt is kept with all its frames, this process reads and writes what is newest."""
    mine, other = stores
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt) as kept:
        patch.setattr(statements, "_by_name", _interrupt)
        with getattr(mine, kind)() as rows:
            rows.all("SELECT * FROM meta")
    with other.transaction() as tx:
        tx.insert("meta", key="a", value="")
    with mine.reader() as reader:
        assert reader.one("SELECT 1 FROM meta WHERE key = 'a'")
    with mine.transaction() as tx:
        assert tx.one("SELECT 1 FROM meta WHERE key = 'a'")
    assert kept.value is not None


def _interrupt(row: Any) -> Any:
    raise KeyboardInterrupt


@pytest.mark.parametrize("durable", [True, False], ids=["lasting", "losable"])
def test_an_interrupt_makes_nothing_less_durable(db: Path, durable: bool) -> None:
    """Whatever line it strikes of a transaction, each later one is as durable as it was asked to be."""
    store = SqliteStore(db)
    for at in range(1, 10_000):
        with store.transaction(durable=not durable):
            pass
        interrupted = Interrupter(at).run(lambda: _nothing(store, durable))
        for wanted in (not durable, durable):
            with store.transaction(durable=wanted) as tx:
                assert tx.one("PRAGMA synchronous") == {"synchronous": 2 if wanted else 1}, at
        if not interrupted:
            break
    assert at > 15
    store.close()


def _nothing(store: SqliteStore, durable: bool) -> None:
    with store.transaction(durable=durable):
        pass
