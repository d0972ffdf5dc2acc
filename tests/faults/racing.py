"""One of several processes that do everything at random to the same holds on one store."""

from __future__ import annotations

import logging
import random
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from gate.editing import edited
from gate.errors import Fault
from gate.lifecycle import State
from gate.model import Action, Parameters, Person, Route
from gate.policy.load import load_texts
from gate.service import Service
from gate.verbs.claim import Claimed, End
from tests.faults.children import note
from tests.faults.invariants import Asked, Rules

POLICY = """
version: 1
name: desk
default: block
approvals: {channel: C0APPROVALS, approvers: [U0ALICE, U0BOB, U0CAROL], expires_in: 1h, use_within: 30m,
            comment: {approve: optional, deny: optional}}
limits: {pending_per_session: 100000, pending_per_agent: 100000,
         asks_per_session: {count: 100000, window: 1h}}
actions:
  "desk.*": {risk: write, amount: args.amount, currency: EUR}
rules:
  - {id: send, match: desk.send, then: allow}
  - {id: one, match: desk.one, then: require_approval, reason: One., editable: [args.amount]}
  - {id: two, match: desk.two, then: require_approval, quorum: 2, reason: Two., editable: [args.amount]}
budgets:
  - {id: money, match: "desk.*", sum: effect.amount, limit: {EUR: LIMIT}, per: agent, window: 7d,
     reason: Much already.}
"""
EVERYBODY = frozenset({"U0ALICE", "U0BOB", "U0CAROL"})
ROUTE = Route(app="A0GATE", api_host="127.0.0.1", channel="C0APPROVALS")


def policy_for(limit: int) -> str:
    """Return the policy with a limit of its budget."""
    return POLICY.replace("LIMIT", str(limit))


def rules_for(limit: int) -> Rules:
    """Return what that policy says, for the invariants."""
    asked = {rule: Asked(EVERYBODY) for rule in ("desk/one", "desk/money")} | {
        "desk/two": Asked(EVERYBODY, 2)
    }
    return Rules(asked, budget="desk/money", limit=limit)


class SharedClock:
    """Tell one time in several processes: a counter of microseconds that any of them moves on.

    Args:
        counter: A shared ``multiprocessing.Value``.
    """

    def __init__(self, counter: Any) -> None:
        self._counter = counter

    def now(self) -> datetime:
        """Return the time, UTC."""
        return datetime(2026, 1, 1, 9, tzinfo=UTC) + timedelta(microseconds=self._counter.value)

    def wall(self) -> datetime:
        """Return the same."""
        return self.now()

    def advance(self, seconds: float) -> None:
        """Move on."""
        with self._counter.get_lock():
            self._counter.value += int(seconds * 1_000_000)


@dataclass(frozen=True, slots=True)
class Race:
    """What one racing process is told.

    Attributes:
        folder: Where the store and the files are.
        limit: What the budget allows.
        number: Which process it is.
        seed: Of its chances.
        holds: Id and number of each hold that everybody races for.
        moves: How many things it does.
    """

    folder: Path
    limit: int
    number: int
    seed: int
    holds: Sequence[tuple[str, int]]
    moves: int


def action_of(number: int) -> Action:
    """Return the call that has a number."""
    given = {"amount": 1 + number % 3, "n": number}
    name = "desk.two" if number % 4 == 0 else "desk.one"
    return Action(name, given, "desk", f"s{number % 7}", parameters=Parameters(frozenset(given)))


