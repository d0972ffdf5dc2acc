"""A call that is made again is the same action or another one: each row of the rules, as a table."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from gate import Ran
from gate.errors import CallIdReused, GateError
from gate.model import HoldRecord
from gate.outcomes import Failed, ResultNotKept
from tests.faults.invariants import broken
from tests.faults.stepping import Desk
from tests.gate_kit import PATIENCE, until
from tests.kit import POLICY, answer, policy

SIXTY = POLICY.replace("lte: 10}", "lte: 60}").replace("{gt: 10,", "{gt: 60,")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    with made.gate, made.gate.session("s1", on_behalf_of=None):
        yield made


def _hold(desk: Desk) -> HoldRecord:
    return desk.service.holds()[0]


def _undelivered(desk: Desk) -> None:
    desk.service.undeliver(_hold(desk).id, code="delivery_failed", reason="channel is gone")


def _expired(desk: Desk) -> None:
    desk.post()
    desk.clock.advance(3600)
    desk.service.sweep()


def _unused(desk: Desk) -> None:
    answer(desk.service, _hold(desk))
    desk.clock.advance(1800)
    desk.service.sweep()


def _raises(to: str) -> None:
    raise OSError("the bank is closed")


def _interrupts(to: str) -> None:
    raise KeyboardInterrupt


def _run(behave: Callable[[str], Any] | None = None) -> Callable[[Desk], None]:
    def act(desk: Desk) -> None:
        answer(desk.service, _hold(desk))
        desk.behave = behave or desk.behave
        with suppress(OSError, KeyboardInterrupt):
            desk.gate.call(id="c1")
            desk.gate.outcome(desk.pay, 50, "bob")

    return act


ENDS: dict[str, tuple[Callable[[Desk], object], str, int]] = {
    "pending": (lambda desk: None, "pending", 0),
    "approved": (lambda desk: answer(desk.service, _hold(desk)), "ran", 1),
    "succeeded": (_run(), "ran", 1),
    "failed": (_run(_raises), "failed", 1),
    "in doubt": (_run(_interrupts), "interrupted", 1),
    "denied": (lambda desk: answer(desk.service, _hold(desk), said="deny"), "denied", 0),
    "expired unanswered": (_expired, "expired_unanswered", 0),
    "expired unused": (_unused, "expired_unused", 0),
    "cancelled": (
        lambda desk: desk.service.cancel(_hold(desk).id, by="cli:x", reason="No."),
        "cancelled_by_operator",
        0,
    ),
    "undelivered": (_undelivered, "delivery_failed", 0),
    "new key": (lambda desk: desk.service.renew_key(by="cli:x"), "key_renewed", 0),
}
"""State of the first call to what brings it there, what the second is told, how often the tool ran."""


@pytest.mark.parametrize("state", ENDS)
@pytest.mark.parametrize("times", [1, 2], ids=["again", "twice again"])
def test_the_same_id_and_call_is_the_same_action(desk: Desk, state: str, times: int) -> None:
    """In any state the same call under its id is the one action: it is told that one's end, and runs once."""
    bring, code, runs = ENDS[state]
    desk.gate.call(id="c1", wait=0)
    first = desk.told(desk.gate.outcome(desk.pay, 50, "bob"))
    bring(desk)
    if state == "new key":  # the key is new, and so is the digest: nothing tells that it is the same call
        desk.gate.call(id="c1", wait=0)
        with pytest.raises(CallIdReused):
            desk.gate.outcome(desk.pay, 50, "bob")
        return
    for _ in range(times):
        desk.gate.call(id="c1", wait=0)
        again = desk.told(desk.gate.outcome(desk.pay, 50, "bob"))
        assert (again.code, again.action_id) == (code, first.action_id)
    assert len(desk.begun) == runs
    assert len(desk.service.holds(None)) == 1
    _ended_well(desk)


def test_a_blocked_call_stays_blocked_under_its_id(desk: Desk) -> None:
    """A call id stands for its first outcome, also where the policy would allow the call now."""
    assert desk.call("c1", 5000).code == "blocked"
    desk.service.apply(
        policy(POLICY.replace("then: block, reason: Never", "then: allow, reason: Never")), by="cli:x"
    )
    assert desk.call("c1", 5000).code == "blocked"
    desk.gate.call(id="c2")
    assert desk.gate.outcome(desk.pay, 5000, "bob").code == "ran"
    _ended_well(desk)


@pytest.mark.parametrize(
    ("amount", "to"), [(51, "c1"), (50, "c1 "), (50.0, "c1"), (True, "c1"), ("50", "c1")], ids=str
)
@pytest.mark.parametrize("state", ["pending", "succeeded", "denied"])
def test_another_call_under_the_same_id_runs_nothing(desk: Desk, amount: Any, to: str, state: str) -> None:
    """Where any value or its type differs, the id is refused, and both calls stay as they were."""
    desk.call("c1", 50, wait=0)
    if state != "pending":
        answer(desk.service, _hold(desk), said="deny" if state == "denied" else "approve")
        desk.call("c1", 50)
    begun = list(desk.begun)
    desk.gate.call(id="c1", wait=0)
    with pytest.raises(CallIdReused, match="nothing ran"):
        desk.gate.outcome(desk.pay, amount, to)
    assert desk.begun == begun
    assert desk.state("c1")[0] == state


