"""A card that somebody deleted: its hold is asked about anew as soon as the bot has to do with it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from bot import names
from gate.lifecycle import State
from gate.model import HoldRecord
from tests.bot.bot_fixtures import CHANNEL, POLICY, Office, eventually, office, office_of, spell

__all__ = ["office", "office_of"]

TIMED = POLICY.replace("expires_in: 1h,", "expires_in: 1h, remind_before: [30m],")


def delete(office: Office, record: HoldRecord) -> str:
    """Delete a hold's card as an admin does, and return its timestamp."""
    ts = str(office.card(record)["ts"])
    office.control.delete_message(CHANNEL, ts)
    return ts


def posted_again(office: Office, record: HoldRecord, gone: str) -> dict[str, Any]:
    """Wait for the card that stands in the place of one that is gone."""

    def found() -> dict[str, Any] | None:
        known = [each.ts for each in office.agent.hold(record.id).cards if each.ts != gone]
        return office.message(CHANNEL, known[0]) if known else None

    return eventually(found)


def ask_for_file(office: Office, user: str, record: HoldRecord) -> None:
    """Have a call put into a file from somebody's full view, and wait for the word that it stands."""
    office.press(user, record, names.VIEW)
    view = office.control.wait_view(user, "Put it into a file")
    office.control.click_view(user, view["id"], names.FILE)
    office.control.wait_view(user, "stands in the thread")


def test_a_deleted_card_is_posted_again_with_the_next_answer(office: Office) -> None:
    """The second of two approvers finds a card though the first one's was deleted; the deadline stays."""
    office.open()
    record = office.hold("payments.pay_out", to="x")
    gone = delete(office, record)
    office.control.slash("U0ALICE", CHANNEL, f"/gate show {record.id}")
    shown = spell(office.whispered("U0ALICE", "/gate approve"))
    code = shown.partition(f"/gate approve {record.id} ")[2][:4]
    office.control.slash("U0ALICE", CHANNEL, f"/gate approve {record.id} {code}")
    card = posted_again(office, record, gone)
    assert "1 so far" in spell(card)
    assert office.agent.hold(record.id).expires_at == record.expires_at
    office.control.click("U0BOB", CHANNEL, card["ts"], names.APPROVE)
    office.until(record, State.APPROVED)


def test_a_reminder_finds_that_the_card_was_deleted(office_of: Any) -> None:
    """Nobody is reminded below a card that nobody can see: it is posted once more, where people look."""
    office = office_of(TIMED)
    office.open()
    record = office.hold()
    gone = delete(office, record)
    office.clock.advance(timedelta(minutes=31))
    assert names.APPROVE in spell(posted_again(office, record, gone))


def test_a_deleted_card_with_replies_is_posted_again_too(office_of: Any) -> None:
    """Slack puts a message of its own in its place, which the bot may not update."""
    office = office_of(TIMED)
    office.open()
    record = office.hold("payments.pay_out", to="x")
    gone = str(office.card(record)["ts"])
    office.control.faults.set("chat.update", kind="error", error="cant_update_message", times=1)
    office.clock.advance(timedelta(minutes=31))
    assert names.APPROVE in spell(posted_again(office, record, gone))
    office.control.click("U0ALICE", CHANNEL, office.agent.hold(record.id).cards[0].ts, names.APPROVE)
    eventually(lambda: "1 so far" in spell(office.card(record)))


def test_the_file_of_a_long_call_comes_into_the_thread_that_people_find(office_of: Any) -> None:
    """The file below a card that is gone is none: it is put below the one that stands now, once more."""
    office = office_of(TIMED)
    office.open()
    record = office.hold(order_id="ORD-9", amount=1, currency="EUR", note="n" * 300_000)
    ask_for_file(office, "U0ALICE", record)
    gone = delete(office, record)
    office.clock.advance(timedelta(minutes=31))
    card = posted_again(office, record, gone)
    ask_for_file(office, "U0BOB", record)
    assert [
        each for message in office.control.thread(CHANNEL, card["ts"]) for each in message.get("files") or ()
    ]


def test_the_card_of_a_hold_that_is_over_is_not_posted_again(office: Office) -> None:
    """Nothing is asked there any more."""
    office.open()
    record = office.hold()
    gone = delete(office, record)
    office.agent.cancel(record.id, by="ops", reason="not needed")
    assert office.agent.card_deleted(record.id, channel=CHANNEL, ts=gone) is False
    office.card(office.hold(session="s2"))
    assert [each.ts for each in office.agent.hold(record.id).cards] == [gone]


def test_a_card_beside_another_in_its_channel_is_only_forgotten(office: Office) -> None:
    """Of twins that stand in one channel, the one that is left is enough."""
    office.open()
    record = office.hold()
    gone = office.card(record)["ts"]
    office.agent.learn_card(record.id, channel=CHANNEL, ts="1.000001", version=1)
    assert office.agent.card_deleted(record.id, channel=CHANNEL, ts=gone) is False
    assert [each.ts for each in office.agent.hold(record.id).cards] == ["1.000001"]
    assert office.agent.card_deleted(record.id, channel=CHANNEL, ts=gone) is False
