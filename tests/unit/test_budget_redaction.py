"""A budget per a value stays the same budget where a policy begins, or ends, to hide that value."""

from __future__ import annotations

import pytest

from gate.model import Action
from gate.policy.policyset import PolicySet
from gate.service import Service
from tests.kit import policy

POLICY = """
version: 1
name: desk
default: allow
approvals: {channel: C0APPROVALS, approvers: [U0ALICE]}
actions:
  desk.send: {risk: write, redact: [REDACT]}
budgets:
  - {id: each, match: desk.send, limit: 2, per: args.to, window: 24h}
"""
SHOWN, HIDDEN = (policy(POLICY.replace("REDACT", each)) for each in ("", "args.to"))


def _send(gate: Service, to: str, number: int) -> str:
    action = Action("desk.send", {"to": to, "number": number}, "desk", "s")
    return gate.submit(action, wait=False).kind


@pytest.mark.parametrize(("before", "after"), [(SHOWN, HIDDEN), (HIDDEN, SHOWN)], ids=["hidden", "shown"])
def test_what_ran_counts_on_where_redaction_changes(before: PolicySet, after: PolicySet) -> None:
    """Nobody gets a fresh budget of it, others keep theirs, and going back changes nothing either."""
    gate = Service(":memory:", policy=before)
    gate.open_session("s", agent="desk", on_behalf_of=None)
    assert _send(gate, "carol", 1) == "run"
    gate.apply(after, by="cli:x")
    assert [_send(gate, "carol", 2), _send(gate, "carol", 3)] == ["run", "held"]
    assert _send(gate, "bob", 4) == "run"
    gate.apply(before, by="cli:x")
    assert _send(gate, "carol", 5) == "held"
    assert [_send(gate, "bob", 6), _send(gate, "bob", 7)] == ["run", "held"]
    gate.close()


def test_nothing_that_is_hidden_is_stored_for_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The other name of a hidden value's budget is looked for, and written nowhere."""
    db = tmp_path_factory.mktemp("hidden") / "gate.db"
    gate = Service(db, policy=HIDDEN)
    gate.open_session("s", agent="desk", on_behalf_of=None)
    assert [_send(gate, "zanzibar", number) for number in range(3)] == ["run", "run", "held"]
    gate.close()
    assert b"zanzibar" not in db.read_bytes()
