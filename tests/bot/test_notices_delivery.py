"""The outbox against a Slack that limits, drops, delays and refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot import names, scopes
from bot.local_workspace import LocalWorkspace
from gate.lifecycle import State
from gate.model import Principal
from gate.service import Service
from tests.bot.bot_fixtures import CHANNEL, POLICY, Office, eventually, office, office_of, spell

__all__ = ["office", "office_of"]


def posted(office: Office, channel: str = CHANNEL) -> list[dict[str, Any]]:
    """Return the cards of holds in a channel."""
    found = [each for each in office.control.messages(channel) if each["metadata"] and not each["deleted"]]
    return [each for each in found if "hold" in each["metadata"]["event_payload"]]


def advance_until(office: Office, look: Callable[[], Any]) -> Any:
    """Let time pass in small steps until there is something."""

    def step() -> Any:
        office.clock.advance(0.5)
        return look()

    return eventually(step)


def test_one_card_for_each_channel(office_of: Callable[[str], Office]) -> None:
    """Every channel that the requirements name gets a card, and all change together."""
    office = office_of(
        POLICY + "  - {id: also, match: payments.issue_refund, then: require_approval, reason: Also.,"
        " channel: C0PRIVATE}\n"
    )
    office.open()
    record = office.hold()
    office.card(record)
    office.card(record, "C0PRIVATE")
    office.press("U0ALICE", record, names.APPROVE)
    office.until(record, State.APPROVED)
    office.shown(record, "Approved.")
    office.shown(record, "Approved.", "C0PRIVATE")
    office.control.wait_message("C0PRIVATE", "Approved by")


def test_a_rate_limit_is_waited_out(office: Office, workspace: LocalWorkspace) -> None:
    """After 429 the card comes once the time that Slack gave has passed, and only once."""
    office.open()
    workspace.control.faults.set("chat.postMessage", kind="ratelimit", retry_after=3)
    record = office.hold()
    eventually(lambda: [c for c in workspace.control.calls("chat.postMessage") if not c["ok"]])
    assert posted(office) == []
    advance_until(office, lambda: office.agent.hold(record.id).cards)
    assert len(posted(office)) == 1


def test_a_passing_failure_is_tried_again(office: Office, workspace: LocalWorkspace) -> None:
    """Errors that pass do not end the hold."""
    office.open()
    workspace.control.faults.set("chat.postMessage", kind="error", error="service_unavailable", times=3)
    record = office.hold()
    advance_until(office, lambda: office.agent.hold(record.id).cards)
    assert office.agent.hold(record.id).state is State.PENDING


@pytest.mark.parametrize("kind", ["drop_after_accept", "http_500"])
def test_an_ambiguous_failure_ends_in_one_card(office: Office, workspace: LocalWorkspace, kind: str) -> None:
    """Where Slack may have taken the card, the channel's history tells whether it did: one card stands."""
    office.open()
    workspace.control.faults.set("chat.postMessage", kind=kind)
    record = office.hold()
    advance_until(office, lambda: office.agent.hold(record.id).cards)
    assert len(posted(office)) == 1
    office.press("U0ALICE", record, names.APPROVE)
    office.shown(record, "Approved.")


def test_without_history_a_lost_card_is_posted_again(office: Office, workspace: LocalWorkspace) -> None:
    """Where the history may not be read, the card is posted twice; both can be answered, and count once."""
    workspace.control.set_scopes(sorted(scopes.required()))
    office.open()
    workspace.control.faults.set("chat.postMessage", kind="drop_after_accept")
    record = office.hold()
    advance_until(office, lambda: office.agent.hold(record.id).cards)
    twins = posted(office)
    assert len(twins) == 2
    workspace.control.click("U0ALICE", CHANNEL, twins[0]["ts"], names.APPROVE)
    after = office.until(record, State.APPROVED)
    assert len(after.decisions) == 1
    for twin in twins:
        eventually(lambda twin=twin: "Approved." in spell(office.message(CHANNEL, twin["ts"])))


