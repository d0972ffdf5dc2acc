"""A click goes to a real bolt app over Socket Mode, and what the app does is seen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.web import WebClient

from bot.local_workspace import ControlError, LocalWorkspace
from tests.bot.workspace_blocks import CHANNEL, actions, button, modal, plain, section, text_input
from tests.patience import PATIENCE

Bolt = Callable[[Callable[[AsyncApp], None]], Any]


def post(client: WebClient, *blocks: dict[str, Any]) -> str:
    """Post a message with blocks and return its ts."""
    return str(client.chat_postMessage(channel=CHANNEL, text="card", blocks=list(blocks))["ts"])


def test_a_click_reaches_the_app_and_the_app_updates_the_message(
    workspace: LocalWorkspace, client: WebClient, bolt: Bolt
) -> None:
    """A click is acknowledged in time and carries who, where and what; the update is seen as edited."""
    seen: list[dict[str, Any]] = []

    def listen(app: AsyncApp) -> None:
        @app.action("approve")
        async def approve(ack: Any, body: dict[str, Any], client: Any) -> None:
            await ack()
            seen.append(body)
            await client.chat_update(
                channel=body["channel"]["id"],
                ts=body["message"]["ts"],
                text="done",
                blocks=[section("Approved")],
            )

    bolt(listen)
    ts = post(client, section("Refund"), actions(button("approve", "hold-1")))
    result = workspace.control.click("U0ALICE", CHANNEL, ts, "approve")
    assert result["delivered"]
    assert result["acked"]
    assert result["trouble"] is None
    message = workspace.control.wait_message(CHANNEL, contains="Approved")
    assert message["ts"] == ts
    assert message["edited"]["user"] == "U0GATEBOT"
    body = seen[0]
    assert body["user"] == {"id": "U0ALICE", "username": "alice", "name": "alice", "team_id": "T0LOCAL"}
    assert body["container"] == {
        "type": "message",
        "message_ts": ts,
        "channel_id": CHANNEL,
        "is_ephemeral": False,
    }
    assert body["actions"][0]["value"] == "hold-1"
    assert body["actions"][0]["block_id"] == "buttons"
    assert body["message"]["blocks"][0]["text"]["text"] == "Refund"


def test_a_modal_is_opened_refused_and_submitted(
    workspace: LocalWorkspace, client: WebClient, bolt: Bolt
) -> None:
    """views.open shows a modal, errors keep it open with what was typed, an empty answer closes it."""
    submitted: list[dict[str, Any]] = []

    def listen(app: AsyncApp) -> None:
        @app.action("deny")
        async def deny(ack: Any, body: dict[str, Any], client: Any) -> None:
            await client.views_open(
                trigger_id=body["trigger_id"], view=modal(text_input(), title="Deny", callback_id="deny")
            )
            await ack()

        @app.view("deny")
        async def submit(ack: Any, view: dict[str, Any]) -> None:
            submitted.append(view["state"]["values"])
            comment = view["state"]["values"]["comment"]["text"]["value"]
            if comment == "short":
                await ack(response_action="errors", errors={"comment": "Say more."})
            else:
                await ack()

    bolt(listen)
    ts = post(client, actions(button("deny")))
    workspace.control.click("U0BOB", CHANNEL, ts, "deny")
    view = workspace.control.wait_view("U0BOB", "Deny")
    empty = workspace.control.submit_view("U0BOB", view["id"], {"comment": {"text": ""}})
    assert not empty["delivered"]
    assert "comment" in empty["errors"]
    refused = workspace.control.submit_view("U0BOB", view["id"], {"comment": {"text": "short"}})
    assert refused["errors"] == {"comment": "Say more."}
    assert not refused["closed"]
    done = workspace.control.submit_view("U0BOB", view["id"], {"comment": {"text": "No claim on file."}})
    assert done["closed"]
    assert done["view"] is None
    assert workspace.control.views("U0BOB") == []
    assert submitted[-1] == {"comment": {"text": {"type": "plain_text_input", "value": "No claim on file."}}}
    assert workspace.control.views("U0ALICE") == []


def test_a_slash_command_is_answered_to_the_person_alone(
    workspace: LocalWorkspace, client: WebClient, bolt: Bolt
) -> None:
    """The ack's text is seen by the person who typed the command and by nobody else."""

    def listen(app: AsyncApp) -> None:
        @app.command("/gate")
        async def gate(ack: Any, command: dict[str, Any]) -> None:
            await ack(f"You said {command['text']}")

    bolt(listen)
    result = workspace.control.slash("U0ALICE", CHANNEL, "/gate holds all")
    assert result["acked"]
    assert workspace.control.wait_ephemeral("U0ALICE", "holds all")["channel"] == CHANNEL
    assert workspace.control.ephemerals("U0BOB") == []
    assert workspace.control.messages(CHANNEL) == []
    assert workspace.control.slash("U0ALICE", CHANNEL, "/other x")["trouble"]


