"""Cards of a local workspace that is gone are posted again on the next; those in Slack never are."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gate.service import Service
from tests.kit import POLICY, act, answer, post, service

FAST = POLICY.replace("limits: {", "limits: {burst: {count: 2, window: 1m}, ")


def _bound(team: str, host: str, text: str = POLICY) -> Service:
    gate = service(text=text, allow_local=True)
    gate.bind_workspace(team, host)
    return gate


def _held(gate: Service, number: int = 0) -> str:
    return gate.submit(act(amount=100 + number, to=f"p{number}"), wait=False).record.id


def test_an_open_hold_gets_its_card_once_more() -> None:
    """One notice for one card, the old card is forgotten, and the deadline does not move."""
    gate = _bound("T0LOCAL", "127.0.0.1")
    hold = _held(gate)
    first = post(gate)[-1]
    before = gate.hold(hold)
    assert gate.post_again() == 1
    assert gate.hold(hold).cards == ()
    (again,) = gate.lease_notices(lease=timedelta(seconds=30))
    assert (again.kind, again.hold, again.channel, again.version) == ("card", hold, first.channel, 1)
    gate.notice_done(again.id, channel=again.channel, ts="9.9")
    after = gate.hold(hold)
    assert [each.ts for each in after.cards] == ["9.9"]
    assert after.expires_at == before.expires_at
    assert gate.lease_notices() == []


def test_what_was_answered_or_was_never_posted_is_left_alone() -> None:
    """A denied hold gets no card any more, and one whose card is still to be posted gets one."""
    gate = _bound("T0LOCAL", "127.0.0.1")
    denied = _held(gate)
    post(gate)
    answer(gate, denied, said="deny", comment="No.")
    post(gate)
    waiting = _held(gate, 1)
    assert gate.post_again() == 0
    assert [(each.kind, each.hold) for each in gate.lease_notices()] == [("card", waiting)]


@pytest.mark.parametrize("bound", [True, False])
def test_nothing_is_posted_again_in_slack(bound: bool) -> None:
    """A store that belongs to a workspace of Slack, or to none yet, keeps its cards."""
    gate = _bound("T024BE7LD", "slack.com") if bound else service()
    hold = _held(gate)
    post(gate)
    cards = gate.hold(hold).cards
    assert cards
    assert gate.post_again() == 0
    assert gate.hold(hold).cards == cards
    assert gate.lease_notices() == []


def test_the_card_of_a_burst_is_posted_again() -> None:
    """An open burst forgets where its card stood."""
    gate = _bound("T0LOCAL", "127.0.0.1", FAST)
    for number in range(3):
        _held(gate, number)
    burst = next(each.text for each in post(gate) if each.kind == "burst")
    gate.burst_posted(burst, "9.9")
    assert gate.post_again() == 3
    assert gate.burst(burst).ts == ""
    assert [each.text for each in post(gate) if each.kind == "burst"] == [burst]
