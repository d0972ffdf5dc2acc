"""Claims of another call than the one that was approved: nothing runs, and the log tells of each once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gate import Gate
from gate.errors import ActionError, Fault, IllegalMove
from gate.handles import Allowed, Held
from gate.lifecycle import State
from gate.model import Action
from tests.gate_kit import gate_on
from tests.kit import answer, post


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """Return an open gate with a session ``s1``."""
    with gate_on(tmp_path) as made:
        made.session("s1", on_behalf_of=None)
        yield made


def act(amount: Any, memo: Any = "a") -> Action:
    """Return a payment in the session."""
    return Action("desk.pay", {"amount": amount, "memo": memo}, "desk", "s1")


def refused(gate: Gate, submitted: Allowed | Held, error: type[Fault]) -> dict[str, Any]:
    """Claim in vain, and return the one record of it."""
    with pytest.raises(error), gate.claim(submitted):
        raise AssertionError("the block must not begin")
    records = [each.body for each in gate.service.records() if each.body["kind"] == "refused"]
    assert len(records) == 1
    return dict(records[0])


@pytest.mark.parametrize(
    ("memo", "error", "code"),
    [("4711-other", IllegalMove, "changed"), (float("nan"), ActionError, "action_error")],
    ids=["another", "unreadable"],
)
@pytest.mark.parametrize("amount", [5, 500], ids=["allowed", "approved"])
def test_a_claim_of_another_call_is_recorded(
    gate: Gate, amount: int, memo: Any, error: type[Fault], code: str
) -> None:
    """The log has which action was claimed, for which agent, session and in which process; no arguments."""
    arguments = {"amount": amount, "memo": "a"}
    submitted = gate.submit(Action("desk.pay", arguments, "desk", "s1"))
    assert isinstance(submitted, Allowed | Held)
    if isinstance(submitted, Held):
        post(gate.service)
        answer(gate.service, submitted.action_id)
    submitted.action.arguments["memo"] = memo  # type: ignore[index]
    record = refused(gate, submitted, error)
    told = [record[key] for key in ("action", "actor", "session", "name", "code")]
    assert told == [submitted.action_id, "agent:desk", "s1", "desk.pay", code]
    assert record["labels"]["process"]
    assert "4711-other" not in str(record)
    state = State.APPROVED if isinstance(submitted, Held) else State.RUNNING
    assert gate.service.action(submitted.action_id).state is state


def test_a_second_claim_is_recorded(gate: Gate) -> None:
    """A claim of what has begun already is refused and told."""
    submitted = gate.submit(act(5))
    assert isinstance(submitted, Allowed)
    with gate.claim(submitted):
        pass
    assert refused(gate, submitted, IllegalMove)["action"] == submitted.action_id
