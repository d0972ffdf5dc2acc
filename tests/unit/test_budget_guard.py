"""Budgets seen from a guarded tool, a scripted test and the command line."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from gate.cli.root import cli
from gate.lifecycle import State
from gate.testing import approve, scripted
from tests.gate_kit import gate_on
from tests.kit import ALICE, POLICY, act, answer, service

MONEY = "{id: money, match: desk.pay, sum: effect.amount, limit: {EUR: 60}, per: agent, window: 24h}"
BUDGET = f"{POLICY}budgets:\n  - {MONEY}\n"


def test_a_guarded_call_that_waits_again_runs_after_the_second_approval(tmp_path: Path) -> None:
    """The caller keeps waiting, and a scripted test answers the second question like the first."""
    gate = gate_on(tmp_path, text=BUDGET)
    ran: list[int] = []

    @gate.guard("desk.pay")
    def pay(amount: int, to: str = "bob") -> str:
        ran.append(amount)
        return f"{amount} to {to}"

    def use_up(hold: object) -> object:
        if not ran:
            assert pay(10, "carol")
            assert pay(9, "dave")
        return approve()

    with scripted(gate, {"desk.pay": use_up}) as script:  # type: ignore[dict-item]
        assert pay(50) == "50 to bob"
        moves = [
            body["move"] for body in (r.body for r in script.service.records()) if body["kind"] == "claim"
        ]
    assert ran == [10, 9, 50]
    assert [move["to"] for move in moves] == ["pending", "running"]
    assert [sorted(hold.state for hold in script.answered)] == [[State.APPROVED, State.APPROVED]]


def test_the_command_line_shows_the_numbers_and_tells_the_story(tmp_path: Path) -> None:
    """``holds show`` has numbers and calls; ``audit why`` says that another approval was asked for."""
    db = tmp_path / "gate.db"
    gate = service(db, text=BUDGET)
    hold = gate.submit(act(amount=50, to="bob"), wait=False).record.id
    answer(gate, hold, ALICE)
    for to in ("x", "y"):
        gate.submit(act(amount=9, to=to), wait=False)
    gate.claim(hold, act(amount=50, to="bob"))
    gate.close()
    run = CliRunner()
    shown = " ".join(run.invoke(cli, ["holds", "show", hold, "--db", str(db)]).output.split())
    assert "allows 60 EUR in 1d by this agent: 18 EUR used, this call adds 50 EUR" in shown
    assert "used by Pay 9 to y (9 EUR)" in shown
    told = json.loads(run.invoke(cli, ["holds", "show", hold, "--db", str(db), "--json"]).output)
    assert told["rulings"][-1]["budget"]["charged"] == {"EUR": "18"}
    story = " ".join(run.invoke(cli, ["audit", "why", hold, "--db", str(db)]).output.split())
    assert "It was approved, but did not start, because desk/money asks for another approval" in story
