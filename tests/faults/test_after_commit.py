"""What was committed stands: nothing that comes after it raises or leaves a wait behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate import Gate, Pending
from gate.errors import StoreError
from gate.lifecycle import State
from tests.gate_kit import gate_on
from tests.kit import ALICE, ROUTE, act, service


def _lost(*_: Any, **__: Any) -> Any:
    raise StoreError("The disk is gone.")


def _odd(*_: Any, **__: Any) -> Any:
    raise ValueError("odd")


def _no_observer(gate: Gate, fault: Callable[..., Any], patch: pytest.MonkeyPatch) -> None:
    gate.service.observers.insert(0, fault)


def _no_bots(gate: Gate, fault: Callable[..., Any], patch: pytest.MonkeyPatch) -> None:
    patch.setattr("gate.verbs.living.alive", fault)


def _no_rearm(gate: Gate, fault: Callable[..., Any], patch: pytest.MonkeyPatch) -> None:
    patch.setattr(gate.service, "next_deadline", fault)


@pytest.mark.parametrize("fault", [_lost, _odd])
@pytest.mark.parametrize("broken", [_no_observer, _no_bots, _no_rearm])
def test_a_hold_that_was_committed_is_returned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: Any, fault: Any
) -> None:
    """Whatever fails after the commit of a hold, its caller gets it and waits for it as for any other."""
    with gate_on(tmp_path) as gate:
        gate.open()

        @gate.guard("desk.pay")
        def pay(amount: int) -> str:
            return "paid"

        with gate.session("s1", on_behalf_of=None), monkeypatch.context() as patch:
            broken(gate, fault, patch)
            gate.call(wait=0.001)
            assert isinstance(gate.outcome(pay, 50), Pending)
            gate.call(wait=0)
            assert isinstance(gate.outcome(pay, 60), Pending)
        if broken is _no_observer:
            gate.service.observers.remove(fault)
        assert [hold.waiting for hold in gate.service.holds()] == [False, False]


def test_a_decision_that_was_committed_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that fails right after a decision does not tell the person that it was not recorded."""
    gate = service()
    hold = gate.hold(gate.submit(act()).record.id)
    monkeypatch.setattr(gate, "hold", _lost)
    gate.observers.append(_odd)
    said = gate.decide(
        hold.id,
        store=hold.store,
        nonce=hold.nonce,
        person=ALICE,
        satisfies=frozenset({ALICE.user}),
        said="approve",
        route=ROUTE,
    )
    assert said == State.APPROVED
