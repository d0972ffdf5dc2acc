"""One human is one approver, whatever a payload calls their workspace and whichever id it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot import names
from gate.lifecycle import State
from gate.model import HoldRecord, Principal
from tests.bot.bot_fixtures import CHANNEL, Office, eventually, office, office_of, spell
from tests.bot.presses import payload, refusals

__all__ = ["office", "office_of"]

TWO = """
version: 1
name: two
default: require_approval
approvals: {channel: C0APPROVALS, approvers: [U0ALICE, U0BOB], quorum: 2}
"""
NAMED_GUEST = """
version: 1
name: guests
default: require_approval
approvals: {channel: C0APPROVALS, approvers: [S0FINANCE, U0CAROL]}
rules:
  - {id: by-guest, match: payments.odd, then: require_approval, approvers: [U0GUEST], reason: A}
  - {id: by-group, match: payments.odd, then: require_approval, approvers: [S0FINANCE], reason: B}
"""


def forged(office: Office, record: HoldRecord, **user: Any) -> None:
    """Press Approve with a payload that describes the person in its own way."""
    made = payload(office, record)
    made["user"] = {key: value for key, value in (made["user"] | user).items() if value is not None}
    office.control.forge(made)


def test_an_id_from_another_workspace_is_somebody_else(office: Office) -> None:
    """A press by U0ALICE of another workspace is not Alice's, though the policy names U0ALICE."""
    office.open()
    record = office.hold()
    forged(office, record, team_id="T0OTHER")
    office.whispered("U0ALICE", "acts from T0OTHER")
    assert refusals(office, record) == ["stranger"]
    assert office.agent.hold(record.id).decisions == ()


def test_a_payload_of_another_workspace_without_a_team_of_the_person_is_not_ours(office: Office) -> None:
    """Where the person's own team is missing, the payload's team stands for it."""
    office.open()
    record = office.hold()
    made = payload(office, record)
    del made["user"]["team_id"]
    made["team"] = {"id": "T0OTHER", "domain": "other"}
    office.control.forge(made)
    office.whispered("U0ALICE", "acts from T0OTHER")
    assert office.agent.hold(record.id).decisions == ()


def test_an_organisation_level_payload_names_no_team(office: Office) -> None:
    """A payload whose team is null is judged by the person's own account."""
    office.open()
    record = office.hold()
    made = payload(office, record)
    made |= {"team": None, "enterprise": {"id": "E0GRID", "name": "grid"}, "is_enterprise_install": True}
    del made["user"]["team_id"]
    office.control.forge(made)
    after = office.until(record, State.APPROVED)
    assert [(each.person.team, each.person.user) for each in after.decisions] == [("T0LOCAL", "U0ALICE")]


def test_one_person_of_another_workspace_is_not_two(office_of: Callable[[str], Office]) -> None:
    """Payloads that call one person's workspace by two names are the answers of one person."""
    office = office_of(TWO.replace("U0ALICE", "U0STRANGE"))
    office.open()
    record = office.hold()
    for team in ("T0OTHER", "T0LOCAL"):
        made = payload(office, record, "U0STRANGE")
        made["user"]["team_id"] = team
        office.control.forge(made)
    office.whispered("U0STRANGE", "approved this already")
    after = office.agent.hold(record.id)
    assert after.state is State.PENDING
    assert [(each.person.team, each.person.user) for each in after.decisions] == [("T0OTHER", "U0STRANGE")]


def test_two_ids_of_one_person_are_not_two_people(office_of: Callable[[str], Office]) -> None:
    """Who is known by a workspace id and an organisation id counts once, under the latter."""
    office = office_of(TWO)
    office.control.set_user("U0ALICE", enterprise_user_id="W0ALICE")
    office.open()
    record = office.hold()
    forged(office, record)
    after = eventually(lambda: office.agent.hold(record.id).decisions)
    assert [each.person.user for each in after] == ["W0ALICE"]
    forged(office, record)
    office.whispered("U0ALICE", "approved this already")


def test_the_person_acted_for_is_known_by_either_id(office: Office) -> None:
    """Who the agent acts for under an organisation id cannot answer under a workspace id."""
    office.control.set_user("U0ALICE", enterprise_user_id="W0ALICE")
    office.open()
    record = office.hold(on_behalf_of=Principal("person", "W0ALICE"))
    forged(office, record)
    office.whispered("U0ALICE", "acts for you")
    assert refusals(office, record) == ["asked_for"]


def test_the_person_acted_for_cannot_answer_through_a_group(office: Office) -> None:
    """Who the agent acts for cannot answer as a member of a group either."""
    office.open()
    record = office.hold(on_behalf_of=Principal("email", "bob@example.com"))
    office.press("U0BOB", record, names.APPROVE)
    office.whispered("U0BOB", "acts for you")
    assert office.agent.hold(record.id).state is State.PENDING


