"""Scripted answers take the real road without Slack; the bypass is for tests only."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate import Blocked, Denied, Expired, Gate, Pending, Ran, Undelivered
from gate.errors import GuardError, StoreError
from gate.lifecycle import State
from gate.testing import Answer, approve, bypass, deny, expire, nobody, scripted
from tests.gate_kit import gate_on
from tests.kit import POLICY


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    """Return a gate that is not open."""
    return gate_on(tmp_path)


@pytest.fixture
def pay(gate: Gate) -> Callable[..., str]:
    """Return a guarded tool."""

    @gate.guard("desk.pay")
    def pay(amount: int) -> str:
        return f"paid {amount}"

    return pay


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (deny("no claim"), Denied, "no claim"),
        (expire(), Expired, "nobody answered in time"),
        (nobody(), Undelivered, "nobody"),
    ],
)
def test_every_answer_has_its_outcome(
    gate: Gate, pay: Callable[..., str], answer: Answer, kind: type[Exception], said: str
) -> None:
    """A held call ends as the script says, without waiting in real time."""
    with scripted(gate, {"desk.pay": answer}), pytest.raises(kind, match=said):
        pay(50)


def test_approvals_satisfy_the_real_policy(gate: Gate) -> None:
    """As many different people approve as the rule asks for, also where everybody must open the view."""

    @gate.guard("desk.fire")
    def fire(password: str) -> str:
        return "fired"

    with scripted(gate, {"desk.*": approve("fine")}) as script:
        ran = gate.outcome(fire, "hunter2")
    assert isinstance(ran, Ran)
    assert [each.comment for each in ran.decisions] == ["fine", "fine"]
    assert [hold.state for hold in script.answered] == [State.APPROVED]


def test_a_held_call_without_an_answer_fails_by_name(gate: Gate, pay: Callable[..., str]) -> None:
    """The test fails with the tool's name, even where the agent swallows every exception."""
    with pytest.raises(AssertionError, match=r"desk\.pay"), scripted(gate, {"desk.fire": approve()}):
        with pytest.raises(AssertionError, match="answers="):
            pay(50)
        assert pay(5) == "paid 5"


def test_an_answer_may_depend_on_the_hold(gate: Gate, pay: Callable[..., str]) -> None:
    """A function of the hold gives its answer."""

    def by_amount(hold: Any) -> Answer:
        return approve() if hold.arguments["amount"] < 100 else deny()

    with scripted(gate, {"desk.pay": by_amount}):
        assert pay(50) == "paid 50"
        with pytest.raises(Denied):
            pay(500)


def test_coroutines_are_scripted_too(gate: Gate) -> None:
    """An async tool takes the same road."""

    @gate.guard("desk.pay")
    async def pay(amount: int) -> int:
        return amount

    with scripted(gate, {"desk.pay": approve()}):
        assert asyncio.run(pay(50)) == 50  # type: ignore[arg-type]


def test_nobody_is_missed_in_a_script(
    gate: Gate, pay: Callable[..., str], caplog: pytest.LogCaptureFixture
) -> None:
    """The script answers, so nothing is logged about a bot that is not there."""
    with scripted(gate, {"desk.pay": approve()}):
        assert pay(50) == "paid 50"
    assert caplog.records == []


def test_a_polling_agent_finds_its_answer(gate: Gate, pay: Callable[..., str]) -> None:
    """With wait=0 the first call is pending, the second goes on."""
    with scripted(gate, {"desk.pay": approve()}):
        with gate.call(wait=0), pytest.raises(Pending):
            pay(50)
        with gate.call(wait=0):
            assert pay(50) == "paid 50"


def test_the_script_leaves_the_gate_as_it_was(
    gate: Gate, pay: Callable[..., str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing of a script reaches the gate's own store, which is open again afterwards; it is told of."""
    with gate:
        pay(5)
        with scripted(gate, {}):
            pay(6)
            assert gate.service.path is None
            assert "not people" in caplog.text
        assert gate.service.path == tmp_path / "store" / "gate.db"
        records = [record.body for record in gate.service.records() if record.body["kind"] == "submit"]
        assert [record["input"] for record in records] == [{"amount": 5}]


def test_a_store_of_a_real_gate_is_refused(gate: Gate, tmp_path: Path) -> None:
    """Scripted answers never touch a store that a real gate made."""
    with gate:
        pass
    with pytest.raises(StoreError), scripted(gate, {}, db=tmp_path / "store" / "gate.db"):
        raise AssertionError("the block must not begin")


def test_a_gate_without_a_policy_says_so(tmp_path: Path) -> None:
    """A gate that takes the store's policy needs one for its script."""
    gate = Gate(db=tmp_path / "gate.db", agent="desk")
    with pytest.raises(GuardError, match="policy="), scripted(gate, {}):
        raise AssertionError("the block must not begin")
    path = tmp_path / "desk.yml"
    path.write_text(POLICY, "utf-8")
    with scripted(gate, {}, policy=path) as script:
        assert script.unanswered == []


def test_the_bypass_runs_tools_unjudged(gate: Gate, pay: Callable[..., str], tmp_path: Path) -> None:
    """In a bypass even a blocked call runs, nothing is opened, and it ends with its block."""
    with bypass(gate):
        assert pay(5000) == "paid 5000"
        ran = gate.outcome(pay, 5000)
        assert isinstance(ran, Ran)
        assert ran.result == "paid 5000"
    assert not (tmp_path / "store").exists()
    with scripted(gate, {}), pytest.raises(Exception, match="blocked"):
        pay(5000)


def test_a_bypass_ends_with_the_outermost_block(gate: Gate, pay: Callable[..., str], tmp_path: Path) -> None:
    """A block inside another, as of a test in that of its fixture, leaves the gate bypassed."""
    with bypass(gate):
        with bypass(gate):
            assert pay(5000) == "paid 5000"
        assert pay(5000) == "paid 5000"
    assert not (tmp_path / "store").exists()
    with gate, pytest.raises(Blocked):
        pay(5000)


def test_an_open_gate_cannot_be_bypassed(gate: Gate) -> None:
    """A gate that stands on a store is never switched off."""
    with gate, pytest.raises(GuardError, match="bypass"), bypass(gate):
        raise AssertionError("the block must not begin")


def test_a_bypassed_gate_stands_on_no_store(gate: Gate, pay: Callable[..., str], tmp_path: Path) -> None:
    """Nothing opens it meanwhile, so it is never switched off on a store; sessions are nobody's record."""
    with bypass(gate):
        with gate.session("s1", on_behalf_of=None, evidence=["It was late."]) as session:
            assert pay(5000) == "paid 5000"
            session.add_evidence("It was very late.")
            assert session.end() == 0
        for opens in (gate.open, lambda: gate.preview(pay, 5), lambda: gate.service):
            with pytest.raises(GuardError, match="bypassed"):
                opens()
    assert not (tmp_path / "store").exists()
    with gate:
        assert gate.service.path is not None


def test_a_tool_is_its_own_gates(gate: Gate, pay: Callable[..., str], tmp_path: Path) -> None:
    """A tool that another gate is asked about is judged by its own, in its own session, bypassed or not."""
    other = Gate(db=":memory:", agent="shop")
    with gate, bypass(other):
        assert gate.preview(pay, 5).answer == other.preview(pay, 5).answer == "allow"
        assert asyncio.run(other.preview_async(pay, 5000)).answer == "block"
        assert isinstance(other.outcome(pay, 5000), Blocked)
