"""Time a backtest over a long log: ``python -m bench.backtest [--calls N] [--policy PATH]``.

The log is made of real records: a few calls go through the gate, and their records are written again and
again with other times, ids, sessions and amounts.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from gate import audit
from gate.clock import FakeClock
from gate.model import Action, Parameters, Person, Route
from gate.policy.backtest import longest_window, replay
from gate.policy.load import load_path, load_texts
from gate.policy.policyset import PolicySet
from gate.service import Service
from gate.verbs import timing
from gate.verbs.claim import End

END = datetime(2026, 11, 29, tzinfo=UTC)
DAYS = timedelta(days=30)
ALICE = Person("T0LOCAL", "U0ALICE", "alice")
BUDGETS = """
version: 1
name: budgets
default: abstain
approvals: {channel: C0APPROVALS, approvers: [U0ALICE]}
budgets:
  - {id: sends, match: "*", when: {effect.outbound: true}, limit: 50, per: session, window: 1h}
  - {id: money, match: "*", sum: effect.amount, limit: {EUR: 600000, "*": 600000}, per: agent, window: 24h}
"""
CALLS: Sequence[tuple[str, dict[str, Any]]] = (
    ("orders.lookup_order", {"order_id": "ORD-1"}),
    ("payments.issue_refund", {"order_id": "ORD-1", "amount": 20, "currency": "EUR", "reason": "late"}),
    ("payments.issue_refund", {"order_id": "ORD-1", "amount": 400, "currency": "EUR", "reason": "broken"}),
    ("helpdesk.reply_to_thread", {"thread_id": "T-12", "message": "Your parcel is on its way. " * 5}),
    ("stripe.create_refund", {"charge": "ch_7", "amount": 20, "currency": "EUR", "reason": "duplicate"}),
)


def main() -> None:
    """Make the log, replay it, and print how long that took."""
    parser = argparse.ArgumentParser(prog="python -m bench.backtest", description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000, help="recorded calls")
    parser.add_argument("--policy", type=Path, default=Path("policies"), help="policy to replay them through")
    options = parser.parse_args()
    logging.getLogger("gate").setLevel(logging.ERROR)
    policy = with_budgets(load_path(options.policy))
    with tempfile.TemporaryDirectory() as folder:
        gate = recorded(Path(folder) / "bench.db", load_path(options.policy), options.calls)
        start, cpu = perf_counter(), process_time()
        calls = gate.logged(END - DAYS - longest_window(policy), END, lambda done, all_: None)
        found = replay(calls, policy, since=END - DAYS)
        took, cpu = perf_counter() - start, process_time() - cpu
        gate.close()
    changed = sum(found.changed.values())
    each = took / found.calls * 1e6
    print(f"{found.calls:,} calls in {took:.2f} s ({cpu:.2f} s of this process), {each:.1f} µs each")
    print(f"{changed:,} verdicts would change")


def with_budgets(policy: PolicySet) -> PolicySet:
    """Return a policy with two budgets that concern every call."""
    return load_texts({**policy.texts, "budgets.yml": BUDGETS})


def recorded(db: Path, policy: PolicySet, count: int) -> Service:
    """Return a service whose log has so many calls, spread over the days before the end."""
    gate = Service(db, policy=policy, clock=FakeClock(END - DAYS * 2))
    gate.open_session("s0", agent="support", on_behalf_of=None)
    for name, arguments in CALLS:
        _run(gate, name, arguments)
    bodies = [record.body for record in gate.records(limit=1000) if record.body.get("action")]
    groups = [
        [body for body in bodies if body["action"] == action]
        for action in dict.fromkeys(b["action"] for b in bodies)
    ]
    with gate.store.transaction(durable=False) as tx:
        for number in range(count):
            at = END - DAYS + DAYS / count * number
            for body in groups[number % len(groups)]:
                _append(tx, body, number, at)
    return gate


def _run(gate: Service, name: str, arguments: Mapping[str, Any]) -> None:
    """Let one call run, approved where that is asked for."""
    action = Action(name, arguments, "support", "s0", parameters=Parameters(frozenset(arguments)))
    submission = gate.submit(action)
    ident = submission.record.id
    if submission.kind == "held":
        hold = gate.hold(ident)
        for notice in gate.lease_notices(limit=100):
            gate.notice_done(notice.id, channel=notice.channel, ts="1.1")
        gate.decide(
            ident, store=hold.store, nonce=hold.nonce, person=ALICE, satisfies=frozenset({"U0ALICE"}),
            said="approve", route=Route("A0GATE", "127.0.0.1"),
        )  # fmt: skip
        gate.claim(ident, action)
    gate.settle(ident, End(True))


def _append(tx: Any, body: Mapping[str, Any], number: int, at: datetime) -> None:
    fields = {key: value for key, value in body.items() if key not in ("kind", "at", "actor", "labels")}
    fields["action"] = f"{number:016d}"
    if "session" in fields:
        fields["session"] = f"s{number // 40}"
    if "amount" in fields.get("input", {}):
        usual = fields["input"]["amount"]
        fields["input"] = fields["input"] | {"amount": usual + number % (usual // 2) + 0.5}
    audit.append(
        tx, timing.look(tx).head, body["kind"], at, fields, actor=body["actor"], labels=body["labels"]
    )


if __name__ == "__main__":
    main()
