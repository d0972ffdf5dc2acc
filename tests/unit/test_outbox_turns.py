"""Whose message comes next, and what becomes of a card that shows an older version than there is."""

from __future__ import annotations

from datetime import timedelta

from gate.clock import FakeClock
from gate.service import Service
from tests.kit import ALICE, ASKER, EDITABLE, act, answer, change, post, service


def test_sessions_take_turns() -> None:
    """A session with many messages does not keep the one card of another session waiting behind them."""
    gate = service()
    busy = [gate.submit(act("desk.fire", who=str(number))).record.id for number in range(3)]
    post(gate)
    for hold in busy:
        answer(gate, hold, ALICE)
    gate.open_session("s2", agent="desk", on_behalf_of=ASKER)
    other = gate.submit(act(session="s2")).record.id
    first = gate.lease_notices(limit=2)
    assert [each.hold for each in first] == [busy[0], other]
    rest = gate.lease_notices(limit=100)
    assert [each.hold for each in rest if each.kind == "reply"] == busy


def test_a_card_of_an_older_version_is_drawn_again() -> None:
    """Slack took the card while the call was changed: it is told so as soon as it is known."""
    gate = service(text=EDITABLE)
    hold = gate.submit(act("desk.fire", who="x")).record.id
    post(gate)
    change(gate, hold, ALICE, who="y")
    post(gate)
    gate.learn_card(hold, channel="C0APPROVALS", ts="7.7", version=2)
    assert post(gate) == []
    gate.learn_card(hold, channel="C0APPROVALS", ts="8.8", version=1)
    assert [each.kind for each in post(gate)] == ["refresh"]


def test_a_card_is_drawn_again_when_its_call_starts() -> None:
    """Who looks at it sees that it runs, and that there is nothing to stop any more."""
    gate = service()
    hold = gate.submit(act()).record.id
    post(gate)
    answer(gate, hold)
    post(gate)
    assert gate.claim(hold, act()).run
    assert [(each.kind, each.hold) for each in post(gate)] == [("refresh", hold)]


def _notices(gate: Service) -> list[tuple[int, str, bool]]:
    """Return number, kind and whether it is done of every notice that the store has."""
    with gate.store.reader() as reader:
        found = reader.all("SELECT id, kind, done_at IS NOT NULL AS done FROM notices ORDER BY id")
    return [(row["id"], row["kind"], bool(row["done"])) for row in found]


def test_what_was_posted_long_ago_is_forgotten() -> None:
    """Five weeks after they were done notices go, but for the newest; what nobody has posted yet stays."""
    clock = FakeClock()
    gate = service(clock=clock)
    post(gate)
    hold = gate.submit(act()).record
    post(gate)
    answer(gate, gate.hold(hold.id), said="deny")
    before = _notices(gate)
    clock.advance(timedelta(days=34))
    gate.sweep()
    assert _notices(gate) == before
    clock.advance(timedelta(days=2))
    gate.sweep()
    left = _notices(gate)
    assert [kind for _, kind, done in before if done] == ["announce", "card"]
    assert left == [each for each in before if not each[2]] != []
    post(gate)
    clock.advance(timedelta(days=36))
    gate.sweep()
    assert _notices(gate) == [(*before[-1][:2], True)]
    assert gate.hold(hold.id).cards, "the card is known by itself"
