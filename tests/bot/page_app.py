"""A small Slack app that shows and does everything the page must handle, and notes what reached it."""

from __future__ import annotations

import asyncio
import queue
import re
import threading
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.web import WebClient
from slack_sdk.web.async_client import AsyncWebClient

from tests.patience import PATIENCE

CHANNEL = "C0APPROVALS"


def plain(text: str, emoji: bool = True) -> dict[str, Any]:
    """Make a plain_text object."""
    return {"type": "plain_text", "text": text, "emoji": emoji}


def mrkdwn(text: str) -> dict[str, Any]:
    """Make a mrkdwn object."""
    return {"type": "mrkdwn", "text": text}


def option(value: str) -> dict[str, Any]:
    """Make an option whose text is its value with a capital letter."""
    return {"text": plain(value.capitalize()), "value": value}


def button(action_id: str, text: str, **more: Any) -> dict[str, Any]:
    """Make a button."""
    return {"type": "button", "action_id": action_id, "text": plain(text), "value": action_id, **more}


CONFIRM = {
    "title": plain("Really?"),
    "text": mrkdwn("*Refund* runs once, now."),
    "confirm": plain("Do it"),
    "deny": plain("Go back"),
}


def rich_text(*parts: dict[str, Any]) -> dict[str, Any]:
    """Make a rich_text block."""
    return {"type": "rich_text", "block_id": "rich", "elements": list(parts)}


def words(text: str, **style: bool) -> dict[str, Any]:
    """Make a rich text element."""
    return {"type": "text", "text": text, **({"style": style} if style else {})}


def line(*elements: dict[str, Any]) -> dict[str, Any]:
    """Make a rich text section."""
    return {"type": "rich_text_section", "elements": list(elements)}


ACTIONS = {
    "type": "actions",
    "block_id": "buttons",
    "elements": [
        button("approve", "Approve", style="primary", confirm=CONFIRM),
        button("open_form", "Deny", style="danger"),
        button("whisper", "Whisper"),
        button("edit", "Edit"),
        button("ignore", "Ignore"),
        {
            "type": "overflow",
            "action_id": "more",
            "options": [option("view"), option("stop")],
        },
    ],
}
PICKERS = {
    "type": "actions",
    "block_id": "pickers",
    "elements": [
        {
            "type": "static_select",
            "action_id": "pick",
            "placeholder": plain("Pick one"),
            "options": [option("red"), option("blue")],
        },
        {"type": "datepicker", "action_id": "day", "initial_date": "2030-01-02"},
    ],
}
RICH = rich_text(
    line(
        words("strong", bold=True),
        words(" slanted", italic=True),
        words(" gone", strike=True),
        words(" coded", code=True),
        words(" "),
        {"type": "link", "url": "https://example.com/", "text": "a link"},
        {"type": "user", "user_id": "U0BOB"},
        {"type": "emoji", "name": "wave"},
    ),
    {"type": "rich_text_list", "style": "bullet", "elements": [line(words("first")), line(words("second"))]},
    {"type": "rich_text_list", "style": "ordered", "elements": [line(words("one"))]},
    {"type": "rich_text_quote", "elements": [words("quoted")]},
    {"type": "rich_text_preformatted", "elements": [words("a *b* <!here>\n  c")]},
)
CARD = [
    {"type": "header", "block_id": "head", "text": plain("Refund <b>400</b> *EUR* :x:", emoji=False)},
    {"type": "context", "block_id": "context", "elements": [mrkdwn("for <@U0CAROL>"), plain("*as is*")]},
    {
        "type": "section",
        "block_id": "section",
        "text": mrkdwn("*Held* because _large_"),
        "fields": [mrkdwn("*amount*\n400.00 EUR"), plain("order\nORD-1")],
        "accessory": button("beside", "Beside"),
    },
    {"type": "divider", "block_id": "line"},
    ACTIONS,
    PICKERS,
    RICH,
]


