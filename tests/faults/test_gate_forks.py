"""A gate that was open before a fork works in parent and child, each on connections of its own."""

from __future__ import annotations

import os
import sqlite3
import threading
import traceback
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gate import Gate, Pending, forks
from gate.errors import StoreError
from gate.lifecycle import State
from gate.service import Service
from gate.verbs.claim import End
from tests.faults.forking import child
from tests.faults.judging import did, problems, told
from tests.gate_kit import PATIENCE, gate_on, until
from tests.kit import act, answer, service

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def _pay(gate: Gate) -> Callable[..., str]:
    @gate.guard("desk.pay")
    def pay(amount: int) -> str:
        did(gate, amount=amount)
        return f"paid {amount} in {os.getpid()}"

    return pay


def test_children_run_and_hold_on_their_own(tmp_path: Path) -> None:
    """A child runs allowed calls, has a session and a process row of its own, and the parent goes on."""
    with gate_on(tmp_path) as gate:
        pay = _pay(gate)
        pay(5)
        paid = child(lambda: [pay(5), os.getpid(), len(gate.service.living())])
        pid = int(paid.split(", ")[1])
        assert f"paid 5 in {pid}" in paid
        assert paid.endswith(", 2]")
        assert pay(6) == f"paid 6 in {os.getpid()}"
        sessions = {
            record.body["session"] for record in gate.service.records() if record.body["kind"] == "submit"
        }
        assert len(sessions) == 2
        assert problems(gate.service) == []


def test_a_held_call_of_a_child_waits_there(tmp_path: Path) -> None:
    """A child waits with a poller of its own, and is woken by a decision made in the parent."""
    with gate_on(tmp_path) as gate:
        pay = _pay(gate)
        pay(5)
        with gate.session("s1", on_behalf_of=None):

            def approver() -> None:
                answer(gate.service, until(gate.service.holds)[0])

            alice = threading.Thread(target=approver)
            read = _forked_later(alice, lambda: pay(50))
            assert read.startswith("paid 50")
        assert problems(gate.service) == []


def _forked_later(alice: threading.Thread, work: Callable[[], object]) -> str:
    got: list[str] = []
    waiter = threading.Thread(target=lambda: got.append(child(work)))
    waiter.start()
    alice.start()
    alice.join(PATIENCE)
    waiter.join(PATIENCE)
    return got[0]


