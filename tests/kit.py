"""A small kit for tests of the verbs: a policy, a service on it, and people who decide."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from gate.clock import FakeClock
from gate.model import Action, HoldRecord, Notice, Parameters, Person, Principal, Route, Said
from gate.policy.load import load_texts
from gate.policy.policyset import PolicySet
from gate.service import Service

POLICY = """
version: 1
name: desk
default: require_approval
approvals: {channel: C0APPROVALS, approvers: [U0ALICE, U0BOB, S0FINANCE], expires_in: 1h, use_within: 30m,
            comment: {approve: optional, deny: optional}}
limits: {pending_per_session: 1000, pending_per_agent: 1000, asks_per_session: {count: 1000, window: 1h}}
actions:
  "desk.get_*": {risk: read}
  desk.pay: {risk: write, amount: args.amount, currency: EUR, describe: "Pay {args.amount} to {args.to}"}
rules:
  - {id: reads, match: "desk.get_*", then: allow}
  - {id: small, match: desk.pay, when: {args.amount: {gt: 0, lte: 10}}, then: allow}
  - {id: large, match: desk.pay, when: {args.amount: {gt: 10, lte: 1000}}, then: require_approval,
     reason: Above ten.}
  - {id: huge, match: desk.pay, when: {args.amount: {gt: 1000}}, then: block, reason: Never above a thousand.}
  - {id: two, match: desk.fire, then: require_approval, quorum: 2, reason: Two people.}
  - {id: never, match: "desk.delete_*", then: block, reason: Not for agents.}
"""

ALICE, BOB, CAROL = (Person("T0LOCAL", user, user[2:].lower()) for user in ("U0ALICE", "U0BOB", "U0CAROL"))
ROUTE = Route(app="A0GATE", api_host="127.0.0.1", channel="C0APPROVALS", message_ts="1.1", action_ts="2.2")
ASKER = Principal("person", "U0ASKER", "T0LOCAL")


@cache
def policy(text: str = POLICY, name: str = "desk.yml") -> PolicySet:
    """Return a policy of one file; nothing changes it once it is loaded, so it is loaded once."""
    return load_texts({name: text})


def service(db: Path | str = ":memory:", *, text: str | None = POLICY, **options: Any) -> Service:
    """Open a service on a fake clock with one session ``s1`` of the agent ``desk``."""
    options.setdefault("clock", FakeClock())
    made = Service(db, policy=policy(text) if text else None, **options)
    made.open_session("s1", agent="desk", on_behalf_of=ASKER)
    return made


def act(
    name: str = "desk.pay", *, session: str = "s1", call_id: str | None = None, **arguments: Any
) -> Action:
    """Return a call of the agent ``desk``."""
    given = arguments or {"amount": 50, "to": "bob"}
    names = Parameters(frozenset(given))
    return Action(name, given, "desk", session, ASKER, call_id=call_id, parameters=names)


def answer(
    gate: Service, hold: HoldRecord | str, person: Person = ALICE, said: Said = "approve", **more: Any
) -> HoldRecord:
    """Let one person answer the current version of a hold, as the bot would."""
    record = gate.hold(hold) if isinstance(hold, str) else hold
    groups = frozenset({"S0FINANCE"} if person in (ALICE, BOB) else ())
    options = {
        "store": record.store,
        "nonce": record.nonce,
        "satisfies": groups | {person.user},
        "route": ROUTE,
    } | more
    gate.decide(record.id, person=person, said=said, **options)
    return gate.hold(record.id)


def post(gate: Service) -> list[Notice]:
    """Play a bot to which Slack is kind: every card is accepted at once."""
    posted: list[Notice] = []
    while leased := gate.lease_notices(limit=1000):
        for notice in leased:
            gate.notice_done(notice.id, channel=notice.channel, ts=f"1000.{notice.id:06d}")
        posted += leased
    return posted


def kinds(gate: Service, action: str | None = None) -> list[str]:
    """Return the kinds of the log's records in order."""
    return [record.body["kind"] for record in gate.records(action=action)]


EDITABLE = POLICY.replace(
    "reason: Above ten.}", "reason: Above ten., editable: [args.amount, args.to]}"
).replace("quorum: 2, reason: Two people.}", "quorum: 2, reason: Two people., editable: [args.who]}")
"""The same policy, whose held calls may be changed."""


def with_rule(text: str, rule: str) -> str:
    """Return one of these policies with one more rule that holds payments, before the one that blocks some.

    Args:
        text: The policy.
        rule: What the rule says beside ``match`` and ``then``.
    """
    held = f"  - {{match: desk.pay, then: require_approval, {rule}}}\n"
    return text.replace("  - {id: huge,", f"{held}  - {{id: huge,", 1)


def change(gate: Service, hold: HoldRecord | str, person: Person = ALICE, /, **changes: Any) -> HoldRecord:
    """Let one person change arguments of the current version of a hold by their names, as the bot would."""
    record = gate.hold(hold) if isinstance(hold, str) else hold
    return gate.edit(
        record.id,
        store=record.store,
        nonce=record.nonce,
        person=person,
        satisfies=frozenset({"S0FINANCE"} if person in (ALICE, BOB) else ()) | {person.user},
        changes={f"args.{name}": value for name, value in changes.items()},
        route=ROUTE,
    )
