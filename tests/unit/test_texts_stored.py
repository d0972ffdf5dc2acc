"""Texts that have no UTF-8 form, as JSON may carry them, end in no raw error."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gate.catalogue import Tool
from gate.errors import StoreError
from gate.lifecycle import State
from gate.model import Parameters, Person
from gate.service import Service
from tests.kit import ALICE, ROUTE, act, answer, kinds, service

HALF = "no \ud83d way"


def test_a_comment_and_a_name_with_half_a_pair_are_recorded() -> None:
    """The answer counts, and what cannot be written stands spelt out, in the store and in the log."""
    gate = service()
    hold = gate.submit(act()).record.id
    somebody = Person(ALICE.team, ALICE.user, "al\udc00ce")
    record = answer(gate, hold, somebody, "deny", comment=HALF)
    assert record.state == State.DENIED
    assert [(each.comment, each.person.name) for each in record.decisions] == [
        ("no \\ud83d way", "al\\udc00ce")
    ]
    assert gate.action(hold).decisions[0].comment == "no \\ud83d way"
    assert gate.verify().ok


def _refuse(gate: Service, hold: str) -> None:
    gate.refuse(hold, person=ALICE, code="not_eligible", reason=HALF, route=ROUTE)


def _freeze(gate: Service, hold: str) -> None:
    gate.freeze("everything", by="T0/U0", reason=HALF)


def _unfreeze(gate: Service, hold: str) -> None:
    gate.freeze("everything", by="T0/U0", reason="stop")
    gate.unfreeze("everything", by="T0/U0", reason=HALF)


def _cancel(gate: Service, hold: str) -> None:
    gate.cancel(hold, by="T0/U0", reason=HALF)


def _undeliver(gate: Service, hold: str) -> None:
    gate.undeliver(hold, code="nobody_can_approve", reason=HALF)


def _fail(gate: Service, hold: str) -> None:
    for notice in gate.lease_notices(limit=10):
        gate.notice_retry(notice, after=gate.clock.now() - gate.clock.now(), error=HALF)
        gate.notice_failed(notice, error=HALF)


@pytest.mark.parametrize("verb", [_refuse, _freeze, _unfreeze, _cancel, _undeliver, _fail])
def test_every_reason_of_somebody_is_recorded(verb: Callable[[Service, str], None]) -> None:
    """Whatever people or Slack say, the verb does its work and the log can be written and read."""
    gate = service()
    hold = gate.submit(act()).record.id
    before = len(kinds(gate))
    verb(gate, hold)
    assert len(kinds(gate)) > before
    assert gate.verify().ok


@pytest.mark.parametrize("where", ["nonce", "hold", "user"])
def test_an_id_with_half_a_pair_is_a_clear_fault(where: str) -> None:
    """An id that no store can have is refused in words, and nothing is recorded of it."""
    gate = service()
    record = gate.hold(gate.submit(act()).record.id)
    person = Person(ALICE.team, HALF) if where == "user" else ALICE
    hold = HALF if where == "hold" else record.id
    nonce = HALF if where == "nonce" else record.nonce
    with pytest.raises(StoreError, match="half a surrogate pair"):
        gate.decide(
            hold, store=record.store, nonce=nonce, person=person, satisfies=frozenset({"U0ALICE"}),
            said="deny", route=ROUTE,
        )  # fmt: skip
    assert gate.action(record.id).state == State.PENDING


def test_a_tool_that_is_described_with_half_a_pair_is_listed() -> None:
    """What code says of a tool stands spelt out in the catalogue, docstring and schema alike."""
    gate = service()
    schema = {"properties": {"note": {"type": "string", "description": HALF}}}
    gate.register_tool(Tool("desk.note", None, Parameters(frozenset({"note"})), schema, HALF))
    (tool,) = gate.tools()
    assert tool.doc == tool.schema["properties"]["note"]["description"] == "no \\ud83d way"
