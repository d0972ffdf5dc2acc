"""Modals, home tabs, triggers and response URLs, with a real bolt app."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import ClientSession
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web import WebClient
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook import WebhookClient

from bot.local_workspace import ControlError, LocalWorkspace
from tests.bot.workspace_blocks import CHANNEL, Json, actions, button, modal, plain, section, text_input
from tests.patience import PATIENCE

Bolt = Callable[[Callable[[AsyncApp], None]], Any]


def name_of(refusal: pytest.ExceptionInfo[SlackApiError]) -> str:
    """Return the error's name."""
    return str(refusal.value.response["error"])


def open_modal(workspace: LocalWorkspace, client: WebClient, view: Json, user: str = "U0ALICE") -> Json:
    """Open a modal with a fresh trigger and return it."""
    trigger = workspace.control.mint(user)["trigger_id"]
    opened: Json = client.views_open(trigger_id=trigger, view=view)["view"]
    return opened


def answering(**answers: Json) -> Callable[[AsyncApp], None]:
    """Return listeners that answer a view_submission by its callback_id."""

    def answer_with(answer: Json) -> Callable[..., Any]:
        async def submit(ack: Any) -> None:
            await ack(**answer)

        return submit

    def listen(app: AsyncApp) -> None:
        for callback_id, answer in answers.items():
            app.view(callback_id)(answer_with(answer))

    return listen


def test_a_trigger_is_good_once(workspace: LocalWorkspace, client: WebClient) -> None:
    """The second use, an unknown trigger and one after three seconds each have their error."""
    trigger = workspace.control.mint()["trigger_id"]
    client.views_open(trigger_id=trigger, view=modal(section("x")))
    with pytest.raises(SlackApiError) as again:
        client.views_open(trigger_id=trigger, view=modal(section("x")))
    assert name_of(again) == "exchanged_trigger_id"
    with pytest.raises(SlackApiError) as unknown:
        client.views_open(trigger_id="1.2.3", view=modal(section("x")))
    assert name_of(unknown) == "invalid_trigger_id"
    late = workspace.control.mint()["trigger_id"]
    workspace.control.settings(trigger_seconds=0)
    with pytest.raises(SlackApiError) as expired:
        client.views_open(trigger_id=late, view=modal(section("x")))
    assert name_of(expired) == "expired_trigger_id"


def test_a_refused_view_does_not_use_the_trigger_up(workspace: LocalWorkspace, client: WebClient) -> None:
    """After invalid_arguments the same trigger still opens a legal view."""
    trigger = workspace.control.mint()["trigger_id"]
    with pytest.raises(SlackApiError) as refusal:
        client.views_open(trigger_id=trigger, view=modal(section("x"), title="t" * 25))
    sentence = "[ERROR] must be less than 25 characters [json-pointer:/view/title/text]"
    assert refusal.value.response["response_metadata"]["messages"] == [sentence]
    assert client.views_open(trigger_id=trigger, view=modal(section("x")))["ok"]


def test_the_stack_holds_three(workspace: LocalWorkspace, client: WebClient) -> None:
    """A push needs a trigger from a modal; the fourth is refused; closing shows the one below."""
    first = open_modal(workspace, client, modal(section("1")))
    with pytest.raises(SlackApiError) as outside:
        client.views_push(trigger_id=workspace.control.mint()["trigger_id"], view=modal(section("2")))
    assert name_of(outside) == "not_found"
    for number in (2, 3):
        trigger = workspace.control.mint(view_id=first["id"])["trigger_id"]
        pushed = client.views_push(trigger_id=trigger, view=modal(section(str(number))))["view"]
        assert pushed["root_view_id"] == first["id"]
    trigger = workspace.control.mint(view_id=first["id"])["trigger_id"]
    with pytest.raises(SlackApiError) as full:
        client.views_push(trigger_id=trigger, view=modal(section("4")))
    assert name_of(full) == "push_limit_reached"
    stack = workspace.control.views("U0ALICE")
    workspace.control.close_view("U0ALICE", stack[-1]["id"])
    assert [each["id"] for each in workspace.control.views("U0ALICE")] == [each["id"] for each in stack[:2]]
    workspace.control.close_view("U0ALICE", stack[1]["id"], clear=True)
    assert workspace.control.views("U0ALICE") == []


