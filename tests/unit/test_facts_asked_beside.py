"""Host code that is asked for facts beside an event loop may take its time, and wait for the gate itself."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gate import Gate, Pending
from gate.lifecycle import State
from gate.runtime import THREADS
from tests.gate_kit import PATIENCE, gate_on, until
from tests.kit import answer

MORE = THREADS + 2
"""More calls at once than the gate has threads for verbs."""


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """Return an open gate with a default session."""
    with gate_on(tmp_path) as made:
        yield made


class Hook:
    """Host code that takes long: it tells that it was asked, and answers once it may."""

    def __init__(self) -> None:
        self.asked, self.may_answer = threading.Semaphore(0), threading.Event()

    def __call__(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self.asked.release()
        assert self.may_answer.wait(PATIENCE)
        return {}

    async def was_asked(self) -> None:
        """Wait until it was asked once more."""
        assert await asyncio.to_thread(self.asked.acquire, timeout=PATIENCE)


def _payment(gate: Gate, facts: Callable[..., Any]) -> tuple[Callable[..., Any], list[int]]:
    paid: list[int] = []

    @gate.guard("desk.pay", facts=facts)
    async def pay(amount: int) -> int:
        paid.append(amount)
        return amount

    return pay, paid


def test_many_hooks_may_wait_for_guarded_calls_at_once(gate: Gate) -> None:
    """They take no thread of the gate, so what they wait for goes on."""
    loops: list[asyncio.AbstractEventLoop] = []

    @gate.guard("desk.get_balance")
    async def balance() -> int:
        return 5

    def facts(arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {"balance": asyncio.run_coroutine_threadsafe(balance(), loops[0]).result(PATIENCE)}

    pay, paid = _payment(gate, facts)

    async def main() -> None:
        loops.append(asyncio.get_running_loop())
        found = await asyncio.gather(*(pay(5) for _ in range(MORE)))
        verdicts = await asyncio.gather(*(gate.preview_async(pay, 6) for _ in range(MORE)))
        assert (found, [each.answer for each in verdicts]) == ([5] * MORE, ["allow"] * MORE)

    asyncio.run(main())
    assert paid == [5] * MORE


def test_other_calls_go_on_while_hooks_take_long(gate: Gate) -> None:
    """A call that asks nobody is judged, held, approved and run meanwhile."""
    hook = Hook()
    slow, _ = _payment(gate, hook)

    @gate.guard("desk.fire_one")
    async def fire(who: str) -> str:
        return who

    async def main() -> None:
        tasks = [asyncio.create_task(slow(5)) for _ in range(MORE)]
        for _ in tasks:
            await hook.was_asked()
        fired = asyncio.create_task(fire("bob"))
        [hold] = await asyncio.to_thread(until, lambda: gate.service.holds())
        answer(gate.service, hold)
        assert await fired == "bob"
        hook.may_answer.set()
        assert await asyncio.gather(*tasks) == [5] * MORE

    asyncio.run(main())


def test_cancelled_while_host_code_is_asked_submits_nothing(gate: Gate) -> None:
    """The caller is told at once, and what host code says later is nobody's."""
    hook = Hook()
    pay, paid = _payment(gate, hook)

    async def main() -> None:
        task = asyncio.create_task(pay(5))
        await hook.was_asked()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    hook.may_answer.set()
    assert (paid, [each.body["kind"] for each in gate.service.records()].count("submit")) == ([], 0)


@pytest.mark.parametrize("thrown_away", [False, True])
def test_gone_while_host_code_is_asked_again_leaves_the_approval(gate: Gate, thrown_away: bool) -> None:
    """An approved call whose caller goes before host code has answered is claimed by nobody."""
    hook = Hook()
    pay, paid = _payment(gate, hook)
    hook.may_answer.set()
    call = pay(50)

    async def main() -> None:
        task = asyncio.create_task(_once(call) if thrown_away else call)
        await hook.was_asked()
        [hold] = await asyncio.to_thread(until, lambda: gate.service.holds())
        hook.may_answer.clear()
        answer(gate.service, hold)
        await hook.was_asked()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert gate.service.action(hold.id).state == State.APPROVED

    async def _once(call: Any) -> None:
        try:
            await Steps(call)
        finally:
            call.close()

    asyncio.run(main())
    hook.may_answer.set()
    assert paid == []


class Steps:
    """Await a coroutine, and tell it nothing when its awaiter is cancelled."""

    def __init__(self, call: Any) -> None:
        self._call = call

    def __await__(self) -> Any:
        while True:
            try:
                waited = self._call.send(None)
            except StopIteration as ended:
                return ended.value
            yield waited


def test_a_call_without_waiting_asks_once(gate: Gate) -> None:
    """Host code is asked once for each time that a call is judged."""
    hook = Hook()
    hook.may_answer.set()
    pay, _ = _payment(gate, hook)

    async def main() -> None:
        with gate.call(wait=0), pytest.raises(Pending):
            await pay(50)
        [hold] = gate.service.holds()
        answer(gate.service, hold)
        assert await pay(50) == 50

    asyncio.run(main())
    assert [hook.asked.acquire(blocking=False) for _ in range(4)] == [True, True, True, False]
