"""The caller goes away at every step of a call, one by one: nothing runs twice, nothing is left running."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from gate import trip
from gate.errors import StoreError
from gate.lifecycle import ENDED, OPEN, Seen
from gate.model import HoldRecord
from gate.runtime import Runtime
from gate.steps import WaitStep
from tests.faults.invariants import broken
from tests.faults.stepping import GONE, Desk, Gone, Steps, ThrownAway, before_steps, named_steps
from tests.gate_kit import PATIENCE
from tests.kit import BOB, POLICY, ROUTE, answer

EDITABLE = POLICY.replace("reason: Above ten.", "editable: [args.amount], reason: Above ten.")
CANCELS = POLICY.replace("reason: Above ten.", "on_caller_gone: cancel, reason: Above ten.")
MOST = 60
"""More steps than any call takes."""


@dataclass(frozen=True, slots=True)
class Road:
    """One way that a call can go.

    Attributes:
        amount: What is paid.
        people: What happens once the call is held and waits; None for nothing.
        end: State in which it ends when nobody goes away.
        steps: Steps that it takes then.
        wait: Seconds for which the caller waits; None until it is decided.
    """

    amount: int
    people: Callable[[Desk, HoldRecord], object] | None
    end: str
    steps: frozenset[str]
    wait: float | None = None


def _approve(desk: Desk, hold: HoldRecord) -> None:
    answer(desk.service, hold)


def _deny(desk: Desk, hold: HoldRecord) -> None:
    answer(desk.service, hold, said="deny", comment="no")


def _expire(desk: Desk, hold: HoldRecord) -> None:
    desk.post()
    desk.clock.advance(3600)
    desk.service.sweep()


def _cancel(desk: Desk, hold: HoldRecord) -> None:
    desk.service.cancel(hold.id, by="cli:ops", reason="Not now.")


def _edit(desk: Desk, hold: HoldRecord) -> None:
    desk.service.edit(
        hold.id, store=hold.store, nonce=hold.nonce, person=BOB, satisfies=frozenset({"U0BOB"}),
        changes={"args.amount": 40}, route=ROUTE,
    )  # fmt: skip


RUNS = frozenset({"submit", "tool", "settle"})
WAITS = frozenset({"submit", "wait", "leave"})
LOOKS = WAITS | {"look"}
"""The steps of who waits for something else than an approval, which the claim itself looks at."""
ROADS = {
    "allowed": Road(5, None, "succeeded", RUNS),
    "blocked": Road(5000, None, "blocked", frozenset({"submit"})),
    "approved": Road(50, _approve, "succeeded", RUNS | WAITS | {"claim"}),
    "denied": Road(50, _deny, "denied", LOOKS),
    "expired": Road(50, _expire, "expired", LOOKS),
    "cancelled": Road(50, _cancel, "cancelled", LOOKS),
    "edited": Road(50, _edit, "succeeded", RUNS | LOOKS | {"claim"}),
    "unanswered": Road(50, None, "pending", LOOKS, wait=0.001),
}

ENDS = {
    "succeeded": {"ran"},
    "failed": {"failed"},
    "in_doubt": {"in_doubt", "interrupted"},
    "blocked": {"blocked"},
    "denied": {"denied"},
    "expired": {"expired_unanswered"},
    "cancelled": {"cancelled_by_operator"},
}
"""State to what a later caller is told."""


@pytest.fixture(scope="module", autouse=True)
def _little_to_collect() -> Iterator[None]:
    """Let a collection look at what these tests leave behind alone; everything else stands through them."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def desk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Desk]:
    made = Desk(tmp_path, text=EDITABLE, loop="gone" in request.fixturenames)
    with made.gate, made.gate.session("s1", on_behalf_of=None):
        yield made


def _people_of(desk: Desk, road: Road, name: str) -> Callable[[], None]:
    """Return what people do between two steps: act once, as soon as the hold is there."""
    acted: list[str] = []

    def act() -> None:
        hold = None if acted or road.people is None else desk.hold(name)
        if hold is not None and road.people is not None:
            acted.append(name)
            road.people(desk, hold)

    return act


