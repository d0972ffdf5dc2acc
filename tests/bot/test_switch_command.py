"""``/gate freeze``, ``unfreeze`` and ``budgets``: who may, what is said, and what the store then has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.local_workspace import LocalWorkspace
from gate.lifecycle import State
from gate.model import Action, Parameters
from tests.bot.bot_fixtures import CHANNEL, NOBODY, Office, eventually, office_of, spell

__all__ = ["office_of"]

POLICY = """
version: 1
name: refunds
default: allow
operators: [U0BOB]
approvals: {channel: C0APPROVALS, approvers: [S0FINANCE], expires_in: 1h}
rules:
  - {id: refund, match: payments.issue_refund, then: require_approval, reason: A refund.}
budgets:
  - {id: mails, match: "mail.*", limit: 4, per: agent, window: 1h, then: require_approval}
"""


def typed(office: Office, user: str, command: str, piece: str) -> str:
    """Type a command and return the answer that only this person sees."""
    office.control.slash(user, CHANNEL, command)
    return spell(office.whispered(user, piece))


def mail(office: Office) -> None:
    """Let the agent send a mail."""
    action = Action(
        "mail.send", {"to": "a"}, "support", "s1", NOBODY, parameters=Parameters(frozenset({"to"}))
    )
    office.agent.open_session("s1", agent="support", on_behalf_of=NOBODY)
    assert office.agent.submit(action).kind == "run"


def test_an_approver_freezes_and_an_operator_lifts(office_of: Callable[[str], Office]) -> None:
    """Freezing needs an approver, lifting an operator with a reason; the log has both with the person."""
    office = office_of(POLICY)
    office.open()
    typed(office, "U0CAROL", "/gate freeze", "not among the approvers")
    assert office.agent.freezes() == []
    office.agent.open_session("s1", agent="support", on_behalf_of=NOBODY)
    typed(office, "U0ALICE", "/gate freeze session s1 it repeats itself", "The session s1 is frozen")
    (frozen,) = office.agent.freezes()
    assert (frozen.scope, frozen.id, frozen.reason) == ("session", "s1", "it repeats itself")
    assert "it repeats itself" in typed(office, "U0ALICE", "/gate holds", "Frozen")
    typed(office, "U0ALICE", "/gate unfreeze session s1 fixed", "operators")
    assert office.agent.freezes() == [frozen]
    typed(office, "U0BOB", "/gate unfreeze session s1 fixed", "is lifted")
    assert office.agent.freezes() == []
    told = [each.body for each in office.agent.records() if each.body["kind"] in ("freeze", "unfreeze")]
    assert [each["actor"] for each in told] == ["T0LOCAL/U0ALICE", "T0LOCAL/U0BOB"]
    refused = [each.body for each in office.agent.records() if each.body["kind"] == "refused"]
    assert [
        (each["actor"], each["verb"], each["scope"], each.get("id"), each["code"]) for each in refused
    ] == [
        ("T0LOCAL/U0CAROL", "freeze", "everything", None, "not_eligible"),
        ("T0LOCAL/U0ALICE", "unfreeze", "session", "s1", "not_eligible"),
    ]
    assert [each["route"]["via"] for each in refused] == ["command", "command"]


def test_a_freeze_of_a_name_that_was_never_seen(office_of: Callable[[str], Office]) -> None:
    """It is made, and whoever typed it reads first that it was never seen, and what is like it."""
    office = office_of(POLICY)
    office.open()
    office.hold()
    told = typed(office, "U0ALICE", "/gate freeze agent suport it repeats itself", "is frozen")
    assert "No agent named suport was ever seen here (did you mean support?)" in told
    assert told.index("ever seen") < told.index("is frozen")
    assert [each.id for each in office.agent.freezes()] == ["suport"]
    assert "ever seen" not in typed(
        office, "U0ALICE", "/gate freeze agent support", "agent support is frozen"
    )


def test_budgets_are_shown_to_those_who_answer_for_them(office_of: Callable[[str], Office]) -> None:
    """How far a budget is used is told to its approvers, and to nobody else."""
    office = office_of(POLICY)
    office.open()
    for _ in range(3):
        mail(office)
    told = typed(office, "U0ALICE", "/gate budgets", "refunds/mails")
    assert "refunds/mails for support: 75%, 3 calls of 4 calls in 1h; then people are asked." in told
    assert "refunds/mails" not in typed(office, "U0CAROL", "/gate budgets", "No budget")


def test_the_home_tab_keeps_up(office_of: Callable[[str], Office]) -> None:
    """Once opened, it shows each new hold, answer and freeze by itself; approving there needs no window."""
    office = office_of(POLICY)
    office.open()
    office.control.open_home("U0ALICE")

    def says(piece: str) -> str:
        def found() -> str | None:
            said = spell(office.control.home("U0ALICE"))
            return said if piece in said else None

        return eventually(found)

    says("Nothing waits for you.")
    record = office.hold()
    says(f"hold {record.id[:8]}")
    view = office.control.home("U0ALICE")
    office.control.click_view("U0ALICE", view["id"], "gate:approve")
    office.until(record, State.APPROVED)
    assert "Decided by you" in says("Stop…")
    assert office.control.views("U0ALICE") == []
    office.agent.freeze("agent", "billing", by="ops", reason="audit")
    assert "the agent billing" in says("Frozen")


def test_a_home_tab_that_slack_did_not_take_is_drawn_again(
    office_of: Callable[[str], Office], workspace: LocalWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What failed once is there soon after, though nothing changes any more."""
    monkeypatch.setattr("bot.homes.CHARGES", 0.0)
    office = office_of(POLICY)
    office.open()
    office.control.open_home("U0ALICE")
    eventually(lambda: "Nothing waits for you." in spell(office.control.home("U0ALICE")))
    workspace.control.faults.set("views.publish", kind="error", error="service_unavailable")
    record = office.hold()
    eventually(lambda: f"hold {record.id[:8]}" in spell(office.control.home("U0ALICE")))
