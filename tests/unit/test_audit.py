"""The log's chain: whole logs verify, and every kind of tampering is named by its first bad record."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gate.audit import Filter, append, canonical, records
from gate.audit_export import link
from gate.errors import StoreError
from gate.service import Service
from gate.store.inspect import look_at
from gate.store.port import Tx
from gate.verbs.claim import End
from gate.verbs.timing import look
from tests.kit import act, answer, post, service

LABELS = {"host": "here", "process": 1, "version": "0"}


def _busy(db: Path) -> Service:
    gate = service(db)
    for amount in (5, 50, 5000):
        done = gate.submit(act(amount=amount, to="bob"))
        if done.kind == "run":
            gate.settle(done.record.id, End(True, "1"))
        elif done.kind == "held":
            post(gate)
            answer(gate, done.record.id, comment="ok")
    return gate


def _swap(tx: Tx) -> None:
    tx.run("UPDATE audit SET seq = -seq WHERE seq IN (3, 4)")
    tx.run("UPDATE audit SET seq = CASE seq WHEN -3 THEN 4 ELSE 3 END WHERE seq < 0")


TAMPERING: dict[str, tuple[Callable[[Tx], object], int]] = {
    "changed": (lambda tx: tx.run("UPDATE audit SET body = replace(body, 'desk', 'dusk') WHERE seq = 3"), 3),
    "changed with its hash": (
        lambda tx: tx.run("UPDATE audit SET body = '{}', hash = 'aa' WHERE seq = 4"),
        4,
    ),
    "changed into no text": (
        lambda tx: tx.run("UPDATE audit SET body = replace(body, 'desk', CAST(x'ff' AS TEXT)) WHERE seq = 3"),
        3,
    ),
    "a hash that is no text": (
        lambda tx: tx.run("UPDATE audit SET hash = CAST(x'ff' AS TEXT) WHERE seq = 5"),
        5,
    ),
    "removed": (lambda tx: tx.run("DELETE FROM audit WHERE seq = 4"), 4),
    "first removed": (lambda tx: tx.run("DELETE FROM audit WHERE seq = 1"), 1),
    "reordered": (_swap, 3),
    "inserted": (lambda tx: tx.run("INSERT INTO audit (seq, body, hash) VALUES (0, '{}', 'aa')"), 1),
    "duplicated": (
        lambda tx: tx.run("INSERT INTO audit (seq, body, hash) SELECT max(seq) + 1, body, hash FROM audit"),
        8,
    ),
    "cut": (lambda tx: tx.run("DELETE FROM audit WHERE seq > 5"), 6),
}


def test_a_whole_log_verifies(db: Path) -> None:
    """A log that nobody touched verifies to its last record."""
    gate = _busy(db)
    found = gate.verify()
    assert found.ok
    assert found.records == len(gate.records())
    assert gate.records()[-1].hash.startswith(found.head)


@pytest.mark.parametrize(
    "more", [{}, {"accepted": 1}, {"about": '{"action":"zz'}, {"input": {"action": "zz"}}]
)
def test_records_are_found_by_their_action(db: Path, more: dict[str, Any]) -> None:
    """A record is found by the action that it is about, whatever else its text has."""
    gate = service(db)
    with gate.store.transaction() as tx:
        about = {"action": "aq2emp32r6yvbjfv", **more}
        append(tx, look(tx).head, "note", gate.now(), about, actor="gate", labels=LABELS)
        append(tx, look(tx).head, "note", gate.now(), more, actor="gate", labels=LABELS)
    with gate.store.reader() as reader:
        (found,) = records(reader, Filter(action="aq2emp32r6yvbjfv"))
        assert found.body["action"] == "aq2emp32r6yvbjfv"
        assert records(reader, Filter(action="zz")) == []
    assert gate.verify().ok


@pytest.mark.parametrize("kind", TAMPERING)
def test_tampering_is_found(db: Path, kind: str) -> None:
    """Each kind of tampering is found, and the first bad record is named."""
    gate = _busy(db)
    assert len(gate.records()) == 7
    change, first_bad = TAMPERING[kind]
    with gate.store.transaction() as tx:
        change(tx)
    found = gate.verify()
    assert (found.ok, found.first_bad) == (False, first_bad)
    assert found.problem


DEEP = 100_000
"""More levels than any Python reads."""

FORGED = [
    pytest.param('{"action":"a","kind":"archive","x":' + "[" * DEEP + "]" * DEEP + "}", False, id="deep"),
    pytest.param('{"action":"a","kind":"archive"}', True, id="of nothing"),
    pytest.param('{"action":"a","kind":"archive","last":[],"head":{}}', True, id="of no number"),
]


@pytest.mark.parametrize(("body", "ok"), FORGED)
def test_a_forged_record_of_an_archive_is_judged(db: Path, body: str, ok: bool) -> None:
    """Whatever a well chained record says, the check ends with a finding and with no other error."""
    gate = _busy(db)
    with gate.store.transaction() as tx:
        head = look(tx).head
        new = (head.seq + 1, body, link(head.hash, body))
        tx.run("INSERT INTO audit (seq, body, hash) VALUES (?, ?, ?)", new)
        tx.run("UPDATE audit_head SET seq = ?, hash = ?", (new[0], new[2]))
    found = gate.verify()
    assert (found.ok, found.first_bad) == ((True, None) if ok else (False, new[0]))


def test_a_log_without_its_head_is_damage(db: Path) -> None:
    """Nothing runs on a store that does not say where its log ends, and no look at it fails."""
    gate = service(db)
    with closing(sqlite3.connect(db)) as beside, beside:
        beside.execute("DELETE FROM audit_head")
    for begin in (lambda: gate.submit(act(amount=5, to="bob")), lambda: service(db)):
        with pytest.raises(StoreError, match="Nothing ran") as caught:
            begin()
        assert caught.value.code == "store_damaged"
    assert "damaged" in look_at(db).problem


def test_no_record_no_run(db: Path) -> None:
    """Where the record cannot be written, the call is not in the store as running either."""
    gate = service(db)
    with gate.store.transaction() as tx:
        tx.run("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT raise(ABORT, 'disk is full'); END")
    with pytest.raises(StoreError, match="Nothing ran"):
        gate.submit(act(amount=5, to="bob"))
    with gate.store.reader() as reader:
        assert reader.all("SELECT id FROM actions") == []


def test_an_answer_that_cannot_be_recorded_is_none(db: Path) -> None:
    """Where a decision cannot be written, the hold stays pending."""
    gate = service(db)
    hold = gate.submit(act()).record.id
    with gate.store.transaction() as tx:
        tx.run("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT raise(ABORT, 'disk is full'); END")
    with pytest.raises(StoreError):
        answer(gate, hold)
    assert gate.hold(hold).decisions == ()
    assert gate.action(hold).code == "pending"


@pytest.mark.parametrize("session", ["s1", "~here~", '"~here~', "~here~action"])
def test_what_is_put_into_a_record_as_text_stands_there_as_if_it_was_written_with_it(session: str) -> None:
    """Whatever texts the caller chose: the place is found by itself, or everything is written out again."""
    gate = service()
    given = {"to": session, '"~here~"': ['"~here~"', "~here~", {}], "amount": 5}
    fields = {"session": session, "target": "~here~", "facts": {"k": '\\"~here~'}}
    with gate.store.transaction() as tx:
        whole = {**fields, "input": given}
        plain = append(tx, look(tx).head, "a", gate.now(), whole, actor="x", labels=LABELS)
        append(
            tx, plain, "a", gate.now(), fields, actor="x", labels=LABELS, written=("input", canonical(given))
        )
        one, two = (row["body"] for row in tx.all("SELECT body FROM audit ORDER BY seq DESC LIMIT 2"))
    assert one == two
    assert '"input":{' in one