def _check(desk: Desk, name: str, road: Road) -> None:
    """Judge one call whose caller is gone: its state says what really happened, and nobody waits for it."""
    state, told = desk.state(name)
    if name in desk.done:
        assert state == "succeeded"
    elif name in desk.begun:
        assert (state, told) == ("in_doubt", "interrupted")
    elif state == "failed":
        assert told == "never started"
    elif road.people is None and road.wait is None:
        assert state in ("nothing", "blocked")
    else:
        assert state in {"nothing", "pending", "approved", road.end} - {"succeeded"}
    assert not [each for each in desk.service.holds() if each.waiting]


def _again(desk: Desk, name: str, road: Road) -> None:
    """Make the same call again: it is the same action, and it runs now only if it never began."""
    state, _ = desk.state(name)
    found = desk.call(name, road.amount, wait=0)
    assert desk.begun.count(name) <= 1
    if state in ENDED:
        assert desk.state(name)[0] == state
        assert found.code in ENDS[state]
    elif state in OPEN:
        assert found.code == {"pending": "pending", "approved": "ran"}[state]


def _judged_from_outside(desk: Desk) -> None:
    desk.service.end_session("s1")
    desk.service.heartbeat()
    assert broken(desk.seen()) == []
    assert desk.service.verify().ok


@pytest.mark.parametrize("gone", GONE)
@pytest.mark.parametrize("name", ROADS)
def test_cancelled_at_each_await(desk: Desk, name: str, gone: Gone) -> None:
    """At whichever await a coroutine's caller goes, however often, what is recorded is what happened."""
    road = ROADS[name]

    async def one(at: int) -> bool:
        """Make one call whose caller goes at a suspension; tell whether it came to that one."""
        call = f"{name} {at}"
        desk.gate.call(id=call, wait=road.wait)
        work = desk.gate.outcome(desk.pay, road.amount, call)
        steps = Steps(work, gone, at, _people_of(desk, road, call))
        task = asyncio.ensure_future(steps)
        with suppress(asyncio.CancelledError, ThrownAway):
            desk.told(await asyncio.wait_for(task, PATIENCE))
        return steps.count >= at

    with named_steps() as taken:
        for at in range(1, MOST):
            came = asyncio.run(one(at))
            if not came:
                break
            _check(desk, f"{name} {at}", road)
            _again(desk, f"{name} {at}", road)
    assert desk.state(f"{name} {at}")[0] == road.end
    assert road.steps <= set(taken), taken
    assert at > len(road.steps)
    _judged_from_outside(desk)


@pytest.mark.parametrize("name", ROADS)
def test_interrupted_before_each_step(desk: Desk, name: str) -> None:
    """KeyboardInterrupt before any step of a def: what is recorded is what happened, and nothing hangs."""
    road, people = ROADS[name], list[Callable[[], None]]()

    def strike(number: int, step: str) -> None:
        people[-1]()
        if number == at:
            raise KeyboardInterrupt

    with before_steps(strike) as taken:
        for at in range(1, MOST):
            call = f"{name} {at}"
            people.append(_people_of(desk, road, call))
            taken.clear()
            with suppress(KeyboardInterrupt):
                desk.call(call, road.amount, wait=road.wait)
            if len(taken) < at:
                break
            gc.collect()
            desk.service.heartbeat()
            state, _ = desk.state(call)
            if call in desk.done and state == "in_doubt":
                assert taken[at - 1] == "settle"  # it came before the end could be written: nobody knows
            else:
                _check(desk, call, road)
            people.append(lambda: None)
            _again(desk, call, road)
    assert desk.state(call)[0] == road.end
    assert road.steps <= set(taken)
    _judged_from_outside(desk)


