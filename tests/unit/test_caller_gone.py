"""on_caller_gone: what becomes of a hold when the caller that waited for it is gone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gate import Gate, Pending, person
from gate.errors import StoreBusy
from gate.handles import Held
from gate.lifecycle import State
from gate.model import Requirement
from gate.policy.load import load_texts
from gate.requirements import merge
from gate.service import Service
from gate.store.sqlite import SqliteStore
from gate.waiting import Watch
from tests.gate_kit import gate_on, until
from tests.kit import POLICY, act, answer, post, service

GONE = POLICY.replace("expires_in: 1h,", "expires_in: 1h, on_caller_gone: cancel,")
ALSO = """rules:
  - {id: also, match: desk.pay, when: {args.amount: {gt: 10}}, then: require_approval, reason: Also.,
     approvers: [U0CAROL], on_caller_gone: keep}"""
KEEP_AND_CANCEL = GONE.replace("rules:", ALSO, 1)


def _held(gate: Service, **more: Any) -> tuple[str, int]:
    """Return a hold with a waiter."""
    found = gate.submit(act(**more), wait=True)
    return found.record.id, found.waiter


def _needs(text: str) -> Requirement:
    found = load_texts({"desk.yml": text}).requirement_of("desk/large")
    assert found is not None
    return found


def test_the_key_is_keep_unless_written() -> None:
    """It stands under approvals or on a rule or budget, which replaces it."""
    assert _needs(POLICY).on_caller_gone == "keep"
    assert _needs(GONE).on_caller_gone == "cancel"
    assert _needs(
        GONE.replace("reason: Above ten.", "reason: Above ten., on_caller_gone: keep")
    ).on_caller_gone == ("keep")


def test_cancel_goes_before_keep_where_requirements_merge() -> None:
    """The stricter of two rules with the same approvers counts."""
    keep, cancel = _needs(POLICY), _needs(GONE)
    for order in ((keep, cancel), (cancel, keep)):
        (merged,) = merge(order)
        assert merged.on_caller_gone == "cancel"


def test_a_hold_is_cancelled_when_its_caller_is_gone() -> None:
    """It ends as caller_gone, the card and its thread say so, and nothing ran."""
    gate = service(text=GONE)
    hold, waiter = _held(gate)
    post(gate)
    gate.leave(waiter, gone=True)
    record = gate.hold(hold)
    assert (record.state, record.code) == (State.CANCELLED, "caller_gone")
    told = post(gate)
    assert [each.kind for each in told] == ["refresh", "reply"]
    assert "Cancelled: The caller that waited for it is gone. Nothing ran." in told[1].text


def test_an_approved_hold_is_cancelled_too() -> None:
    """An approval that nobody waits for any more is not kept for later."""
    gate = service(text=GONE)
    hold, waiter = _held(gate)
    answer(gate, hold)
    gate.leave(waiter, gone=True)
    assert gate.hold(hold).code == "caller_gone"


def test_without_the_key_the_hold_goes_on() -> None:
    """Keep leaves it as it is, and the same call later goes on with it."""
    gate = service()
    hold, waiter = _held(gate)
    gate.leave(waiter, gone=True)
    assert gate.hold(hold).state == State.PENDING
    assert gate.submit(act(), wait=True).record.id == hold


def test_one_rule_that_says_cancel_is_enough() -> None:
    """Of several requirements any one cancels, as the shortest deadline ends the hold."""
    gate = service(text=KEEP_AND_CANCEL)
    hold, waiter = _held(gate)
    assert {each.on_caller_gone for each in gate.hold(hold).requirements} == {"keep", "cancel"}
    gate.leave(waiter, gone=True)
    assert gate.hold(hold).code == "caller_gone"


def test_a_wait_that_ends_is_no_caller_that_is_gone() -> None:
    """Who was told Pending may come back, so the hold goes on."""
    gate = service(text=GONE)
    hold, waiter = _held(gate)
    gate.leave(waiter)
    assert gate.hold(hold).state == State.PENDING


def test_another_caller_keeps_it() -> None:
    """Only the last of several waits cancels."""
    gate = service(text=GONE)
    hold, first = _held(gate, amount=50, to="bob", call_id="c1")
    _, second = _held(gate, amount=50, to="bob", call_id="c1")
    gate.leave(first, gone=True)
    assert gate.hold(hold).state == State.PENDING
    gate.leave(second, gone=True)
    assert gate.hold(hold).code == "caller_gone"


def test_a_caller_that_vanished_is_noticed_by_the_next_heartbeat() -> None:
    """A wait whose owner is gone was never ended; the heartbeat finds it."""
    gate = service(text=GONE)
    action = act()
    hold = gate.submit(action, wait=True, owner=action).record.id
    gate.heartbeat()
    assert gate.hold(hold).state == State.PENDING
    del action
    gate.heartbeat()
    assert gate.hold(hold).code == "caller_gone"


def test_a_wait_that_ended_while_the_store_was_busy_is_no_caller_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who was told Pending was told so, though the store could not be: the next heartbeat cancels nothing."""
    monkeypatch.setattr("gate.store.sqlite.BUSY_SECONDS", 0.0)
    gate = service(tmp_path / "gate.db", text=GONE)
    hold, waiter = _held(gate)
    with SqliteStore(tmp_path / "gate.db").transaction(), pytest.raises(StoreBusy):
        gate.leave(waiter)
    assert gate.submit(act(), wait=False).record.id == hold  # nobody waits for it any more
    gate.heartbeat()
    gate.heartbeat()
    assert gate.hold(hold).state == State.PENDING
    with gate.store.reader() as reader:
        assert reader.all("SELECT * FROM waiters") == []
    gate.close()