def test_an_id_belongs_to_its_session(desk: Desk) -> None:
    """The same id in another session is another action."""
    first = desk.call("c1", 5)
    with desk.gate.session("s2", on_behalf_of=None):
        assert desk.call("c1", 5).action_id != first.action_id
    assert len(desk.begun) == 2
    _ended_well(desk)


# ---- without a call id ------------------------------------------------------------------------------------


def _poll(desk: Desk, amount: int = 50) -> Any:
    desk.gate.call(wait=0)
    return desk.told(desk.gate.outcome(desk.pay, amount, "bob"))


AGAIN: dict[str, tuple[Callable[[Desk], object], str, bool]] = {
    "pending": (lambda desk: None, "pending", True),
    "approved": (lambda desk: answer(desk.service, _hold(desk)), "ran", True),
    "denied just now": (lambda desk: answer(desk.service, _hold(desk), said="deny"), "denied", True),
    "denied a minute ago": (
        lambda desk: (AGAIN["denied just now"][0](desk), desk.clock.advance(60)),
        "pending",
        False,
    ),
    "denied, then new evidence": (
        lambda desk: (
            AGAIN["denied just now"][0](desk),
            desk.gate.session("s1", on_behalf_of=None, evidence=["A photo came."]),
        ),
        "pending",
        False,
    ),
    "denied, then allowed by a new policy": (
        lambda desk: (
            AGAIN["denied just now"][0](desk),
            desk.service.apply(policy(SIXTY), by="cli:x"),
        ),
        "ran",
        False,
    ),
    "expired just now": (_expired, "expired_unanswered", True),
    "expired a minute ago": (lambda desk: (_expired(desk), desk.clock.advance(60)), "pending", False),
    "cancelled just now": (ENDS["cancelled"][0], "pending", False),
    "undelivered just now": (_undelivered, "pending", False),
    "run": (lambda desk: (answer(desk.service, _hold(desk)), _poll(desk)), "pending", False),
}
"""What became of the first call to how it came so, what the repeat is told, whether it is the same action."""


@pytest.mark.parametrize("state", AGAIN)
def test_a_repeat_without_an_id(desk: Desk, state: str) -> None:
    """An open hold that nobody waits for is gone on with, a fresh refusal stands, all else is a new call."""
    bring, code, same = AGAIN[state]
    first = _poll(desk)
    bring(desk)
    again = _poll(desk)
    assert (again.code, again.action_id == first.action_id) == (code, same)
    if not same and code == "pending":
        told = desk.service.hold(again.action_id).identical
        assert told is not None
        assert told.action_id == first.action_id
    assert len(desk.begun) == (code == "ran" or state == "run")
    _ended_well(desk)


def test_a_blocked_repeat_is_judged_anew(desk: Desk) -> None:
    """A block is no answer of people: each repeat asks the policy of its moment."""
    assert _poll(desk, 5000).code == "blocked"
    desk.service.apply(
        policy(POLICY.replace("then: block, reason: Never", "then: allow, reason: Never")), by="cli:x"
    )
    assert _poll(desk, 5000).code == "ran"
    _ended_well(desk)


def test_an_allowed_repeat_is_a_new_call(desk: Desk) -> None:
    """Without an id nothing says that an allowed call is the same; it runs each time it is made."""
    assert [_poll(desk, 5).code for _ in range(3)] == ["ran"] * 3
    assert len(desk.begun) == 3
    _ended_well(desk)


def test_beside_a_live_waiter_it_is_another_call(desk: Desk) -> None:
    """While somebody waits, an identical call is the second one, with a hold and a run of its own."""
    waits = threading.Thread(target=desk.gate.bind(lambda: desk.told(desk.gate.outcome(desk.pay, 50, "bob"))))
    waits.start()
    first = until(desk.service.holds)[0]
    assert until(lambda: desk.service.hold(first.id).waiting)
    second = _poll(desk)
    assert second.action_id != first.id
    answer(desk.service, first.id)
    waits.join(PATIENCE)
    answer(desk.service, second.action_id)
    assert _poll(desk).code == "ran"
    assert len(desk.begun) == 2
    _ended_well(desk)


@pytest.mark.parametrize("call_id", [None, "c1"])
def test_declared_reads_are_never_the_same(desk: Desk, call_id: str | None) -> None:
    """A read is made each time, with or without an id."""
    seen: list[str] = []

    @desk.gate.guard("desk.get_balance")
    def get_balance(whose: str) -> int:
        seen.append(whose)
        return len(seen)

    for number in (1, 2):
        desk.gate.call(id=call_id)
        assert get_balance("bob") == number


# ---- who ran it, and who only learns of it ----------------------------------------------------------------


