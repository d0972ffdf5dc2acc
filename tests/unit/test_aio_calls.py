"""Guarded coroutines: they wait without a thread, and whatever cancels them, nothing is forgotten."""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from gate import Blocked, Denied, Gate, InDoubt, Pending, Ran
from gate.errors import WouldBlock
from gate.lifecycle import State
from gate.model import Action, Parameters
from gate.outcomes import Failed, Refusal
from gate.steps import Step, VerbStep, abandon
from tests.gate_kit import PATIENCE, gate_on, log_of, people
from tests.kit import EDITABLE, answer, change


def run(folder: Path, test: Callable[[Gate], Any], **options: Any) -> None:
    """Run a coroutine on an open gate."""

    async def main() -> None:
        with gate_on(folder, **options) as gate:
            await test(gate)

    asyncio.run(main())


async def soon(condition: Callable[[], Any]) -> Any:
    """Return the first true value of a condition, looked at again and again without blocking the loop."""
    async with asyncio.timeout(PATIENCE):
        while not (found := condition()):
            turn = asyncio.Event()
            asyncio.get_running_loop().call_later(0.01, turn.set)
            await turn.wait()
        return found


class Till:
    """Remember every payment that really happened; a payment of 13 hangs until it is cancelled."""

    def __init__(self, gate: Gate, **options: Any) -> None:
        self.paid: list[int] = []
        self.hanging = asyncio.Event()

        @gate.guard("desk.pay", **options)
        async def pay(amount: int, hang: bool = False) -> str:
            self.paid.append(amount)
            if hang:
                self.hanging.set()
                await asyncio.Event().wait()
            return f"paid {amount}"

        self.pay = pay


def test_coroutines_run_wait_and_are_refused_like_functions(tmp_path: Path) -> None:
    """An async tool has the same outcomes as a def."""

    async def test(gate: Gate) -> None:
        till = Till(gate)
        assert await till.pay(5) == "paid 5"
        with pytest.raises(Blocked):
            await till.pay(5000)
        alice = people(gate, comment="Fine.")
        ran = await gate.outcome(till.pay, 50)
        alice.done()
        assert isinstance(ran, Ran)
        assert (ran.result, ran.decisions[0].comment) == ("paid 50", "Fine.")
        people(gate, "deny")
        with pytest.raises(Denied):
            await till.pay(60)
        assert till.paid == [5, 50]

    run(tmp_path, test)


def test_a_refusal_can_be_returned_from_a_coroutine(tmp_path: Path) -> None:
    """With on_refusal="return" awaiting gives the false text."""

    async def test(gate: Gate) -> None:
        got = await Till(gate, on_refusal="return").pay(5000)
        assert isinstance(got, Refusal)
        assert isinstance(got.outcome, Blocked)

    run(tmp_path, test)


def test_many_waits_take_no_thread_each(tmp_path: Path) -> None:
    """A hundred waiting coroutines add no thread beyond the poller's and the executor's."""

    async def test(gate: Gate) -> None:
        before = set(threading.enumerate())
        till = Till(gate)
        assert await till.pay(5) == "paid 5"
        waits = [asyncio.create_task(till.pay(50 + number)) for number in range(100)]
        await soon(lambda: len(gate.service.holds()) == 100)
        names = [thread.name for thread in threading.enumerate() if thread not in before]
        others = ("gate-upkeep", "gate-goodbye")  # the latter of gates that were closed without their store
        gates = [name for name in names if name.startswith("gate") and name not in others]
        assert gates.count("gate-poller") == 1
        assert len(gates) <= 5
        for task in waits:
            task.cancel()
        await asyncio.gather(*waits, return_exceptions=True)

    run(tmp_path, test)


def test_the_loop_goes_on_while_a_call_waits(tmp_path: Path) -> None:
    """Waiting for people does not hold up other coroutines of the loop."""

    async def test(gate: Gate) -> None:
        till = Till(gate)
        waiting = asyncio.create_task(till.pay(50))
        hold = (await soon(gate.service.holds))[0]
        assert await till.pay(5) == "paid 5"
        answer(gate.service, hold)
        assert await waiting == "paid 50"

    run(tmp_path, test)


