"""Every press is answered once, wherever windows, channels and lookups fail and whatever a payload lacks."""

from __future__ import annotations

from typing import Any

import pytest

from bot import names
from bot.local_workspace import LocalWorkspace
from bot.views import modals
from gate.lifecycle import State
from tests.bot.bot_fixtures import CHANNEL, Office, eventually, office, spell
from tests.bot.presses import answers, one_answer, payload, refusals
from tests.patience import PATIENCE

__all__ = ["office"]

both = pytest.mark.parametrize("transport", ["socket", "http"])


def test_who_cannot_be_reached_in_the_channel_is_written_to(office: Office) -> None:
    """Without a response URL and outside the channel, the answer comes as a direct message."""
    office.open()
    record = office.hold()
    made = payload(office, record, "U0CAROL")
    del made["response_url"]
    office.control.set_channel(CHANNEL, members=["U0ALICE", "U0BOB", "U0GATEBOT"])
    office.control.forge(made)
    one_answer(office, "U0CAROL", "not among the approvers")


def test_a_home_press_whose_window_does_not_open_is_written_to(office: Office) -> None:
    """In the home tab there is neither channel nor response URL, and still no silence."""
    office.open()
    office.card(office.hold())
    office.control.open_home("U0ALICE")
    home = office.control.wait_home("U0ALICE", "Refund 400")
    office.control.faults.set("views.open", kind="error", error="expired_trigger_id", times=None)
    office.control.click_view("U0ALICE", home["id"], names.VIEW)
    one_answer(office, "U0ALICE", "did not open in time, and nothing was recorded")


@pytest.mark.parametrize("action", [names.DENY, names.APPROVE_WITH_COMMENT, names.VIEW])
def test_a_window_that_cannot_be_filled_says_so(office: Office, action: str) -> None:
    """Where Slack refuses what belongs into the window, it does not stay at "Looking it up"."""
    office.open()
    record = office.hold()
    office.card(record)
    office.control.faults.set("views.update", kind="error", error="view_too_large")
    made = payload(office, record, action=action)
    office.control.forge(made)
    one_answer(office, "U0ALICE", "Slack did not take")


def test_a_window_that_can_never_be_filled_says_what_to_do(office: Office) -> None:
    """Where no window can be changed any more, the answer comes beside it; the window says to close it."""
    office.open()
    record = office.hold()
    office.card(record)
    office.control.faults.set("views.update", kind="error", error="internal_error", times=None)
    office.press("U0ALICE", record, names.DENY)
    office.whispered("U0ALICE", "Slack did not take")
    assert "close this window and press again" in spell(office.control.views("U0ALICE"))


def test_a_form_whose_window_is_gone_is_answered_elsewhere(office: Office, workspace: LocalWorkspace) -> None:
    """A slow form whose window cannot be updated is answered by a direct message."""
    office.open()
    record = office.hold()
    office.press("U0ALICE", record, names.DENY)
    view = office.control.wait_view("U0ALICE", "Reason")
    workspace.control.faults.set("users.info", kind="delay", seconds=2.2)
    workspace.control.faults.set("views.update", kind="error", error="not_found", times=None)
    values = {modals.COMMENT_BLOCK: {names.COMMENT: "slow"}}
    workspace.control.submit_view("U0ALICE", view["id"], values)
    office.until(record, State.DENIED)
    eventually(lambda: any("Your answer is recorded" in said for said in answers(office, "U0ALICE")))


def test_a_form_just_slow_enough_shows_its_result(office: Office, workspace: LocalWorkspace) -> None:
    """A result that comes right after "Recording…" is not covered by it."""
    office.open()
    record = office.hold()
    office.press("U0ALICE", record, names.DENY)
    view = office.control.wait_view("U0ALICE", "Reason")
    workspace.control.faults.set("users.info", kind="delay", seconds=1.795)
    values = {modals.COMMENT_BLOCK: {names.COMMENT: "slow"}}
    workspace.control.submit_view("U0ALICE", view["id"], values)
    office.control.wait_view("U0ALICE", "Your answer is recorded")


def test_a_recorded_approval_is_never_called_unrecorded(office: Office) -> None:
    """Where only the card cannot be updated, the answer says that the approval is recorded."""
    office.open()
    record = office.hold()
    office.card(record)
    office.control.settings(edit_window_closed=True)
    office.press("U0ALICE", record, names.APPROVE)
    one_answer(office, "U0ALICE", "Your answer is recorded. The card could not be updated.")
    office.until(record, State.APPROVED)


@both
@pytest.mark.parametrize(
    "changes",
    [
        {"container": None, "channel": None, "message": None},
        {"container": {"type": "message", "channel_id": CHANNEL}},
        {"container": [], "channel": "C0APPROVALS"},
    ],
)
def test_a_press_on_no_message_is_refused(office: Office, transport: Any, changes: dict[str, Any]) -> None:
    """A press that names no message of the hold's channels records nothing, and says so."""
    office.open(transport)
    record = office.hold()
    made = payload(office, record)
    made |= changes
    assert office.control.forge(made)["acked"]
    one_answer(office, "U0ALICE", "does not stand in a channel of its hold")
    assert refusals(office, record) == ["other_channel"]
    assert office.agent.hold(record.id).state is State.PENDING


