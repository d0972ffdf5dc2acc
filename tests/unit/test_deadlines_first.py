"""A deadline counts from its very instant, whether or not a sweep has come by yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from gate.clock import FakeClock
from gate.errors import IllegalMove
from gate.handles import Held
from gate.lifecycle import State
from gate.service import Service
from tests.faults.stepping import Desk, before_steps
from tests.kit import act, answer, post, service

UNPOSTED, EXPIRED = ("not_delivered_in_time", "expired_unanswered")


def _held(gate: Service) -> str:
    return gate.submit(act()).record.id


def _to(gate: Service, hold: str, when: str) -> None:
    assert isinstance(gate.clock, FakeClock)
    gate.clock.advance(getattr(gate.hold(hold), when) - gate.clock.now())


def _post_late(gate: Service, hold: str) -> None:
    gate.learn_card(hold, channel="C0APPROVALS", ts="1.1", version=1)


def _done_late(gate: Service, hold: str) -> None:
    assert len(post(gate)) > 0


def _fail(gate: Service, hold: str) -> None:
    (notice,) = (each for each in gate.lease_notices(limit=10) if each.kind == "card")
    gate.notice_failed(notice, error="channel_not_found")


@pytest.mark.parametrize("late", [_post_late, _done_late, _fail])
def test_a_card_that_comes_too_late_revives_nothing(late: Callable[[Service, str], None]) -> None:
    """At deliver_by a hold without a card has ended, whatever Slack says of the card from then on."""
    gate = service()
    hold = _held(gate)
    _to(gate, hold, "deliver_by")
    late(gate, hold)
    record = gate.hold(hold)
    assert (record.state, record.code) == (State.UNDELIVERED, UNPOSTED)
    assert gate.sweep() == 0


def test_a_late_card_is_told_that_it_is_over() -> None:
    """The message that came too late is known, so that it can be brought up to date."""
    gate = service()
    hold = _held(gate)
    _to(gate, hold, "deliver_by")
    _post_late(gate, hold)
    assert [card.ts for card in gate.hold(hold).cards] == ["1.1"]
    assert "refresh" in [notice.kind for notice in gate.lease_notices(limit=10)]


def test_a_second_card_after_the_last_deadline_keeps_it_expired() -> None:
    """A twin of a card that is seen after the time to answer ended does not lengthen it."""
    gate = service()
    hold = _held(gate)
    post(gate)
    _to(gate, hold, "expires_at")
    _post_late(gate, hold)
    assert gate.hold(hold).code == EXPIRED


def test_a_late_answer_is_told_what_ended_the_hold() -> None:
    """Three ends that nobody announced yet have three sentences, and none lets the answer count."""
    gate = service()
    unanswered, unused = _held(gate), _held(gate)
    post(gate)
    unposted = _held(gate)
    said = {}
    answer(gate, unused)
    for hold, when in ((unposted, "deliver_by"), (unused, "use_by"), (unanswered, "expires_at")):
        _to(gate, hold, when)
        with pytest.raises(IllegalMove, match="Too late") as caught:
            answer(gate, hold)
        said[hold] = str(caught.value)
    assert "no card had been posted" in said[unposted]
    assert "not started before" in said[unused]
    assert "time to answer ended" in said[unanswered]
    assert {gate.action(each).code for each in said} == {UNPOSTED, EXPIRED, "expired_unused"}


def test_one_microsecond_before_it_counts() -> None:
    """Just before deliver_by a card still comes in time."""
    gate = service()
    hold = _held(gate)
    assert isinstance(gate.clock, FakeClock)
    gate.clock.advance(gate.hold(hold).deliver_by - gate.clock.now() - timedelta(microseconds=1))
    _post_late(gate, hold)
    assert gate.hold(hold).state == State.PENDING


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Give a gate whose holds nothing sweeps by itself."""
    made = Desk(tmp_path)
    with made.gate, made.gate.session("s1", on_behalf_of=None):
        yield made


@pytest.mark.parametrize("approved", [False, True], ids=["unanswered", "unused"])
@pytest.mark.parametrize("name", ["c1", None], ids=["by its call id", "as the same call"])
def test_a_call_that_finds_its_hold_too_late_is_told_so(desk: Desk, name: str | None, approved: bool) -> None:
    """Made again at the deadline, and without waiting, a call has expired: nobody says that it waits."""
    call = {"id": name} if name else {}
    desk.gate.call(wait=0, **call)
    held = desk.gate.outcome(desk.pay, 50, "bob")
    desk.post()
    if approved:
        answer(desk.service, held.action_id)
    _to(desk.service, held.action_id, "use_by" if approved else "expires_at")
    desk.gate.call(wait=0, **call)
    again = desk.gate.outcome(desk.pay, 50, "bob")
    assert (again.code, again.action_id) == (
        "expired_unused" if approved else "expired_unanswered",
        held.action_id,
    )
    assert desk.begun == []


@pytest.mark.parametrize("wait", [0, 0.001])
def test_a_look_at_a_hold_at_its_deadline_finds_it_expired(desk: Desk, wait: float) -> None:
    """However short somebody waits, a hold past its deadline is not shown as one that waits for people."""
    held = desk.gate.submit(replace(act(), on_behalf_of=None))
    assert isinstance(held, Held)
    assert held.hold.wait(wait).state == State.PENDING
    desk.post()
    _to(desk.service, held.action_id, "expires_at")
    assert held.hold.wait(wait).state == State.EXPIRED
    assert asyncio.run(held.hold.wait_async(wait)).outcome.code == "expired_unanswered"


def test_a_wait_that_ends_with_its_hold_is_told_of_the_end(desk: Desk) -> None:
    """Where the caller's time and the hold's end at one moment, the caller learns that it expired."""
    waited: list[int] = []

    def at(number: int, name: str) -> None:
        if name == "wait":
            waited.append(number)
            desk.post()
            desk.clock.advance(3600)

    with before_steps(at):
        told = (desk.call(f"c{wait}", 50, wait=wait).code for wait in (0.01, 0.2, 4, 60))
        assert (
            next(code for code in told if waited) == "expired_unanswered"
        )  # a slow machine begins no short wait
