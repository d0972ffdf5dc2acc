"""The store's newest time: nothing lies before it, and a process far behind it runs declared reads only."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gate.clock import FakeClock, SystemClock
from gate.errors import ClockError
from gate.lifecycle import State
from gate.service import Service
from tests.gate_kit import gate_on
from tests.kit import POLICY, act, answer, kinds, post, service

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def _two(db: Path, behind: timedelta) -> tuple[Service, Service]:
    """Return a service whose clock says noon and has written, and one whose clock is behind it."""
    return service(db, clock=FakeClock(NOON)), Service(db, clock=FakeClock(NOON - behind))


def test_a_process_a_little_behind_writes_at_the_newest_time(db: Path) -> None:
    """Four minutes behind, calls run, and no record lies before one that is there already."""
    first, late = _two(db, timedelta(minutes=4))
    assert late.submit(act(amount=5, to="bob")).kind == "run"
    times = [record.body["at"] for record in first.records()]
    assert times == sorted(times)
    assert times[-1] == NOON.isoformat()
    assert late.now() == NOON


def test_a_process_far_behind_is_refused_with_both_times(db: Path) -> None:
    """Beyond five minutes submit and claim are refused with both times, and the refusal is recorded."""
    first, late = _two(db, timedelta(minutes=5, seconds=1))
    hold = first.submit(act()).record.id
    answer(first, hold)
    said = "2026-01-01 12:00:00 UTC.*2026-01-01 11:54:59 UTC.*Nothing ran.*gate clock accept"
    with pytest.raises(ClockError, match=said):
        late.submit(act(amount=5, to="bob"))
    assert first.records()[-1].body["code"] == "clock_error"
    with pytest.raises(ClockError, match=said):
        late.claim(hold, act())
    assert first.action(hold).state == State.APPROVED


def test_exactly_five_minutes_behind_is_not_far(db: Path) -> None:
    """The limit itself is allowed."""
    _, late = _two(db, timedelta(minutes=5))
    assert late.submit(act(amount=5, to="bob")).kind == "run"


def test_declared_reads_run_whatever_the_clock_says(db: Path) -> None:
    """A declared read of a process that is far behind runs; it is recorded at the newest time."""
    first, late = _two(db, timedelta(days=3))
    assert late.submit(act("desk.get_balance", whose="bob")).kind == "run"
    assert first.records()[-1].body["at"] == NOON.isoformat()


def test_a_clock_set_back_gives_no_more_time(db: Path) -> None:
    """After a restart with a clock set back by a minute, a hold that was too late stays too late."""
    first, late = _two(db, timedelta(minutes=1))
    assert isinstance(first.clock, FakeClock)
    hold = first.submit(act()).record.id
    post(first)
    answer(first, hold)
    first.clock.advance(30 * 60)
    first.heartbeat()
    assert isinstance(late.clock, FakeClock)
    late.clock.advance(30 * 60 - 1)
    assert not late.claim(hold, act()).run
    assert first.action(hold).code == "expired_unused"


def test_notices_of_a_process_ahead_are_leased_at_once(db: Path) -> None:
    """A bot whose clock is a little behind posts a card at once, not when its clock has caught up."""
    first, late = _two(db, timedelta(minutes=4))
    post(late)
    first.submit(act())
    assert "card" in [notice.kind for notice in late.lease_notices(limit=100)]


def test_accepting_sets_time_back_and_lets_calls_run(db: Path) -> None:
    """After a wrong clock far ahead, accepting lets right ones run; what it put off is due at once."""
    wrong, right = _two(db, timedelta(days=3))
    early = Service(db, clock=FakeClock(NOON - timedelta(days=4)), kind="cli")
    hold = wrong.submit(act()).record.id
    with pytest.raises(ClockError):
        right.submit(act())
    found = right.accept_clock(by="cli:x")
    assert (found.before, found.now, found.cancelled) == (NOON, NOON - timedelta(days=3), 1)
    assert right.action(hold).code == "cancelled_by_operator"
    assert right.submit(act(amount=5, to="bob")).kind == "run"
    assert [notice for notice in right.lease_notices(limit=100) if notice.kind == "announce"]
    assert kinds(right)[-3:] == ["cancel", "clock", "submit"]
    assert right.verify().ok
    with pytest.raises(ClockError):
        early.submit(act(amount=5, to="bob"))


def test_accepting_keeps_what_was_asked_at_a_right_time(db: Path) -> None:
    """Only what was asked or approved in the refused time is taken back."""
    gate = service(db, clock=FakeClock(NOON))
    asked, approved = (gate.submit(act(amount=amount, to="bob")).record.id for amount in (50, 51))
    post(gate)
    wrong = Service(db, clock=FakeClock(NOON + timedelta(minutes=20)))
    answer(wrong, approved)
    assert gate.accept_clock(by="cli:x").cancelled == 1
    assert gate.action(asked).state == State.PENDING
    assert gate.action(approved).state == State.CANCELLED


BUDGET = POLICY + (
    'budgets:\n  - {id: three, match: "*", limit: 3, per: agent, window: 1h, then: block, reason: Enough.}\n'
)


def test_budgets_outlive_a_wrong_clock(db: Path) -> None:
    """A clock that was far ahead took no charge away; what ran under it counts from the acceptance on."""
    right = service(db, text=BUDGET, clock=FakeClock(NOON))
    assert isinstance(right.clock, FakeClock)

    def pay(gate: Service) -> str:
        return gate.submit(act(amount=5, to="bob")).kind

    assert pay(right) == "run"
    wrong = Service(db, clock=FakeClock(NOON + timedelta(days=400)))
    wrong.sweep()
    assert pay(wrong) == "run"
    right.accept_clock(by="cli:x")
    assert [pay(right) for _ in range(2)] == ["run", "ended"]
    right.clock.advance(timedelta(hours=1))
    assert [pay(right) for _ in range(4)] == ["run", "run", "run", "ended"]
    right.clock.advance(timedelta(days=36))
    assert pay(right) == "run"
    right.clock.advance(timedelta(days=1))
    right.sweep()
    assert [pay(right) for _ in range(4)] == ["run", "run", "run", "ended"]


def test_a_denial_of_the_refused_time_is_soon_old(db: Path) -> None:
    """What was denied under a wrong clock counts as denied at the acceptance; later people are asked."""
    right = service(db, clock=FakeClock(NOON))
    assert isinstance(right.clock, FakeClock)
    wrong = Service(db, clock=FakeClock(NOON + timedelta(days=400)))
    denied = wrong.submit(act(), wait=False).record.id
    answer(wrong, denied, said="deny")
    right.accept_clock(by="cli:x")
    assert right.submit(act(), wait=False).record.id == denied
    right.clock.advance(timedelta(seconds=60))
    again = right.submit(act(), wait=False)
    assert (again.kind, again.record.id != denied) == ("held", True)
    answer(right, again.record.id, said="deny")
    assert right.submit(act(), wait=False).record.id == again.record.id
    assert denied in [each.action_id for each in right.hold(again.record.id).history]


def test_what_was_asked_in_the_refused_time_is_soon_not_counted(db: Path) -> None:
    """Asks under a wrong clock count from the acceptance on, and for no longer than the window."""
    text = POLICY.replace("asks_per_session: {count: 1000", "asks_per_session: {count: 2")
    right = service(db, text=text, clock=FakeClock(NOON))
    assert isinstance(right.clock, FakeClock)
    wrong = Service(db, clock=FakeClock(NOON + timedelta(days=400)))
    for amount in (50, 51):
        wrong.submit(act(amount=amount, to="bob"), wait=False)
    right.accept_clock(by="cli:x")
    assert right.submit(act(), wait=False).record.code == "too_many_pending"
    right.clock.advance(timedelta(hours=1))
    assert right.submit(act(), wait=False).kind == "held"


def test_a_moved_wall_clock_is_one_record(db: Path) -> None:
    """A jump of more than a minute is recorded once with both times, a small one never; deadlines stand."""
    gate = service(db)
    assert isinstance(gate.clock, FakeClock)
    for moved, records in ((60, 0), (1, 1), (0, 1), (59, 1), (-120, 2)):
        gate.clock.move_wall(timedelta(seconds=moved))
        for _ in range(3):
            gate.heartbeat()
        assert kinds(gate).count("clock_jump") == records, moved
    (first, _) = [record.body for record in gate.records() if record.body["kind"] == "clock_jump"]
    both = [datetime.fromisoformat(first[key]) for key in ("wall", "own")]
    assert both[0] - both[1] == timedelta(seconds=61)
    assert gate.now() == gate.clock.now()


def test_process_time_does_not_follow_the_wall() -> None:
    """Process time is the wall at its start and time since boot; both wall and difference can be told."""
    wall, boot = [NOON], [0]
    clock = SystemClock(lambda: wall[0], lambda: boot[0])
    wall[0] += timedelta(hours=5)
    boot[0] += 10 * 10**9
    assert clock.now() == NOON + timedelta(seconds=10)
    assert clock.wall() == NOON + timedelta(hours=5)


def test_a_guarded_call_gets_the_clock_error(tmp_path: Path) -> None:
    """The guarded function raises ClockError and does not run; a declared read beside it does."""
    ran: list[str] = []
    with gate_on(tmp_path) as gate:

        @gate.guard("desk.pay")
        def pay(amount: int) -> None:
            ran.append(f"pay {amount}")

        @gate.guard("desk.get_balance")
        def balance() -> str:
            return "12"

        pay(5)
        with gate.service.store.transaction() as tx:
            tx.run("UPDATE audit_head SET mark = mark + 3600 * 1000000")
        with pytest.raises(ClockError):
            pay(6)
        assert balance() == "12"
    assert ran == ["pay 5"]