def test_a_hold_past_its_deadline_expires_rather_than_being_cancelled() -> None:
    """The deadline is the truth, whoever comes first to announce it."""
    gate = service(text=GONE)
    hold, waiter = _held(gate)
    post(gate)
    gate.clock.advance(timedelta(hours=2))  # type: ignore[attr-defined]
    gate.leave(waiter, gone=True)
    assert gate.hold(hold).code == "expired_unanswered"


def _open_holds(gate: Gate) -> list[str]:
    return [hold.id for hold in gate.service.holds() if hold.waiting]


@pytest.mark.parametrize(("text", "code"), [(GONE, "caller_gone"), (POLICY, "")], ids=["cancel", "keep"])
def test_a_cancelled_coroutine_is_gone(tmp_path: Path, text: str, code: str) -> None:
    """asyncio.wait_for around a guarded call gives up its hold where the rule says so, and only there."""

    async def main() -> None:
        with gate_on(tmp_path, text=text) as gate, gate.session("s1", on_behalf_of=None):

            @gate.guard("desk.pay")
            async def pay(amount: int) -> None: ...

            task = asyncio.ensure_future(pay(50))
            while not (held := _open_holds(gate)):
                await asyncio.wait([task], timeout=0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert gate.service.hold(held[0]).code == code

    asyncio.run(main())


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, TimeoutError])
def test_an_interrupted_wait_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    """Whatever tears the caller out of its wait cancels the hold and reaches the caller."""

    def torn(self: Watch, timeout: float | None) -> bool:
        raise error

    with gate_on(tmp_path, text=GONE) as gate, gate.session("s1", on_behalf_of=None):

        @gate.guard("desk.pay")
        def pay(amount: int) -> None: ...

        monkeypatch.setattr(Watch, "wait", torn)
        with pytest.raises(error):
            pay(50)
        (hold,) = gate.service.holds(None)
        assert hold.code == "caller_gone"


def test_a_fault_is_told_to_a_caller_that_is_still_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that is busy while the call waits raises, and the hold goes on."""

    def busy(self: Watch, timeout: float | None) -> bool:
        raise StoreBusy("The store is busy.")

    with gate_on(tmp_path, text=GONE) as gate, gate.session("s1", on_behalf_of=None):

        @gate.guard("desk.pay")
        def pay(amount: int) -> None: ...

        monkeypatch.setattr(Watch, "wait", busy)
        with pytest.raises(StoreBusy):
            pay(50)
        (hold,) = gate.service.holds(None)
        assert hold.state == State.PENDING


def _ask_in_thread(gate: Gate, call: Callable[[], object], into: list[object]) -> threading.Thread:
    def work() -> None:
        with gate.session("s1", on_behalf_of=None):
            into.append(call())

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_waits_that_end_by_themselves_cancel_nothing(tmp_path: Path) -> None:
    """A time to wait that is over and a gate that closes both say Pending; the holds stay as they are."""
    got: list[object] = []
    with gate_on(tmp_path, text=GONE) as gate:

        @gate.guard("desk.pay")
        def pay(amount: int) -> None: ...

        with gate.session("s1", on_behalf_of=None):
            gate.call(wait=0.01)
            assert isinstance(gate.outcome(pay, 50), Pending)
        thread = _ask_in_thread(gate, lambda: gate.outcome(pay, 60), got)
        until(lambda: _open_holds(gate))
    thread.join()
    assert isinstance(got[0], Pending)
    with gate_on(tmp_path, text=GONE) as again:
        assert [hold.state for hold in again.service.holds(None)] == [State.PENDING, State.PENDING]


def test_a_hold_is_not_cancelled_while_somebody_waits_to_know_what_becomes_of_it(tmp_path: Path) -> None:
    """Hold.wait is a wait, too; it runs nothing, so the same call made meanwhile joins the hold as before."""
    ended: list[State] = []
    with gate_on(tmp_path, text=GONE) as gate, gate.session("s1", on_behalf_of=person("U0ASKER", "T0LOCAL")):
        held = gate.submit(act(amount=50, to="bob"))
        assert isinstance(held, Held)
        watcher = threading.Thread(target=lambda: ended.append(held.hold.wait().state))
        watcher.start()
        until(lambda: _waits(gate) == 1)
        joined = gate.service.submit(act(amount=50, to="bob"), wait=True)
        assert joined.record.id == held.action_id
        gate.service.leave(joined.waiter, gone=True)
        gate.service.heartbeat()
        assert gate.service.hold(held.action_id).state == State.PENDING
        answer(gate.service, held.action_id, said="deny")
        watcher.join()
        assert (ended, _waits(gate)) == ([State.DENIED], 0)


def test_a_wait_to_know_that_is_broken_off_cancels_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in Hold.wait leaves the hold as it is; the next heartbeat forgets the wait."""

    def torn(self: Watch, timeout: float | None) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(Watch, "wait", torn)
    with gate_on(tmp_path, text=GONE) as gate, gate.session("s1", on_behalf_of=person("U0ASKER", "T0LOCAL")):
        held = gate.submit(act(amount=50, to="bob"))
        assert isinstance(held, Held)
        with pytest.raises(KeyboardInterrupt):
            held.hold.wait()
        gate.service.heartbeat()
        assert _waits(gate) == 0
        assert gate.service.hold(held.action_id).state == State.PENDING


def _waits(gate: Gate) -> int:
    with gate.service.store.reader() as reader:
        return len(reader.all("SELECT * FROM waiters"))