def field(block_id: str, label: str, element: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Make an input block whose element has the block's id as its action id."""
    return {
        "type": "input",
        "block_id": block_id,
        "label": plain(label),
        "element": {"action_id": block_id, **element},
        **more,
    }


FORM = {
    "type": "modal",
    "callback_id": "form",
    "title": plain("Deny this call"),
    "submit": plain("Deny"),
    "close": plain("Go back"),
    "notify_on_close": True,
    "blocks": [
        field("why", "Reason", {"type": "radio_buttons", "options": [option("amount"), option("rules")]}),
        field(
            "comment",
            "Comment",
            {"type": "plain_text_input", "multiline": True, "placeholder": plain("Say why")},
            optional=True,
            hint=plain("The agent reads this word for word."),
        ),
        field("name", "Name", {"type": "plain_text_input", "initial_value": "support"}),
        field("count", "Count", {"type": "number_input", "is_decimal_allowed": False, "initial_value": "3"}),
        field("until", "Until", {"type": "datepicker", "initial_date": "2030-01-02"}),
        field("kind", "Kind", {"type": "static_select", "options": [option("red"), option("blue")]}),
        field(
            "tell",
            "Tell",
            {
                "type": "checkboxes",
                "options": [option("finance"), option("sales")],
                "initial_options": [option("sales")],
            },
            optional=True,
        ),
        {
            "type": "actions",
            "block_id": "steps",
            "elements": [button("push", "More"), button("refresh", "Refresh")],
        },
    ],
}
SECOND = {
    "type": "modal",
    "callback_id": "second",
    "title": plain("Everything"),
    "blocks": [{"type": "section", "block_id": "all", "text": plain("All arguments")}],
}


class PageApp:
    """The app. `seen` holds one (kind, payload) for each thing that reached it, in order."""

    def __init__(self, client: WebClient) -> None:
        self.seen: queue.Queue[tuple[str, Any]] = queue.Queue()
        self.client = client
        self.may_answer = threading.Event()
        """Commands get their answer once it is set, as it is from the start."""
        self.may_answer.set()

    def listen(self, app: AsyncApp) -> None:
        """Add the app's listeners."""
        app.action(re.compile(".*"))(self._on_action)
        app.view(re.compile(".*"))(self._on_submit)
        app.view_closed(re.compile(".*"))(self._on_closed)
        app.command("/gate")(self._on_command)
        app.event("app_home_opened")(self._on_home)

    def next(self, kind: str) -> Any:
        """Return the next payload of a kind, skipping others.

        Raises:
            queue.Empty: nothing of the kind came in time.
        """
        while True:
            found, payload = self.seen.get(timeout=PATIENCE)
            if found == kind:
                return payload

    def post(self, blocks: list[dict[str, Any]], text: str = "A card", **more: Any) -> str:
        """Post a message in the channel and return its ts."""
        return str(self.client.chat_postMessage(channel=CHANNEL, text=text, blocks=blocks, **more)["ts"])

    async def _on_action(self, ack: Any, body: dict[str, Any], action: Any, client: AsyncWebClient) -> None:
        if action["action_id"] != "ignore":
            await ack()
        self.seen.put(("action", body))
        step = getattr(self, f"_do_{action['action_id']}", None)
        if step:
            await step(client, body)

    async def _do_open_form(self, client: AsyncWebClient, body: dict[str, Any]) -> None:
        await client.views_open(trigger_id=body["trigger_id"], view=FORM)

    async def _do_push(self, client: AsyncWebClient, body: dict[str, Any]) -> None:
        await client.views_push(trigger_id=body["trigger_id"], view=SECOND)

    async def _do_refresh(self, client: AsyncWebClient, body: dict[str, Any]) -> None:
        news = {"type": "section", "block_id": "new", "text": plain("Changed meanwhile")}
        named = {**FORM["blocks"][2], "label": plain("Full name")}
        blocks = [news, *FORM["blocks"][:2], named, *FORM["blocks"][3:]]
        await client.views_update(view_id=body["view"]["id"], view={**FORM, "blocks": blocks})

    async def _do_whisper(self, client: AsyncWebClient, body: dict[str, Any]) -> None:
        user = body["user"]["id"]
        await client.chat_postEphemeral(channel=CHANNEL, user=user, text="Too late, *Bob* decided.")

    async def _do_edit(self, client: AsyncWebClient, body: dict[str, Any]) -> None:
        ts = body["container"]["message_ts"]
        await client.chat_update(channel=CHANNEL, ts=ts, text="Closed", blocks=[*CARD[:1], ACTIONS])

    async def _on_submit(self, ack: Any, body: dict[str, Any]) -> None:
        if body["view"]["state"]["values"]["comment"]["comment"]["value"] is None:
            await ack(response_action="errors", errors={"comment": "Say a little more."})
        else:
            await ack()
        self.seen.put(("submit", body))

    async def _on_closed(self, ack: Any, body: dict[str, Any]) -> None:
        await ack()
        self.seen.put(("closed", body))

    async def _on_command(self, ack: Any, body: dict[str, Any]) -> None:
        self.seen.put(("command", body))
        await asyncio.to_thread(self.may_answer.wait, PATIENCE)
        await ack("No holds are waiting.")

    async def _on_home(self, event: dict[str, Any], client: AsyncWebClient) -> None:
        await client.views_publish(user_id=event["user"], view={"type": "home", "blocks": [CARD[0], ACTIONS]})
        self.seen.put(("home", event))


@pytest.fixture
def page_app(client: WebClient, bolt: Any) -> PageApp:
    """Give the app, connected to the test's workspace."""
    app = PageApp(client)
    bolt(app.listen)
    return app


@pytest.fixture
def card(browser_page: Any, page_app: PageApp) -> Any:
    """Give the drawn card."""
    ts = page_app.post(CARD)
    message = browser_page.locator(f"#timeline [data-ts='{ts}']")
    message.wait_for()
    return message
