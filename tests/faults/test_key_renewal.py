"""A new key comes into use everywhere at once, and a renewal that is cut off leaves a store that opens."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from gate.clock import FakeClock
from gate.errors import StoreError
from gate.lifecycle import State
from gate.service import Service
from gate.store import files, keys
from gate.verbs.claim import End
from tests.faults.judging import problems
from tests.kit import act, answer, service

DONE = End(True, '"paid"')


def _other(db: Path) -> Service:
    return Service(db, kind="cli", create=False, renew_key=True, clock=FakeClock())


def test_a_process_that_runs_takes_the_new_key(db: Path) -> None:
    """Calls made after a renewal by another process have digests of the new key, and can be claimed."""
    gate = service(db)
    before = gate.submit(act(amount=50, to="bob")).record
    admin = _other(db)
    assert admin.renew_key(by="admin") == 1
    assert gate.store.key != admin.store.key
    after = gate.submit(act(amount=50, to="bob")).record
    assert gate.store.key == admin.store.key == files.read_key(db)
    assert after.digest != before.digest
    assert (gate.action(before.id).state, after.state) == (State.CANCELLED, State.PENDING)
    answer(gate, after.id)
    assert gate.claim(after.id, act(amount=50, to="bob")).run
    gate.settle(after.id, DONE)
    again = Service(db, kind="cli", create=False, clock=FakeClock())
    assert again.store.key == gate.store.key
    assert problems(again) == []
    for each in (gate, admin, again):
        each.close()


def test_a_key_renewed_between_judging_and_recording_is_judged_again(db: Path) -> None:
    """The digest that is stored is made with the key that is noted in the same transaction."""
    gate, admin = service(db), _other(db)
    real, renewed = gate._draft, list[int]()

    def draft(*args: Any) -> Any:
        made = real(*args)
        if not renewed:
            renewed.append(admin.renew_key(by="admin"))
        return made

    gate._draft = draft  # type: ignore[method-assign, assignment]
    record = gate.submit(act(amount=50, to="bob")).record
    answer(gate, record.id)
    assert gate.claim(record.id, act(amount=50, to="bob")).run
    gate.settle(record.id, DONE)
    assert problems(gate) == []
    gate.close()
    admin.close()


class Cut(BaseException):
    """The process dies here."""


def _cut(*_: object) -> None:
    raise Cut


@pytest.mark.parametrize("renewed", [False, True], ids=["before the commit", "after the commit"])
def test_a_renewal_cut_off_leaves_a_store_that_opens(
    db: Path, monkeypatch: pytest.MonkeyPatch, renewed: bool
) -> None:
    """Cut before the commit, holds and key stay; cut after it, the next opening finishes the renewal."""
    gate = service(db)
    hold = gate.submit(act(amount=50, to="bob")).record
    old = gate.store.key
    gate.close()
    admin = _other(db)
    with monkeypatch.context() as patch:
        patch.setattr("gate.store.keys.note" if not renewed else "gate.service.admins.afterwards", _cut)
        with pytest.raises(Cut):
            admin.renew_key(by="admin")
    assert files.read_key(db) == old
    again = service(db)
    assert (again.store.key != old) is renewed
    assert again.store.key == files.read_key(db)
    assert again.action(hold.id).state == (State.CANCELLED if renewed else State.PENDING)
    assert keys.is_there(db, keys.id_of(again.store.key))
    assert problems(again) == []
    again.close()
    admin.close()


def test_another_key_than_the_stores_refuses_to_open(db: Path) -> None:
    """A key that was exchanged is told so, with what to do, instead of judging with it."""
    gate = service(db)
    hold = gate.submit(act(amount=50, to="bob")).record.id
    gate.close()
    files.write_key(db, os.urandom(files.KEY_BYTES))
    with pytest.raises(StoreError, match="not the one of this store") as caught:
        service(db)
    assert caught.value.code == "key_missing"
    admin = _other(db)
    assert admin.renew_key(by="admin") == 1
    admin.close()
    gate = service(db)
    assert gate.action(hold).code == "key_renewed"
    assert problems(gate) == []
    gate.close()


def test_a_backup_has_the_key_of_its_rows(db: Path) -> None:
    """A copy made by a process that has not noticed the new key yet has the new one beside it."""
    gate, admin = service(db), _other(db)
    admin.renew_key(by="admin")
    copy = db.with_name("copy.db")
    gate.store.backup(copy)
    assert files.read_key(copy) == admin.store.key
    there = service(copy)
    assert (problems(there), problems(gate)) == ([], [])
    there.close()
    gate.close()
    admin.close()


def test_a_new_key_that_cannot_be_moved_into_its_place_is_used_where_it_lies(db: Path) -> None:
    """Where the key of a renewal that was cut off cannot be moved, the store works with it all the same."""
    gate = service(db)
    gate.renew_key(by="cli:x")
    key = files.key_path(db)
    key.rename(key.with_name(f"{key.name}.{gate.store.key_id}"))
    key.mkdir()
    other = service(db)
    assert other.store.key == gate.store.key
    assert other.submit(act(amount=5, to="bob")).kind == "run"
    gate.close()
    other.close()
