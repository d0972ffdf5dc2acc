"""Forks at the worst moments. Each case runs in a process of its own, which says where it hangs, and ends."""

from __future__ import annotations

import faulthandler
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gate.clock import SystemClock
from gate.errors import StoreError
from gate.forks import whole
from gate.service import Service
from gate.store.sqlite import SqliteStore
from gate.verbs.claim import End
from tests.kit import act, service
from tests.patience import PATIENCE

_asked = threading.Event()
"""Set as soon as any fork has begun, before the gate is asked about it."""


def run_case(name: str, db: Path) -> None:
    """Run one case in this process, and end it with 0 where everything in it was as it should be."""
    faulthandler.register(signal.SIGALRM, chain=True)  # says where every thread is, and then it ends
    signal.alarm(int(2 * PATIENCE))  # a child that hangs ends before
    try:
        gate = service(db, clock=SystemClock())
        os.register_at_fork(before=_asked.set)  # who asked last is asked first
        CASES[name](gate)
        _look_at(gate)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def record(gate: Service) -> None:
    """Let a call run, and leave a line that says so beside the store."""
    done = gate.submit(act(amount=5, to="bob")).record.id
    gate.settle(done, End(True, "1"))
    assert gate.path is not None
    with (gate.path.parent / "done").open("a") as file:
        file.write(f"{done}\n")


def _look_at(gate: Service) -> None:
    """Make sure that everything which was recorded anywhere is there, and nothing else."""
    gate.close()
    assert gate.path is not None
    found = service(gate.path, clock=SystemClock())
    for done in (gate.path.parent / "done").read_text().split():
        assert found.action(done).state == "succeeded"
    assert found.verify().ok


def forked(work: Callable[[], object]) -> None:
    """Do work in a forked child, which has to end well."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(int(PATIENCE))
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def together(*works: Callable[[], object]) -> None:
    """Do several things in threads at once; each has to end well."""
    ended: list[int] = []

    def one(number: int, work: Callable[[], object]) -> None:
        work()
        ended.append(number)

    threads = [threading.Thread(target=one, args=each, daemon=True) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ended) == list(range(len(works)))


@contextmanager
def inside(gate: Service, name: str) -> Iterator[None]:
    """Begin a block inside a transaction that writes one row."""
    with gate.store.transaction() as tx:
        tx.run("INSERT INTO meta VALUES (?, 'yes')", (name,))
        yield


def refused(gate: Service) -> None:
    """Make sure that a child of a transaction cannot use its store."""
    with pytest.raises(StoreError, match="forked inside a transaction"):
        record(gate)


def beside_a_transaction(gate: Service) -> None:
    """A fork begins while another thread is inside a transaction, which ends only after that."""
    begun = threading.Event()

    def other() -> None:
        with inside(gate, "other"):
            begun.set()
            _asked.wait()
        record(gate)

    def fork() -> None:
        begun.wait()
        forked(lambda: record(gate))
        record(gate)

    together(other, fork)
    assert gate.meta("other") == "yes"


def two_at_once(gate: Service) -> None:
    """Two threads fork at the same moment, again and again."""
    ready = threading.Barrier(2)

    def fork() -> None:
        for _ in range(3):
            ready.wait()
            forked(lambda: record(gate))
            record(gate)

    together(fork, fork)


def inside_and_beside(gate: Service) -> None:
    """A thread forks inside a transaction while another has begun to fork."""
    begun = threading.Event()

    def within() -> None:
        with inside(gate, "within"):
            begun.set()
            _asked.wait()
            forked(lambda: refused(gate))
        record(gate)

    def beside() -> None:
        begun.wait()
        forked(lambda: record(gate))
        record(gate)

    together(within, beside)
    assert gate.meta("within") == "yes"


def all_inside(gate: Service) -> None:
    """Threads inside transactions of two stores, and one inside none, fork at the same moment."""
    other = _another(gate)
    ready = threading.Barrier(3)

    def within(mine: Service) -> None:
        with inside(mine, "within"):
            ready.wait()
            forked(lambda: refused(mine))
        record(mine)

    def beside() -> None:
        ready.wait()
        forked(lambda: [record(gate), record(other)])

    together(lambda: within(gate), lambda: within(other), beside)
    assert gate.meta("within") == other.meta("within") == "yes"
    _look_at(other)


def loading_inside(gate: Service) -> None:
    """A thread inside a transaction loads and opens more, while another has begun to fork."""
    begun, more = threading.Event(), list[Service]()

    def within() -> None:
        with inside(gate, "within"):
            begun.set()
            _asked.wait()
            with whole():
                more.append(_another(gate))

    def fork() -> None:
        begun.wait()
        forked(lambda: record(gate))

    together(within, fork)
    forked(lambda: record(more[0]))
    record(more[0])
    _look_at(more[0])


def opening(gate: Service) -> None:
    """A fork begins while another thread opens a store."""
    half, stores = threading.Event(), list[SqliteStore]()

    class Slow(SqliteStore):
        def _prepare_schema(self, create: bool) -> None:
            half.set()
            _asked.wait()
            super()._prepare_schema(create)

    def other() -> None:
        stores.append(Slow(_aside(gate)))

    def fork() -> None:
        half.wait()
        forked(lambda: _note(stores or [SqliteStore(_aside(gate))], "child"))

    together(other, fork)
    _note(stores, "parent")
    with stores[0].reader() as reader:
        assert len(reader.all("SELECT key FROM meta WHERE key IN ('child', 'parent')")) == 2
    record(gate)


def grandchildren(gate: Service) -> None:
    """A forked child forks too, and its child as well, each with a busy thread beside it."""

    def deeper(left: int) -> None:
        if left:
            together(lambda: record(gate), lambda: forked(lambda: deeper(left - 1)))
        record(gate)

    deeper(3)


def _another(gate: Service) -> Service:
    return service(_aside(gate), clock=SystemClock())


def _aside(gate: Service) -> Path:
    assert gate.path is not None
    return gate.path.parent / "aside" / "gate.db"


def _note(stores: list[SqliteStore], name: str) -> None:
    with stores[0].transaction() as tx:
        tx.run("INSERT INTO meta VALUES (?, 'yes')", (name,))


CASES = {
    case.__name__: case
    for case in (
        beside_a_transaction,
        two_at_once,
        inside_and_beside,
        all_inside,
        loading_inside,
        opening,
        grandchildren,
    )
}
