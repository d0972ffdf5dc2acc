"""A call belongs to the agent and to the person that its session was opened with."""

from __future__ import annotations

import pytest

from gate.errors import NoSession
from gate.model import Action, Principal
from gate.service import Service
from tests.kit import service

ALICE = Principal("person", "U0ALICE")


def call(gate: Service, agent: str, on_behalf_of: Principal | None) -> str:
    """Return why a call is refused in a session of the agent ``desk`` on behalf of Alice."""
    gate.open_session("own", agent="desk", on_behalf_of=ALICE)
    with pytest.raises(NoSession) as caught:
        gate.submit(Action("desk.pay", {}, agent, "own", on_behalf_of))
    gate.close()
    return str(caught.value)


def test_another_person_is_named_with_the_one_it_was_opened_for() -> None:
    """Who gives a wrong on_behalf_of reads both, and what to give."""
    said = call(service(":memory:"), "desk", None)
    assert "was opened on behalf of person:U0ALICE, and the call says nobody" in said
    assert "nothing ran" in said
    assert "Give the same on_behalf_of" in said


def test_another_agent_is_named_with_the_sessions_own() -> None:
    """Who uses another agent's session reads whose it is."""
    said = call(service(":memory:"), "other", ALICE)
    assert "belongs to the agent 'desk', and the call is of 'other'; nothing ran" in said
