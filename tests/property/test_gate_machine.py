"""The whole gate, driven in any order beside a model: processes, callers at any step, clocks, crashes.

Calls are taken through the real trip, one step at a time, so that callers stand at any step while people
answer, others claim, processes die and policies change. After each the store must be what the model says.
"""

from __future__ import annotations

import gc
import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from gate import processes
from gate.clock import SystemClock
from gate.context import Context
from gate.errors import CallIdReused, ClockError, Fault
from gate.model import Action, Person
from gate.outcomes import Outcome, Ran
from gate.processes import Identity
from gate.runtime import Runtime
from gate.service import Service
from gate.steps import AskStep, Call, Raised, Returned, Step, ToolStep, WaitStep, abandon
from gate.trip import trip
from gate.verbs import timing
from gate.verbs.claim import End
from tests.faults.invariants import Asked, Rules, broken, gather
from tests.faults.kill_points import _step as name_of
from tests.kit import ALICE, BOB, CAROL, POLICY, ROUTE, act, answer, policy, post
from tests.property.gate_model import LIMIT, Case, Model

EXAMPLES = int(os.environ.get("GATE_SOAK_MACHINE", "15"))
PAIR = Asked(frozenset({"U0ALICE", "U0BOB"}))
RULES = Rules({"desk/large": PAIR, "desk/two": replace(PAIR, quorum=2), "desk/money": PAIR})
MONEY = f"""
budgets:
  - {{id: money, match: desk.pay, sum: effect.amount, limit: {{EUR: {LIMIT}}}, per: agent, window: 365d,
     reason: Much already.}}
"""
BASE = POLICY.replace("reason: Above ten.", "editable: [args.amount], reason: Above ten.") + MONEY
POLICIES = {
    1: policy(BASE),
    2: policy(BASE.replace("reason: Above ten.", "quorum: 2, reason: Above ten.")),
    0: policy(
        POLICY.replace("then: require_approval,\n     reason: Above ten.", "then: block, reason: No more.")
        + MONEY
    ),
}
"""Quorum of the rule ``large``, or 0 where it blocks, to the policy."""
KEYS = (("desk.pay", 5), ("desk.pay", 20), ("desk.pay", 20), ("desk.pay", 21), ("desk.fire", 20))
PEOPLE = ((ALICE,), (BOB,), (CAROL,), (ALICE, BOB), (BOB, ALICE))
AGENTS, EVERYBODY, BOTH, WHICH = ("a", "b"), ("a", "b", "bot"), (False, True), range(100)
MEMORY = "/dev/shm"
"""Where nothing waits for a disk."""


@dataclass(eq=False)
class Flight:
    """One call on its way through one process."""

    slot: str
    key: tuple[str, int]
    call_id: str | None
    waits: bool
    trip: Generator[Step, Any, Any] | None = None
    step: Step | None = None
    case: str = ""
    ran: bool | None = None
    """Whether its tool ended well; None before it ran."""


