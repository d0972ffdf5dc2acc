"""Two processes on one store: what one changes the other sees, what one runs the other cannot end."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gate.clock import FakeClock
from gate.errors import BadEdit
from gate.lifecycle import State
from gate.service import Service
from gate.verbs.claim import End
from gate.verbs.waiting import HEARTBEAT, SILENCE
from tests.kit import ASKER, EDITABLE, act, answer, change, service

SHUT = """rules:
  - {id: shut, match: desk.pay, when: {facts.shut: {eq: true, optional: true}}, then: block,
     reason: It is shut.}"""
POLICY = EDITABLE.replace("rules:", SHUT, 1)


@pytest.fixture
def pair(db: Path) -> Any:
    """Give two services on one store, each a process of its own to the other."""
    one, other = service(db, text=POLICY), service(db, text=None)
    yield one, other
    one.close()
    other.close()


def _shut(gate: Service) -> None:
    gate.open_session("s1", agent="desk", on_behalf_of=ASKER, facts={"shut": True})


def test_a_claim_sees_facts_that_another_process_gave(pair: tuple[Service, Service]) -> None:
    """Facts of the session that were replaced elsewhere after the approval decide at the claim."""
    one, other = pair
    hold = one.submit(act()).record.id
    answer(one, hold)
    _shut(other)
    claimed = one.claim(hold, act())
    assert (claimed.run, claimed.record.state, claimed.record.reason) == (False, State.BLOCKED, "It is shut.")


def test_a_submit_sees_them_too(pair: tuple[Service, Service]) -> None:
    """Facts that this process has never seen decide what it submits."""
    one, other = pair
    assert one.submit(act(amount=5, to="bob")).kind == "run"
    _shut(other)
    assert one.submit(act(amount=6, to="bob")).record.state == State.BLOCKED


def test_an_edit_sees_what_comes_while_it_is_worked_out(pair: tuple[Service, Service]) -> None:
    """Facts that were replaced between judging a changed call and recording it are judged by, too."""
    one, other = pair
    hold = one.submit(act()).record.id
    real = one._revise

    def revise(*args: Any) -> Any:
        made = real(*args)
        _shut(other)
        return made

    one._revise = revise  # type: ignore[method-assign]
    with pytest.raises(BadEdit, match="It is shut"):
        change(one, hold, amount=40)
    assert one.hold(hold).version == 1


def test_a_process_ends_nothing_that_another_runs(
    pair: tuple[Service, Service], caplog: pytest.LogCaptureFixture
) -> None:
    """Only the process that has an action in hand says how it ended; what others say is an error."""
    one, other = pair
    running = one.submit(act(amount=5, to="bob")).record.id
    other.settle(running, End(True, '"paid"'))
    assert one.action(running).state == State.RUNNING
    assert "is not in hand here" in caplog.text
    one.settle(running, End(True, '"paid"'))
    assert one.action(running).state == State.SUCCEEDED


def test_who_claims_waits_no_more(pair: tuple[Service, Service]) -> None:
    """Once it has the call in hand, the caller that waited for it is nobody's waiter, also for the others."""
    one, other = pair
    found = one.submit(act())
    answer(other, found.record.id)
    assert other.hold(found.record.id).waiting
    assert one.claim(found.record.id, act(), waiter=found.waiter).run
    assert not other.hold(found.record.id).waiting


def test_who_is_merely_silent_may_still_wait(db: Path) -> None:
    """That a process says nothing for a while does not prove that its caller is gone; the hold stays."""
    text = POLICY.replace("expires_in: 1h,", "expires_in: 1h, on_caller_gone: cancel,")
    one, other = service(db, text=text), service(db, text=None)
    hold = one.submit(act()).record.id
    assert isinstance(other.clock, FakeClock)
    for _ in range(15):
        other.clock.advance(timedelta(seconds=2))
        other.heartbeat()
    assert one.action(hold).state == State.PENDING
    with other.store.reader() as reader:
        assert len(reader.all("SELECT n FROM waiters")) == 1
    one.close()
    other.close()


@pytest.mark.parametrize("proven", [False, True], ids=["silent", "dead"])
def test_a_call_made_again_goes_on_with_a_hold_that_nobody_live_waits_for(
    pair: tuple[Service, Service], proven: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a live waiter it is a call of its own; one that is silent, or surely dead, counts no more."""
    one, other = pair
    hold = one.submit(act()).record.id
    assert other.submit(act(), wait=False).record.id != hold
    second = [each.id for each in other.holds() if each.id != hold]
    other.cancel(second[0], by="cli:ops", reason="Not that one.")
    assert isinstance(other.clock, FakeClock)
    if proven:
        monkeypatch.setattr("gate.verbs.waiting._is_dead", lambda identity: True)
    else:
        other.clock.advance(SILENCE)
    assert other.submit(act(), wait=False).record.id == hold


def test_only_a_process_that_was_there_all_the_time_judges_silence(pair: tuple[Service, Service]) -> None:
    """Who has just woken up doubts nothing; ten heartbeats of its own later it does, and says why."""
    one, other = pair
    running = one.submit(act(amount=5, to="bob")).record.id
    assert isinstance(other.clock, FakeClock)
    other.clock.advance(60)
    other.heartbeat()
    assert other.action(running).state == State.RUNNING
    for _ in range(10):
        other.clock.advance(HEARTBEAT)
        other.heartbeat()
    record = other.action(running)
    assert (record.state, "it may still be running" in record.reason) == (State.IN_DOUBT, True)
