"""Submit, wait, claim, settle: the primitive under the guard."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gate import Blocked, Denied, Gate, InDoubt, Pending, Ran
from gate.clock import FakeClock
from gate.errors import ActionError, IllegalMove, NoSession, StoreError
from gate.handles import Allowed, Held
from gate.lifecycle import State
from gate.model import Action
from gate.policy.backtest import replay
from gate.policy.load import load_texts
from gate.runtime import Runtime
from gate.service import Service
from gate.verbs.beginning import BEGIN_WITHIN
from gate.verbs.claim import doubt
from gate.verbs.freezing import Scope
from gate.verbs.turn import action_row
from tests.gate_kit import PATIENCE, gate_on, until
from tests.kit import POLICY, answer, policy


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """Return an open gate with a session ``s1``."""
    with gate_on(tmp_path) as made:
        made.session("s1", on_behalf_of=None)
        yield made


def act(amount: Any = 5, **more: Any) -> Action:
    """Return a payment in the session."""
    return Action("desk.pay", {"amount": amount}, "desk", "s1", **more)


def test_an_allowed_action_runs_in_its_block(gate: Gate) -> None:
    """What is allowed is in hand inside the block and settles with the result set there."""
    submitted = gate.submit(act(call_id="c1"))
    assert isinstance(submitted, Allowed)
    with gate.claim(submitted) as run:
        assert gate.action_id() == run.action_id == submitted.action_id
        run.result = run.arguments["amount"] * 2
    again = gate.submit(act(call_id="c1"))
    assert isinstance(again, Held)
    ended = again.hold.outcome
    assert isinstance(ended, Ran)
    assert ended.result == 10
    with pytest.raises(IllegalMove, match="has run already"), gate.claim(again):
        raise AssertionError("the block must not begin")


@pytest.mark.parametrize(("scope", "id_"), [("everything", ""), ("agent", "desk"), ("session", "s1")])
def test_a_freeze_stops_an_allowed_action_that_has_not_begun(gate: Gate, scope: Scope, id_: str) -> None:
    """What was allowed before a freeze does not begin under it, and its end is a block that stays."""
    submitted = gate.submit(act())
    assert isinstance(submitted, Allowed)
    gate.service.freeze(scope, id_, by="cli:alice", reason="Something is odd.")
    with pytest.raises(Blocked, match=r"Something is odd\.") as caught, gate.claim(submitted):
        raise AssertionError("the block must not begin")
    assert (caught.value.code, caught.value.rules) == ("frozen", ("gate/freeze",))
    gate.service.unfreeze(scope, id_, by="cli:alice", reason="")
    with pytest.raises(IllegalMove, match="has ended"), gate.claim(submitted):
        raise AssertionError("the block must not begin")
    gate.service.heartbeat()
    assert gate.service.action(submitted.action_id).state == State.BLOCKED
    assert gate.service.verify().ok


BUDGET = """budgets:
  - {id: both, match: desk.pay, per: agent, limit: 2, window: 2m, then: block, reason: Two are enough.}
