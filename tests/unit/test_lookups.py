"""Host code is asked on so many threads at once, and on more only where it would stand still otherwise."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from gate import lookups
from gate.errors import Fault
from gate.lookups import Lookups
from tests.gate_kit import PATIENCE, gate_on


class Counted:
    """Count how many are asked at the same time."""

    def __init__(self) -> None:
        self._lock, self._now, self.most = threading.Lock(), 0, 0

    def __enter__(self) -> None:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)

    def __exit__(self, *raised: object) -> None:
        with self._lock:
            self._now -= 1


def test_no_more_are_asked_at_once() -> None:
    """Further questions wait for a thread, and all are answered, each with its own answer."""
    asking, counted = Lookups(3, PATIENCE), Counted()

    def question(number: int) -> int:
        with counted:
            threading.Event().wait(0.001)
            return number

    def asked(number: int) -> Callable[[], int]:
        return lambda: question(number)

    works = [asking.ask(asked(number)) for number in range(50)]
    assert [work.result(PATIENCE) for work in works] == list(range(50))
    assert counted.most <= 3


def test_those_that_wait_for_each_other_all_end() -> None:
    """Where each waits for the next, which has no thread yet, it gets one."""
    asking, asked = Lookups(1, 0.001), [threading.Event() for _ in range(9)]
    asked[8].set()

    def question(number: int) -> bool:
        asked[number].set()
        return asked[number + 1].wait(PATIENCE)

    works = [asking.ask(lambda number=number: question(number)) for number in range(8)]  # type: ignore[misc]
    assert [work.result(PATIENCE) for work in works] == [True] * 8


def test_each_is_asked_in_the_context_of_its_asker() -> None:
    """A question that waits for a thread finds the values that stood where it was asked."""
    asking, who = Lookups(1, PATIENCE), ContextVar("who", default="nobody")
    free = threading.Event()
    first = asking.ask(lambda: free.wait(PATIENCE))
    token = who.set("alice")
    second = asking.ask(who.get)
    who.reset(token)
    third = asking.ask(who.get)
    free.set()
    assert [each.result(PATIENCE) for each in (first, second, third)] == [True, "alice", "nobody"]


def test_what_it_raises_is_the_answer_of_that_one_alone() -> None:
    """Host code that raises, whatever that is, leaves its thread to those that wait."""
    asking = Lookups(1, PATIENCE)

    def fails() -> None:
        raise SystemExit("no")

    failed, fine = asking.ask(fails), asking.ask(lambda: 5)
    with pytest.raises(SystemExit):
        failed.result(PATIENCE)
    assert fine.result(PATIENCE) == 5


def test_nothing_is_asked_for_somebody_who_is_gone() -> None:
    """A question that is taken back while it waits is never asked; one that was begun is not disturbed."""
    asking, free, asked = Lookups(1, PATIENCE), threading.Event(), list[str]()
    begun = threading.Event()

    def first() -> bool:
        begun.set()
        return free.wait(PATIENCE)

    busy, gone, last = asking.ask(first), asking.ask(lambda: asked.append("gone")), asking.ask(lambda: 5)
    assert begun.wait(PATIENCE)
    assert (busy.cancel(), gone.cancel()) == (False, True)
    free.set()
    assert (busy.result(PATIENCE), last.result(PATIENCE), asked) == (True, 5, [])


@pytest.mark.parametrize(
    "lack", [RuntimeError("can't start new thread"), MemoryError()], ids=["thread", "memory"]
)
def test_where_no_thread_is_left_it_is_a_fault(monkeypatch: pytest.MonkeyPatch, lack: Exception) -> None:
    """It is told to who asks, and to who waits for a thread that then cannot be; later ones are answered."""
    asking, free = Lookups(2, 0.001), threading.Event()
    start = threading.Thread.start
    busy = [asking.ask(lambda: free.wait(PATIENCE))]

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "gate-facts":
            raise lack
        start(thread)

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(Fault, match="could not start a thread"):
            asking.ask(lambda: 5)
    busy.append(asking.ask(lambda: free.wait(PATIENCE)))
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        gone, waits = asking.ask(lambda: 5), asking.ask(lambda: 5)
        gone.cancel()
        assert isinstance(waits.exception(PATIENCE), Fault)
    free.set()
    assert [each.result(PATIENCE) for each in (*busy, asking.ask(lambda: True))] == [True] * 3


def test_hooks_of_guarded_calls_that_wait_for_such_calls_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More hooks than threads, each waiting for a call whose own hook is still to be asked, all end."""
    monkeypatch.setattr(lookups.Lookups.__init__, "__defaults__", (2, 0.001))
    loops: list[asyncio.AbstractEventLoop] = []
    with gate_on(tmp_path) as gate:

        @gate.guard("desk.get_balance", facts=lambda arguments: {"seen": True})
        async def balance() -> int:
            return 5

        def facts(arguments: Mapping[str, Any]) -> dict[str, Any]:
            return {"balance": asyncio.run_coroutine_threadsafe(balance(), loops[0]).result(PATIENCE)}

        @gate.guard("desk.pay", facts=facts)
        async def pay(amount: int) -> int:
            return amount

        async def main() -> list[int]:
            loops.append(asyncio.get_running_loop())
            return list(await asyncio.gather(*(pay(5) for _ in range(8))))

        assert asyncio.run(main()) == [5] * 8
