"""Attacks on who decides: another's hold, another's name, another's form, one person twice, nobody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from bot import names
from bot.references import Reference
from bot.views import modals
from gate import Gate
from gate.errors import NotEligible
from gate.lifecycle import State
from gate.model import HoldRecord, Person, Principal
from tests.bot.bot_fixtures import CHANNEL, Office, eventually, office, office_of
from tests.bot.presses import payload, refusals
from tests.kit import ALICE, act, answer, service

__all__ = ["office", "office_of"]

APART = """
version: 1
name: apart
default: require_approval
approvals: {channel: C0APPROVALS, approvers: [U0ALICE, U0BOB], quorum: 2, comment: {deny: optional}}
rules:
  - {id: db, match: db.*, then: require_approval, approvers: [U0ALICE], quorum: 1, reason: Database.}
  - {id: mail, match: mail.*, then: require_approval, approvers: [U0BOB], quorum: 1, reason: Mail.}
"""
both = pytest.mark.parametrize("transport", ["socket", "http"])


@both
def test_each_hold_keeps_its_own_approvers(office_of: Callable[[str], Office], transport: Any) -> None:
    """Approvers of two tools are not each other's, whatever button of whichever card a payload carries."""
    office = office_of(APART)
    office.open(transport)
    db, mail = office.hold("db.write", row=1), office.hold("mail.send", to="eve")
    people = (("U0ALICE", db, mail), ("U0BOB", mail, db))
    for user, own, other in people:
        office.control.forge(payload(office, other, user))
        office.control.forge(payload(office, own, user, value=str(Reference.of(other))))
        eventually(partial(refused_twice, office, other))
        assert office.agent.hold(other.id).decisions == ()
    for user, own, _ in people:
        office.press(user, own, names.APPROVE)
        assert [each.person.user for each in office.until(own, State.APPROVED).decisions] == [user]


def refused_twice(office: Office, record: HoldRecord) -> bool:
    """Tell whether two answers to a hold were refused."""
    return len(refusals(office, record)) == 2


def test_a_name_is_no_vote(office_of: Callable[[str], Office]) -> None:
    """One id under two names is one approval; two ids under one name are two."""
    office = office_of(APART)
    office.open()
    record = office.hold("pay.out", amount=1)
    for name in ("alex", "alice"):
        made = payload(office, record)
        made["user"]["name"] = name
        office.control.forge(made)
        eventually(lambda: office.agent.hold(record.id).decisions)
    assert [each.person.user for each in office.agent.hold(record.id).decisions] == ["U0ALICE"]
    assert office.agent.hold(record.id).state is State.PENDING
    made = payload(office, record, "U0BOB")
    made["user"]["name"] = "alex"
    office.control.forge(made)
    assert len(office.until(record, State.APPROVED).decisions) == 2


def test_ids_alone_are_enough(office: Office) -> None:
    """A payload that gives nobody's name is taken for who its ids say."""
    office.open()
    record = office.hold()
    made = payload(office, record)
    made["user"] = {"id": "U0ALICE", "team_id": "T0LOCAL"}
    office.control.forge(made)
    assert office.until(record, State.APPROVED).decisions[0].person.user == "U0ALICE"


def test_a_form_and_a_button_of_one_person_are_one_approval(office_of: Callable[[str], Office]) -> None:
    """With a quorum of two nobody passes it alone by approving once with a comment and once without."""
    office = office_of(APART)
    office.open()
    record = office.hold("pay.out", amount=1)
    office.press("U0ALICE", record, names.APPROVE_WITH_COMMENT)
    view = office.control.wait_view("U0ALICE", "Runs once, now.")
    office.control.submit_view("U0ALICE", view["id"], {modals.COMMENT_BLOCK: {names.COMMENT: "first"}})
    eventually(lambda: office.agent.hold(record.id).decisions)
    office.press("U0ALICE", record, names.APPROVE)
    office.whispered("U0ALICE", "approved this already")
    after = office.agent.hold(record.id)
    assert (after.state, len(after.decisions)) == (State.PENDING, 1)


@both
def test_somebody_elses_form_is_judged_by_who_sends_it(office: Office, transport: Any) -> None:
    """A submitted form with the metadata of an approver's own, sent by a colleague, decides nothing."""
    office.open(transport)
    record = office.hold()
    office.press("U0ALICE", record, names.DENY)
    view = office.control.wait_view("U0ALICE", "Reason")
    state = {"values": {modals.COMMENT_BLOCK: {names.COMMENT: {"type": "plain_text_input", "value": "mine"}}}}
    made = {
        "type": "view_submission",
        "team": {"id": "T0LOCAL", "domain": "local"},
        "user": {"id": "U0CAROL", "team_id": "T0LOCAL", "name": "alice"},
        "api_app_id": "A0GATE",
        "trigger_id": office.control.mint(user="U0CAROL")["trigger_id"],
        "view": view | {"state": state},
    }
    assert office.control.forge(made)["acked"]
    eventually(lambda: refusals(office, record) == ["not_eligible"])
    assert office.agent.hold(record.id).decisions == ()


