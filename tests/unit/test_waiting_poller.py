"""One thread watches everything that is waited for."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from gate.errors import Fault, StoreError
from gate.lifecycle import Seen, State
from gate.wait import seconds
from gate.waiting import Poller, Watch
from tests.gate_kit import PATIENCE, until

PENDING: Seen = (State.PENDING, 1)
APPROVED: Seen = (State.APPROVED, 1)


class Board:
    """States of actions, and how often they were asked for."""

    def __init__(self) -> None:
        self.states: dict[str, Seen] = {}
        self.asked: list[Sequence[str]] = []
        self.broken = False

    def __call__(self, ids: Sequence[str]) -> dict[str, Seen]:
        found = {each: self.states[each] for each in ids if each in self.states}
        self.asked.append(list(ids))  # last: who sees it may change the states
        if self.broken:
            raise StoreError("gone")
        return found


def _pollers() -> int:
    return sum(thread.name == "gate-poller" for thread in threading.enumerate())


def test_a_change_ends_the_wait() -> None:
    """A watch ends when state or version is not what its waiter saw."""
    board = Board()
    board.states = {"a": PENDING, "b": PENDING}
    poller = Poller(board)
    watches = [Watch("a", PENDING), Watch("b", PENDING)]
    for watch in watches:
        poller.add(watch)
    board.states = {"a": (State.APPROVED, 1), "b": (State.PENDING, 2)}
    assert [watch.wait(PATIENCE) for watch in watches] == [True, True]
    until(lambda: _pollers() == 0)


def test_all_waits_are_one_query() -> None:
    """However many waits there are, one thread asks for all of them at once."""
    board = Board()
    poller = Poller(board)
    watches = [Watch(f"a{number}", PENDING) for number in range(50)]
    for watch in watches:
        poller.add(watch)
    until(lambda: any(len(asked) == 50 for asked in board.asked))
    until(lambda: _pollers() == 1)  # those of other tests end by and by
    poller.release()
    assert all(watch.wait(PATIENCE) for watch in watches)
    until(lambda: _pollers() == 0)


def test_an_unchanged_action_wakes_nobody() -> None:
    """A wait lasts as long as nothing changes, also over a store that cannot be read."""
    board = Board()
    board.states = {"a": PENDING}
    poller = Poller(board)
    watch = Watch("a", PENDING)
    poller.add(watch)
    board.broken = True
    seen = len(board.asked)
    until(lambda: len(board.asked) > seen + 2)
    assert not watch.wait(0)
    board.broken = False
    board.states = {"a": (State.DENIED, 1)}
    assert watch.wait(PATIENCE)
    assert watch.found == (State.DENIED, 1)


def test_a_move_of_this_process_wakes_at_once() -> None:
    """With an endless interval only the wake ends the wait of what was moved, no other, and says where to."""
    board = Board()
    board.states = {"a": PENDING, "b": PENDING}
    poller = Poller(board, interval=3600)
    watch, other = Watch("a", PENDING), Watch("b", PENDING)
    poller.add(watch)
    poller.add(other)
    until(lambda: board.asked)
    board.states = {"a": APPROVED, "b": PENDING}
    poller.wake({"c": APPROVED})
    assert not watch.wait(0)
    poller.wake({"a": APPROVED})
    assert watch.wait(0)
    assert watch.found == APPROVED
    assert not other.wait(0)
    poller.release()
    assert other.wait(0)
    assert other.found is None


def test_whatever_goes_wrong_in_a_look_the_next_one_comes() -> None:
    """One wait that cannot be told ends no other: those that changed too are told by the next look."""

    def fail() -> None:
        raise MemoryError

    board = Board()
    board.states = dict.fromkeys(("a", "b"), PENDING)
    poller = Poller(board, lambda: 1)
    watches = [Watch("a", PENDING, fail) for _ in range(5)] + [Watch("b", PENDING) for _ in range(5)]
    for watch in watches:
        poller.add(watch)
    board.states = dict.fromkeys(("a", "b"), (State.APPROVED, 1))
    poller.add(Watch("c", PENDING))
    assert all(watch.wait(PATIENCE) for watch in watches)
    poller.release()


def test_a_watch_fires_once() -> None:
    """A watch calls back once, whatever ends it."""
    calls: list[Any] = []
    watch = Watch("a", PENDING, lambda: calls.append(1))
    watch.fire()
    watch.fire()
    assert calls == [1]


@pytest.mark.parametrize(
    ("wait", "expected"),
    [(0, 0.0), (2.5, 2.5), (timedelta(minutes=1), 60.0), ("until_decided", None), (float("inf"), None)],
)
def test_waits_are_seconds(wait: Any, expected: float | None) -> None:
    """Every way to say how long becomes seconds; no end is None."""
    assert seconds(wait) == expected


@pytest.mark.parametrize("wait", [-1, float("nan"), timedelta(-1), "forever"])
def test_what_is_no_time_is_refused(wait: Any) -> None:
    """A negative or unreadable wait is refused."""
    with pytest.raises(ValueError, match="wait="):
        seconds(wait)


def test_a_wait_that_comes_while_the_poller_is_released_ends() -> None:
    """A wait that begins just as every wait is ended does not stay behind."""
    board = Board()
    poller = Poller(board)
    watch = Watch("a", PENDING)
    with poller._changed:
        late = threading.Thread(target=poller.add, args=(watch,))
        late.start()  # it has asked, and stands before the lock
        poller.release()
    late.join(PATIENCE)
    assert watch.wait(PATIENCE)
    assert not poller._watches


def test_a_poller_whose_thread_cannot_start_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has no thread left once, the next wait gets one."""
    board = Board()
    poller = Poller(board)

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(Fault, match="could not start a thread") as caught:
            poller.add(Watch("a", PENDING))
    assert caught.value.code == "no_thread"
    watch = Watch("a", PENDING)
    poller.add(watch)
    board.states["a"] = (State.APPROVED, 1)
    assert watch.wait(PATIENCE)


def test_a_wait_longer_than_any_clock_has_no_end() -> None:
    """A time to wait that no system can count is no error."""
    assert seconds(1e300) is None
    assert seconds(timedelta.max) is None


def test_nothing_is_asked_again_until_something_was_written() -> None:
    """While the store's version stays the same, only a new wait is looked at; a change is seen at once."""
    board, looks, version = Board(), [0], [1]

    def look() -> int:
        looks[0] += 1
        return version[0]

    board.states = {"a": PENDING, "b": PENDING}
    poller = Poller(board, look, interval=0.001)
    one, two = Watch("a", PENDING), Watch("b", PENDING)
    poller.add(one)
    until(lambda: looks[0] > 20)
    assert len(board.asked) == 1
    poller.add(two)
    until(lambda: len(board.asked) == 2)
    board.states["b"] = (State.APPROVED, 1)
    version[0] = 2
    assert two.wait(PATIENCE)
    assert not one.wait(0)
    poller.release()


def test_a_store_that_could_not_be_asked_is_asked_again() -> None:
    """A version that was read before a failed query does not count as looked at."""
    board = Board()
    board.states = {"a": (State.APPROVED, 1)}
    board.broken = True
    poller, watch = Poller(board, lambda: 1, interval=0.001), Watch("a", PENDING)
    poller.add(watch)
    until(lambda: len(board.asked) > 1)
    board.broken = False
    assert watch.wait(PATIENCE)