def test_a_fork_beside_busy_threads_does_not_hang(tmp_path: Path) -> None:
    """Children forked while other threads submit never inherit a lock that nobody gives back."""
    with gate_on(tmp_path) as gate:
        pay = _pay(gate)
        pay(5)
        stop = threading.Event()

        def busy() -> None:
            while not stop.is_set():
                pay(5)

        threads = [threading.Thread(target=busy) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(5):
                assert child(lambda: pay(5)).startswith("paid 5")
        finally:
            stop.set()
            for thread in threads:
                thread.join(PATIENCE)
        assert problems(gate.service) == []


def test_a_parents_wait_stays_the_parents(tmp_path: Path) -> None:
    """A hold that the parent waits for is not claimed by a child, and survives the child's end."""
    with gate_on(tmp_path) as gate:
        pay = _pay(gate)
        got: list[Any] = []
        waiting = threading.Thread(target=lambda: got.append(gate.outcome(pay, 50)))
        waiting.start()
        hold = until(gate.service.holds)[0]
        assert child(lambda: pay(5)).startswith("paid 5")
        assert gate.service.hold(hold.id).waiting
        answer(gate.service, hold)
        waiting.join(PATIENCE)
        assert told(gate, got[0]).result == f"paid 50 in {os.getpid()}"
        assert problems(gate.service) == []


def test_a_child_that_closes_leaves_the_parent_open(tmp_path: Path) -> None:
    """Closing in a child closes only what is the child's."""
    with gate_on(tmp_path) as gate:
        pay = _pay(gate)
        pay(5)
        assert child(gate.close) == "None"
        assert child(lambda: [pay(5), gate.close()]).startswith("['paid 5")
        assert pay(5).startswith("paid 5")
        with gate.call(wait=0), pytest.raises(Pending) as pending:
            pay(50)
        assert gate.service.hold(told(gate, pending.value).action_id).state == State.PENDING
        assert problems(gate.service) == []


def test_a_store_in_memory_is_refused_in_a_child(tmp_path: Path) -> None:
    """A child cannot have the parent's store in memory; nothing runs there."""
    (tmp_path / "p.yml").write_text("version: 1\nname: p\ndefault: allow\n", "utf-8")
    with Gate(policy=tmp_path / "p.yml", db=":memory:", agent="desk") as gate:
        pay = gate.guard("desk.pay")(lambda amount: f"paid {amount}")
        pay(5)
        assert StoreError.__name__ in child(lambda: pay(5))
        assert pay(5) == "paid 5"


def test_a_child_that_could_not_begin_begins_with_its_next_call(tmp_path: Path) -> None:
    """A store that refuses a child's tools refuses its call; once it takes them, the next call runs."""
    with gate_on(tmp_path) as gate:
        _pay(gate)(5)
        path = str(gate.service.path)

        def beside(sql: str) -> None:
            with closing(sqlite3.connect(path, isolation_level=None)) as connection:
                connection.execute(sql)

        def call() -> list[Any]:
            give = gate.guard("desk.get_some")(lambda amount: f"got {amount}")
            with pytest.raises(StoreError, match="disk is full"):
                give(5)
            beside("DROP TRIGGER no")
            return [give(5), len(gate.service.living())]

        beside("CREATE TRIGGER no BEFORE INSERT ON tools BEGIN SELECT raise(ABORT, 'disk is full'); END")

        assert child(call) == "['got 5', 2]"


def _threads_at_once(count: int, work: Callable[[], object]) -> list[str]:
    """Let so many threads do the same at the same moment, and return what each gave, as text."""
    start, got = threading.Barrier(count), []

    def one() -> None:
        start.wait()
        try:
            got.append(str(work()))
        except BaseException:
            got.append(traceback.format_exc())

    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    return got


def test_threads_of_a_child_become_one_process(db: Path) -> None:
    """Threads that use a service at once in a new child all act as the child, registered once."""
    gate = service(db)

    def submit() -> tuple[str, str]:
        with gate.store.reader() as reader:
            assert reader.one("SELECT 1 FROM processes")
        done = gate.submit(act(amount=5, to="bob")).record.id
        with gate.store.reader() as reader:
            row = reader.one("SELECT process FROM actions WHERE id = ?", (done,))
        return done, str(row and row["process"])

    for _ in range(5):
        before = len(gate.living())
        said = child(lambda: sorted(set(_threads_at_once(8, lambda: submit()[1]))))
        done, mine = submit()
        gate.settle(done, End(True, "1"))
        assert said != str([mine])
        assert said.count("'") == 2, said
        assert len(gate.living()) == before + 1
    assert problems(gate) == []
    gate.close()


def test_a_store_made_while_others_fork_is_usable(tmp_path: Path) -> None:
    """Stores opened beside forks in both processes never have a lock released that nobody took."""
    stop, made = threading.Event(), list[Service]()

    def open_more() -> None:
        while not stop.is_set():
            made.append(service(tmp_path / str(len(made)) / "gate.db"))

    opener = threading.Thread(target=open_more)
    opener.start()
    try:
        until(lambda: made)
        assert [child(lambda: "fine") for _ in range(20)] == ["fine"] * 20
    finally:
        stop.set()
        opener.join(PATIENCE)
    for gate in made:
        done = gate.submit(act(amount=5, to="bob"))
        gate.settle(done.record.id, End(True, "1"))
        assert (done.kind, problems(gate)) == ("run", [])
        gate.close()


def test_a_store_that_comes_between_the_hooks_of_a_fork_waits(db: Path) -> None:
    """While a fork is under way no store can join those that it locked."""
    service(db).close()
    forks.before()
    opened: list[Any] = []
    try:
        opener = threading.Thread(target=lambda: opened.append(service(db.with_name("other.db"))))
        opener.start()
        opener.join(0.2)
        assert opened == []
    finally:
        forks.after_in_parent()
    opener.join(PATIENCE)
    opened[0].close()
