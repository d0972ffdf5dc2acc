"""Socket Mode: connections, envelopes, acknowledgements and their failures."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web import WebClient

from bot.local_workspace import LocalWorkspace
from tests.bot.bot_fixtures import eventually
from tests.bot.workspace_blocks import CHANNEL, actions, button
from tests.patience import PATIENCE

Bolt = Callable[[Callable[[AsyncApp], None]], Any]


@pytest.fixture
def card(client: WebClient) -> str:
    """Give the ts of a message with one button."""
    return str(
        client.chat_postMessage(channel=CHANNEL, text="card", blocks=[actions(button("approve"))])["ts"]
    )


class Clicks:
    """Counts the clicks that listeners saw."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.condition = threading.Condition()

    def listen(self, app: AsyncApp) -> None:
        """Acknowledge clicks on "approve" and remember them."""

        @app.action("approve")
        async def approve(ack: Any, body: dict[str, Any]) -> None:
            await ack()
            with self.condition:
                self.seen.append(body["user"]["id"])
                self.condition.notify_all()

    def wait(self, number: int) -> bool:
        """Wait until so many clicks were seen."""
        with self.condition:
            return self.condition.wait_for(lambda: len(self.seen) >= number, PATIENCE)


@pytest.fixture
def clicks() -> Clicks:
    """Give a counter of clicks."""
    return Clicks()


def test_nobody_is_connected(workspace: LocalWorkspace, card: str) -> None:
    """A click with no app there is not delivered, and the person sees a warning."""
    result = workspace.control.click("U0ALICE", CHANNEL, card, "approve")
    assert not result["delivered"]
    assert workspace.control.troubles("U0ALICE")[0]["text"] == result["trouble"]


def test_each_envelope_goes_to_exactly_one_connection(
    workspace: LocalWorkspace, bolt: Bolt, card: str, clicks: Clicks
) -> None:
    """With three connections every click is seen once, and more than one connection gets some."""
    for _number in range(3):
        bolt(clicks.listen)
    assert workspace.control.socket_connections() == 3
    for _number in range(30):
        assert workspace.control.click("U0ALICE", CHANNEL, card, "approve")["acked"]
    assert clicks.wait(30)
    assert len(clicks.seen) == 30
    envelopes = workspace.control.envelopes()
    assert all(len(each["connections"]) == 1 for each in envelopes)
    assert len({each["connection"] for each in envelopes}) > 1


def test_a_ticket_is_good_once(workspace: LocalWorkspace) -> None:
    """apps.connections.open gives a fresh address each time, and only to the app token."""
    web = WebClient(workspace.app_token, base_url=workspace.api_url)
    first, second = (web.apps_connections_open(app_token=workspace.app_token)["url"] for _number in range(2))
    assert first != second
    assert first.startswith("ws://127.0.0.1:")
    workspace.control.set_tokens(app="invalid_auth")
    with pytest.raises(SlackApiError, match="invalid_auth"):
        web.apps_connections_open(app_token=workspace.app_token)


@pytest.mark.parametrize("how", [{"reason": "refresh_requested"}, {"reason": "warning"}, {"abort": True}])
def test_the_app_comes_back_after_a_disconnect(
    workspace: LocalWorkspace, bolt: Bolt, card: str, clicks: Clicks, how: dict[str, Any]
) -> None:
    """After a refresh, a warning or a cut the app connects again and clicks arrive."""
    workspace.control.settings(ack_seconds=3)  # a click that meets a connection at its end is made again
    bolt(clicks.listen)
    assert workspace.control.disconnect(**how) == 1
    opened = "apps.connections.open"
    workspace.control.wait_until(
        lambda state: len(workspace.control.calls(opened)) > 1 and state["transport"]["connections"] == 1,
    )
    assert eventually(lambda: workspace.control.click("U0ALICE", CHANNEL, card, "approve")["acked"])


def test_a_duplicate_envelope_reaches_the_listener_twice(
    workspace: LocalWorkspace, bolt: Bolt, card: str, clicks: Clicks
) -> None:
    """The same envelope id is delivered twice, and a replay delivers it a third time."""
    bolt(clicks.listen)
    workspace.control.duplicate_envelopes()
    workspace.control.click("U0ALICE", CHANNEL, card, "approve")
    assert clicks.wait(2)
    workspace.control.duplicate_envelopes(False)
    workspace.control.replay()
    assert clicks.wait(3)
    first, second = workspace.control.envelopes()
    assert first["envelope_id"] == second["envelope_id"]
    assert (first["copies"], second["copies"]) == (2, 1)


def test_a_missing_acknowledgement_is_trouble(workspace: LocalWorkspace, bolt: Bolt, card: str) -> None:
    """An action without a listener is never acknowledged; the person sees a warning."""
    workspace.control.settings(ack_seconds=0.3)
    bolt(lambda app: None)
    result = workspace.control.click("U0ALICE", CHANNEL, card, "approve")
    assert result["delivered"]
    assert not result["acked"]
    assert workspace.control.troubles("U0ALICE")[-1]["kind"] == "missing_ack"


def test_a_late_acknowledgement_is_dropped_and_noted(workspace: LocalWorkspace, bolt: Bolt) -> None:
    """An answer after the time has no effect; it is noted as late."""
    workspace.control.settings(ack_seconds=0.3)
    go = threading.Event()

    def listen(app: AsyncApp) -> None:
        @app.command("/gate")
        async def gate(ack: Any) -> None:
            await asyncio.to_thread(go.wait, 10)
            await ack("too late to be seen")

    bolt(listen)
    result = workspace.control.slash("U0ALICE", CHANNEL, "/gate holds")
    assert not result["acked"]
    go.set()
    kinds = workspace.control.wait_until(
        lambda state: [each["kind"] for each in state["troubles"] if each["kind"] == "late_ack"]
    )
    assert kinds == ["late_ack"]
    assert workspace.control.ephemerals("U0ALICE") == []
    assert workspace.control.envelopes()[-1]["late"]


def test_forged_payloads_arrive_as_they_are(workspace: LocalWorkspace, bolt: Bolt, card: str) -> None:
    """A test can send a click of a person who is not in the workspace at all."""
    seen: list[dict[str, Any]] = []

    def listen(app: AsyncApp) -> None:
        @app.action("approve")
        async def approve(ack: Any, body: dict[str, Any]) -> None:
            seen.append(body["user"])
            await ack()

    bolt(listen)
    workspace.control.click("U0ALICE", CHANNEL, card, "approve")
    payload = workspace.control.envelopes()[-1]["payload"]
    liar = {"id": "U0NOBODY", "team_id": "T0EVIL"}
    assert workspace.control.forge({**payload, "user": liar})["acked"]
    assert seen[-1] == liar


def test_an_event_is_repeated_and_a_click_is_not(workspace: LocalWorkspace, bolt: Bolt, card: str) -> None:
    """An event that is not acknowledged comes again at once; a lost click is lost."""
    workspace.control.settings(ack_seconds=0.3)
    again = threading.Event()

    def listen(app: AsyncApp) -> None:
        times: list[str] = []

        @app.middleware
        async def swallow(body: dict[str, Any]) -> None:
            times.append(str(body.get("event_id")))
            if len(times) > 1 and times[-1] == times[-2]:
                again.set()

    bolt(listen)
    workspace.control.open_home("U0ALICE")
    assert again.wait(PATIENCE)
    before = len(workspace.control.envelopes())
    workspace.control.click("U0ALICE", CHANNEL, card, "approve")
    assert len(workspace.control.envelopes()) == before + 1
    assert len(workspace.control.envelopes()[-1]["connections"]) == 1
