"""How much may wait for people: past a limit a call is blocked, and nobody gets a card."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gate.clock import FakeClock
from gate.lifecycle import State
from gate.service import Service
from tests.kit import ASKER, POLICY, act, answer, post, service

HEAD, TAIL = POLICY.split("limits:")[0], POLICY[POLICY.index("actions:") :]


def _gate(limits: str = "") -> Service:
    gate = service(text=f"{HEAD}{f'limits: {{{limits}}}' if limits else ''}\n{TAIL}")
    post(gate)
    return gate


def _ask(gate: Service, number: int, session: str = "s1") -> str:
    """Ask for something else each time; return how it went."""
    found = gate.submit(act(amount=100 + number, to="bob", session=session), wait=False)
    return found.kind if found.kind != "ended" else found.record.code


def _another(gate: Service, session: str) -> str:
    gate.open_session(session, agent="desk", on_behalf_of=ASKER)
    return session


def test_a_session_may_have_so_many_pending_holds() -> None:
    """The one past the limit is blocked without a card, and says why; reads and allowed calls go on."""
    gate = _gate("pending_per_session: 2")
    assert [_ask(gate, number) for number in range(3)] == ["held", "held", "too_many_pending"]
    assert [each.kind for each in post(gate)] == ["card", "card"]
    (blocked,) = [each for each in gate.records() if each.body.get("code") == "too_many_pending"]
    assert blocked.body["rules"] == ["gate/too_many_pending"]
    assert "2 calls of this session wait for people already" in blocked.body["reasons"][0]
    assert gate.submit(act(amount=5, to="bob")).kind == "run"
    assert _ask(gate, 9, _another(gate, "s2")) == "held"


def test_an_answer_makes_room_again() -> None:
    """Only what is pending counts, not what was decided."""
    gate = _gate("pending_per_session: 1")
    first = gate.submit(act(amount=100, to="bob"), wait=False)
    assert _ask(gate, 1) == "too_many_pending"
    assert answer(gate, first.record.id).state == State.APPROVED
    assert _ask(gate, 2) == "held"


def test_an_agent_may_have_so_many_over_all_its_sessions() -> None:
    """New sessions do not make more room than the agent has."""
    gate = _gate("pending_per_agent: 2")
    asked = [_ask(gate, number, _another(gate, f"t{number}")) for number in range(3)]
    assert asked == ["held", "held", "too_many_pending"]


def test_people_are_asked_so_often_within_a_window() -> None:
    """Answered or not, each ask counts until the window has gone by."""
    gate = _gate("asks_per_session: {count: 2, window: 10m}")
    for number in range(2):
        found = gate.submit(act(amount=100 + number, to="bob"), wait=False)
        answer(gate, found.record.id, said="deny")
    assert _ask(gate, 7) == "too_many_pending"
    assert isinstance(gate.clock, FakeClock)
    gate.clock.advance(timedelta(minutes=10))
    assert _ask(gate, 8) == "held"


@pytest.mark.parametrize(("sessions", "each", "passed"), [(1, 21, 20), (6, 20, 100)])
def test_without_limits_the_defaults_hold(sessions: int, each: int, passed: int) -> None:
    """20 pending in a session, 100 of an agent."""
    gate = _gate()
    asked = [
        _ask(gate, number, _another(gate, f"t{session}"))
        for session in range(sessions)
        for number in range(each)
    ]
    assert asked == ["held"] * passed + ["too_many_pending"] * (sessions * each - passed)


def test_sixty_asks_an_hour_are_the_default() -> None:
    """The sixty-first is blocked although nothing is pending."""
    gate = _gate()
    for number in range(60):
        found = gate.submit(act(amount=100 + number, to="bob"), wait=False)
        answer(gate, found.record.id, said="deny")
    assert _ask(gate, 99) == "too_many_pending"


def test_a_call_that_finds_its_own_hold_again_is_no_new_ask() -> None:
    """Re-attaching is not blocked by the limit that its own hold fills."""
    gate = _gate("pending_per_session: 1")
    assert [_ask(gate, 1), _ask(gate, 1)] == ["held", "joined"]


def test_a_preview_does_not_count_what_waits() -> None:
    """It shows what the policy says of the call itself."""
    gate = _gate("pending_per_session: 1")
    _ask(gate, 1)
    assert gate.preview(act(amount=100, to="carol")).answer == "require_approval"
