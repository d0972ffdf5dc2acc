"""The invariants of the harness find what they are there to find."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tests.faults.invariants import Asked, Evidence, Rules, broken

RULES = Rules({"desk/large": Asked(frozenset({"U0ALICE", "U0BOB"}), 2), "desk/money": Asked(frozenset())})


def _at(minute: int) -> str:
    return f"2026-01-01T09:{minute:02d}:00+00:00"


def _record(kind: str, minute: int, end: str, **more: Any) -> dict[str, Any]:
    return {
        "kind": kind,
        "at": _at(minute),
        "action": "a1",
        "actor": "agent:desk",
        "move": {"to": end},
    } | more


SUBMIT = _record("submit", 0, "pending", rules=["desk/large"], input={"amount": 50}, digest="d1")
ALICE = _record("approve", 1, "pending", actor="T0LOCAL/U0ALICE", version=1)
BOB = _record("approve", 2, "approved", actor="T0LOCAL/U0BOB", version=1)
CLAIM = _record("claim", 3, "running", version=1, digest="d1")
EDIT = _record("edit", 2, "pending", rules=["desk/large"], input={"amount": 51}, digest="d2", version=2)
SETTLE = _record("settle", 4, "succeeded", code="ran")
CARD = {
    "ts": "1.1", "text": "Succeeded: Pay", "blocks": [], "deleted": False,
    "metadata": {"event_payload": {"hold": "a1", "version": 1}},
}  # fmt: skip


def _evidence(*records: Any, **more: Any) -> Evidence:
    """Return a run that went well, but for what is given."""
    found = list(records) or [SUBMIT, ALICE, BOB, CLAIM, SETTLE]
    made = Evidence(
        RULES, found, {"a1": "succeeded"}, [{"action": "a1", "amount": 50}],
        [{"action": "a1", "code": "ran"}], [CARD], by_action={"a1": found},
    )  # fmt: skip
    return replace(made, **more)


def test_a_run_that_went_well_breaks_nothing() -> None:
    """Nothing is found where all is well."""
    assert broken(_evidence()) == []


@pytest.mark.parametrize(
    ("evidence", "problem"),
    [
        (_evidence(broken_chain=3), "the chain breaks"),
        (_evidence(effects=[{"action": "a1"}] * 2), "2 side effects"),
        (_evidence(effects=[{"action": "a2"}]), "without a claim"),
        (_evidence(effects=[{"action": "a1", "amount": 51}]), "other arguments"),
        (_evidence(SUBMIT, ALICE, BOB, CLAIM, CLAIM, SETTLE), "started more than once"),
        (_evidence(SUBMIT, ALICE, CLAIM, SETTLE), "with 1 of 2"),
        (_evidence(SUBMIT, ALICE, ALICE, CLAIM, SETTLE), "with 1 of 2"),
        (_evidence(SUBMIT, ALICE, BOB | {"actor": "T0LOCAL/U0MALLORY"}, CLAIM, SETTLE), "with 1 of 2"),
        (_evidence(ALICE, BOB, SUBMIT, CLAIM, SETTLE), "with 0 of 2"),
        (_evidence(SUBMIT, ALICE, BOB | {"at": "2026-01-01T10:00:00+00:00"}, CLAIM, SETTLE), "with 1 of 2"),
        (_evidence(SUBMIT, ALICE, BOB, CLAIM | {"at": _at(32)}, SETTLE), "claimed too late"),
        (_evidence(SUBMIT, ALICE, BOB, _record("deny", 2, "denied"), CLAIM, SETTLE), "was denied and ran"),
        (_evidence(SUBMIT, ALICE, BOB, CLAIM | {"digest": "d2"}, SETTLE), "as another call"),
        (_evidence(SUBMIT, ALICE, BOB, CLAIM | {"version": 2}, SETTLE), "as another call"),
        (_evidence(SUBMIT, EDIT, ALICE, BOB, CLAIM, SETTLE), "as another call"),
        (_evidence(SUBMIT, ALICE, BOB, EDIT, CLAIM | {"version": 2, "digest": "d2"}, SETTLE), "with 0 of 2"),
        (_evidence(told=[{"action": "a1", "code": "denied"}]), "was told denied"),
        (_evidence(told=[{"action": "a9", "code": "ran"}]), "does not know"),
        (_evidence(states={"a1": "running"}), "stays running"),
        (_evidence(states={"a1": "failed"}), "the log says succeeded"),
        (_evidence(messages=[CARD | {"text": "Approval needed: Pay"}]), "says 'Approval needed"),
        (_evidence(messages=[CARD | {"blocks": [{"action_id": "gate:approve"}]}]), "still has"),
        (_evidence(rules=replace(RULES, budget="desk/money", limit=Decimal(49))), "nobody was asked"),
    ],
)
def test_each_broken_promise_is_found(evidence: Evidence, problem: str) -> None:
    """Each kind of harm is told in words."""
    assert any(problem in each for each in broken(evidence)), broken(evidence)