@pytest.mark.parametrize("error", ["channel_not_found", "is_archived", "restricted_action", "missing_scope"])
def test_a_permanent_failure_ends_the_hold(office: Office, workspace: LocalWorkspace, error: str) -> None:
    """What can never be posted ends the hold undelivered, with the reason."""
    office.open()
    workspace.control.faults.set("chat.postMessage", kind="error", error=error)
    record = office.hold()
    after = office.until(record, State.UNDELIVERED)
    assert after.code == "delivery_failed"
    assert error in after.end_reason


def test_a_dead_token_is_confirmed_first(office: Office, workspace: LocalWorkspace) -> None:
    """One answer that the token is dead is not believed while auth.test works."""
    office.open()
    workspace.control.faults.set("chat.postMessage", kind="error", error="token_revoked")
    record = office.hold()
    advance_until(office, lambda: office.agent.hold(record.id).cards)
    assert office.agent.hold(record.id).state is State.PENDING


def test_a_card_that_cannot_be_changed_does_not_undo_a_decision(
    office: Office, workspace: LocalWorkspace
) -> None:
    """An approval stands where its card is gone; the person is told by an ephemeral message."""
    office.open()
    record = office.hold()
    office.card(record)
    workspace.control.faults.set("chat.update", kind="error", error="cant_update_message", times=None)
    office.press("U0ALICE", record, names.APPROVE)
    office.until(record, State.APPROVED)
    office.whispered("U0ALICE", "could not be updated")


def test_a_deleted_card_leaves_the_rest_alone(office: Office, workspace: LocalWorkspace) -> None:
    """A card that an admin deleted is left; the hold can be answered by command and nothing hangs."""
    office.open()
    record = office.hold()
    workspace.control.delete_message(CHANNEL, office.card(record)["ts"])
    workspace.control.slash("U0BOB", CHANNEL, f"/gate deny {record.id} gone")
    office.until(record, State.DENIED)
    eventually(lambda: not office.agent.lease_notices())


@pytest.mark.parametrize(
    ("ends", "piece"),
    [
        ("expire", "nobody answered in time"),
        ("cancel", "*Cancelled*"),
        ("session", "session has ended"),
    ],
)
def test_the_card_closes_on_every_end(office: Office, ends: str, piece: str) -> None:
    """Expired and cancelled holds close their card and say so in the thread."""
    office.open()
    record = office.hold()
    ts = office.card(record)["ts"]
    if ends == "expire":
        office.clock.advance(3600)
        office.agent.sweep()
    elif ends == "cancel":
        office.agent.cancel(record.id, by="admin", reason="not needed")
    else:
        office.agent.end_session("s1")
    closed = office.shown(record, piece)
    assert names.APPROVE not in spell(closed["blocks"])
    office.control.wait_message(CHANNEL, "Nothing ran", thread_ts=ts)


def test_nobody_who_could_approve_ends_it_before_a_card(office: Office, workspace: LocalWorkspace) -> None:
    """Where not enough people could ever answer, nobody is asked and the reason names the requirement."""
    workspace.control.set_group("S0FINANCE", ["U0GONE", "U0GUEST", "U0ROBOT"])
    office.open()
    record = office.hold(name="payments.pay_out")
    after = office.until(record, State.UNDELIVERED)
    assert after.code == "nobody_can_approve"
    assert "refunds/two needs 2 approvals" in after.end_reason
    assert "only 1 person" in after.end_reason
    assert posted(office) == []


def test_a_group_that_cannot_be_looked_up_for_a_moment_is_asked_again(
    office: Office, workspace: LocalWorkspace
) -> None:
    """A passing failure of the count delays the card and does not end the hold."""
    office.open()
    workspace.control.faults.set("usergroups.users.list", kind="error", error="service_unavailable")
    record = office.hold(name="payments.pay_out")
    advance_until(office, lambda: office.agent.hold(record.id).cards)