@pytest.mark.parametrize("fails", [False, True])
def test_one_of_several_waiters_runs_it(desk: Desk, fails: bool) -> None:
    """Of callers that wait under one id exactly one runs the tool; the others are told, marked as shared."""
    desk.behave = _raises if fails else desk.behave
    got: list[Any] = []

    def wait() -> None:
        desk.gate.call(id="c1")
        try:
            got.append(desk.gate.outcome(desk.pay, 50, "bob"))
        except OSError as error:
            got.append(error)

    threads = [threading.Thread(target=desk.gate.bind(wait)) for _ in range(4)]
    for each in threads:
        each.start()
    hold = until(desk.service.holds)[0]
    answer(desk.service, hold.id)
    for each in threads:
        each.join(PATIENCE)
    assert len(desk.begun) == 1
    own = [each for each in got if not getattr(each, "shared", False)]
    shared = [each for each in got if getattr(each, "shared", False)]
    assert (len(own), len(shared)) == (1, 3)
    assert isinstance(own[0], OSError if fails else Ran)
    assert all(isinstance(each, Failed if fails else Ran) for each in shared)


def test_a_result_that_is_not_kept(desk: Desk) -> None:
    """Who ran it has it; a later caller is told that it ran and that the result was not kept."""
    desk.behave = lambda to: {1, 2}
    desk.gate.call(id="c1")
    assert desk.pay(5, "bob") == {1, 2}
    desk.gate.call(id="c1")
    with pytest.raises(ResultNotKept):
        desk.pay(5, "bob")
    desk.gate.call(id="c1")
    found = desk.gate.outcome(desk.pay, 5, "bob")
    assert isinstance(found, Ran)
    assert (found.result, found.kept) == (None, False)
    assert len(desk.begun) == 1


# ---- what stands around the gate --------------------------------------------------------------------------


def _retried(work: Callable[[], Any], times: int = 4) -> list[str]:
    """Call again whenever anything is raised, as careless middleware does; return what was raised."""
    raised: list[str] = []
    for _ in range(times):
        try:
            work()
            return [*raised, "ran"]
        except (GateError, OSError) as error:
            raised.append(getattr(error, "code", type(error).__name__))
    return raised


@pytest.mark.parametrize("call_id", [None, "c1"])
def test_retry_middleware_asks_nobody_twice(desk: Desk, call_id: str | None) -> None:
    """A denied call that is retried at once stays denied: one hold, one card, no run."""

    def call() -> Any:
        desk.gate.call(id=call_id, wait=0)
        return desk.pay(50, "bob")

    assert _retried(call, 2) == ["pending", "pending"]
    answer(desk.service, _hold(desk), said="deny")
    assert _retried(call) == ["denied"] * 4
    assert len(desk.service.holds(None)) == 1
    assert desk.begun == []


def test_retry_middleware_uses_no_approval_twice(desk: Desk) -> None:
    """A tool that raised: under its id the caller is told so and no more; without one people are asked."""
    desk.behave = _raises

    def call(call_id: str | None) -> Any:
        desk.gate.call(id=call_id, wait=0)
        return desk.pay(50, "bob")

    for call_id, told in (
        ("c1", ["OSError", "failed", "failed", "failed"]),
        (None, ["OSError", "pending", "pending"]),
    ):
        _retried(lambda: call(call_id), 1)  # noqa: B023 - done before the next
        answer(desk.service, _hold(desk))
        assert _retried(lambda: call(call_id), len(told)) == told  # noqa: B023
    assert len(desk.begun) == 2
    _ended_well(desk)


def test_ids_that_begin_again_at_each_turn(desk: Desk) -> None:
    """A framework that counts its calls from 0 in every turn runs no other call under an old id."""
    first = desk.call("call_0", 5)
    assert first.code == "ran"
    desk.gate.call(id="call_0")
    with pytest.raises(CallIdReused, match="an id of its own"):
        desk.pay(6, "carol")
    assert desk.call("call_0", 5).action_id == first.action_id
    assert desk.begun == ["call_0"]
    with desk.gate.session("turn 2", on_behalf_of=None):  # what such a framework's host does about it
        assert desk.call("call_0", 6).code == "ran"
    _ended_well(desk)


def test_a_snapshot_that_is_replayed_twice(desk: Desk) -> None:
    """An agent put back to a snapshot makes its calls again, two replays at once: each effect stays one."""
    plan = [("a", 5), ("b", 50), ("c", 5000), ("d", 60)]

    def replay(wait: float = PATIENCE) -> list[tuple[str, str]]:
        return [(name, desk.call(name, amount, wait=wait).code) for name, amount in plan]

    assert replay(0) == [("a", "ran"), ("b", "pending"), ("c", "blocked"), ("d", "pending")]
    for hold in desk.service.holds():
        answer(desk.service, hold, said="approve" if "b" in str(hold.arguments) else "deny")
    told: list[list[tuple[str, str]]] = []
    threads = [threading.Thread(target=desk.gate.bind(lambda: told.append(replay()))) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(PATIENCE)
    ends = [("a", "ran"), ("b", "ran"), ("c", "blocked"), ("d", "denied")]
    assert told == [ends, ends]
    assert sorted(desk.begun) == ["a", "b"]
    assert replay() == ends
    _ended_well(desk)


def _ended_well(desk: Desk) -> None:
    desk.service.end_session("s1")
    assert broken(desk.seen()) == []
