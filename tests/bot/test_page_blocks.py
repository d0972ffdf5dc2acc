"""The page draws every block that a card may hold, and says what it does not draw."""

from __future__ import annotations

from typing import Any

import pytest
from slack_sdk.web import WebClient

from bot.local_workspace import LocalWorkspace
from tests.bot.page_app import CARD, PageApp, mrkdwn, plain

pytestmark = pytest.mark.page


@pytest.fixture(scope="module")
def card(still_page: Any, still_workspace: LocalWorkspace) -> Any:
    """Give the drawn card that holds one block of each type; nobody presses it."""
    client = WebClient(token=still_workspace.bot_token, base_url=still_workspace.api_url)
    ts = PageApp(client).post(CARD)
    message = still_page.locator(f"#timeline [data-ts='{ts}']")
    message.wait_for()
    return message


def block(card: Any, block_id: str) -> Any:
    """Return one block of the card."""
    return card.locator(f".block[data-block-id='{block_id}']")


def test_header_is_literal(card: Any) -> None:
    """A header shows its characters, whatever they are."""
    assert block(card, "head").get_by_role("heading").inner_text() == "Refund <b>400</b> *EUR* :x:"


def test_author_is_marked_as_an_app(card: Any) -> None:
    """A card says who posted it, and that this is an app."""
    assert card.locator(".author-name").inner_text() == "Approval gate"
    assert card.locator(".badge").inner_text() == "APP"


def test_context(card: Any) -> None:
    """A context shows mrkdwn and plain text side by side."""
    assert block(card, "context").locator(".mention").inner_text() == "@Carol"
    assert "*as is*" in block(card, "context").inner_text()


def test_section(card: Any) -> None:
    """A section shows its text, its fields and its accessory."""
    section = block(card, "section")
    assert section.locator(".text strong").inner_text() == "Held"
    assert section.locator(".field").all_inner_texts() == ["amount\n400.00 EUR", "order\nORD-1"]
    assert section.get_by_role("button", name="Beside").is_visible()


def test_buttons_and_divider(card: Any) -> None:
    """Buttons carry their style, and a divider is a line."""
    assert "button-primary" in card.get_by_role("button", name="Approve").get_attribute("class")
    assert "button-danger" in card.get_by_role("button", name="Deny").get_attribute("class")
    assert card.locator("hr").count() == 1


def test_pickers(card: Any) -> None:
    """A select shows its placeholder, a date its initial value."""
    assert card.locator("[data-action-id='pick'] option").all_inner_texts() == ["Pick one", "Red", "Blue"]
    assert card.locator("[data-action-id='day']").input_value() == "2030-01-02"


def test_rich_text(card: Any) -> None:
    """Rich text shows styles, links, people, emoji, lists, quotes and preformatted text."""
    rich = block(card, "rich")
    assert rich.locator(".rich-section").first.inner_text() == "strong slanted gone coded a link@Bob👋"
    styles = {"strong": "strong", "em": " slanted", "s": " gone", "code": " coded"}
    assert {tag: rich.locator(f".rich-section {tag}").first.inner_text() for tag in styles} == styles
    assert rich.locator("ul li").all_inner_texts() == ["first", "second"]
    assert rich.locator("ol li").all_inner_texts() == ["one"]
    assert rich.locator("blockquote").inner_text() == "quoted"
    assert rich.locator("pre").inner_text() == "a *b* <!here>\n  c"


def test_unknown_blocks_and_elements_are_said(still_page: Any) -> None:
    """A block, element or text piece that is not drawn becomes a red box with its type."""
    drawn = still_page.evaluate(
        """async (blocks) => {
          const { renderBlock } = await import("/page/blocks.js");
          return blocks.map((block) => renderBlock(block, {directory: {}}).innerText);
        }""",
        [
            {"type": "video"},
            {"type": "__proto__"},
            {"type": "actions", "block_id": "a", "elements": [{"type": "timepicker", "action_id": "t"}]},
            {"type": "context", "elements": [{"type": "image"}]},
            {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "pin"}]}]},
            {"type": "input", "block_id": "i", "label": plain("L"), "element": {"type": "file_input"}},
            {"type": "section", "block_id": "s", "text": mrkdwn("*x*"), "fields": 3},
        ],
    )
    types = ["video", "__proto__", "timepicker", "image", "pin", "file_input"]
    assert all(kind in text for kind, text in zip(types, drawn, strict=False))
    assert "section cannot be drawn" in drawn[-1]


def test_text_without_blocks_is_mrkdwn(browser_page: Any, page_app: Any) -> None:
    """A message without blocks shows its text by Slack's rules."""
    page_app.client.chat_postMessage(channel="C0APPROVALS", text="*Denied* by <@U0BOB> &amp; co")
    message = browser_page.locator("#timeline").get_by_test_id("message")
    message.wait_for()
    assert message.locator(".text").inner_text() == "Denied by @Bob & co"
    assert message.locator("strong").inner_text() == "Denied"


def test_file_line(browser_page: Any, page_app: Any) -> None:
    """An uploaded file is a line with its title and size."""
    words = {"filename": "a.json", "title": "All arguments", "content": "x" * 1500}
    page_app.client.files_upload_v2(channel="C0APPROVALS", **words)
    file = browser_page.get_by_test_id("file")
    file.wait_for()
    assert file.locator("span").all_inner_texts() == ["All arguments", "1.5 kB"]


def test_deleted_root_stays_as_a_tombstone(browser_page: Any, page_app: Any) -> None:
    """A deleted message with replies says that it was deleted; one without goes away."""
    root, single = page_app.post([], "root"), page_app.post([], "single")
    page_app.client.chat_postMessage(channel="C0APPROVALS", text="reply", thread_ts=root)
    browser_page.get_by_test_id("reply-count").wait_for()
    for ts in (root, single):
        page_app.client.chat_delete(channel="C0APPROVALS", ts=ts)
    browser_page.get_by_text("This message was deleted.").wait_for()
    browser_page.locator(f"[data-ts='{single}']").wait_for(state="detached")