@both
@pytest.mark.parametrize(
    "changes",
    [
        {"actions": ["x"]},
        {"actions": [{"action_id": 7, "value": {"a": 1}}]},
        {"actions": [{"action_id": "gate:more", "selected_option": {"value": ["gate:approve"]}}]},
        {"actions": [{"action_id": names.APPROVE, "value": "1:" + "a" * 100_000 + ":b:c"}]},
        {"actions": [{"action_id": names.APPROVE, "value": "1:\u0661:\u202e:\ud800"}]},
        {"actions": [{"action_id": "\ud800" * 300, "value": "\x00"}]},
    ],
)
def test_a_payload_that_lacks_what_it_must_have_is_answered(
    office: Office, transport: Any, changes: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Missing keys, wrong types and huge values are acknowledged and answered, and leave no traceback."""
    office.open(transport)
    record = office.hold()
    made = payload(office, record)
    made |= changes
    assert office.control.forge(made)["acked"]
    one_answer(office, "U0ALICE", "recorded")
    assert office.agent.hold(record.id).decisions == ()
    assert "Traceback" not in caplog.text


@both
@pytest.mark.parametrize(
    "view",
    [
        [],
        {"id": "V1", "callback_id": names.DENY_FORM, "private_metadata": "[" * 90_000, "state": []},
        {"id": "V1", "callback_id": names.DENY_FORM, "private_metadata": "7", "state": {"values": []}},
        {"id": 1, "callback_id": "", "private_metadata": None, "state": {"values": {"comment": []}}},
    ],
)
def test_a_form_of_nobody_knows_what_is_acknowledged(
    office: Office, transport: Any, view: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """A submitted view that cannot be read is acknowledged with a window that says so."""
    office.open(transport)
    record = office.hold()
    made = {key: value for key, value in payload(office, record).items() if key != "actions"}
    view = {"type": "modal"} | view if isinstance(view, dict) else view
    made |= {"type": "view_submission", "view": view}
    result = office.control.forge(made)
    assert result["acked"]
    assert "othing was recorded" in spell(result["body"])
    assert "Traceback" not in caplog.text


@both
@pytest.mark.parametrize("changes", [{"actions": None}, {"actions": {}}, {"type": "view_submission"}])
def test_a_payload_that_is_none_leaves_the_bot_working(
    office: Office, transport: Any, changes: dict[str, Any]
) -> None:
    """What bolt itself cannot read decides nothing, and the next press counts."""
    office.open(transport)
    record = office.hold()
    office.control.settings(ack_seconds=0.2)  # nobody acknowledges it
    assert office.control.forge(payload(office, record) | changes).get("http_status") in (None, 400, 404)
    office.control.settings(ack_seconds=PATIENCE)
    office.press("U0ALICE", record, names.APPROVE)
    office.until(record, State.APPROVED)


def test_a_press_that_cannot_be_read_is_told_once(office: Office, recwarn: pytest.WarningsRecorder) -> None:
    """Delivered twice, it is answered once, and nothing that was begun for the second is left lying."""
    office.open("http")
    made = payload(office, office.hold()) | {"actions": [1]}
    for _ in range(2):
        assert office.control.forge(made)["acked"]
    one_answer(office, "U0ALICE", "cannot read")
    assert [str(each.message) for each in recwarn if each.category is RuntimeWarning] == []


def test_the_first_press_needs_no_word_from_slack_about_the_token(
    office: Office, workspace: LocalWorkspace
) -> None:
    """A press counts although Slack does not answer auth.test just then."""
    office.open()
    record = office.hold()
    office.card(record)
    workspace.control.faults.set("auth.test", kind="error", error="ratelimited", times=None)
    office.press("U0ALICE", record, names.APPROVE)
    office.until(record, State.APPROVED)


def test_a_long_rate_limit_refuses_instead_of_hanging(office: Office, workspace: LocalWorkspace) -> None:
    """Where Slack says to ask again in an hour, who pressed is told at once that nothing was recorded."""
    office.open()
    record = office.hold()
    office.card(record)
    workspace.control.faults.set("users.info", kind="ratelimit", retry_after=3600, times=None)
    office.press("U0ALICE", record, names.APPROVE)
    one_answer(office, "U0ALICE", "did not tell")


def test_a_press_during_the_stop_is_answered(office: Office, workspace: LocalWorkspace) -> None:
    """A press that is in hand while the bot stops is recorded and answered before it ends."""
    bot = office.open()
    record = office.hold()
    office.card(record)
    workspace.control.faults.set("users.info", kind="delay", seconds=0.7)
    office.press("U0CAROL", record, names.APPROVE)
    bot.stop()
    assert ["not among" in said for said in answers(office, "U0CAROL")] == [True]
