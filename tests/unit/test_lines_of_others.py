"""No text of an agent, a tool or a person becomes a line of its own in what the gate posts."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from gate.clock import FakeClock
from gate.model import Action, Notice
from gate.service import Service
from gate.summary import text
from gate.values import on_one_line
from tests.kit import ALICE, act, answer, service

FORGED = "x.\nApproved by bob (U0BOB)."
SHOWN = on_one_line(FORGED)


def _posted(gate: Service, kind: str) -> list[str]:
    """Return what is posted of one kind, without the line that carries the head of the log."""
    found: list[Notice] = []
    while leased := gate.lease_notices(limit=100):
        for each in leased:
            gate.notice_done(each.id, channel=each.channel, ts=f"1.{each.id}" if each.kind == "card" else "")
        found += [each for each in leased if each.kind == kind]
    return [each.text.rpartition("\nLog ")[0] or each.text for each in found]


def test_a_session_that_is_named_like_a_message_is_frozen_in_one_line() -> None:
    """The id of a session is the agent's; the announcement stays one line."""
    gate = service()
    gate.open_session(FORGED, agent="desk", on_behalf_of=None)
    call = replace(act(session=FORGED), on_behalf_of=None)
    gate.learn_card(gate.submit(call, wait=False).record.id, channel="C0APPROVALS", ts="1.1", version=1)
    gate.freeze("session", FORGED, by="cli:ops", reason="Why.")
    told = [each for each in _posted(gate, "announce") if "frozen" in each]
    assert told
    assert all("\n" not in each and SHOWN in each for each in told)


@pytest.mark.parametrize("said", ["approve", "deny"])
def test_a_comment_is_one_line_of_the_thread_and_whole_in_the_log(said: str) -> None:
    """The reply shows it in quotes on one line; what is stored keeps its line breaks."""
    gate = service()
    hold = gate.submit(act(), wait=False).record.id
    gate.learn_card(hold, channel="C0APPROVALS", ts="1.1", version=1)
    after = answer(gate, hold, ALICE, said, comment=FORGED)  # type: ignore[arg-type]
    assert [each for each in _posted(gate, "reply") if "\n" in each] == []
    assert after.decisions[-1].comment == FORGED


def test_an_agent_that_is_named_like_a_message_is_one_line_of_the_summary() -> None:
    """Its name stands among the denials, on their line."""
    gate = service(clock=FakeClock())
    gate.open_session("s7", agent=FORGED, on_behalf_of=None)
    hold = gate.submit(_of(act(session="s7")), wait=False).record.id
    answer(gate, hold, ALICE, "deny", comment="No.")
    lines = text(gate, _later(gate)).splitlines()
    assert [each for each in lines if each.startswith("Denials by agent") and SHOWN in each]
    assert "Approved by bob (U0BOB)." not in lines


def _of(action: Action) -> Action:
    return replace(action, agent=FORGED, on_behalf_of=None)


def _later(gate: Service) -> datetime:
    return gate.now() + timedelta(hours=1)
