"""``/gate``: the second way to see and decide holds."""

from __future__ import annotations

from typing import Any

import pytest

from bot import names
from bot.references import code_of
from gate.lifecycle import State
from gate.model import Person
from tests.bot.bot_fixtures import CHANNEL, Office, eventually, office, office_of, spell

__all__ = ["office", "office_of"]

both = pytest.mark.parametrize("transport", ["socket", "http"])


def ask(office: Office, user: str, text: str, piece: str) -> str:
    """Type a command, wait for its one answer, and return it."""
    before = len(office.control.ephemerals(user))
    assert office.control.slash(user, CHANNEL, text)["acked"]
    said = spell(office.whispered(user, piece))
    assert len(office.control.ephemerals(user)) == before + 1
    return said


@both
def test_list_show_and_approve(office: Office, transport: Any) -> None:
    """A hold is listed, shown with its code, and approved by typing both."""
    office.open(transport)
    record = office.hold()
    office.card(record)
    assert "Refund 400 EUR on ORD-1" in ask(office, "U0ALICE", "/gate holds", record.id)
    assert office.control.ephemerals("U0ALICE")[-1]["text"] == "1 hold"
    code = code_of(record)
    assert "amount: \n400" in ask(office, "U0ALICE", f"/gate show {record.id[:8]}", code)
    ask(office, "U0ALICE", f"/gate approve {record.id} {code}", "Your approval is recorded")
    after = office.until(record, State.APPROVED)
    assert after.decisions[0].person.user == "U0ALICE"
    told = [each.body for each in office.agent.records(action=record.id) if each.body["kind"] == "approve"]
    assert told[0]["route"]["via"] == "command"


def test_a_wrong_code_approves_nothing(office: Office) -> None:
    """The code names the version that was read; another one records nothing."""
    office.open()
    record = office.hold()
    wrong = f"{(int(code_of(record)) + 1) % 10_000:04d}"
    ask(office, "U0ALICE", f"/gate approve {record.id} {wrong}", "does not belong to this hold")
    assert office.agent.hold(record.id).decisions == ()


@pytest.mark.parametrize("typed_again", [True, False])
def test_what_must_be_seen_first_opens_for_who_types(office: Office, typed_again: bool) -> None:
    """An approval that wants the full view opens it, without any card, and counts after it."""
    office.open()
    record = office.hold("payments.other", text="line\n" * 1500)
    office.control.delete_message(CHANNEL, office.card(record)["ts"])
    typed = f"/gate approve {record.id} {code_of(record)}"
    ask(office, "U0ALICE", typed, "Nothing was recorded yet")
    view = office.control.wait_view("U0ALICE", "Approve…")
    eventually(lambda: office.agent.viewed(record.id, Person("T0LOCAL", "U0ALICE")))
    assert office.agent.hold(record.id).decisions == ()
    if typed_again:
        office.control.slash("U0ALICE", CHANNEL, typed)
    else:
        office.control.click_view("U0ALICE", view["id"], names.APPROVE_WITH_COMMENT)
        form = office.control.wait_view("U0ALICE", "Runs once, now.")
        office.control.submit_view("U0ALICE", form["id"], {})
    office.until(record, State.APPROVED)


def test_a_window_that_did_not_open_is_not_said_to(office: Office) -> None:
    """Who types an approval that wants the full view is told what is left where Slack opens none."""
    office.open()
    record = office.hold("payments.other", text="line\n" * 1500)
    office.card(record)
    office.control.faults.set("views.open", kind="error", error="expired_trigger_id")
    ask(office, "U0ALICE", f"/gate approve {record.id} {code_of(record)}", "did not open")
    assert "window that opens" not in spell(office.control.ephemerals("U0ALICE"))
    after = office.agent.hold(record.id)
    assert (after.state, after.decisions) == (State.PENDING, ())


@both
def test_deny_takes_the_rest_as_comment(office: Office, transport: Any) -> None:
    """Everything after the id is the comment, as it was typed."""
    office.open(transport)
    record = office.hold()
    ask(office, "U0BOB", f"/gate deny {record.id} No claim <on> file & done", "Your denial is recorded")
    assert office.until(record, State.DENIED).decisions[0].comment == "No claim <on> file & done"


def test_deny_without_the_comment_the_policy_wants(office: Office) -> None:
    """A missing comment is said, and nothing is recorded."""
    office.open()
    record = office.hold()
    ask(office, "U0BOB", f"/gate deny {record.id}", "asks for a comment")
    assert office.agent.hold(record.id).state is State.PENDING


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("/gate", "/gate holds"),
        ("/gate help", "/gate holds"),
        ("/gate nonsense", "there is no /gate nonsense"),
        ("/gate nonsense", "/gate holds"),
        ("/gate approve 0123456789", "needs an ID and its 4-digit CODE"),
        ("/gate deny", "needs an ID"),
        ("/gate freeze nothing", "Say what"),
        ("/gate unfreeze everything", "Say why"),
        ("/gate show 0000000000000000", "No hold that you may see"),
        ("/gate show x", "No hold that you may see"),
        ("/gate deny <!channel> x", "No hold that you may see"),
    ],
)
def test_everything_typed_is_answered(office: Office, text: str, piece: str) -> None:
    """Help, unknown words, unknown ids and what this version lacks get one answer each."""
    office.open()
    ask(office, "U0ALICE", text, piece)


def test_outsiders_see_and_decide_nothing(office: Office) -> None:
    """Who is neither approver nor in the channel lists nothing, sees nothing, decides nothing."""
    office.open()
    record = office.hold()
    office.card(record)
    office.control.set_channel(CHANNEL, members=["U0ALICE", "U0BOB", "U0GATEBOT"])
    office.control.set_channel("C0OTHER", name="other", members=["U0CAROL"])
    carol = {"user": "U0CAROL", "channel": "C0OTHER"}
    office.control.slash(carol["user"], carol["channel"], "/gate holds")
    assert record.id not in spell(office.whispered("U0CAROL", "Nothing waits for you"))
    office.control.slash(carol["user"], carol["channel"], f"/gate approve {record.id} {code_of(record)}")
    office.whispered("U0CAROL", "No hold that you may see")
    office.control.slash(carol["user"], carol["channel"], f"/gate show {record.id}")
    assert office.agent.hold(record.id).decisions == ()