"""


@pytest.fixture
def timed() -> Iterator[tuple[Gate, FakeClock]]:
    """Return an open gate with a budget on a clock that stands still, and the clock."""
    gate, clock = Gate(db=":memory:", agent="desk"), FakeClock()
    stands_on = Service(":memory:", policy=load_texts({"desk.yml": POLICY + BUDGET}), clock=clock)
    gate._put(Runtime(stands_on, gate._context, upkeep=False))
    with gate:
        gate.session("s1", on_behalf_of=None)
        yield gate, clock


def _later(gate: Gate, clock: FakeClock) -> None:
    clock.advance(BEGIN_WITHIN + timedelta(seconds=1))


def _ruled(gate: Gate, clock: FakeClock) -> None:
    gate.service.apply(load_texts({"desk.yml": POLICY.replace("Two people.", "Two.") + BUDGET}), by="cli:bob")


def _ended(gate: Gate, clock: FakeClock) -> None:
    gate.session("s1", on_behalf_of=None).end()


@pytest.mark.parametrize(
    ("since", "said"), [(_later, "within a minute"), (_ruled, "policy has changed"), (_ended, "has ended")]
)
def test_what_was_allowed_begins_only_as_it_was_allowed(
    timed: tuple[Gate, FakeClock], since: Callable[[Gate, FakeClock], None], said: str
) -> None:
    """Too late, under another policy or after its session it never begins and counts nowhere."""
    gate, clock = timed
    submitted = gate.submit(act(call_id="c1"))
    assert isinstance(submitted, Allowed)
    since(gate, clock)
    with pytest.raises(IllegalMove, match=said) as caught, gate.claim(submitted):
        raise AssertionError("the block must not begin")
    assert caught.value.code == "too_late"
    ended = gate.service.action(submitted.action_id)
    assert (ended.state, ended.rules) == (State.BLOCKED, ("gate/too_late",))
    with pytest.raises(IllegalMove, match="has ended"), gate.claim(submitted):
        raise AssertionError("the block must not begin")
    gate.session("s2", on_behalf_of=None)
    for number in range(3):
        again = gate.submit(Action("desk.pay", {"amount": number + 1}, "desk", "s2"))
        assert isinstance(again, Allowed) is (number < 2)


def test_a_budget_is_not_passed_by_what_was_collected(timed: tuple[Gate, FakeClock]) -> None:
    """Calls that a budget allowed one window after the other do not run in one."""
    gate, clock = timed
    collected: list[Any] = []
    for _ in range(3):
        collected += [gate.submit(act(number)) for number in (1, 2)]
        clock.advance(timedelta(minutes=3))
    collected += [gate.submit(act(number)) for number in (3, 4)]
    ran = 0
    for each in collected:
        with suppress(IllegalMove), gate.claim(each):
            ran += 1
    assert ran == 2


def test_what_is_in_doubt_does_not_begin_under_a_freeze(gate: Gate) -> None:
    """What another process has doubted meanwhile is over for the freeze, and is not begun for that."""
    submitted = gate.submit(act())
    assert isinstance(submitted, Allowed)
    with gate.service._turn() as turn:  # as the heartbeat of another process does
        doubt(turn, action_row(turn.tx, submitted.action_id), code="in_doubt", reason="It was silent.")
    gate.service.freeze("everything", "", by="cli:alice", reason="")
    with pytest.raises(InDoubt), gate.claim(submitted):
        raise AssertionError("the block must not begin")
    assert gate.service.action(submitted.action_id).state == State.IN_DOUBT


def test_a_freeze_of_others_and_declared_reads_stop_nothing(gate: Gate) -> None:
    """Another agent's freeze is not this one's, and declared reads run under any."""
    other, read = gate.submit(act()), gate.submit(Action("desk.get_orders", {"id": 1}, "desk", "s1"))
    assert isinstance(other, Allowed)
    assert isinstance(read, Allowed)
    gate.service.freeze("agent", "shop", by="cli:alice", reason="")
    with gate.claim(other) as run:
        run.result = "paid"
    gate.service.freeze("everything", "", by="cli:alice", reason="")
    with gate.claim(read) as run:
        run.result = "read"


def test_a_freeze_that_cannot_be_recorded_leaves_the_action_to_be_claimed(gate: Gate) -> None:
    """Where the block of an allowed action cannot be written, nothing runs, and it may be claimed again."""
    submitted = gate.submit(act())
    assert isinstance(submitted, Allowed)
    gate.service.freeze("everything", "", by="cli:alice", reason="")
    with gate.service.store.transaction() as tx:
        tx.run("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END")
    with pytest.raises(StoreError), gate.claim(submitted):
        raise AssertionError("the block must not begin")
    with gate.service.store.transaction() as tx:
        tx.run("DROP TRIGGER full")
    with pytest.raises(Blocked), gate.claim(submitted):
        raise AssertionError("the block must not begin")


def test_a_blocked_action_is_returned(gate: Gate) -> None:
    """Blocked is given back, not raised."""
    assert isinstance(gate.submit(act(5000)), Blocked)


def test_a_held_action_waits_and_is_claimed(gate: Gate) -> None:
    """A hold is waited for without deciding, and claimed once."""
    submitted = gate.submit(act(50))
    assert isinstance(submitted, Held)
    assert submitted.hold.wait(0).state == State.PENDING
    assert isinstance(submitted.hold.outcome, Pending)
    with pytest.raises(Pending), gate.claim(submitted):
        raise AssertionError("the block must not begin")
    answer(gate.service, submitted.action_id, comment="Fine.")
    hold = submitted.hold.wait()
    assert (hold.state, hold.decisions[0].comment) == (State.APPROVED, "Fine.")
    assert hold.use_by is not None
    with gate.claim(submitted) as run:
        run.arguments["amount"] = 9999
        run.result = "paid"
    assert hold.wait().state == State.SUCCEEDED


def test_a_denied_action_cannot_be_claimed(gate: Gate) -> None:
    """Claiming what was denied raises Denied."""
    submitted = gate.submit(act(50))
    assert isinstance(submitted, Held)
    answer(gate.service, submitted.action_id, said="deny")
    with pytest.raises(Denied), gate.claim(submitted):
        raise AssertionError("the block must not begin")


def test_an_exception_in_the_block_settles_as_failed(gate: Gate) -> None:
    """The block's own exception passes through and is recorded; an interrupt leaves it in doubt."""
    for error, state in ((ValueError("no"), State.FAILED), (KeyboardInterrupt(), State.IN_DOUBT)):
        submitted = gate.submit(act())
        assert isinstance(submitted, Allowed)
        with pytest.raises(type(error)), gate.claim(submitted):
            raise error
        assert gate.service.action(submitted.action_id).state == state


def test_a_claim_is_used_once(gate: Gate) -> None:
    """One claim object is one block."""
    submitted = gate.submit(act())
    assert isinstance(submitted, Allowed)
    claim = gate.claim(submitted)
    with claim as run:
        run.result = 1
    with pytest.raises(IllegalMove, match="used already"), claim:
        raise AssertionError("the block must not begin")


