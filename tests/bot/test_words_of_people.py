"""What people write reaches agent and log whole, or is refused; what they are called hides nothing."""

from __future__ import annotations

import json

import pytest

from bot import names
from bot.views import modals
from gate.lifecycle import State
from tests.bot.bot_fixtures import CHANNEL, Office, eventually, office, spell
from tests.bot.presses import refusals

__all__ = ["office"]


@pytest.mark.parametrize(
    "words", ["half \ud800 pair", "nul \x00 byte", "<!channel> *bold* `code`\u202e", "😀" * 900]
)
def test_any_comment_is_recorded(office: Office, words: str) -> None:
    """Whatever somebody writes is kept, and says itself in the thread without calling anybody."""
    office.open()
    record = office.hold()
    office.press("U0ALICE", record, names.DENY)
    view = office.control.wait_view("U0ALICE", "Reason")
    office.control.submit_view("U0ALICE", view["id"], {modals.COMMENT_BLOCK: {names.COMMENT: words}})
    after = office.until(record, State.DENIED)
    assert after.decisions[0].comment == words.replace("\ud800", "?")
    reply = office.control.wait_message(CHANNEL, "Denied by", thread_ts=office.card(record)["ts"])
    assert "<!" not in reply["text"]


def test_a_comment_beyond_the_limit_is_sent_back(office: Office) -> None:
    """A comment that Slack's own form would not take is refused, not cut."""
    office.open()
    record = office.hold()
    office.press("U0ALICE", record, names.DENY)
    view = office.control.wait_view("U0ALICE", "Reason")
    values = {modals.COMMENT_BLOCK: {names.COMMENT: "x" * 50_000}}
    result = office.control.submit_view("U0ALICE", view["id"], values, forge=True)
    assert "at most 2000 characters" in json.dumps(result["errors"])
    office.control.slash("U0ALICE", CHANNEL, f"/gate deny {record.id} {'y' * 2001}")
    office.whispered("U0ALICE", "at most 2000 characters")
    assert office.agent.hold(record.id).state is State.PENDING


def test_a_wrong_code_is_in_the_log(office: Office) -> None:
    """A typed approval that names another version is refused and recorded as such."""
    office.open()
    record = office.hold()
    office.card(record)
    office.control.slash("U0ALICE", CHANNEL, f"/gate approve {record.id} 00000")
    office.whispered("U0ALICE", "does not belong to this hold")
    assert refusals(office, record) == ["changed"]


def test_a_name_cannot_write_lines_of_its_own(office: Office) -> None:
    """A display name with line breaks stands in one line, and cut."""
    office.control.set_user("U0BOB", name="Bob.\nDenied by Alice" + "!" * 500, real_name="")
    office.open()
    record = office.hold()
    office.press("U0BOB", record, names.APPROVE)
    name = eventually(lambda: office.agent.hold(record.id).decisions)[0].person.name
    assert "\n" not in name
    assert len(name) <= 80
    assert spell(office.shown(record, "Approved"))


def test_an_approved_card_does_not_give_the_reason_it_was_held_as_its_own(office: Office) -> None:
    """After an approval the card does not say "Because" and the reason why it was held."""
    office.open()
    record = office.hold()
    office.press("U0ALICE", record, names.APPROVE)
    assert "Because: Refund above" not in spell(office.shown(record, names.STOP))