class WholeGate(RuleBasedStateMachine):
    """Drive everything and compare with the model after each step."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
        self.wall, self.boot = datetime(2026, 1, 1, 9, tzinfo=UTC), 0
        self._real = processes.identify, processes.is_dead
        self._dead: set[int] = set()
        self._numbers = count(1)
        processes.identify, processes.is_dead = self._identify, lambda one: one.start in self._dead
        self.model, self.flights = Model(), list[Flight]()
        self.runtimes: dict[str, Runtime] = {}
        self.names: dict[str, str] = {}
        self._lost, self.happened = False, 0
        for slot in ("a", "b", "bot"):
            self._open(slot)

    def teardown(self) -> None:
        """Bring everything to an end, and judge the run from outside."""
        self.wall += timedelta(days=2)
        self.boot += 2 * 86400 * 10**9
        self.flights.clear()
        for slot in ("a", "b"):
            self._crash(slot)
        gate = self.runtimes["bot"].service
        gate.sweep()
        gate.heartbeat()
        assert gate.verify().ok
        for each in self.runtimes.values():
            each.service.close()
        processes.identify, processes.is_dead = self._real
        seen = gather(
            RULES, self.folder / "gate.db", effects=self.folder / "effects", told=self.folder / "told"
        )
        assert broken(seen) == []
        shutil.rmtree(self.folder)

    # ---- processes ----------------------------------------------------------------------------------------

    def _identify(self) -> Identity:
        """Tell processes apart that are one here; a forked child is known by its pid."""
        forked = os.getpid() != self._pid if hasattr(self, "_pid") else False
        return replace(self._real[0](), start=10**6 + os.getpid() if forked else next(self._numbers))

    def _open(self, slot: str) -> None:
        self._pid = os.getpid()
        clock = SystemClock(lambda: self.wall, lambda: self.boot)
        kind: Any = "bot" if slot == "bot" else "agent"
        known = None if self.runtimes else POLICIES[1]
        gate = Service(self.folder / "gate.db", policy=known, clock=clock, kind=kind)
        if known:
            gate.open_session("s1", agent="desk", on_behalf_of=None)
        number = next(self._numbers)
        self.runtimes[slot] = Runtime(gate, Context(), upkeep=False)
        self.names[slot] = f"{slot}{number}"
        now = self._time(slot)
        self.model.beats[self.names[slot]] = (now, now)

    def _crash(self, slot: str) -> None:
        runtime = self.runtimes[slot]
        runtime.poller.released = True
        self._end_of(slot)
        with runtime.service.store.reader() as reader:
            row = reader.one("SELECT identity FROM processes WHERE id = ?", (runtime.service._process,))
        assert row is not None
        self._dead.add(json.loads(row["identity"])["start"])
        runtime.service.store.close()
        self._open(slot)

    def _end_of(self, slot: str) -> None:
        """Forget the calls of a process that goes."""
        for flight in [each for each in self.flights if each.slot == slot]:
            self.flights.remove(flight)
            if flight.trip is not None:
                flight.trip.close()
        self.model.dead.add(self.names[slot])

    def _time(self, slot: str) -> datetime:
        """Return the time that counts for a process now."""
        gate = self.runtimes[slot].service
        with gate.store.reader() as reader:
            return timing.time_of(reader, gate.clock.now())

    def _behind(self, slot: str) -> bool:
        return self._time(slot) - self.runtimes[slot].clock.now() > timing.AHEAD

    @rule(chance=st.integers(0, 2**32 - 1))
    def something_happens(self, chance: int) -> None:
        """One thing of the table happens.

        It hangs on a number and on how much happened before. With one rule for each thing, Hypothesis would
        switch most of them off in most runs, and it likes to draw the same number again and again; hardly any
        call would come to its end.
        """
        self.happened += 1
        toss = random.Random(chance * 1000 + self.happened)
        (name,) = toss.choices(NAMES, WEIGHTS)
        given = {key: toss.choice(options) for key, options in HAPPENS[name][1].items()}
        note(f"{name} {given}")
        getattr(self, name)(**given)

    # ---- what can happen to processes and clocks ----------------------------------------------------------

    def crash(self, slot: str) -> None:
        """A process dies; nobody says goodbye."""
        self._crash(slot)

    def restart(self, slot: str) -> None:
        """A process closes its gate in order, with calls on their way."""
        runtime = self.runtimes[slot]
        runtime.poller.released = True
        self._end_of(slot)
        runtime.service.close()
        self._open(slot)

    def beat(self, slot: str) -> None:
        """A process says that it lives, and doubts what nobody has in hand."""
        if self._lost:
            gc.collect()
            self._lost = False
        now, name = self._time(slot), self.names[slot]
        self.runtimes[slot].service.heartbeat()
        mine = {each.case for each in self.flights if each.slot == slot and each.case}
        self.model.beat(name, now, mine)

    def beat_steadily(self, slot: str) -> None:
        """One process lives through half a minute; those that say nothing meanwhile count as silent."""
        for _ in range(8):
            self._pass(4)
            self.beat(slot)

    def pass_time(self, seconds: int) -> None:
        """Time goes on for everybody."""
        self._pass(seconds)

    def _pass(self, seconds: int) -> None:
        self.wall += timedelta(seconds=seconds)
        self.boot += seconds * 10**9

    def pass_to_a_deadline(self, which: int, around: int) -> None:
        """Time comes to a second before, at or after a deadline, and who waits for that goes on."""
        holds = self._open_holds()
        if not holds:
            return
        case = holds[which % len(holds)]
        due = case.use_by if case.state == "approved" else case.deadline if case.posted else case.deliver
        left = (due - self.runtimes["a"].clock.now()).total_seconds()
        self._pass(max(0, int(left) + around))
        for flight in [each for each in self.flights if self.model.cases.get(each.case) is case]:
            self._on(flight, True, 1)

    def _open_holds(self) -> list[Case]:
        return [case for _, case in self._holds() if case.state in ("pending", "approved")]

    def jump(self, seconds: int, back: bool) -> None:
        """The wall clock is set; only who starts after it sees that."""
        self.wall += timedelta(seconds=-seconds if back else seconds)

    def fork(self, slot: str, key: tuple[str, int]) -> None:
        """A forked child makes a call of its own; what its parent runs stays the parent's."""
        gate, now = self.runtimes[slot].service, self._time(slot)
        running = [id_ for id_, case in self.model.cases.items() if case.state == "running"]
        call_id = f"child{next(self._numbers)}"
        _, state = self.model.submit(key, call_id, self.names[slot], now)
        told = _in_child(lambda: _work_of_child(gate, key, call_id, running), self._dead)
        if self._behind(slot):
            assert told["code"] == "clock_error"
            return
        assert told["state"] == state
        case = self.model.add(told["id"], key, call_id, state, now)
        if state == "running":
            self.model.start(case, "child")
            case.end("succeeded", now)
            self._note("effects", told["id"])

    # ---- what people and operators do ---------------------------------------------------------------------

    def deliver(self) -> None:
        """The bot posts every card that waits."""
        now = self._time("bot")
        for notice in post(self.runtimes["bot"].service):
            if notice.kind == "card" and notice.hold in self.model.cases:
                self.model.expire(self.model.cases[notice.hold], now)
                self.model.cases[notice.hold].posted = True

    def decide(self, which: int, people: Sequence[Person], deny: bool, open_: bool) -> None:
        """Some people answer, one after the other, whether they may or not."""
        holds = [each for each in self._holds() if each[1] in self._open_holds()] if open_ else []
        holds = holds or self._holds()
        for person in people if holds else ():
            self._decide(*holds[which % len(holds)], person, deny)

    def _decide(self, hold: str, case: Case, person: Person, deny: bool) -> None:
        now = self._time("bot")
        may = self.model.may(case, person.user, deny, now)
        try:
            answer(self.runtimes["bot"].service, hold, person, "deny" if deny else "approve")
        except Fault:
            assert not may
        else:
            assert may
            self.model.decide(case, person.user, deny, now)

    def edit(self, which: int, person: Person, amount: int) -> None:
        """Somebody changes the amount of a hold and approves it so, whether they may or not."""
        holds = self._holds()
        if not holds:
            return
        hold, case = holds[which % len(holds)]
        now, gate = self._time("bot"), self.runtimes["bot"].service
        may = self.model.may_edit(case, person.user, amount, now)
        try:
            gate.edit(
                hold, store=gate.store_id, nonce=gate.hold(hold).nonce, person=person,
                satisfies=frozenset({person.user}), changes={"args.amount": amount}, route=ROUTE,
            )  # fmt: skip
        except Fault:
            assert not may
        else:
            assert may
            self.model.edit(case, person.user, amount, now)

    def cancel(self, which: int) -> None:
        """An operator takes a hold back."""
        if not self._holds():
            return
        hold, case = self._holds()[which % len(self._holds())]
        with suppress(Fault):
            self.runtimes["bot"].service.cancel(hold, by="cli:ops", reason="Not now.")
        if case.state in ("pending", "approved"):
            case.end("cancelled", self._time("bot"))

    def freeze(self, stays: bool) -> None:
        """Everything is frozen while the calls go on one step, and then most often no more."""
        self._turn_freeze(True)
        self.all_go_on(True)
        if not stays:
            self._turn_freeze(False)

    def unfreeze(self) -> None:
        """Everything goes on."""
        self._turn_freeze(False)

    def _turn_freeze(self, on: bool) -> None:
        gate = self.runtimes["bot"].service
        if on != self.model.frozen:
            (gate.freeze if on else gate.unfreeze)("everything", by="cli:ops", reason="Look.")
        self.model.frozen = on

    def apply(self, large: int) -> None:
        """Another policy comes into force."""
        self.runtimes["bot"].service.apply(POLICIES[large], by="cli:ops")
        self.model.large = large

    def sweep(self, slot: str) -> None:
        """What is past its deadline is ended."""
        now = self._time(slot)
        self.runtimes[slot].service.sweep()
        self.model.sweep(now)

    def _holds(self) -> list[tuple[str, Case]]:
        return [(id_, case) for id_, case in self.model.cases.items() if case.needs]

    # ---- calls --------------------------------------------------------------------------------------------

    def call(
        self, slot: str, key: tuple[str, int], call_id: str | None, waits: bool, steps: int, posted: bool
    ) -> None:
        """Somebody begins a call, which takes its first steps or none yet; most often its card is posted."""
        flight = Flight(slot, key, call_id, waits)
        call = Call(_action(key, call_id), None if waits else 0.0, lambda _: None)
        flight.trip = trip(self.runtimes[slot], call)
        flight.step = next(flight.trip)
        self.flights.append(flight)
        self._on(flight, True, steps)
        if posted:
            self.deliver()

    def go_on(self, which: int, ok: bool, steps: int) -> None:
        """A call takes its next steps, as far as it can."""
        if self.flights:
            self._on(self.flights[which % len(self.flights)], ok, steps)

    def all_go_on(self, ok: bool) -> None:
        """Every call takes one step, if it can."""
        for flight in list(self.flights):
            self._on(flight, ok, 1)

    def _on(self, flight: Flight, ok: bool, steps: int) -> None:
        for _ in range(steps):
            if flight in self.flights and self._may_go_on(flight):
                self._take(flight, ok)

    def lose_caller(self, which: int, thrown_away: bool) -> None:
        """The caller is interrupted before its next step, or its call is thrown away; its process beats."""
        begun = [each for each in self.flights if isinstance(each.step, ToolStep) or each.ran is not None]
        lost = (begun or self.flights)[which % len(begun or self.flights)] if self.flights else None
        if lost is not None:
            slot = lost.slot
            self._lose(lost, thrown_away)
            del lost, begun  # nothing may hold the call any more
            self._lost = True
            self.beat(slot)

    def _lose(self, flight: Flight, thrown_away: bool) -> None:
        self.flights.remove(flight)
        case = self.model.cases.get(flight.case)
        assert flight.trip is not None
        if thrown_away:
            flight.trip.close()
        else:
            abandon(flight.trip, KeyboardInterrupt())
        if case is not None:
            case.waiters.pop(flight, None)
            if isinstance(flight.step, ToolStep) and not thrown_away:
                case.end("failed", self._time(flight.slot))

    def _may_go_on(self, flight: Flight) -> bool:
        if not isinstance(flight.step, WaitStep):
            return True
        gate, case = self.runtimes[flight.slot].service, self.model.cases[flight.case]
        seen = gate.states([flight.case])[flight.case]
        due = case.use_by if flight.step.seen[0] == "approved" else case.deadline
        return seen != flight.step.seen or (flight.step.timeout is not None and gate.clock.now() >= due)

    def _take(self, flight: Flight, ok: bool) -> None:
        step, reply, error = flight.step, None, None
        assert flight.trip is not None
        try:
            if isinstance(step, ToolStep):
                reply = self._tool(flight, ok)
            elif isinstance(step, AskStep):
                reply = step.ask()
            elif not isinstance(step, WaitStep):
                assert step is not None
                reply = self._verb(flight, name_of(step), step.do)
        except Fault as fault:
            error = fault
        try:
            flight.step = flight.trip.send(reply) if error is None else flight.trip.throw(error)
        except StopIteration as end:
            self.flights.remove(flight)
            self._ended(flight, end.value)
        except Fault:
            self.flights.remove(flight)

    def _tool(self, flight: Flight, ok: bool) -> Returned | Raised:
        flight.ran = ok
        self._note("effects", flight.case)
        return Returned(1) if ok else Raised(ValueError("no"), flight.case)

    def _verb(self, flight: Flight, name: str, do: Callable[[], Any]) -> Any:
        now, behind = self._time(flight.slot), self._behind(flight.slot)
        if name == "submit":
            return self._submit(flight, do, now, behind)
        case = self.model.cases[flight.case]
        if name == "claim" and behind and case.state == "approved":
            return _refused(do, ClockError)
        reply = do()
        if name == "claim":
            self._claimed(flight, case, reply[0].run, now)
        elif name == "sweep":
            self.model.sweep(now)
        elif name == "leave":
            case.waiters.pop(flight, None)
        elif name == "settle" and case.state in ("running", "in_doubt"):
            case.end("succeeded" if flight.ran else "failed", now)
        return reply

    def _claimed(self, flight: Flight, case: Case, run: bool, now: datetime) -> None:
        assert run == self.model.claim(case, now)
        if run:
            self.model.start(case, self.names[flight.slot])
        if case.state != "pending":
            case.waiters.pop(flight, None)

    def _submit(self, flight: Flight, do: Callable[[], Any], now: datetime, behind: bool) -> Any:
        if behind:
            return _refused(do, ClockError)
        found, state = self.model.submit(flight.key, flight.call_id, self.names[flight.slot], now)
        if state == "reused":
            return _refused(do, CallIdReused)
        reply = do()
        flight.case = reply.record.id
        assert reply.record.state == state
        if found is None:
            assert flight.case not in self.model.cases
            found = self.model.add(flight.case, flight.key, flight.call_id, state, now)
            if state == "running":
                self.model.start(found, self.names[flight.slot])
        assert self.model.cases[flight.case] is found
        if reply.waiter:
            found.waiters[flight] = self.names[flight.slot]
        return reply

    def _ended(self, flight: Flight, ending: Ran[Any] | Outcome | Raised) -> None:
        """A caller is told what the model knows."""
        code = "failed" if isinstance(ending, Raised) else ending.code
        state = self.model.cases[flight.case].state
        if _runs_elsewhere(ending):  # as it was when it was looked at
            assert not flight.waits
            assert state in ("running", "succeeded", "failed", "in_doubt")
            return
        self._note("told", flight.case, code=code)
        if code == "pending":
            assert not flight.waits  # as it was when it was looked at
        elif flight.ran is None:
            assert TOLD.get(code, code) == state, (code, state)

    def _note(self, file: str, action: str, **more: Any) -> None:
        with (self.folder / file).open("a") as out:
            out.write(json.dumps({"action": action} | more) + "\n")

    # ---- what must be true --------------------------------------------------------------------------------

    @invariant()
    def the_store_is_what_the_model_says(self) -> None:
        found = self.runtimes["bot"].service.states(list(self.model.cases))
        assert {id_: str(state) for id_, (state, _) in found.items()} == {
            id_: case.state for id_, case in self.model.cases.items()
        }