def test_the_snapshot_is_taken_at_submit(gate: Gate) -> None:
    """Changing the arguments after the submit changes nothing that runs."""
    lines = ["a"]
    submitted = gate.submit(Action("desk.get_all", {"lines": lines}, "desk", "s1"))
    lines.append("b")
    assert isinstance(submitted, Allowed)
    with gate.claim(submitted) as run:
        assert run.arguments == {"lines": ["a"]}


def test_submit_raises_faults(gate: Gate) -> None:
    """What cannot be judged, or belongs to no session, is a fault."""
    with pytest.raises(ActionError, match=r"args\.amount"):
        gate.submit(act(float("inf")))
    with pytest.raises(NoSession):
        gate.submit(Action("desk.pay", {"amount": 5}, "desk", "never opened"))


def test_a_wait_never_raises(gate: Gate) -> None:
    """A wait on a store that is gone gives back the hold as it was."""
    submitted = gate.submit(act(50))
    assert isinstance(submitted, Held)
    path = gate.service.path
    assert path is not None
    gate.service.store.close()
    assert submitted.hold.wait(0.05).state == State.PENDING


def test_closing_the_gate_releases_waiters_as_pending(tmp_path: Path) -> None:
    """Closing leaves holds as they are; whoever waits gets Pending."""
    gate = gate_on(tmp_path)
    gate.session("s1", on_behalf_of=None)
    got: list[Any] = []

    @gate.guard("desk.pay")
    def pay(amount: int) -> None:
        """Pay nothing."""

    def caller() -> None:
        got.append(gate.outcome(pay, 50))

    thread = threading.Thread(target=caller)
    thread.start()
    hold = until(gate.service.holds)[0]
    until(lambda: gate.service.hold(hold.id).waiting)
    gate.close()
    thread.join(PATIENCE)
    assert isinstance(got[0], Pending)
    with gate_on(tmp_path) as again:
        assert again.service.hold(hold.id).state == State.PENDING


def test_closing_the_gate_releases_coroutines_too(tmp_path: Path) -> None:
    """A coroutine that waits gets Pending when the gate is closed."""

    async def main() -> None:
        gate = gate_on(tmp_path)
        gate.session("s1", on_behalf_of=None)

        @gate.guard("desk.pay")
        async def pay(amount: int) -> None:
            """Pay nothing."""

        waiting = asyncio.create_task(gate.outcome(pay, 50))
        while not await asyncio.to_thread(lambda: any(each.waiting for each in gate.service.holds())):
            assert not waiting.done()
        await asyncio.to_thread(gate.close)
        assert isinstance(await waiting, Pending)

    asyncio.run(main())


def test_the_twins_work_beside_a_loop(gate: Gate) -> None:
    """submit_async, wait_async and async with claim_async do the same."""

    async def main() -> None:
        submitted = await gate.submit_async(act(50))
        assert isinstance(submitted, Held)
        waiting = asyncio.create_task(submitted.hold.wait_async())
        await asyncio.to_thread(answer, gate.service, submitted.action_id)
        assert (await waiting).state == State.APPROVED
        async with gate.claim_async(submitted) as run:
            run.result = "paid"
        assert submitted.hold.wait(0).state == State.SUCCEEDED
        allowed = await gate.submit_async(act())
        assert isinstance(allowed, Allowed)
        with pytest.raises(asyncio.CancelledError):
            async with gate.claim_async(allowed):
                raise asyncio.CancelledError
        ended = gate.service.action(allowed.action_id)
        assert (ended.state, ended.code) == (State.IN_DOUBT, "interrupted")

    asyncio.run(main())


def test_an_interrupted_action_says_in_doubt(gate: Gate) -> None:
    """A later look at an interrupted action is InDoubt."""
    submitted = gate.submit(act(50, call_id="c1"))
    assert isinstance(submitted, Held)
    answer(gate.service, submitted.action_id)
    with pytest.raises(SystemExit), gate.claim(submitted):
        raise SystemExit
    assert isinstance(submitted.hold.wait(0).outcome, InDoubt)


def test_a_backtest_knows_what_a_freeze_stopped(gate: Gate) -> None:
    """What was allowed and never began is told apart, and the other calls have its place in a budget."""
    budget = 'budgets: [{id: pair, match: "*", limit: 2, per: agent, window: 1h, then: block, reason: No.}]'
    stopped = gate.submit(act())
    gate.service.freeze("everything", "", by="cli:alice", reason="Something is odd.")
    with pytest.raises(Blocked), gate.claim(stopped):  # type: ignore[arg-type]
        raise AssertionError("the block must not begin")
    gate.service.unfreeze("everything", "", by="cli:alice", reason="")
    for amount in (6, 7):
        gate.submit(act(amount))
    now = gate.service.now()
    logged = gate.service.logged(now - timedelta(hours=1), now + timedelta(hours=1), lambda done, all_: None)
    found = replay(logged, policy(POLICY + budget), since=now - timedelta(hours=1))
    assert (found.calls, found.stopped) == (3, 1)
    assert found.changes == []
