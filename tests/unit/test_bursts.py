"""Bursts: a session's holds that come too fast get one card in each channel, which follows them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gate.clock import FakeClock
from gate.errors import IllegalMove
from gate.lifecycle import State
from gate.model import Burst, Notice
from gate.service import Service
from tests.kit import ASKER, POLICY, act, answer, kinds, service
from tests.policy_kit import only_problem

FAST = POLICY.replace("limits: {", "limits: {burst: {count: 2, window: 1m}, ")
MINUTE = timedelta(minutes=1)


def _hold(gate: Service, number: int, session: str = "s1") -> str:
    return gate.submit(act(amount=100 + number, to=f"p{number}", session=session), wait=False).record.id


def _work(gate: Service) -> list[Notice]:
    """Play a bot: post everything that is due, and return the notices about bursts."""
    found: list[Notice] = []
    while leased := gate.lease_notices(limit=100):
        for each in leased:
            gate.notice_done(each.id, channel=each.channel, ts="" if each.kind == "burst" else f"1.{each.id}")
        found += [each for each in leased if each.kind == "burst"]
    return found


def _burst(gate: Service, count: int = 3) -> tuple[Burst, list[str]]:
    """Make a burst and return it with its holds."""
    holds = [_hold(gate, number) for number in range(count)]
    (notice,) = _work(gate)
    gate.burst_posted(notice.text, "9.9")
    return gate.burst(notice.text), holds


def _clock(gate: Service) -> FakeClock:
    assert isinstance(gate.clock, FakeClock)
    return gate.clock


def test_more_than_so_many_within_the_window_make_a_burst() -> None:
    """At the count nothing happens; above it one card is asked for, with every hold that waits."""
    gate = service(text=FAST)
    holds = [_hold(gate, number) for number in range(2)]
    assert _work(gate) == []
    holds.append(_hold(gate, 2))
    (notice,) = _work(gate)
    assert (notice.channel, notice.hold) == ("C0APPROVALS", None)
    burst = gate.burst(notice.text)
    assert [each.id for each in burst.pending] == holds
    assert (burst.count, burst.window, burst.session, burst.agent) == (2, MINUTE, "s1", "desk")
    assert kinds(gate).count("burst") == 1


def test_slow_holds_of_several_sessions_are_no_burst() -> None:
    """Only what one session asks within the window counts."""
    gate = service(text=FAST)
    gate.open_session("s2", agent="desk", on_behalf_of=ASKER)
    for number in range(2):
        _hold(gate, number)
        _hold(gate, number, "s2")
    _clock(gate).advance(MINUTE)
    _hold(gate, 7)
    assert _work(gate) == []


@pytest.mark.parametrize(("limits", "cards"), [("", 1), ("burst: {count: 0}, ", 0)])
def test_the_default_is_five_in_ten_minutes_and_zero_is_never(limits: str, cards: int) -> None:
    """Six holds make a burst unless the policy says never."""
    gate = service(text=POLICY.replace("limits: {", f"limits: {{{limits}"))
    for number in range(5):
        _hold(gate, number)
        _clock(gate).advance(MINUTE)
    assert _work(gate) == []
    _hold(gate, 6)
    assert len(_work(gate)) == cards


@pytest.mark.parametrize("written", ["{}", "{count: -1}", "{count: many}", "5", "{count: 5, windows: 1m}"])
def test_a_wrong_burst_does_not_load(written: str) -> None:
    """The count must be written, a whole number from 0."""
    assert "limits.burst" in only_problem(f"version: 1\ndefault: block\nlimits: {{burst: {written}}}\n")


def test_it_follows_its_holds_and_closes_with_the_last() -> None:
    """Each end and each new hold has the card drawn again; what waits to be drawn serves for both."""
    gate = service(text=FAST)
    burst, holds = _burst(gate)
    answer(gate, holds[0], said="deny")
    answer(gate, holds[1])
    assert len(_work(gate)) == 1
    now = gate.burst(burst.id)
    assert [each.id for each in now.pending] == [holds[2]]
    assert now.ended == {State.DENIED: 1, State.APPROVED: 1}
    later = _hold(gate, 9)
    assert len(_work(gate)) == 1
    assert [each.id for each in gate.burst(burst.id).pending] == [holds[2], later]
    for hold in (holds[2], later):
        gate.cancel(hold, by="cli:root", reason="No.")
    (last,) = _work(gate)
    over = gate.burst(last.text)
    assert over.closed_at is not None
    assert (over.pending, over.ended) == ((), {State.DENIED: 1, State.APPROVED: 1, State.CANCELLED: 2})
    assert over.ts == "9.9"


def test_after_one_is_over_the_next_gets_a_card_of_its_own() -> None:
    """The closed card stays as it is; what came after it does not change its count."""
    gate = service(text=FAST)
    burst, holds = _burst(gate)
    for hold in holds:
        answer(gate, hold, said="deny")
    _work(gate)
    _clock(gate).advance(timedelta(seconds=1))
    _hold(gate, 9)
    (notice,) = _work(gate)
    assert notice.text != burst.id
    assert len(gate.burst(notice.text).pending) == 1
    assert gate.burst(burst.id).ended == {State.DENIED: 3}


def test_holds_that_expire_end_it_too() -> None:
    """The sweep closes a burst whose holds nobody answered."""
    gate = service(text=FAST)
    burst, _ = _burst(gate)
    _clock(gate).advance(timedelta(hours=2))
    gate.sweep()
    assert len(_work(gate)) == 1
    assert gate.burst(burst.id).ended == {State.EXPIRED: 3}


def test_a_freeze_and_its_end_are_drawn() -> None:
    """The card says that the session is frozen, whether the session, its agent or everything is."""
    gate = service(text=FAST)
    burst, _ = _burst(gate)
    assert not burst.frozen
    gate.freeze("agent", "desk", by="cli:root", reason="Stop.")
    assert len(_work(gate)) == 1
    assert gate.burst(burst.id).frozen
    gate.unfreeze("agent", "desk", by="cli:root", reason="Go.")
    assert len(_work(gate)) == 1
    assert not gate.burst(burst.id).frozen


def test_each_channel_has_a_card_with_what_waits_there() -> None:
    """Holds of one session that go to two channels are listed where their cards are."""
    text = FAST.replace("quorum: 2, reason: Two people.", "channel: C0BOARD, quorum: 2, reason: Two people.")
    gate = service(text=text)
    pays = [_hold(gate, number) for number in range(2)]
    fire = gate.submit(act("desk.fire", who="x"), wait=False).record.id
    (first,) = _work(gate)
    pays.append(_hold(gate, 3))
    second = next(each for each in _work(gate) if each.text != first.text)
    found = {each.channel: [hold.id for hold in gate.burst(each.text).pending] for each in (first, second)}
    assert found == {"C0BOARD": [fire], "C0APPROVALS": pays}


def test_a_hold_knows_that_the_card_of_a_burst_lists_it_too() -> None:
    """Only once that card stands, only while the hold waits, and only for its own session."""
    gate = service(text=FAST)
    gate.open_session("s2", agent="desk", on_behalf_of=ASKER)
    held = [_hold(gate, number) for number in range(3)]
    other = _hold(gate, 9, "s2")
    (notice,) = _work(gate)
    assert not any(gate.hold(each).in_burst for each in held)
    gate.burst_posted(notice.text, "9.9")
    assert all(gate.hold(each).in_burst for each in held)
    assert not gate.hold(other).in_burst
    answer(gate, held[0], said="deny", comment="No.")
    assert [gate.hold(each).in_burst for each in held] == [False, True, True]


def test_an_unknown_burst_is_said() -> None:
    """A card of another store, or of one that was restored, names nothing here."""
    with pytest.raises(IllegalMove, match="not known"):
        service(text=FAST).burst("0" * 16)


def test_the_first_message_stays_the_card() -> None:
    """Two bots that both posted agree on one."""
    gate = service(text=FAST)
    burst, _ = _burst(gate)
    gate.burst_posted(burst.id, "8.8")
    assert gate.burst(burst.id).ts == "9.9"


def test_a_burst_is_drawn_by_one_bot_at_a_time() -> None:
    """While one draws, what changed meanwhile waits for the same card: two bots never post two."""
    gate = service(text=FAST)
    holds = [_hold(gate, number) for number in range(3)]

    def bursts() -> list[Notice]:
        return [each for each in gate.lease_notices(limit=100) if each.kind == "burst"]

    (first,) = bursts()
    gate.cancel(holds[0], by="cli:root", reason="No.")
    assert bursts() == []
    gate.burst_posted(first.text, "9.9")
    gate.notice_done(first.id)
    (second,) = bursts()
    assert (second.text, gate.burst(second.text).ts) == (first.text, "9.9")
