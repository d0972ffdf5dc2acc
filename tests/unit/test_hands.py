"""What a process has in hand: never lost to a rival's failed claim, never seen too late by a heartbeat."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from functools import partial

import pytest

from gate.errors import IllegalMove
from gate.lifecycle import State
from gate.service.hands import Hands
from gate.service.waits import Waits
from gate.verbs.claim import End
from tests.gate_kit import PATIENCE
from tests.kit import act, answer, service


def test_a_failed_reach_gives_back_only_its_own() -> None:
    """Who reached first and lost does not take the action out of the winner's hand."""
    hands = Hands()
    with hands.reach("a", durable=True):
        with hands.reach("a", durable=True) as keep:
            keep(True)
        assert hands.ids() == {"a"}
    assert hands.ids() == {"a"}
    hands.drop("a")
    assert hands.ids() == frozenset()


def test_a_reach_that_raises_leaves_nothing() -> None:
    """An exception on the way leaves nothing in hand, and dropping once more is no error."""
    hands = Hands()
    try:
        with hands.reach("a", durable=False) as keep:
            assert not hands.durable("a")
            keep(False)
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    hands.drop("a")
    assert hands.ids() == frozenset()
    assert hands.durable("a")


def test_an_owner_that_is_gone_has_nothing_in_hand() -> None:
    """What was in hand of somebody who went without a word is in nobody's hand; another's stays."""

    class Owner:
        pass

    hands, one, other = Hands(), Owner(), Owner()
    for action_id, owner in (("a", one), ("b", other), ("c", None)):
        with hands.reach(action_id, durable=False, owner=owner) as keep:
            keep(True)
    assert hands.ids() == {"a", "b", "c"}
    del one, owner
    assert hands.ids() == {"b", "c"}
    assert hands.durable("a")


class Thrown:
    """A call in a circle, as exceptions make them, which gives back what it has when it is thrown away."""

    def __init__(self, give_back: Callable[[], object], gone: list[bool]) -> None:
        self.circle, self._give_back, self._gone = self, give_back, gone

    def __del__(self) -> None:
        self._gone.append(True)
        self._give_back()


def test_a_call_may_be_thrown_away_at_any_line() -> None:
    """A collection of garbage while a thread looks at its waits or hands stops neither it nor the store."""
    waits, hands, gone, ended = Waits(), Hands(), list[bool](), threading.Event()

    def give_back(count: int) -> None:
        waits.drop(count)
        hands.drop(f"a{count}")

    def look() -> None:
        for count in range(1, 60):
            waits.keep(count, None)
            with hands.reach(f"a{count}", durable=True) as keep:
                keep(True)
            Thrown(partial(give_back, count), gone)
            gc.set_threshold(count)
            gc.enable()
            waits.standing()
            hands.ids()
            gc.disable()
        ended.set()

    before = gc.get_threshold()
    gc.disable()
    try:
        threading.Thread(target=look, daemon=True).start()
        assert ended.wait(PATIENCE)
    finally:
        gc.set_threshold(*before)
        gc.enable()
    gc.collect()
    assert len(gone) == 59
    assert (waits.ids(), hands.ids()) == (frozenset(), frozenset())


def test_many_waiters_of_one_hold_and_heartbeats_at_once() -> None:
    """Of many callers that claim at once one runs, and no heartbeat doubts it meanwhile."""
    gate = service()
    hold = gate.submit(act()).record.id
    answer(gate, hold)
    start, done = threading.Barrier(9), threading.Event()
    won: list[bool] = []

    def claim() -> None:
        start.wait()
        won.append(gate.claim(hold, act()).run)

    def beat() -> None:
        start.wait()
        while not done.is_set():
            gate.heartbeat()

    claimers = [threading.Thread(target=claim) for _ in range(8)]
    heart = threading.Thread(target=beat)
    for thread in [*claimers, heart]:
        thread.start()
    for thread in claimers:
        thread.join()
    gate.heartbeat()
    done.set()
    heart.join()
    assert sorted(won) == [False] * 7 + [True]
    assert gate.action(hold).state == State.RUNNING
    gate.settle(hold, End(True, "1"))
    assert gate.action(hold).state == State.SUCCEEDED


def test_allowed_calls_are_never_doubted_by_a_heartbeat() -> None:
    """A call that begins while a heartbeat is under way is in hand for it."""
    gate, done = service(), threading.Event()

    def beat() -> None:
        while not done.is_set():
            gate.heartbeat()

    heart = threading.Thread(target=beat)
    heart.start()
    for _ in range(200):
        run = gate.submit(act(amount=5, to="bob"))
        gate.heartbeat()
        assert gate.action(run.record.id).state == State.RUNNING
        gate.settle(run.record.id, End(True, "1"))
    done.set()
    heart.join()


def test_what_was_in_the_hand_of_somebody_gone_is_in_doubt() -> None:
    """A heartbeat finds an action of its own process that nobody has in hand any more, and no other."""

    class Owner:
        pass

    gate, one, other = service(), Owner(), Owner()
    lost = gate.submit(act(amount=5, to="a"), owner=one).record.id
    kept = gate.submit(act(amount=5, to="b"), owner=other).record.id
    del one
    gate.heartbeat()
    assert (gate.action(lost).state, gate.action(kept).state) == (State.IN_DOUBT, State.RUNNING)
    assert "no longer has it in hand" in gate.action(lost).reason


def test_an_allowed_call_is_begun_once_and_as_itself() -> None:
    """What was allowed begins as that very call, one time; another call, or a second time, is refused."""
    gate = service()
    call = act(amount=5, to="bob")
    record = gate.submit(call).record
    with pytest.raises(IllegalMove, match="not the one that was allowed"):
        gate.begin(record, act(amount=6, to="bob"))
    gate.begin(record, call)
    with pytest.raises(IllegalMove, match="begun already"):
        gate.begin(record, call)