def test_a_menu_and_a_cancelled_confirm(workspace: LocalWorkspace, client: WebClient, bolt: Bolt) -> None:
    """An overflow click carries the chosen option; a cancelled confirm dialog sends nothing."""
    chosen: list[str] = []
    came = threading.Event()
    confirm = {
        "title": plain("Sure?"),
        "text": plain("Runs once."),
        "confirm": plain("Yes"),
        "deny": plain("No"),
    }
    options = [{"text": plain("Stop"), "value": "stop"}, {"text": plain("View"), "value": "view"}]

    def listen(app: AsyncApp) -> None:
        @app.action("more")
        async def more(ack: Any, action: dict[str, Any]) -> None:
            await ack()
            chosen.append(action["selected_option"]["value"])
            came.set()

    bolt(listen)
    menu = {"type": "overflow", "action_id": "more", "options": options}
    ts = post(client, actions(menu, button("approve", confirm=confirm)))
    assert workspace.control.click("U0ALICE", CHANNEL, ts, "more", value="view")["acked"]
    assert came.wait(PATIENCE)
    assert chosen == ["view"]
    before = len(workspace.control.envelopes())
    assert not workspace.control.click("U0ALICE", CHANNEL, ts, "approve", confirm=False)["delivered"]
    assert len(workspace.control.envelopes()) == before
    with pytest.raises(ControlError, match="no_such_option"):
        workspace.control.click("U0ALICE", CHANNEL, ts, "more", value="nothing")


@pytest.mark.parametrize(
    ("user", "code"), [("U0GONE", "cannot_act"), ("U0ROBOT", "cannot_act"), ("U0X", "user_not_found")]
)
def test_who_cannot_press(workspace: LocalWorkspace, client: WebClient, user: str, code: str) -> None:
    """Bots, people who left and unknown people press nothing."""
    ts = post(client, actions(button("approve")))
    with pytest.raises(ControlError) as refused:
        workspace.control.click(user, CHANNEL, ts, "approve")
    assert refused.value.code == code
    assert workspace.control.envelopes() == []


def test_what_a_person_cannot_see_cannot_be_pressed(workspace: LocalWorkspace, client: WebClient) -> None:
    """A message in a private channel is not pressed by an outsider, unless the click is forged."""
    ts = client.chat_postMessage(channel="C0PRIVATE", text="x", blocks=[actions(button("approve"))])["ts"]
    with pytest.raises(ControlError, match="not_visible"):
        workspace.control.click("U0CAROL", "C0PRIVATE", ts, "approve")
    forged = workspace.control.click("U0CAROL", "C0PRIVATE", ts, "approve", forge=True)
    assert workspace.control.envelopes()[-1]["payload"]["user"]["id"] == "U0CAROL"
    assert not forged["delivered"]


def test_a_screen_that_shows_an_old_card(workspace: LocalWorkspace, client: WebClient, bolt: Bolt) -> None:
    """A button that is gone cannot be pressed; forged, it is pressed as the old version showed it."""
    seen: list[dict[str, Any]] = []

    def listen(app: AsyncApp) -> None:
        @app.action("approve")
        async def approve(ack: Any, body: dict[str, Any]) -> None:
            seen.append(body)
            await ack()

    bolt(listen)
    ts = post(client, section("Open"), actions(button("approve", "version-1")))
    client.chat_update(channel=CHANNEL, ts=ts, text="closed", blocks=[section("Closed")])
    with pytest.raises(ControlError, match="no_such_element"):
        workspace.control.click("U0ALICE", CHANNEL, ts, "approve")
    assert workspace.control.click("U0ALICE", CHANNEL, ts, "approve", forge=True)["acked"]
    client.chat_delete(channel=CHANNEL, ts=ts)
    assert workspace.control.click("U0ALICE", CHANNEL, ts, "approve", forge=True)["acked"]
    assert [each["actions"][0]["value"] for each in seen] == ["version-1", "version-1"]
    assert seen[0]["message"]["blocks"][0]["text"]["text"] == "Open"


def test_a_menu_in_a_message_keeps_its_place_in_the_state(
    workspace: LocalWorkspace, client: WebClient, bolt: Bolt
) -> None:
    """A click carries what the message's other inputs hold."""
    seen: list[dict[str, Any]] = []

    def listen(app: AsyncApp) -> None:
        @app.action("due")
        async def due(ack: Any, body: dict[str, Any]) -> None:
            seen.append(body)
            await ack()

    bolt(listen)
    who = {"type": "users_select", "action_id": "who"}
    ts = post(client, actions(who, {"type": "datepicker", "action_id": "due"}))
    values = {"buttons": {"who": "U0BOB"}}
    assert workspace.control.click("U0ALICE", CHANNEL, ts, "due", value="2030-01-31", values=values)["acked"]
    assert seen[0]["actions"][0]["selected_date"] == "2030-01-31"
    assert seen[0]["state"]["values"]["buttons"] == {
        "who": {"type": "users_select", "selected_user": "U0BOB"},
        "due": {"type": "datepicker", "selected_date": "2030-01-31"},
    }