def test_a_def_that_would_wait_in_a_loop_is_refused_before_the_hold(tmp_path: Path) -> None:
    """A def in the loop's thread raises WouldBlock and makes no hold; allowed or without waiting it works."""

    async def test(gate: Gate) -> None:
        @gate.guard("desk.pay")
        def pay(amount: int) -> int:
            return amount

        with pytest.raises(WouldBlock, match="Nothing ran"):
            pay(50)
        assert gate.service.holds(None) == []
        assert pay(5) == 5
        with gate.call(wait=0), pytest.raises(Pending) as pending:
            pay(50)
        with pytest.raises(WouldBlock):
            pay(50)
        answer(gate.service, pending.value.action_id)
        assert pay(50) == 50

    run(tmp_path, test)


def test_cancelled_while_waiting_leaves_the_hold(tmp_path: Path) -> None:
    """A caller that is cancelled while it waits decides nothing: the hold stays, and nobody waits for it."""

    async def test(gate: Gate) -> None:
        till = Till(gate)
        waiting = asyncio.create_task(till.pay(50))
        hold = (await soon(gate.service.holds))[0]
        assert gate.service.hold(hold.id).waiting
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        after = gate.service.hold(hold.id)
        assert (after.state, after.waiting) == (State.PENDING, False)
        answer(gate.service, hold)
        assert await till.pay(50) == "paid 50"

    run(tmp_path, test)


def test_cancelled_while_the_tool_runs_is_in_doubt(tmp_path: Path) -> None:
    """A tool that was cancelled may have taken effect: in doubt, and never run again."""

    async def test(gate: Gate) -> None:
        till = Till(gate)
        gate.call(id="c1")
        running = asyncio.create_task(till.pay(5, hang=True))
        await till.hanging.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        with gate.call(id="c1"):
            later = await gate.outcome(till.pay, 5, hang=True)
        assert isinstance(later, InDoubt)
        assert later.code == "interrupted"
        assert till.paid == [5]

    run(tmp_path, test)


def _held_back(gate: Gate, verb: str) -> tuple[threading.Event, threading.Event]:
    """Make a verb of the service stop after its transaction; return when it is there, and what lets it go."""
    there, go = threading.Event(), threading.Event()
    real = getattr(gate.service, verb)

    def slow(*args: Any, **kwargs: Any) -> Any:
        answer = real(*args, **kwargs)
        there.set()
        assert go.wait(PATIENCE)
        return answer

    setattr(gate.service, verb, slow)
    return there, go


async def _cancelled(calling: asyncio.Task[Any], there: threading.Event, go: threading.Event) -> None:
    """Cancel a call while a verb is held back, let the verb go, and wait for the call's end."""
    await soon(there.is_set)
    calling.cancel()
    go.set()
    with pytest.raises(asyncio.CancelledError):
        await calling


def test_cancelled_while_it_is_submitted_never_starts(tmp_path: Path) -> None:
    """A caller cancelled during the submit of an allowed call: the tool does not run, and the log says so."""

    async def test(gate: Gate) -> None:
        till = Till(gate)
        there, go = _held_back(gate, "submit")
        gate.call(id="c1")
        calling = asyncio.create_task(till.pay(5))
        await _cancelled(calling, there, go)
        with gate.call(id="c1"):
            later = await gate.outcome(till.pay, 5)
        assert isinstance(later, Failed)
        assert later.error == "never started"
        assert "Nothing ran." in str(later)
        assert till.paid == []

    run(tmp_path, test)


def test_cancelled_while_it_is_claimed_never_starts(tmp_path: Path) -> None:
    """A caller cancelled during the claim: the tool does not run, and the approval is used up."""

    async def test(gate: Gate) -> None:
        till = Till(gate)
        there, go = _held_back(gate, "claim")
        calling = asyncio.create_task(till.pay(50))
        hold = (await soon(gate.service.holds))[0]
        answer(gate.service, hold)
        await _cancelled(calling, there, go)
        record = gate.service.action(hold.id)
        assert (record.state, record.error) == (State.FAILED, "never started")
        assert till.paid == []

    run(tmp_path, test)