class Racer:
    """Do things at random, and note what became of them."""

    def __init__(self, race: Race, clock: SharedClock, gate: Service) -> None:
        self._race, self._clock, self._gate = race, clock, gate
        self._chance = random.Random(race.seed)
        self._nonces: dict[str, str] = {}
        self.codes: Counter[str] = Counter()

    def run(self) -> None:
        """Do everything that was ordered."""
        acts: dict[Callable[[], None], int] = {
            self._approve: 50,
            self._claim: 40,
            self._edit: 8,
            self._send: 4,
            self._deny: 2,
            self._cancel: 1,
            self._pass_time: 2,
            self._freeze: 1,
            self._beat: 2,
        }
        chosen = self._chance.choices(list(acts), list(acts.values()), k=self._race.moves)
        for act in chosen:
            try:
                act()
            except Fault as fault:
                self.codes[fault.code] += 1

    def _approve(self) -> None:
        self._decide("approve")

    def _deny(self) -> None:
        self._decide("deny")

    def _decide(self, said: Any) -> None:
        hold, _ = self._chance.choice(self._race.holds)
        user = self._chance.choice(sorted(EVERYBODY))
        # Most look at the card again, some press what they saw long ago.
        if hold not in self._nonces or self._chance.random() < 0.7:
            self._nonces[hold] = self._gate.hold(hold).nonce
        self._gate.decide(
            hold, store=self._gate.store_id, nonce=self._nonces[hold], person=Person("T0LOCAL", user),
            satisfies=frozenset({user}), said=said, route=ROUTE,
        )  # fmt: skip

    def _edit(self) -> None:
        hold, _ = self._chance.choice(self._race.holds)
        user = self._chance.choice(sorted(EVERYBODY))
        if hold not in self._nonces or self._chance.random() < 0.7:
            self._nonces[hold] = self._gate.hold(hold).nonce
        self._gate.edit(
            hold, store=self._gate.store_id, nonce=self._nonces[hold], person=Person("T0LOCAL", user),
            satisfies=frozenset({user}), changes={"args.amount": self._chance.randint(1, 4)}, route=ROUTE,
        )  # fmt: skip

    def _claim(self) -> None:
        hold, number = self._chance.choice(self._race.holds)
        call, record = action_of(number), self._gate.action(hold)
        # Some have looked at the call before somebody changed it.
        if record.version > 1 and self._chance.random() < 0.9:
            self._told(self._gate.claim(hold, edited(call, record.patch, record.version)))
        else:
            self._told(self._gate.claim(hold, call))

    def _send(self) -> None:
        number = self._race.number * 1_000_000 + self._chance.randrange(1_000_000)
        given = {"amount": 2, "n": number}
        found = self._gate.submit(Action("desk.send", given, "desk", "s0"), wait=False)
        self._told(Claimed(found.kind == "run", found.record))

    def _told(self, claimed: Claimed) -> None:
        record = claimed.record
        code = record.code
        if claimed.run:
            note(self._race.folder / "effects", {"action": record.id})
            # Some processes never say how it ended.
            if self._chance.random() < 0.1:
                return
            ok = self._chance.random() < 0.8
            self._gate.settle(record.id, End(ok, error="" if ok else "ValueError: no"))
            code = "ran" if ok else "failed"
        if code and record.state not in (State.PENDING, State.APPROVED):
            note(self._race.folder / "told", {"action": record.id, "code": code})

    def _cancel(self) -> None:
        hold, _ = self._chance.choice(self._race.holds)
        self._gate.cancel(hold, by="cli:ops", reason="Not now.")

    def _pass_time(self) -> None:
        self._clock.advance(self._chance.uniform(0, 2 * PASSING / max(1, self._race.moves)))
        self._gate.sweep()

    def _freeze(self) -> None:
        session = f"s{self._chance.randrange(7)}"
        self._gate.freeze("session", session, by="cli:ops", reason="Look first.")
        self._claim()
        self._gate.unfreeze("session", session, by="cli:ops", reason="Fine.")

    def _beat(self) -> None:
        self._gate.heartbeat()


PASSING = 60_000.0
"""Seconds that pass in a race, about, for all processes together: some holds come to their deadline."""


def race(orders: Race, counter: Any, start: Any, answers: Any) -> None:
    """Race; put what was refused, by code, into the answers."""
    logging.getLogger("gate").setLevel(logging.CRITICAL)
    try:
        clock = SharedClock(counter)
        gate = Service(orders.folder / "gate.db", clock=clock, kind="agent" if orders.number % 2 else "bot")
        racer = Racer(orders, clock, gate)
        start.wait()
        racer.run()
        gate.close()
        answers.put(racer.codes)
    except BaseException:
        answers.put(Counter({traceback.format_exc(): 1}))


def prepared(folder: Path, holds: int, limit: int, clock: SharedClock) -> tuple[Service, list[Any]]:
    """Make the store and the holds that are raced for, each with a card."""
    policy = load_texts({"desk.yml": policy_for(limit)})
    gate = Service(folder / "gate.db", policy=policy, clock=clock, kind="bot")
    for number in range(7):
        gate.open_session(f"s{number}", agent="desk", on_behalf_of=None)
    made = []
    for number in range(holds):
        made.append((gate.submit(action_of(number), wait=False).record.id, number))
        for notice in gate.lease_notices():
            gate.notice_done(notice.id, channel=notice.channel, ts=f"1000.{notice.id:06d}")
    return gate, made