def test_an_address_is_looked_up_before_posting(office: Office) -> None:
    """The person behind an address is known before the card, stands on it, and may not approve."""
    office.open()
    record = office.hold(on_behalf_of=Principal("email", "bob@example.com"))
    message = office.card(record)
    asked = office.agent.hold(record.id).asked_by
    assert asked is not None
    assert asked.user == "U0BOB"
    assert "\nU0BOB\n" in f"{spell(message['blocks'])}\n"
    office.press("U0BOB", record, names.APPROVE)
    office.whispered("U0BOB", "acts for you")


@pytest.mark.parametrize("email", ["nobody@example.com", "gone@example.com"])
def test_an_address_of_nobody_ends_it(office: Office, workspace: LocalWorkspace, email: str) -> None:
    """An address that belongs to no active member ends the hold: cannot tell who asked."""
    workspace.control.set_user("U0GONE", email="gone@example.com")
    office.open()
    record = office.hold(on_behalf_of=Principal("email", email))
    assert office.until(record, State.UNDELIVERED).code == "cannot_tell_who_asked"
    assert posted(office) == []


def test_a_call_too_large_to_be_shown_ends_it(office: Office) -> None:
    """Decisive values that no view can hold are not cut and approved blind: the hold ends."""
    office.open()
    record = office.hold(name="payments.other", text="\u200b" * 300_000)
    assert office.until(record, State.UNDELIVERED).code == "too_large_to_show"
    assert posted(office) == []


def test_a_burst_is_spaced_and_complete(office: Office) -> None:
    """Many holds at once all get their card in the end."""
    office.open()
    records = [office.hold(order_id=f"ORD-{n}", amount=n + 1, currency="EUR") for n in range(6)]
    for record in records:
        office.card(record)
    assert len(posted(office)) == 6


def test_what_was_due_at_stop_is_posted(office: Office, workspace: LocalWorkspace) -> None:
    """A bot that stops posts what is due, leaves holds as they are, and the next one goes on."""
    bot = office.open()
    first = office.hold()
    office.card(first)
    bot.stop()
    assert office.agent.hold(first.id).state is State.PENDING
    second = office.hold(order_id="ORD-2", amount=1, currency="EUR")
    office.open()
    office.card(second)
    office.press("U0ALICE", first, names.APPROVE)
    office.until(first, State.APPROVED)


def test_a_changed_policy_is_announced(office: Office) -> None:
    """A first policy is told in one line, and what a new revision changed is posted once to each channel."""
    from gate.policy.load import load_texts

    office.open()
    first = office.control.messages(CHANNEL)[0]["text"]
    assert first.startswith("The approval gate is at work: policy refunds (3 rules), revision")
    assert len(first) < 300
    office.agent.apply(load_texts({"refunds.yml": POLICY.replace("limit.", "new limit.")}), by="admin")
    office.control.wait_message(CHANNEL, "over-250")


def test_two_bots_on_one_store_post_each_card_once(office: Office, workspace: LocalWorkspace) -> None:
    """Two bots share the outbox: each card is posted by one of them, and either may take the press."""
    office.open()
    office.open()
    workspace.control.wait_connected(connections=2)
    record = office.hold()
    office.card(record)
    office.press("U0ALICE", record, names.APPROVE)
    office.until(record, State.APPROVED)
    assert len(posted(office)) == 1


def test_a_store_stays_with_its_workspace(office: Office) -> None:
    """A store that was used with the local workspace cannot be bound to another one."""
    from gate.errors import StoreError

    office.open()
    other = Service(office.agent.path or "", clock=office.clock, kind="bot", made_by="test")
    with pytest.raises(StoreError, match="stays with it"):
        other.bind_workspace("T0REAL", "slack.com")
    other.close()
