"""Every press that does not count is answered, once, with the reason, and recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot import names
from bot.local_workspace import LocalWorkspace
from bot.references import Reference
from gate.lifecycle import State
from gate.model import HoldRecord, Principal
from tests.bot.bot_fixtures import CHANNEL, NOBODY, Office, office, office_of, spell
from tests.bot.presses import answers, one_answer, payload, refusals

__all__ = ["office", "office_of"]

both = pytest.mark.parametrize("transport", ["socket", "http"])


def test_each_outsider_is_told_why(office: Office) -> None:
    """A guest, a stranger, a bot, a deactivated account and a colleague are refused with their own reason."""
    office.open()
    record = office.hold()
    office.card(record)
    for user, code, piece in [
        ("U0GUEST", "guest", "Guests cannot answer"),
        ("U0STRANGE", "stranger", "other workspaces"),
        ("U0ROBOT", "bot", "bots cannot answer"),
        ("U0GONE", "deleted", "deactivated"),
        ("U0CAROL", "not_eligible", "not among the approvers"),
    ]:
        result = office.press(user, record, names.APPROVE, forge=True)
        assert result["acked"]
        one_answer(office, user, piece)
        assert refusals(office, record)[-1] == code
    assert office.agent.hold(record.id).state is State.PENDING
    assert office.agent.hold(record.id).decisions == ()


@both
def test_a_refused_denial_is_told_in_its_window(office: Office, transport: Any) -> None:
    """Who may not deny gets no form, but the reason, in the window that opened."""
    office.open(transport)
    record = office.hold()
    office.press("U0CAROL", record, names.DENY)
    one_answer(office, "U0CAROL", "not among the approvers")
    assert office.control.ephemerals("U0CAROL") == []


def test_the_person_acted_for_cannot_answer(office: Office) -> None:
    """An approver whom the agent acts for is refused, by name of the reason."""
    office.open()
    record = office.hold(on_behalf_of=Principal("person", "U0ALICE"))
    office.press("U0ALICE", record, names.APPROVE)
    one_answer(office, "U0ALICE", "acts for you")
    assert refusals(office, record) == ["asked_for"]


def test_a_policy_may_let_the_person_acted_for_answer(office_of: Callable[[str], Office]) -> None:
    """Where the policy says so, the person the agent acts for may approve."""
    office = office_of(
        "version: 1\nname: own\ndefault: require_approval\n"
        "approvals: {channel: C0APPROVALS, approvers: [U0ALICE], on_behalf_of_may_approve: true}\n"
    )
    office.open()
    record = office.hold(on_behalf_of=Principal("person", "U0ALICE"))
    office.press("U0ALICE", record, names.APPROVE)
    office.until(record, State.APPROVED)


def test_a_guest_whom_the_policy_names_may_answer(office_of: Callable[[str], Office]) -> None:
    """A guest and a person of another workspace count where the policy lists their own id."""
    office = office_of(
        "version: 1\nname: own\ndefault: require_approval\n"
        "approvals: {channel: C0APPROVALS, approvers: [U0GUEST, U0STRANGE], quorum: 2}\n"
    )
    office.open()
    record = office.hold()
    office.press("U0GUEST", record, names.APPROVE)
    office.shown(record, "1 so far")
    office.press("U0STRANGE", record, names.APPROVE)
    office.until(record, State.APPROVED)


def test_a_failed_lookup_refuses(office: Office, workspace: LocalWorkspace) -> None:
    """Who cannot be looked up is not let through."""
    office.open()
    record = office.hold()
    office.card(record)
    workspace.control.faults.set("users.info", kind="error", error="user_not_found", times=None)
    office.press("U0ALICE", record, names.APPROVE)
    one_answer(office, "U0ALICE", "did not tell")
    assert refusals(office, record) == ["lookup_failed"]


def test_a_workflow_step_cannot_answer(office: Office, workspace: LocalWorkspace) -> None:
    """A payload that a workflow made is refused."""
    office.open()
    record = office.hold()
    payload = _referring(office, record)
    payload["function_data"] = {"execution_id": "Fx1"}
    workspace.control.forge(payload)
    one_answer(office, "U0ALICE", "workflow cannot answer")
    assert refusals(office, record) == ["bot"]


def _referring(office: Office, record: HoldRecord, user: str = "U0ALICE", **reference: str) -> dict[str, Any]:
    """Return the payload of an Approve press, with a reference changed at will."""
    whole = Reference.of(record)
    value = Reference(
        reference.get("store", whole.store),
        reference.get("hold", whole.hold),
        reference.get("nonce", whole.nonce),
    )
    return payload(office, record, user, value=str(value))


@pytest.mark.parametrize(
    ("reference", "piece"),
    [
        ({"store": "another"}, "another installation"),
        ({"hold": "0000000000000000"}, "No id begins"),
        ({"nonce": "older"}, "look at the card again"),
    ],
)
def test_a_card_of_another_store_hold_or_version_is_told(
    office: Office, workspace: LocalWorkspace, reference: dict[str, str], piece: str
) -> None:
    """A button that does not belong to a current hold of this store records nothing and says so."""
    office.open()
    record = office.hold()
    workspace.control.forge(_referring(office, record, **reference))
    one_answer(office, "U0ALICE", piece)
    assert office.agent.hold(record.id).decisions == ()


def test_a_card_in_a_foreign_channel_is_refused(office: Office, workspace: LocalWorkspace) -> None:
    """A press from a message outside the hold's channels records nothing."""
    office.open()
    record = office.hold()
    payload = _referring(office, record)
    payload["container"] |= {"channel_id": "C0PRIVATE", "message_ts": "1.000001"}
    payload["channel"] = {"id": "C0PRIVATE", "name": "private"}
    workspace.control.forge(payload)
    one_answer(office, "U0ALICE", "does not stand in a channel of its hold")
    assert refusals(office, record) == ["other_channel"]


