"""Time the sweep: thousands of holds due at once, and none."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from bench import policies, targets
from bench.measure import Plan, each
from bench.replaying import again, connect, recording
from bench.targets import Target
from gate import audit
from gate.clock import FakeClock
from gate.ids import new_id, new_nonce
from gate.model import Action
from gate.policy.load import load_texts
from gate.service import Service
from gate.store.port import Tx
from gate.verbs import timing

DUE = 10_000
_TABLES = ("actions", "holds", "versions", "notices", "cards")


def swept(plan: Plan) -> dict[Target, float]:
    """Time the sweep of many holds whose cards stand, and of a store where some wait and none is due."""
    due, sql = [], []
    for _ in range(plan.size(3, 1)):
        plan.floor()
        due.append(_all_due(plan, plan.size(DUE, 200)))
        sql.append(_statements_alone(plan, plan.size(DUE, 200)))
    gate = _held(plan.place("none-due"), 100)
    gate.sweep()
    idle = each(gate.sweep, plan.size(1000, 20))
    gate.close()
    return {targets.DUE: median(due), targets.DUE_SQL: median(sql), targets.NONE_DUE: median(idle) / 1000}


def _all_due(plan: Plan, count: int) -> float:
    """Return the seconds in which so many holds end and are recorded."""
    gate = _held(plan.place("due"), count)
    gate.clock.advance(timedelta(days=1))  # type: ignore[attr-defined]
    start = perf_counter()
    ended = gate.sweep()
    took = perf_counter() - start
    with gate.store.reader() as reader:
        told = reader.one("SELECT count(*) AS n FROM records WHERE kind = 'expire'")
    if not (told and told["n"] == ended == count) or not gate.verify().ok:
        raise RuntimeError(f"{ended} of {count} holds ended, {told} were recorded")
    gate.close()
    return took


def _statements_alone(plan: Plan, count: int) -> float:
    """Return the seconds that the statements of such a sweep take on a copy of its store."""
    gate, copy = _held(plan.place("noted"), count), plan.place("alone") / "bench.db"
    gate.clock.advance(timedelta(days=1))  # type: ignore[attr-defined]
    gate.store.backup(copy)
    with recording(gate.store) as noted:
        gate.sweep()
    gate.close()
    with closing(connect(copy)) as rows:
        start = perf_counter()
        again(rows, noted)
        return perf_counter() - start


def _held(folder: Path, count: int) -> Service:
    """Return a service with so many pending holds whose cards were posted."""
    gate = Service(
        folder / "bench.db", policy=load_texts({"bench.yml": policies.for_tools(10)}), clock=FakeClock()
    )
    gate.open_session("s1", agent="bench", on_behalf_of=None)
    first = gate.submit(Action("desk.ask", {"amount": 400}, "bench", "s1"), wait=False).record.id
    for notice in gate.lease_notices(limit=10):
        gate.notice_done(notice.id, channel=notice.channel, ts="1.1")
    with gate.store.transaction(durable=False) as tx:
        _again(tx, first, count - 1)
    return gate


def _again(tx: Tx, first: str, count: int) -> None:
    """Write one hold again under other ids, with its record, as if it had been submitted so many times."""
    rows = {table: tx.all(f"SELECT * FROM {table} WHERE {_key(table)} = ?", (first,)) for table in _TABLES}
    body = _body(tx, first)
    for number in range(count):
        new = new_id()
        for table, found in rows.items():
            for row in found:
                tx.insert(table, **_renamed(table, row, new, number))
        fields = {key: value for key, value in body.items() if key not in ("kind", "at", "actor", "labels")}
        at, head = FakeClock().now(), timing.look(tx).head
        audit.append(
            tx, head, body["kind"], at, fields | {"action": new}, actor=body["actor"], labels=body["labels"]
        )


def _key(table: str) -> str:
    return "id" if table == "actions" else "action"


def _renamed(table: str, row: Mapping[str, Any], new: str, number: int) -> dict[str, Any]:
    changed = dict(row) | {_key(table): new}
    if table == "notices":
        del changed["id"]
    if table == "versions":
        changed["nonce"] = new_nonce()
    if table == "cards":
        changed["ts"] = f"2.{number}"
    return changed


def _body(tx: Tx, action: str) -> Mapping[str, Any]:
    (found,) = audit.records(tx, audit.Filter(action=action, kind="submit"))
    return found.body