def test_an_update_keeps_what_was_typed_and_checks_the_hash(
    workspace: LocalWorkspace, client: WebClient
) -> None:
    """An input that stays keeps its value; an old hash is refused; a closed view is not found."""
    view = open_modal(workspace, client, modal(text_input()))
    workspace.control.set_input("U0ALICE", view["id"], "comment", "text", "half a sent")
    updated = client.views_update(
        view_id=view["id"], hash=view["hash"], view=modal(section("new"), text_input())
    )
    assert updated["view"]["state"]["values"]["comment"]["text"]["value"] == "half a sent"
    assert updated["view"]["id"] == view["id"]
    with pytest.raises(SlackApiError) as conflict:
        client.views_update(view_id=view["id"], hash=view["hash"], view=modal(section("late")))
    assert name_of(conflict) == "hash_conflict"
    workspace.control.close_view("U0ALICE", view["id"])
    with pytest.raises(SlackApiError) as gone:
        client.views_update(view_id=view["id"], view=modal(section("late")))
    assert name_of(gone) == "not_found"


def test_an_external_id_names_one_view(workspace: LocalWorkspace, client: WebClient) -> None:
    """A second view with the same external id is refused; an update finds the first by it."""
    open_modal(workspace, client, modal(section("x"), external_id="hold-1"))
    with pytest.raises(SlackApiError) as twice:
        open_modal(workspace, client, modal(section("x"), external_id="hold-1"), "U0BOB")
    assert name_of(twice) == "duplicate_external_id"
    client.views_update(external_id="hold-1", view=modal(section("found"), external_id="hold-1"))
    assert workspace.control.wait_view("U0ALICE", "found")


def test_answers_to_a_submission(workspace: LocalWorkspace, client: WebClient, bolt: Bolt) -> None:
    """Update and push change the stack, clear empties it."""
    bolt(
        answering(
            update={"response_action": "update", "view": modal(section("Recording"), callback_id="push")},
            push={"response_action": "push", "view": modal(section("On top"), callback_id="clear")},
            clear={"response_action": "clear"},
        )
    )
    view = open_modal(workspace, client, modal(text_input(optional=True), callback_id="update"))
    updated = workspace.control.submit_view("U0ALICE", view["id"])
    assert updated["view"]["id"] == view["id"]
    assert not updated["closed"]
    pushed = workspace.control.submit_view("U0ALICE", view["id"])
    assert pushed["view"]["previous_view_id"] == view["id"]
    assert len(workspace.control.views("U0ALICE")) == 2
    assert workspace.control.submit_view("U0ALICE", pushed["view"]["id"])["closed"]
    assert workspace.control.views("U0ALICE") == []


@pytest.mark.parametrize(
    "answer",
    [
        {"response_action": "push", "view": modal(section("x" * 3001))},
        {"response_action": "update", "view": modal(section("x"), title="t" * 25)},
        {"response_action": "errors", "errors": {"no_such_block": "x"}},
        {"response_action": "errors", "errors": {"words": "x"}},
        {"response_action": "explode"},
    ],
    ids=["push", "update", "errors-unknown", "errors-no-input", "unknown"],
)
def test_a_bad_answer_is_trouble_for_the_person_only(
    workspace: LocalWorkspace, client: WebClient, bolt: Bolt, answer: Json
) -> None:
    """The app sees nothing, the person sees a warning, and the modal stays as it was."""
    bolt(answering(bad=answer))
    blocks = (section("x") | {"block_id": "words"}, text_input(optional=True))
    view = open_modal(workspace, client, modal(*blocks, callback_id="bad"))
    result = workspace.control.submit_view("U0ALICE", view["id"])
    assert result["acked"]
    assert "trouble" in result["trouble"]
    assert workspace.control.troubles("U0ALICE")[-1]["kind"] == "failed_modal"
    assert workspace.control.troubles("U0BOB") == []
    assert workspace.control.views("U0ALICE")[-1]["hash"] == view["hash"]


def test_an_update_sent_after_the_answer_comes_last(workspace: LocalWorkspace, client: WebClient) -> None:
    """An answer is applied when it comes, so an update that the app sends right after it wins."""
    view = open_modal(workspace, client, modal(section("x")))
    app_web = AsyncWebClient(workspace.bot_token, base_url=workspace.api_url)

    async def app() -> None:
        opened = await AsyncWebClient(base_url=workspace.api_url).apps_connections_open(
            app_token=workspace.app_token
        )
        async with ClientSession() as session, session.ws_connect(opened["url"]) as socket:
            assert (await socket.receive_json(timeout=PATIENCE))["type"] == "hello"
            submitting = asyncio.create_task(
                asyncio.to_thread(workspace.control.submit_view, "U0ALICE", view["id"])
            )
            envelope = await socket.receive_json(timeout=PATIENCE)
            answer = {"response_action": "update", "view": modal(section("Recording"))}
            await socket.send_json({"envelope_id": envelope["envelope_id"], "payload": answer})
            await app_web.views_update(view_id=view["id"], view=modal(section("Recorded")))
            assert (await submitting)["acked"]

    asyncio.run(app())
    assert workspace.control.views("U0ALICE")[-1]["blocks"][0]["text"]["text"] == "Recorded"