HAPPENS: dict[str, tuple[int, dict[str, Sequence[Any]]]] = {
    "call": (8, {"slot": AGENTS, "key": KEYS, "call_id": [None, None, None, "c1"],
                 "waits": [True, True, True, False], "steps": (0, 1, 2),
                 "posted": [True, True, True, False]}),
    "go_on": (6, {"which": WHICH, "ok": BOTH, "steps": (1, 2, 3, 4)}),
    "all_go_on": (10, {"ok": BOTH}),
    "decide": (12, {"which": WHICH, "people": PEOPLE, "deny": [False] * 6 + [True],
                    "open_": [True, True, True, False]}),
    "edit": (4, {"which": WHICH, "person": (ALICE, BOB, CAROL), "amount": (19, 22, 23)}),
    "lose_caller": (2, {"which": WHICH, "thrown_away": BOTH}),
    "deliver": (2, {}),
    "pass_to_a_deadline": (2, {"which": WHICH, "around": (-1, 0, 1)}),
    "pass_time": (2, {"seconds": [1, 30, 61, 601]}),
    "freeze": (2, {"stays": [False, False, False, True]}),
    "unfreeze": (2, {}),
    "apply": (2, {"large": [1, 1, 2, 2, 0]}),
    "cancel": (1, {"which": WHICH}),
    "sweep": (1, {"slot": EVERYBODY}),
    "beat": (1, {"slot": EVERYBODY}),
    "beat_steadily": (1, {"slot": EVERYBODY}),
    "crash": (1, {"slot": EVERYBODY}),
    "restart": (1, {"slot": EVERYBODY}),
    "fork": (1, {"slot": AGENTS, "key": KEYS}),
    "jump": (1, {"seconds": [61, 299, 301, 7200], "back": BOTH}),
}  # fmt: skip
"""What can happen: its weight, and what is left to chance."""
NAMES, WEIGHTS = list(HAPPENS), [weight for weight, _ in HAPPENS.values()]

