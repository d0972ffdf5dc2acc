"""What somebody learns by typing names and ids of what they may not see: nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.references import code_of
from gate.model import HoldRecord
from tests.bot.bot_fixtures import CHANNEL, Office, eventually, office, office_of

__all__ = ["office", "office_of"]

TWO_TEAMS = """
version: 1
name: teams
default: require_approval
approvals: {channel: C0APPROVALS, approvers: [U0ALICE], expires_in: 1h}
rules:
  - {id: pay, match: "payments.*", then: require_approval, reason: Money.}
  - {id: ops, match: "ops.*", then: require_approval, channel: C0OPS, approvers: [U0BOB], reason: A server.}
"""


def apart(office: Office) -> HoldRecord:
    """Leave a hold that Carol may not see, and the channel that she types in."""
    office.open()
    record = office.hold()
    office.card(record)
    office.control.set_channel(CHANNEL, members=["U0ALICE", "U0BOB", "U0GATEBOT"])
    office.control.set_channel("C0OTHER", name="other", members=["U0CAROL", "U0GATEBOT"])
    return record


def told(office: Office, user: str, channel: str, text: str) -> str:
    """Type a command and return the whole answer."""
    before = len(office.control.ephemerals(user))
    office.control.slash(user, channel, text)
    eventually(lambda: len(office.control.ephemerals(user)) > before)
    return str(office.control.ephemerals(user)[-1]["blocks"][0]["text"]["text"])


@pytest.mark.parametrize("typed", ["show {id}", "approve {id} {code}", "approve {id} 0000", "deny {id} No"])
def test_an_unseen_hold_is_answered_like_none(office: Office, typed: str) -> None:
    """Whoever may not see a hold reads the same words as for an id that nothing has, whatever the code."""
    record = apart(office)
    none = "0" * len(record.id)
    answers = {
        told(office, "U0CAROL", "C0OTHER", "/gate " + typed.format(id=each, code=code_of(record))).replace(
            each, "ID"
        )
        for each in (record.id, none)
    }
    assert len(answers) == 1
    assert "No hold that you may see" in answers.pop()
    assert office.agent.hold(record.id).decisions == ()


def test_the_person_is_judged_before_the_code(office: Office) -> None:
    """Somebody who sees a hold and may not answer it does not learn whether a code is its code."""
    office.open()
    record = office.hold()
    office.card(record)
    wrong = f"{(int(code_of(record)) + 1) % 10_000:04d}"
    answers = {
        told(office, "U0CAROL", CHANNEL, f"/gate approve {record.id} {code}")
        for code in (wrong, code_of(record))
    }
    assert len(answers) == 1
    assert "not among the approvers" in answers.pop()
    refused = [each.body for each in office.agent.records(action=record.id) if each.body["kind"] == "refused"]
    assert [each["code"] for each in refused] == ["not_eligible"] * 2


def test_names_like_a_mistyped_one_are_those_that_they_see(office_of: Callable[[str], Office]) -> None:
    """An approver who mistypes a name is told names like it of holds that they may see, and no others."""
    office = office_of(TWO_TEAMS)
    office.control.set_channel("C0OPS", name="ops", members=["U0BOB", "U0GATEBOT"])
    office.open()
    office.hold(session="billing-7")
    office.hold("ops.restart", session="billing-8", host="a")
    office.control.set_channel(CHANNEL, members=["U0ALICE", "U0BOB", "U0GATEBOT"])
    said = told(office, "U0ALICE", CHANNEL, "/gate freeze session billing-9")
    assert "ever seen here (did you mean billing-7?)" in said
    assert "billing-8" not in said
    assert "(did you mean billing-8 or billing-7?)" in told(
        office, "U0BOB", "C0OPS", "/gate freeze session billing-6 why"
    ).replace("billing-7 or billing-8", "billing-8 or billing-7")


def test_a_lookup_that_never_works_tells_nobody_of_a_hold(office_of: Callable[[str], Office]) -> None:
    """Who may not see a hold that names a group that is gone reads the words for none, not the group."""
    office = office_of(TWO_TEAMS.replace("[U0ALICE]", "[U0ALICE, S0GONE]"))
    record = apart(office)
    for typed in ("show", "deny"):
        said = told(office, "U0CAROL", "C0OTHER", f"/gate {typed} {record.id} No")
        assert "No hold that you may see" in said
        assert "S0GONE" not in said
