"""What was posted is marked in the store, with what else waits for that."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from bot.desk import Desk
from bot.marks import Marks
from gate.errors import IllegalMove, StoreBusy
from tests.patience import PATIENCE


class Store:
    """Take marks as the store does, all of a turn or none; some are wrong, and all where it is busy."""

    def __init__(self, wrong: Sequence[int] = ()) -> None:
        self.turns: list[list[int]] = []
        self.wrong, self.busy, self.free = set(wrong), False, threading.Event()
        self.busy_from = 0

    def notices_done(self, posted: Sequence[tuple[int, str, str]]) -> None:
        self.free.wait(PATIENCE)
        ids = [notice for notice, _, _ in posted]
        self.turns.append(ids)
        self.busy = self.busy or (self.busy_from in ids[:1] and len(ids) == 1)
        if self.busy:
            raise StoreBusy("Another process holds it.")
        if self.wrong & set(ids):
            raise IllegalMove("There is no such hold.", code="unknown_hold")


def _with(store: Store, work: Callable[[Marks], Coroutine[Any, Any, None]]) -> None:
    async def go() -> None:
        nobody: Any = None
        with ThreadPoolExecutor(2) as pool:
            service: Any = store
            await work(
                Marks(Desk(service, nobody, nobody, nobody, "T0LOCAL", "B1", "127.0.0.1", "socket", pool))
            )

    asyncio.run(go())


async def _at_once(marks: Marks, store: Store, notices: Sequence[int]) -> list[object]:
    """Put marks, all but the first while that is being written, and return what became of each."""
    put = [asyncio.create_task(marks.put(notice, "C1", "1.1")) for notice in notices]
    await asyncio.wait(put, timeout=0)  # lets all of them begin
    store.free.set()
    return list(await asyncio.gather(*put, return_exceptions=True))


def test_marks_that_wait_are_written_together() -> None:
    """Each is told once it is written; the next one begins anew."""
    store = Store()

    async def work(marks: Marks) -> None:
        assert await _at_once(marks, store, range(1, 6)) == [None] * 5
        await marks.put(6, "", "")

    _with(store, work)
    assert [notice for turn in store.turns for notice in turn] == [1, 2, 3, 4, 5, 6]
    assert len(store.turns) < 6
    assert store.turns[-1] == [6]


def test_what_is_wrong_with_one_mark_is_told_of_that_one_alone() -> None:
    """The others are written one by one."""
    store = Store(wrong=[3])

    async def work(marks: Marks) -> None:
        told = await _at_once(marks, store, range(1, 6))
        assert [isinstance(each, IllegalMove) for each in told] == [False, False, True, False, False]

    _with(store, work)
    assert [turn for turn in store.turns if len(turn) == 1][-2:] == [[4], [5]]


def test_a_busy_store_is_told_of_every_mark() -> None:
    """It is not asked again for each of them."""
    store = Store()
    store.busy = True

    async def work(marks: Marks) -> None:
        told = await _at_once(marks, store, range(1, 6))
        assert all(isinstance(each, StoreBusy) for each in told)

    _with(store, work)
    assert sorted(notice for turn in store.turns for notice in turn) == [1, 2, 3, 4, 5]


def test_a_caller_who_is_gone_takes_no_mark_away() -> None:
    """It is written all the same, and so are those beside it."""
    store = Store()

    async def work(marks: Marks) -> None:
        gone, stays = (asyncio.create_task(marks.put(notice, "", "")) for notice in (1, 2))
        await asyncio.wait([gone, stays], timeout=0)
        gone.cancel()
        store.free.set()
        await stays
        with pytest.raises(asyncio.CancelledError):
            await gone

    _with(store, work)
    assert sorted(notice for turn in store.turns for notice in turn) == [1, 2]


def test_a_store_that_gets_busy_is_not_asked_for_each_mark() -> None:
    """Each of them would wait as long as a busy store is waited for, and their leases would run out."""
    store = Store(wrong=[2])
    store.busy_from = 3

    async def work(marks: Marks) -> None:
        told = await _at_once(marks, store, range(1, 6))
        assert [type(each) for each in told[1:]] == [IllegalMove, StoreBusy, StoreBusy, StoreBusy]

    _with(store, work)
    assert store.turns[-1] == [3]


def test_what_waits_is_written_before_a_bot_lets_go() -> None:
    """Whoever put it may be gone by then."""
    store = Store()

    async def work(marks: Marks) -> None:
        put = [asyncio.create_task(marks.put(notice, "C1", "1.1")) for notice in range(1, 6)]
        await asyncio.wait(put, timeout=0)
        for each in put:
            each.cancel()
        store.free.set()
        await marks.finish(PATIENCE)
        assert sorted(notice for turn in store.turns for notice in turn) == [1, 2, 3, 4, 5]

    _with(store, work)


def test_a_store_that_stays_busy_does_not_keep_a_bot() -> None:
    """It goes after the time that it was given; the cards are found again when it starts."""
    store = Store()

    async def work(marks: Marks) -> None:
        put = asyncio.create_task(marks.put(1, "C1", "1.1"))
        await asyncio.wait({put}, timeout=0)
        await marks.finish(0.01)
        assert store.turns == []
        store.free.set()
        await put

    _with(store, work)


def test_a_writer_that_is_cancelled_leaves_nobody_waiting() -> None:
    """Whoever put a mark is let go; what was begun is written, and the rest with the next."""
    store = Store()

    async def work(marks: Marks) -> None:
        put = [asyncio.create_task(marks.put(1, "", ""))]
        await asyncio.wait(put, timeout=0)
        (writer,) = asyncio.all_tasks() - {asyncio.current_task(), *put}
        await asyncio.wait([writer], timeout=0)  # it writes the first
        put += [asyncio.create_task(marks.put(notice, "", "")) for notice in (2, 3)]
        await asyncio.wait(put, timeout=0)
        writer.cancel()
        done, _ = await asyncio.wait(put, timeout=PATIENCE)
        assert [each.cancelled() for each in done] == [True] * 3
        store.free.set()
        await marks.put(4, "", "")

    _with(store, work)
    assert [sorted(turn) for turn in sorted(store.turns)] == [[1], [2, 3, 4]]
