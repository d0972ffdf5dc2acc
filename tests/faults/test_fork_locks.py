"""What a child records stays, whatever its parent does to the store: each process has locks of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gate import forks
from gate.errors import StoreError
from gate.service import Service
from gate.verbs.claim import End
from tests.faults.forking import child
from tests.faults.judging import problems
from tests.kit import act, service

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@pytest.fixture
def gate(db: Path) -> Iterator[Service]:
    """Return an open store with one run in it."""
    made = service(db)
    run(made)
    yield made
    made.close()


def run(gate: Service) -> str:
    """Let a call run, and return its id."""
    done = gate.submit(act(amount=5, to="bob")).record.id
    gate.settle(done, End(True, "1"))
    return done


def beside(parent: Callable[[], object], *, first: Callable[[], object], then: Callable[[], str]) -> str:
    """Let a child do something, the parent something, and the child something more, which is returned."""
    ready, go = os.pipe(), os.pipe()
    answer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            first()
            os.write(ready[1], b".")
            os.read(go[0], 1)
            os.write(answer[1], then().encode())
        except BaseException as error:
            os.write(answer[1], repr(error).encode())
        finally:
            os._exit(0)
    os.read(ready[0], 1)
    parent()
    os.write(go[1], b".")
    said = os.read(answer[0], 1000).decode()
    os.waitpid(pid, 0)
    for end in (*ready, *go, *answer):
        os.close(end)
    return said


@pytest.mark.parametrize("used", [True, False], ids=["used before", "first used after"])
def test_what_a_child_records_after_its_parent_closed_is_there(gate: Service, db: Path, used: bool) -> None:
    """Closing takes no write-ahead log away from a child: everybody sees what it recorded."""
    first = (lambda: run(gate)) if used else (lambda: None)
    done = beside(gate.close, first=first, then=lambda: run(gate))
    with_others = service(db)
    assert with_others.action(done).state == "succeeded"
    assert with_others.verify().ok
    assert problems(with_others) == []
    with_others.close()


def test_what_a_parent_records_after_its_child_ended_is_there(gate: Service, db: Path) -> None:
    """A child that closes, or just ends, takes nothing from its parent either."""
    child(lambda: [run(gate), gate.close()])
    child(lambda: run(gate))
    done = run(gate)
    others = service(db)
    assert others.action(done).state == "succeeded"
    assert others.verify().ok
    others.close()


def test_a_waiter_notices_what_happened_around_a_fork(gate: Service) -> None:
    """The number that tells of changes is another one after a fork, since other connections count."""
    before = gate.store.version()
    assert gate.store.version() == before
    child(lambda: None)
    assert gate.store.version() != before


def test_a_child_of_a_transaction_is_refused(gate: Service) -> None:
    """A fork inside a transaction leaves it to the parent; the child is told so, and nothing runs there."""
    with gate.store.transaction() as tx:
        tx.run("INSERT INTO meta VALUES ('mine', 'yes')")
        assert "forked inside a transaction" in child(lambda: run(gate))
    with gate.store.reader():
        assert "forked inside a transaction" in child(lambda: run(gate))
    assert gate.meta("mine") == "yes"
    assert child(lambda: run(gate)) != ""


def test_a_store_that_is_away_after_a_fork_is_opened_later(gate: Service, db: Path) -> None:
    """A file that cannot be opened right after a fork is one fault, and is used again once it is back."""
    forks.before()
    db.rename(db.with_name("aside"))
    forks.after_in_parent()
    for use in (lambda: run(gate), gate.holds, gate.store.version):
        with pytest.raises(StoreError, match="Nothing ran") as caught:
            use()
        assert caught.value.code == "store_replaced"
    db.with_name("aside").rename(db)
    assert gate.action(run(gate)).state == "succeeded"


def test_a_closed_store_stays_closed_over_a_fork(gate: Service) -> None:
    """Nothing is opened again that was closed before a fork, or between its hooks."""
    gate.close()
    child(lambda: None)
    with pytest.raises(StoreError) as caught:
        run(gate)
    assert caught.value.code == "closed"


def test_the_end_of_a_fork_that_was_not_asked_about_changes_nothing(gate: Service) -> None:
    """What is loaded between the hooks of a fork hears of its end alone, and releases no lock."""
    forks.after_in_parent()
    assert gate.action(run(gate)).state == "succeeded"
    assert child(lambda: run(gate)) != ""