def test_every_kind_of_input_reaches_the_app(
    workspace: LocalWorkspace, client: WebClient, bolt: Bolt
) -> None:
    """Text, menus, people, dates, numbers and choices arrive as Slack's state objects."""
    submitted: list[Json] = []

    def listen(app: AsyncApp) -> None:
        @app.view("all")
        async def submit(ack: Any, view: Json) -> None:
            submitted.append({key: each["a"] for key, each in view["state"]["values"].items()})
            await ack()

    bolt(listen)
    options = [{"text": plain("One"), "value": "1"}, {"text": plain("Two"), "value": "2"}]
    kinds: list[tuple[Json, Any, Json]] = [
        ({"type": "static_select", "options": options}, "2", {"selected_option": options[1] | {}}),
        ({"type": "multi_static_select", "options": options}, ["1", "2"], {"selected_options": options}),
        ({"type": "radio_buttons", "options": options}, "1", {"selected_option": options[0]}),
        ({"type": "checkboxes", "options": options}, ["2"], {"selected_options": options[1:]}),
        ({"type": "users_select"}, "U0BOB", {"selected_user": "U0BOB"}),
        ({"type": "multi_users_select"}, ["U0BOB"], {"selected_users": ["U0BOB"]}),
        ({"type": "channels_select"}, CHANNEL, {"selected_channel": CHANNEL}),
        ({"type": "datepicker"}, "2030-01-31", {"selected_date": "2030-01-31"}),
        ({"type": "timepicker"}, "09:30", {"selected_time": "09:30"}),
        ({"type": "datetimepicker"}, 1893456000, {"selected_date_time": 1893456000}),
        ({"type": "number_input", "is_decimal_allowed": True}, "12.50", {"value": "12.50"}),
        ({"type": "email_text_input"}, "a@example.com", {"value": "a@example.com"}),
    ]
    blocks, values, expected = [], {}, {}
    for number, (element, value, state) in enumerate(kinds):
        block = {"type": "input", "block_id": f"b{number}", "label": plain("x")}
        blocks.append(block | {"element": element | {"action_id": "a"}})
        values[f"b{number}"] = {"a": value}
        expected[f"b{number}"] = {"type": element["type"], **state}
    view = open_modal(workspace, client, modal(*blocks, callback_id="all"))
    assert workspace.control.submit_view("U0ALICE", view["id"], values)["closed"]
    assert submitted == [expected]


def test_what_the_client_checks_first(workspace: LocalWorkspace, client: WebClient) -> None:
    """Lengths and bounds are answered without asking the app."""
    text = text_input() | {"element": {"type": "plain_text_input", "action_id": "text", "min_length": 3}}
    number = {"type": "number_input", "action_id": "n", "is_decimal_allowed": False, "max_value": "10"}
    block = {"type": "input", "block_id": "amount", "label": plain("x"), "element": number}
    view = open_modal(workspace, client, modal(text, block))
    result = workspace.control.submit_view(
        "U0ALICE", view["id"], {"comment": {"text": "ab"}, "amount": {"n": "10.5"}}
    )
    assert set(result["errors"]) == {"comment", "amount"}
    wrong = workspace.control.submit_view(
        "U0ALICE", view["id"], {"comment": {"text": "abc"}, "amount": {"n": "11"}}
    )
    assert set(wrong["errors"]) == {"amount"}
    assert workspace.control.envelopes() == []


def test_a_click_in_a_modal_and_its_closing(workspace: LocalWorkspace, client: WebClient, bolt: Bolt) -> None:
    """A click carries the view with what was typed and pushes a modal; closing is told if asked for."""
    seen: list[Json] = []
    closed = threading.Event()

    def listen(app: AsyncApp) -> None:
        @app.action("reason")
        async def reason(ack: Any, body: Json, client: Any) -> None:
            seen.append(body)
            await ack()
            await client.views_push(trigger_id=body["trigger_id"], view=modal(section("More")))

        @app.view_closed("deny")
        async def on_close(ack: Any) -> None:
            await ack()
            closed.set()

    bolt(listen)
    body = modal(text_input(), actions(button("reason", "wrong")), callback_id="deny", notify_on_close=True)
    view = open_modal(workspace, client, body)
    values = {"comment": {"text": "typed"}}
    assert workspace.control.click_view("U0ALICE", view["id"], "reason", values=values)["acked"]
    top = workspace.control.wait_view("U0ALICE", "More")
    assert seen[0]["container"] == {"type": "view", "view_id": view["id"]}
    assert seen[0]["view"]["state"]["values"]["comment"]["text"]["value"] == "typed"
    workspace.control.close_view("U0ALICE", top["id"])
    workspace.control.close_view("U0ALICE", view["id"])
    assert closed.wait(PATIENCE)