def test_a_guest_named_in_one_rule_counts_only_there(office_of: Callable[[str], Office]) -> None:
    """A guest whom one rule names does not count in another rule through a group they are in."""
    office = office_of(NAMED_GUEST)
    office.control.set_group("S0FINANCE", ["U0ALICE", "U0GUEST"])
    office.open()
    record = office.hold(name="payments.odd")
    office.press("U0GUEST", record, names.APPROVE)
    decisions = eventually(lambda: office.agent.hold(record.id).decisions)
    assert len(decisions) == 1
    assert office.agent.hold(record.id).state is State.PENDING
    office.press("U0ALICE", record, names.APPROVE)
    office.until(record, State.APPROVED)


def test_a_name_like_anothers_does_not_hide_who_answered(office: Office) -> None:
    """A colleague who took another's name is told apart in the thread."""
    office.control.set_user("U0BOB", name="alice", real_name="Alice")
    office.open()
    record = office.hold()
    office.press("U0BOB", record, names.APPROVE)
    office.until(record, State.APPROVED)
    ts = office.card(record)["ts"]
    said = office.control.wait_message(CHANNEL, "Approved by", thread_ts=ts)
    assert "U0BOB" in spell(said)


def test_a_person_who_is_given_another_id_meanwhile_is_not_two(office_of: Callable[[str], Office]) -> None:
    """Who approved under one id, and whose workspace then joins an organisation, has approved already."""
    office = office_of(TWO)
    office.open()
    record = office.hold()
    office.press("U0ALICE", record, names.APPROVE)
    eventually(lambda: office.agent.hold(record.id).decisions)
    office.control.set_user("U0ALICE", enterprise_user_id="W0ALICE", team_id="T0LOCAL")
    forged(office, record)
    office.whispered("U0ALICE", "approved this already")
    after = office.agent.hold(record.id)
    assert (after.state, [each.person.user for each in after.decisions]) == (State.PENDING, ["U0ALICE"])


def test_an_id_that_is_left_out_after_a_restart_makes_no_second_person(
    office_of: Callable[[str], Office],
) -> None:
    """What Slack told one bot of somebody's ids, every bot of the store knows, also the next one."""
    office = office_of(TWO)
    office.control.set_user("U0ALICE", enterprise_user_id="W0ALICE")
    office.open()
    record = office.hold()
    office.press("U0ALICE", record, names.APPROVE)
    eventually(lambda: office.agent.hold(record.id).decisions)
    office.bots[0].stop()
    office.control.set_user("U0ALICE", enterprise_user_id=None)
    office.open()
    forged(office, record)
    office.whispered("U0ALICE", "approved this already")
    after = office.agent.hold(record.id)
    assert (after.state, [each.person.user for each in after.decisions]) == (State.PENDING, ["W0ALICE"])
    assert office.agent.account(frozenset({"U0ALICE"})) == ("W0ALICE", "U0ALICE")


@pytest.mark.parametrize("whom", ["W0ALICE", "U0ALICE"])
def test_who_the_agent_acts_for_is_known_after_a_restart(office: Office, whom: str) -> None:
    """Whom a hold names by one id cannot answer under the other, though Slack leaves it out by now."""
    office.control.set_user("U0ALICE", enterprise_user_id="W0ALICE")
    office.open()
    first = office.hold()
    office.press("U0ALICE", first, names.APPROVE)
    office.until(first, State.APPROVED)
    office.bots[0].stop()
    office.control.set_user("U0ALICE", enterprise_user_id=None)
    office.open()
    record = office.hold(session="s2", on_behalf_of=Principal("person", whom))
    forged(office, record)
    office.whispered("U0ALICE", "acts for you")
    assert refusals(office, record) == ["asked_for"]


def test_the_home_tab_knows_an_answer_under_an_earlier_id(
    office_of: Callable[[str], Office], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What somebody approved before their id changed does not wait for them, and is among their answers."""
    monkeypatch.setattr("bot.directory.KEEP", 0.0)
    office = office_of(TWO)
    office.open()
    record = office.hold()
    office.press("U0ALICE", record, names.APPROVE)
    eventually(lambda: office.agent.hold(record.id).decisions)
    office.control.set_user("U0ALICE", enterprise_user_id="W0ALICE")
    office.control.open_home("U0ALICE")
    tab = spell(office.control.wait_home("U0ALICE", "Waiting for others (1)"))
    assert "Decided by you" in tab
    assert "Nothing waits for you." in tab