def test_cancelled_before_it_is_claimed_leaves_the_approval(tmp_path: Path) -> None:
    """A caller cancelled while its wait looks at an approved change claims nothing: the next call does."""

    async def test(gate: Gate) -> None:
        till = Till(gate)
        there, go = _held_back(gate, "action")
        calling = asyncio.create_task(till.pay(50))
        hold = (await soon(gate.service.holds))[0]
        change(gate.service, hold, amount=40)
        await _cancelled(calling, there, go)
        assert (gate.service.action(hold.id).state, till.paid) == (State.APPROVED, [])
        assert await till.pay(50) == "paid 40"

    run(tmp_path, test, text=EDITABLE)


def test_thrown_away_before_it_is_claimed_leaves_the_approval() -> None:
    """Where the driver is gone, the verb under way is answered, and none is begun that is for a tool."""
    done: list[str] = []

    def verb(name: str) -> Callable[[], str]:
        return lambda: done.append(name) or name  # type: ignore[func-returns-value]

    def steps() -> Generator[Step, Any, None]:
        look = VerbStep(verb("look"))
        try:
            assert (yield look) == "look"
            yield VerbStep(verb("claim"), for_tool=True)
        finally:
            yield VerbStep(verb("leave"))

    trip = steps()
    abandon(trip, asyncio.CancelledError(), begun=next(trip))  # type: ignore[arg-type]
    assert done == ["look", "leave"]


def test_cancelled_while_it_settles_is_settled(tmp_path: Path) -> None:
    """A caller cancelled after its tool returned: the end is recorded all the same."""

    async def test(gate: Gate) -> None:
        till = Till(gate)
        there, go = _held_back(gate, "settle")
        gate.call(id="c1")
        calling = asyncio.create_task(till.pay(5))
        await _cancelled(calling, there, go)
        with gate.call(id="c1"):
            assert await till.pay(5) == "paid 5"
        assert till.paid == [5]

    run(tmp_path, test)


def test_a_coroutine_thrown_away_by_its_loop_is_settled(tmp_path: Path) -> None:
    """A call whose coroutine is closed instead of finished is in doubt, not forgotten."""
    with gate_on(tmp_path) as gate:

        async def start() -> Any:
            till = Till(gate)
            call = till.pay(5, hang=True)
            task = asyncio.ensure_future(_relay(call))
            await till.hanging.wait()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return call

        async def _relay(call: Any) -> None:
            stepping = call.__await__()
            while True:
                future = stepping.send(None)
                if future is None:
                    await asyncio.wait_for(asyncio.Event().wait(), None)
                await asyncio.wait([future])

        call = asyncio.run(start())
        call.close()
        states = [record.body["move"]["to"] for record in gate.service.records() if "move" in record.body]
        assert states[-1] == "in_doubt"


def test_a_coroutine_thrown_away_while_it_is_submitted_never_starts(tmp_path: Path) -> None:
    """A call whose coroutine is closed during the submit of an allowed call: the tool does not run."""
    with gate_on(tmp_path) as gate:
        till: list[Till] = []
        there, go = _held_back(gate, "submit")

        async def start() -> Any:
            till.append(Till(gate))
            call = till[0].pay(5)
            future = call.__await__().send(None)
            assert future is not None
            await soon(there.is_set)
            go.set()
            return call

        asyncio.run(start()).close()
        record = [each.body for each in gate.service.records() if "move" in each.body][-1]
        assert (record["move"]["to"], till[0].paid) == ("failed", [])


def test_gathered_calls_keep_their_own_options(tmp_path: Path) -> None:
    """Options laid ready before a gather are taken by one of its calls only."""

    async def test(gate: Gate) -> None:
        till = Till(gate)
        gate.call(id="c1")
        await asyncio.gather(*(till.pay(5) for _ in range(3)))
        ids = [
            record.body.get("call_id") for record in gate.service.records() if record.body["kind"] == "submit"
        ]
        assert sorted(ids, key=str) == [None, None, "c1"]
        assert log_of(gate).count("settle") == 3

    run(tmp_path, test)