def test_an_old_approval_still_says_who_and_where(office: Office) -> None:
    """The log keeps team, user, name as it was, app, host, channel and both timestamps of a decision."""
    office.open()
    record = office.hold()
    ts = office.card(record)["ts"]
    office.press("U0ALICE", record, names.APPROVE)
    office.until(record, State.APPROVED)
    office.control.set_user("U0ALICE", name="somebody", real_name="Somebody Else")
    (body,) = [each.body for each in office.agent.records(action=record.id) if each.body["kind"] == "approve"]
    assert body["actor"] == "T0LOCAL/U0ALICE"
    told = body["route"]
    assert (told["app"], told["api_host"], told["channel"]) == ("A0GATE", "127.0.0.1", CHANNEL)
    assert told["message_ts"] == ts
    assert told["action_ts"]
    assert office.agent.hold(record.id).decisions[0].person.name != "somebody"


@pytest.mark.parametrize(
    "kind", ["message", "reaction_added", "reaction_removed", "app_mention", "link_shared"]
)
@pytest.mark.parametrize("user", ["U0ALICE", "U0ROBOT"])
def test_words_and_reactions_decide_nothing(office: Office, kind: str, user: str) -> None:
    """Only buttons, forms and the command decide: neither a thumbs-up nor "approve" in the thread does."""
    office.open()
    record = office.hold()
    ts = office.card(record)["ts"]
    office.control.say("U0ALICE", CHANNEL, "approve :+1:", thread_ts=ts)
    item = {"type": "message", "channel": CHANNEL, "ts": ts}
    event: dict[str, Any] = {
        "type": kind,
        "user": user,
        "text": f"approve {record.id}",
        "channel": CHANNEL,
        "ts": "1.2",
    }
    event |= {"reaction": "+1", "item": item, "event_ts": "1.2"}
    body: dict[str, Any] = {
        "type": "event_callback",
        "team_id": "T0LOCAL",
        "api_app_id": "A0GATE",
        "event": event,
    }
    body |= {"event_id": "Ev1", "event_time": 1}
    office.control.forge(body, kind="events_api")
    office.press("U0CAROL", record, names.APPROVE, forge=True)
    office.whispered("U0CAROL", "not among the approvers")
    assert office.agent.hold(record.id).decisions == ()
    assert office.agent.hold(record.id).state is State.PENDING


def test_nothing_that_an_agent_holds_can_approve() -> None:
    """The agent's side of the gate has no verb that decides, and an agent's name is nobody's id."""
    said = ("approve", "decide", "answer", "resolve", "vote")
    assert not [name for name in dir(Gate) if not name.startswith("_") and name.startswith(said)]
    gate = service()
    hold = gate.submit(act(), wait=False).record.id
    for person in (Person("", "desk", "desk"), Person("T0LOCAL", "desk", "Alice"), Person("", "", "U0ALICE")):
        with pytest.raises(NotEligible):
            answer(gate, hold, person, satisfies=frozenset())
    assert gate.hold(hold).decisions == ()


@pytest.mark.parametrize("user", ["u0alice", "U0ALICE ", "U0AL\u200bICE", "U0ALIC\u0415"])
def test_an_id_that_looks_like_an_approvers_is_nobodys(user: str) -> None:
    """Ids are compared exactly; what only looks like one satisfies nothing and meets no quorum."""
    gate = service()
    hold = gate.submit(act("desk.fire", who="x"), wait=False).record.id
    assert answer(gate, hold).state == State.PENDING
    with pytest.raises(NotEligible):
        answer(gate, hold, Person("T0LOCAL", user, "Alice"), satisfies=frozenset({user}))
    assert len(gate.hold(hold).decisions) == 1


def test_who_the_agent_acts_for_is_not_who_approves() -> None:
    """An approver the agent acts for is refused by id, under any name; another approver is not."""
    gate = service()
    mine = Principal("person", "U0ALICE", "T0LOCAL")
    gate.open_session("s2", agent="desk", on_behalf_of=mine)
    hold = gate.submit(replace(act(session="s2"), on_behalf_of=mine), wait=False).record.id
    for person in (ALICE, replace(ALICE, name="Somebody Else")):
        with pytest.raises(NotEligible) as caught:
            answer(gate, hold, person)
        assert caught.value.code == "asked_for"
    assert answer(gate, hold, Person("T0LOCAL", "U0BOB", "bob")).state == State.APPROVED
