"""Whatever else Slack may send is acknowledged, and what a person did is answered."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bot.bot_fixtures import CHANNEL, Office, office, office_of

__all__ = ["office", "office_of"]

both = pytest.mark.parametrize("transport", ["socket", "http"])
ALICE = {"id": "U0ALICE", "team_id": "T0LOCAL", "name": "alice"}


def payload(office: Office, **changes: Any) -> dict[str, Any]:
    """Return an interactive payload of a person."""
    minted = office.control.mint(user="U0ALICE", channel=CHANNEL)
    whole = {
        "team": {"id": "T0LOCAL", "domain": "local"},
        "user": ALICE,
        "api_app_id": "A0GATE",
        "trigger_id": minted["trigger_id"],
    }
    return whole | changes


@both
@pytest.mark.parametrize("kind", ["shortcut", "message_action"])
def test_a_shortcut_is_answered_by_a_window(office: Office, kind: str, transport: Any) -> None:
    """A shortcut that this version does not have says so."""
    office.open(transport)
    assert office.control.forge(payload(office, type=kind, callback_id="somebody:else"))["acked"]
    office.control.wait_view("U0ALICE", "means nothing")


@both
@pytest.mark.parametrize(
    "changes",
    [
        {"type": "view_closed", "view": {"id": "V1", "type": "modal", "callback_id": "gate:form:deny"}},
        {"type": "block_suggestion", "action_id": "gate:x", "block_id": "b", "value": ""},
        {"type": "block_actions", "actions": [{"type": "button", "action_id": "", "block_id": "b"}]},
    ],
)
def test_other_payloads_are_acknowledged(office: Office, changes: dict[str, Any], transport: Any) -> None:
    """Closed windows, option lookups and nameless buttons never leave Slack waiting."""
    office.open(transport)
    assert office.control.forge(payload(office, **changes))["acked"]


@both
def test_a_form_that_is_not_ours_changes_nothing(office: Office, transport: Any) -> None:
    """A submitted form without our memory is answered by a window."""
    office.open(transport)
    view = {
        "id": "V1",
        "type": "modal",
        "callback_id": "x",
        "private_metadata": "{}",
        "state": {"values": {}},
    }
    result = office.control.forge(payload(office, type="view_submission", view=view))
    assert result["acked"]
    assert "means nothing to this version" in str(result["body"])


@both
def test_other_events_are_acknowledged(office: Office, transport: Any) -> None:
    """Events that nobody asked for are taken and left."""
    office.open(transport)
    event = {"type": "channel_rename", "channel": {"id": CHANNEL, "name": "x"}}
    body = {"type": "event_callback", "event_id": "Ev1", "team_id": "T0LOCAL", "event": event}
    assert office.control.forge(body, kind="events_api")["acked"]