@pytest.mark.parametrize("ask", ["tool", "outcome", "bound"])
def test_options_belong_to_the_call_they_stood_before(tmp_path: Path, ask: str) -> None:
    """Two coroutines made before they are awaited keep their own ids, whichever of them begins first."""
    gate = gate_on(tmp_path)

    @gate.guard("desk.pay")
    async def pay(amount: int) -> str:
        return gate.action_id()

    calls: dict[str, Callable[[int], Any]] = {
        "tool": pay,
        "outcome": lambda amount: gate.outcome(pay, amount),
        "bound": gate.bind(pay),
    }

    async def main() -> None:
        gate.call(id="first")
        first = calls[ask](1)
        gate.call(id="second")
        second = calls[ask](2)
        later, sooner = asyncio.create_task(second), asyncio.create_task(first)
        await asyncio.gather(later, sooner)

    with gate:
        asyncio.run(main())
        asked = [each.body for each in gate.service.records() if each.body["kind"] == "submit"]
    assert {each["call_id"]: each["input"]["amount"] for each in asked} == {"first": 1, "second": 2}


def test_a_guarded_async_def_is_still_one() -> None:
    """Frameworks that ask whether a tool is a coroutine function get the same answer as for the tool."""
    gate = Gate()

    class Desk:
        @gate.guard("desk.pay")
        async def pay(self, amount: int) -> str:
            return "paid"

    for tool in (Desk.pay, Desk().pay, gate.bind(Desk().pay)):
        assert inspect.iscoroutinefunction(tool)
        assert asyncio.iscoroutinefunction(tool)
        assert inspect.isroutine(tool)
    made = Desk().pay(1)
    assert inspect.iscoroutine(made)
    made.close()
    assert list(inspect.signature(Desk.pay).parameters) == ["self", "amount"]


def test_a_plain_def_around_a_guarded_async_def_is_plain() -> None:
    """A ``def`` that runs the tool to its end is no coroutine function, though it bears the tool's name."""
    gate = Gate()

    @gate.guard("desk.pay")
    async def pay(amount: int) -> str:
        return "paid"

    for tool in (pay, gate.bind(pay)):

        @functools.wraps(tool)
        def pay_now(amount: int, tool: Callable[[int], Any] = tool) -> str:
            return asyncio.run(tool(amount))

        assert not inspect.iscoroutinefunction(pay_now)
        assert not asyncio.iscoroutinefunction(pay_now)


class Steps:
    """Stand in for a gate's threads that take no more work, in one of two ways."""

    def __init__(self, runtime: Any, keeps: bool) -> None:
        self.kept: list[Callable[[], None]] = []
        self._keeps = keeps
        runtime._executor = self

    def submit(self, work: Callable[[], None]) -> None:
        if self._keeps:
            self.kept.append(work)
        raise RuntimeError("can't start new thread" if self._keeps else "cannot schedule new futures")

    def shutdown(self, *, wait: bool) -> None:
        """End nothing."""


@pytest.mark.parametrize("keeps", [False, True], ids=["shut down", "no thread"])
def test_a_verb_without_a_thread_is_done_once(tmp_path: Path, keeps: bool) -> None:
    """Where the threads take no verb, also not for the tool's end, the caller gets the tool's own result."""

    async def test(gate: Gate) -> None:
        till = Till(gate)
        threads = Steps(gate._opened(), keeps)
        assert await till.pay(5) == "paid 5"
        for late in threads.kept:
            late()
        assert till.paid == [5]
        assert [log_of(gate).count(kind) for kind in ("submit", "settle")] == [1, 1]
        gate.session("s1", on_behalf_of=None)
        async with gate.claim_async(await gate.submit_async(_paid())) as claimed:  # type: ignore[arg-type]
            claimed.result = "paid"

    run(tmp_path, test)


def _paid() -> Action:
    return Action("desk.pay", {"amount": 5}, "desk", "s1", parameters=Parameters(frozenset({"amount"})))


def test_the_result_survives_a_gate_that_closes(tmp_path: Path) -> None:
    """A gate closed while the tool runs does not replace what the tool returns."""

    async def test(gate: Gate) -> None:
        @gate.guard("desk.pay")
        async def pay(amount: int) -> str:
            gate.close()
            gate_threads.shutdown(wait=True)
            return "paid"

        gate_threads = gate._opened().executor
        assert await pay(5) == "paid"

    run(tmp_path, test)
