"""durability: normal spares allowed calls a sync of the disk, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gate.clock import FakeClock
from gate.lifecycle import State
from gate.service import Service
from gate.store.port import Tx
from gate.store.sqlite import SqliteStore
from gate.verbs.claim import End
from tests.kit import POLICY, act, kinds, service

GONE = POLICY.replace("expires_in: 1h,", "expires_in: 1h, on_caller_gone: cancel,")


class Watched(SqliteStore):
    """Notes of each transaction that committed records whether it was durable."""

    records: list[bool]

    @contextmanager
    def transaction(self, *, durable: bool = True, shared: bool = False) -> Iterator[Tx]:
        """Begin one, and note how it committed."""
        before = after = 0
        with super().transaction(durable=durable, shared=shared) as tx:
            before = _newest(tx)
            yield tx
            after = _newest(tx)
        if after != before:
            self.records.append(durable)


def _newest(tx: Tx) -> int:
    found = tx.one("SELECT count(*) AS n FROM sqlite_master WHERE name = 'audit_head'")
    row = tx.one("SELECT seq FROM audit_head") if found and found["n"] else None
    return int(row["seq"]) if row else 0


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Open services that do not sync allowed calls, each with a store that is watched."""
    opened: list[Service] = []

    def open_(**options: Any) -> Service:
        gate = service(tmp_path / f"{len(opened)}.db", durability="normal", **options)
        gate.store.__class__ = Watched
        opened.append(gate)
        _clear(gate)
        return gate

    yield open_
    for gate in opened:
        gate.close()


def _clear(gate: Service) -> None:
    assert isinstance(gate.store, Watched)
    gate.store.records = []


def _records(gate: Service) -> list[bool]:
    assert isinstance(gate.store, Watched)
    return gate.store.records


def test_only_an_allowed_call_and_its_end_are_spared(watched: Callable[..., Service]) -> None:
    """An allowed call is written without a sync; a hold is not."""
    gate = watched()
    run = gate.submit(act(amount=5, to="bob"))
    gate.settle(run.record.id, End(True, "1"))
    assert _records(gate) == [False, False]
    gate.submit(act())
    assert _records(gate) == [False, False, True]


def test_a_call_that_a_freeze_stops_is_durable(watched: Callable[..., Service]) -> None:
    """What the rules allow and a freeze blocks is no allowed call."""
    gate = watched()
    gate.freeze("everything", reason="Stop.", by="cli:x")
    _clear(gate)
    done = gate.submit(act(amount=5, to="bob"))
    assert (done.record.state, _records(gate)) == (State.BLOCKED, [True])
    assert kinds(gate, done.record.id) == ["submit"]


def test_a_call_that_joins_another_is_durable(watched: Callable[..., Service]) -> None:
    """Finding an action again is recorded durably, once, also where the call would be allowed."""
    gate = watched()
    first = gate.submit(act(amount=5, to="bob", call_id="c1"))
    assert gate.submit(act(amount=5, to="bob", call_id="c1")).record.id == first.record.id
    assert _records(gate) == [False, True]
    assert kinds(gate, first.record.id) == ["submit", "rejoin"]


def test_what_a_heartbeat_ends_is_durable(watched: Callable[..., Service]) -> None:
    """A heartbeat alone needs no sync; a hold that it cancels does."""
    gate = watched(text=GONE)
    call = act()
    hold = gate.submit(call, wait=True, owner=call).record.id
    gate.heartbeat()
    _clear(gate)
    del call
    gate.heartbeat()
    assert (gate.hold(hold).code, _records(gate)) == ("caller_gone", [True])


def test_a_late_end_is_durable(watched: Callable[..., Service]) -> None:
    """What became known of an allowed call in doubt is told to people, and so durable."""
    gate = watched()
    run = gate.submit(act(amount=5, to="bob")).record.id
    assert gate.path is not None
    assert isinstance(gate.clock, FakeClock)
    other = service(gate.path, clock=gate.clock)
    for _ in range(12):
        gate.clock.advance(2)
        other.heartbeat()
    assert gate.action(run).state == State.IN_DOUBT
    other.close()
    _clear(gate)
    gate.settle(run, End(True, "1"))
    assert (gate.action(run).late, _records(gate)) == (True, [True])