def test_an_approval_leads_straight_to_the_claim(tmp_path: Path) -> None:
    """Who is told of an approval claims at once; the claim itself reads how the action stands."""
    desk, taken = Desk(tmp_path), list[str]()

    def approve(number: int, name: str) -> None:
        taken.append(name)
        hold = desk.hold("c1") if name == "wait" else None
        if hold is not None:
            answer(desk.service, hold)

    with desk.gate, desk.gate.session("s1", on_behalf_of=None), before_steps(approve):
        assert desk.call("c1", 50, wait=PATIENCE).code == "ran"
    assert taken == ["submit", "wait", "claim", "tool", "settle", "leave"]


def test_an_approval_told_to_a_gate_that_closes_is_not_claimed(tmp_path: Path) -> None:
    """Who is told of an approval while the gate closes gets Pending: the next gate claims it."""
    desk, block = Desk(tmp_path), trip._block

    def block_and_close(runtime: Runtime, step: WaitStep) -> Seen | None:
        found = block(runtime, step)
        desk.gate.close()
        return found

    def approve(number: int, name: str) -> None:
        hold = desk.hold("c1") if name == "wait" else None
        if hold is not None:
            answer(desk.service, hold)

    with desk.gate, desk.gate.session("s1", on_behalf_of=None), pytest.MonkeyPatch.context() as patch:
        patch.setattr(trip, "_block", block_and_close)
        with before_steps(approve):
            assert desk.call("c1", 50, wait=PATIENCE).code == "pending"
    assert desk.begun == []


@pytest.mark.parametrize("step", ["submit", "wait", "look", "claim", "tool", "settle", "leave"])
def test_the_gate_closes_at_each_step(tmp_path: Path, step: str) -> None:
    """A gate that is closed under a call: its hold stays, nothing runs twice, a new gate goes on with it."""
    desk = Desk(tmp_path)

    def close(number: int, name: str) -> None:
        if name == "wait":
            hold = desk.hold("c1")
            assert hold is not None
            answer(desk.service, hold, said="deny" if step == "look" else "approve")
        if name == step and not closed:
            closed.append(name)
            desk.gate.close()

    closed: list[str] = []
    with desk.gate.session("s1", on_behalf_of=None):
        desk.gate.call(id="c1", wait=PATIENCE)
        with before_steps(close):
            try:
                code = desk.gate.outcome(desk.pay, 50, "c1").code
            except StoreError as fault:
                code = fault.code
    assert closed
    begun, done = list(desk.begun), list(desk.done)
    again = Desk(tmp_path)
    again.service.heartbeat()
    with again.gate, again.gate.session("s1", on_behalf_of=None):
        state, _ = again.state("c1")
        assert (code, state) == CLOSED[step]
        found = again.call("c1", 50, wait=0)
        assert len(begun) + len(again.begun) == (found.code == "ran")
        assert begun == done
        again.service.end_session("s1")
        assert again.service.verify().ok
        assert broken(again.seen()) == []


CLOSED = {
    "submit": ("closed", "nothing"),
    "wait": ("pending", "approved"),
    "look": ("closed", "denied"),
    "claim": ("closed", "approved"),
    "tool": ("ran", "succeeded"),
    "settle": ("ran", "succeeded"),
    "leave": ("ran", "succeeded"),
}
"""Step before which the gate is closed to what the caller got and how the action stands for the next gate.

A tool that outlives its gate has its end written down all the same.
"""


@pytest.mark.parametrize("gone", GONE)
def test_a_rule_may_cancel_what_nobody_waits_for(tmp_path: Path, gone: Gone) -> None:
    """With on_caller_gone: cancel, a hold whose caller goes while it waits is cancelled at once."""
    desk = Desk(tmp_path, text=CANCELS, loop=True)
    waits = 0.05

    async def one(at: int) -> None:
        desk.gate.call(id=f"c{at}", wait=waits)
        steps = Steps(desk.gate.outcome(desk.pay, 50, f"c{at}"), gone, at, lambda: None)
        with suppress(asyncio.CancelledError, ThrownAway):
            desk.told(await steps)

    with desk.gate, desk.gate.session("s1", on_behalf_of=None):
        for at in (1, 2):
            asyncio.run(one(at))
            assert desk.state(f"c{at}") == ("cancelled", "caller_gone")
    assert desk.begun == []