def test_a_twin_in_the_same_channel_counts_and_is_learnt(office: Office, workspace: LocalWorkspace) -> None:
    """A second message with the current mark is accepted, and kept up to date from then on."""
    office.open()
    record = office.hold()
    payload = _referring(office, record)
    twin = workspace.control.say("U0BOB", CHANNEL, "copy")["ts"]
    payload["container"] |= {"message_ts": twin}
    workspace.control.forge(payload)
    after = office.until(record, State.APPROVED)
    assert twin in [card.ts for card in after.cards]


@pytest.mark.parametrize("value", ["", "1:x", "2:a:b:c", "<!channel>", "1:a:b:c:d"])
def test_a_button_of_another_version_is_told(office: Office, workspace: LocalWorkspace, value: str) -> None:
    """A value that this version does not write is answered, not raised."""
    office.open()
    record = office.hold()
    payload = _referring(office, record)
    payload["actions"][0]["value"] = value
    workspace.control.forge(payload)
    one_answer(office, "U0ALICE", "not made by this version")


@both
@pytest.mark.parametrize("action", ["gate:unknown", "somebody:else"])
def test_an_unknown_button_is_acknowledged_and_answered(
    office: Office, workspace: LocalWorkspace, action: str, transport: Any
) -> None:
    """Whatever is pressed gets an answer."""
    office.open(transport)
    record = office.hold()
    payload = _referring(office, record)
    payload["actions"][0]["action_id"] = action
    assert workspace.control.forge(payload)["acked"]
    one_answer(office, "U0ALICE", "means nothing")


def test_a_late_press_is_told(office: Office) -> None:
    """After the deadline a press records nothing and says that nothing ran."""
    office.open()
    record = office.hold()
    office.card(record)
    office.clock.advance(3600)
    office.press("U0ALICE", record, names.APPROVE)
    one_answer(office, "U0ALICE", "Too late")
    assert office.agent.hold(record.id).state is State.EXPIRED