TOLD = {
    "ran": "succeeded", "frozen": "blocked", "expired_unanswered": "expired", "expired_unused": "expired",
    "not_delivered_in_time": "undelivered", "cancelled_by_operator": "cancelled", "interrupted": "in_doubt",
}  # fmt: skip
"""Outcome code to the state it tells of."""


def _action(key: tuple[str, int], call_id: str | None) -> Action:
    return replace(act(key[0], call_id=call_id, amount=key[1], to="bob"), on_behalf_of=None)


def _runs_elsewhere(ending: Ran[Any] | Outcome | Raised) -> bool:
    """Tell whether a caller was told that another runs its call, whose end may come at any moment."""
    return getattr(ending, "reason", None) == "It is still running elsewhere."


def _refused(do: Callable[[], Any], kind: type[Fault]) -> Any:
    """Do what must be refused."""
    try:
        do()
    except kind:
        raise
    raise AssertionError(f"it was not refused with {kind.__name__}")


def _work_of_child(gate: Service, key: tuple[str, int], call_id: str, running: list[str]) -> dict[str, str]:
    """Settle what is the parent's, which must do nothing, and make one call."""
    for each in running:
        gate.settle(each, End(True, "1"))
    try:
        found = gate.submit(_action(key, call_id), wait=False)
    except Fault as fault:
        return {"code": fault.code}
    if found.kind == "run":
        gate.settle(found.record.id, End(True, "1"))
    return {"id": found.record.id, "state": str(found.record.state)}


def _in_child(work: Callable[[], dict[str, str]], dead: set[int]) -> dict[str, str]:
    """Do something in a forked child and return what it tells; it is dead then."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading) as told:
        text = told.read()
    os.waitpid(child, 0)
    dead.add(10**6 + child)
    answer: dict[str, str] = json.loads(text)
    return answer


WholeGate.TestCase.settings = settings(max_examples=EXAMPLES, stateful_step_count=40, deadline=None)
TestWholeGate = pytest.mark.timeout(3600)(WholeGate.TestCase)