def test_a_person_does_not_press_in_anothers_modal(workspace: LocalWorkspace, client: WebClient) -> None:
    """Bob cannot submit or see what is open in front of Alice."""
    view = open_modal(workspace, client, modal(text_input()))
    with pytest.raises(ControlError, match="view_not_found"):
        workspace.control.submit_view("U0BOB", view["id"], {"comment": {"text": "x"}})
    assert workspace.control.views("U0BOB") == []


def test_the_home_tab(workspace: LocalWorkspace, client: WebClient, bolt: Bolt) -> None:
    """Opening it sends the event; what the app publishes is seen by that person, and its buttons work."""
    pressed = threading.Event()

    def listen(app: AsyncApp) -> None:
        @app.event("app_home_opened")
        async def opened(event: Json, client: Any) -> None:
            view = {"type": "home", "blocks": [section("Your holds"), actions(button("refresh"))]}
            await client.views_publish(user_id=event["user"], view=view)

        @app.action("refresh")
        async def refresh(ack: Any, body: Json) -> None:
            await ack()
            if body["view"]["type"] == "home":
                pressed.set()

    bolt(listen)
    assert workspace.control.open_home("U0ALICE")["acked"]
    home = workspace.control.wait_home("U0ALICE", "Your holds")
    assert workspace.control.home("U0BOB") is None
    workspace.control.click_view("U0ALICE", home["id"], "refresh")
    assert pressed.wait(PATIENCE)
    with pytest.raises(SlackApiError):
        client.views_publish(user_id="U0ALICE", hash="old", view={"type": "home", "blocks": [section("x")]})


def respond(url: str, **body: Any) -> int:
    """Answer at a response_url and return the HTTP status."""
    return WebhookClient(url).send_dict(body).status_code


def test_a_response_url_is_good_five_times(workspace: LocalWorkspace) -> None:
    """The sixth answer is refused, and so is one after its time."""
    url = workspace.control.mint()["response_url"]
    assert [respond(url, text=str(number)) for number in range(6)] == [200] * 5 + [404]
    assert workspace.control.calls("response_url")[-1]["error"] == "used_url"
    assert len(workspace.control.ephemerals("U0ALICE")) == 5
    late = workspace.control.mint()["response_url"]
    workspace.control.settings(response_url_seconds=0)
    assert respond(late, text="late") == 404
    assert workspace.control.calls("response_url")[-1]["error"] == "expired_url"


def test_what_a_response_url_does(workspace: LocalWorkspace, client: WebClient) -> None:
    """It replaces and deletes the original, also an ephemeral one, and refuses markdown blocks."""
    shown = client.chat_postEphemeral(channel=CHANNEL, user="U0ALICE", text="old")["message_ts"]
    url = workspace.control.mint("U0ALICE", channel=CHANNEL, ts=shown)["response_url"]
    assert respond(url, text="new", replace_original=True) == 200
    assert [each["text"] for each in workspace.control.ephemerals("U0ALICE")] == ["new"]
    assert respond(url, text="more", replace_original=False, response_type="in_channel") == 200
    assert [each["text"] for each in workspace.control.messages(CHANNEL)] == ["more"]
    assert respond(url, text="x", blocks=[{"type": "markdown", "text": "x"}]) == 400
    assert respond(url, delete_original=True) == 200
    assert workspace.control.ephemerals("U0ALICE") == []


def test_inputs_speak_only_when_asked_to(workspace: LocalWorkspace, client: WebClient, bolt: Bolt) -> None:
    """An input with dispatch_action tells the app what was typed; one without cannot be pressed."""
    typed: list[str] = []

    def listen(app: AsyncApp) -> None:
        @app.action("text")
        async def text(ack: Any, action: Json) -> None:
            typed.append(action["value"])
            await ack()

    bolt(listen)
    view = open_modal(workspace, client, modal(text_input("quiet"), text_input("loud", dispatch_action=True)))
    assert workspace.control.click_view("U0ALICE", view["id"], "text", "hello", block_id="loud")["acked"]
    assert typed == ["hello"]
    with pytest.raises(ControlError, match="no_such_element"):
        workspace.control.click_view("U0ALICE", view["id"], "text", "hello", block_id="quiet")


def test_only_the_uppermost_modal_can_be_used(workspace: LocalWorkspace, client: WebClient) -> None:
    """A modal under another one is neither pressed nor sent."""
    below = open_modal(workspace, client, modal(actions(button("a")), text_input(optional=True)))
    trigger = workspace.control.mint(view_id=below["id"])["trigger_id"]
    client.views_push(trigger_id=trigger, view=modal(section("top")))
    with pytest.raises(ControlError, match="on top"):
        workspace.control.click_view("U0ALICE", below["id"], "a")
    with pytest.raises(ControlError, match="on top"):
        workspace.control.submit_view("U0ALICE", below["id"])