def test_a_press_after_the_decision_is_told_by_whom(office: Office) -> None:
    """A second answer is not recorded, and names who was first."""
    office.open()
    record = office.hold()
    payload = _referring(office, record)
    office.press("U0BOB", record, names.DENY)
    view = office.control.wait_view("U0BOB", "Reason")
    office.control.submit_view("U0BOB", view["id"], {"reason": {names.REASON: "0"}})
    office.until(record, State.DENIED)
    office.control.forge(payload)
    one_answer(office, "U0ALICE", "already denied")
    assert "by bob" in answers(office, "U0ALICE")[0].lower()


def test_a_double_click_counts_once(office: Office) -> None:
    """Two presses of one person are one decision; the second is told so."""
    office.open()
    record = office.hold(name="payments.pay_out")
    office.press("U0ALICE", record, names.APPROVE)
    office.press("U0ALICE", record, names.APPROVE)
    one_answer(office, "U0ALICE", "approved this already")
    assert len(office.agent.hold(record.id).decisions) == 1


def test_a_duplicate_envelope_counts_once(office: Office) -> None:
    """Slack delivering one press three times makes one decision and no message about the other two."""
    office.open()
    record = office.hold()
    office.card(record)
    office.control.duplicate_envelopes(True, copies=3)
    office.press("U0ALICE", record, names.APPROVE)
    after = office.until(record, State.APPROVED)
    assert len(after.decisions) == 1
    for bot in office.bots:
        bot.stop()
    assert answers(office, "U0ALICE") == []


def test_two_approvers_racing_make_one_approval(office: Office) -> None:
    """With a quorum of one, the second approver is told that it was not needed."""
    office.open()
    record = office.hold()
    late = _referring(office, record, "U0BOB")
    office.press("U0ALICE", record, names.APPROVE)
    office.control.forge(late)
    one_answer(office, "U0BOB", "approved already")
    assert [each.person.user for each in office.agent.hold(record.id).decisions] == ["U0ALICE"]


def test_a_frozen_hold_cannot_be_approved_but_denied(office: Office) -> None:
    """While everything is frozen an approval is refused with the reason; a denial counts."""
    office.open()
    record = office.hold()
    office.card(record)
    office.agent.freeze("everything", by="admin", reason="incident")
    office.press("U0ALICE", record, names.APPROVE)
    one_answer(office, "U0ALICE", "frozen")
    office.press("U0BOB", record, names.DENY)
    view = office.control.wait_view("U0BOB", "Reason")
    office.control.submit_view("U0BOB", view["id"], {"reason": {names.REASON: "1"}})
    assert office.until(record, State.DENIED).decisions[0].comment == "Not enough evidence"


def test_an_answer_arrives_where_response_urls_are_dead(office: Office) -> None:
    """Where the response URL does not work, the reason is posted in the channel for one person alone."""
    office.open()
    record = office.hold()
    payload = _referring(office, record, "U0CAROL")
    payload["response_url"] = f"{office.workspace.url}/response/nothing"
    office.control.forge(payload)
    one_answer(office, "U0CAROL", "not among the approvers")


def test_an_anonymous_session_is_no_obstacle(office: Office) -> None:
    """A call that acts for nobody is decided like any other."""
    office.open()
    record = office.hold(on_behalf_of=None, session="s2")
    assert NOBODY.id not in spell(office.card(record))
    office.press("U0BOB", record, names.APPROVE)
    office.until(record, State.APPROVED)


def test_a_press_from_no_channel_is_refused(office: Office) -> None:
    """A message of which Slack does not say where it stands is no card of a hold, and none is learnt."""
    office.open(channel="")
    record = office.hold()
    given = payload(office, record)
    given["channel"] = {}
    del given["container"]["channel_id"]
    office.control.forge(given)
    one_answer(office, "U0ALICE", "does not stand in a channel")
    now = office.agent.hold(record.id)
    assert (now.state, [card.channel for card in now.cards]) == (State.PENDING, [CHANNEL])
