"""Many holds that end at once end as each would alone."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gate.clock import FakeClock
from gate.lifecycle import State
from gate.model import Action, Person, Route
from gate.policy.load import load_texts
from gate.service import Service, outbox
from gate.verbs import ends
from gate.verbs.turn import action_row

HOLDS = 12
POLICY = """
version: 1
name: desk
default: require_approval
approvals: {channel: C0APPROVALS, approvers: [U0ALICE], expires_in: 2h, use_within: 30m, deliver_within: 1h}
limits: {pending_per_session: 1000, pending_per_agent: 1000, burst: {count: 0, window: 10m}}
budgets: [{id: calls, match: "*", limit: 1000, per: session, window: 1h, then: block}]
"""


def _made(db: Path | str = ":memory:") -> tuple[Service, list[str]]:
    """Return a store with holds: a third not posted, a third posted, a third approved."""
    gate = Service(db, policy=load_texts({"desk.yml": POLICY}), clock=FakeClock(), made_by="test")
    gate.open_session("s1", agent="desk", on_behalf_of=None)
    ids = [
        gate.submit(Action("desk.do", {"n": number}, "desk", "s1"), wait=False).record.id
        for number in range(HOLDS)
    ]
    for number, ident in enumerate(ids):
        if number % 3:
            gate.learn_card(ident, channel="C0APPROVALS", ts=f"{number}.1", version=1)
        if number % 3 == 2:
            hold = gate.hold(ident)
            gate.decide(
                ident, store=hold.store, nonce=hold.nonce, person=Person("T0LOCAL", "U0ALICE", "alice"),
                satisfies=frozenset({"U0ALICE"}), said="approve", route=Route("A0GATE", "127.0.0.1"),
            )  # fmt: skip
    gate.clock.advance(timedelta(hours=3))  # type: ignore[attr-defined]
    return gate, ids


def _one_by_one(gate: Service, ids: list[str]) -> int:
    with gate._turn() as turn:
        return sum(ends.expire(turn, action_row(turn.tx, ident)) for ident in ids)


def _left(gate: Service, ids: list[str]) -> list[Any]:
    """Return everything that both ways leave behind, ids replaced by their places."""
    with gate.store.reader() as reader:
        found = [
            *reader.all("SELECT id, state, code, reason, ended_at, error FROM actions"),
            *reader.all("SELECT action AS id, deadline FROM holds"),
            *reader.all("SELECT * FROM waiting_uses"),
            *reader.all("SELECT action, kind, session, version, channel, text, due_at, done_at FROM notices"),
        ]
    log = [dict(record.body) for record in gate.records(limit=1000)]
    places = {ident: number for number, ident in enumerate(ids)}
    named = [{key: places.get(str(value), value) for key, value in row.items()} for row in [*found, *log]]
    return sorted(str(row | {"digest": ""}) for row in named if row.get("kind") != "apply")


def test_a_sweep_leaves_what_ending_each_alone_leaves() -> None:
    """States, reasons, deadlines, notices and records are the same, and the log is whole."""
    (alone, first), (swept, second) = _made(), _made()
    assert _one_by_one(alone, first) == HOLDS
    assert swept.sweep() == HOLDS
    assert _left(alone, first) == _left(swept, second)
    assert swept.verify().ok
    ended = {swept.action(ident).state for ident in second}
    assert ended == {State.EXPIRED, State.UNDELIVERED}


def test_a_sweep_ends_everything_however_much_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """More holds than one transaction ends are all ended by one sweep, each recorded once."""
    gate, ids = _made()
    with gate.store.transaction() as tx:
        tx.run("UPDATE holds SET deadline = deadline - 1")
    monkeypatch.setattr(ends, "SWEEP_BATCH", 5)
    assert gate.sweep() == len(ids)
    told = [
        record.body["action"]
        for record in gate.records(limit=1000)
        if record.body.get("move", {}).get("to") in ("expired", "undelivered")
    ]
    assert sorted(told) == sorted(ids)
    assert gate.verify().ok
    assert gate.sweep() == 0


@pytest.mark.parametrize(("others", "moment"), [(False, outbox._FOR_THREADS), (True, outbox._FOR_PROCESSES)])
def test_calls_come_in_between_two_batches(
    others: bool, moment: float, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep leaves the store alone after each full batch; for longer where another process works on it."""
    gate, ids = _made(db)
    other = Service(db, clock=gate.clock, made_by="test") if others else None
    gate.heartbeat()
    if other is not None:
        other.heartbeat()
    given: list[float] = []

    def pause(seconds: float) -> None:
        given.append(seconds)
        assert gate.submit(Action("desk.do", {"n": -len(given)}, "desk", "s1"), wait=False).kind == "held"

    monkeypatch.setattr(outbox, "pause", pause)
    monkeypatch.setattr(ends, "SWEEP_BATCH", 5)
    assert gate.sweep() == len(ids)
    assert given == [moment] * 2
    kinds = [each.body["kind"] for each in gate.records(limit=1000)][-2 - len(ids) :]
    assert [at for at, kind in enumerate(kinds) if kind == "submit"] == [5, 11]
    for each in (gate, other):
        if each is not None:
            each.close()
