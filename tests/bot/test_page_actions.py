"""What a person presses on the page reaches the app, and what the app answers is shown."""

from __future__ import annotations

import queue
from typing import Any

import pytest

from tests.bot.page_app import CARD

pytestmark = pytest.mark.page


@pytest.fixture
def card(browser_page: Any, page_app: Any) -> Any:
    """Give the drawn card."""
    ts = page_app.post(CARD)
    message = browser_page.locator(f"#timeline [data-ts='{ts}']")
    message.wait_for()
    return message


def test_a_press_reaches_the_app_as_its_person(card: Any, page_app: Any) -> None:
    """A button sends its action, value, block, message and the person who pressed it."""
    card.get_by_role("button", name="Beside").click()
    body = page_app.next("action")
    assert body["user"]["id"] == "U0ALICE"
    assert body["container"]["message_ts"] == card.get_attribute("data-ts")
    action = body["actions"][0]
    assert (action["action_id"], action["block_id"], action["value"]) == ("beside", "section", "beside")


def test_a_confirm_dialog_comes_first(browser_page: Any, card: Any, page_app: Any) -> None:
    """Nothing is sent before the person confirms; cancelling sends nothing; the safe answer has the focus."""
    approve = card.get_by_role("button", name="Approve")
    dialog = browser_page.get_by_test_id("confirm")
    approve.click()
    assert dialog.locator("h2").inner_text() == "Really?"
    assert dialog.locator(".confirm-text strong").inner_text() == "Refund"
    assert browser_page.evaluate("document.activeElement.dataset.testid") == "confirm-deny"
    dialog.get_by_role("button", name="Go back").click()
    approve.click()
    browser_page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    assert page_app.seen.empty()
    assert browser_page.evaluate("document.activeElement.dataset.actionId") == "approve"
    approve.click()
    dialog.get_by_role("button", name="Do it").click()
    assert page_app.next("action")["actions"][0]["action_id"] == "approve"


def test_the_overflow_menu_by_keyboard(browser_page: Any, card: Any, page_app: Any) -> None:
    """A menu opens, moves and chooses by keyboard, and Escape closes it without sending."""
    more = card.get_by_role("button", name="More actions")
    more.press("Enter")
    browser_page.keyboard.press("Escape")
    browser_page.get_by_test_id("menu").wait_for(state="detached")
    more.press("Enter")
    browser_page.keyboard.press("ArrowDown")
    browser_page.keyboard.press("Enter")
    assert page_app.next("action")["actions"][0]["selected_option"]["value"] == "stop"
    with pytest.raises(queue.Empty):
        page_app.seen.get_nowait()


def test_pickers_send_what_was_picked(card: Any, page_app: Any) -> None:
    """A select and a date send their new value, with the message's other values as state."""
    card.locator("[data-action-id='pick']").select_option("blue")
    assert page_app.next("action")["actions"][0]["selected_option"]["value"] == "blue"
    card.locator("[data-action-id='day']").fill("2031-05-06")
    body = page_app.next("action")
    assert body["actions"][0]["selected_date"] == "2031-05-06"
    assert body["state"]["values"]["pickers"]["pick"]["selected_option"]["value"] == "blue"


def test_a_date_is_sent_when_its_typing_ends(browser_page: Any, card: Any, page_app: Any) -> None:
    """Keys in a date send nothing until Enter, though the browser reports a change at each."""
    card.locator("[data-action-id='day']").focus()
    browser_page.keyboard.press("ArrowUp")
    browser_page.keyboard.press("ArrowUp")
    changed = card.locator("[data-action-id='day']").input_value()
    card.get_by_role("button", name="Beside").evaluate("button => button.click()")
    assert page_app.next("action")["actions"][0]["action_id"] == "beside"
    browser_page.keyboard.press("Enter")
    assert changed != "2030-01-02"
    assert page_app.next("action")["actions"][0]["selected_date"] == changed


def test_an_ephemeral_answer_is_for_one(browser_page: Any, open_page: Any, workspace: Any, card: Any) -> None:
    """Only the person sees it, it says so, and it can be dismissed."""
    other = open_page(f"{workspace.url}/#as=U0BOB")
    card.get_by_role("button", name="Whisper").click()
    whisper = browser_page.get_by_test_id("ephemeral")
    whisper.wait_for()
    assert "Only visible to you" in whisper.inner_text()
    assert "Too late, Bob decided." in whisper.inner_text()
    other.get_by_test_id("message").first.wait_for()
    assert other.get_by_test_id("ephemeral").count() == 0
    whisper.get_by_test_id("dismiss").click()
    whisper.wait_for(state="detached")


def test_an_edit_shows_live_everywhere(browser_page: Any, open_page: Any, workspace: Any, card: Any) -> None:
    """The card changes in place with the edited mark, and the focus stays on the button that was pressed."""
    other = open_page(f"{workspace.url}/#as=U0BOB")
    card.get_by_role("button", name="Edit").press("Enter")
    for page in (browser_page, other):
        page.get_by_test_id("edited").wait_for()
        assert page.locator(".block-type-section").count() == 0
    assert browser_page.evaluate("document.activeElement.dataset.actionId") == "edit"


def test_a_missing_answer_is_told(browser_page: Any, workspace: Any, card: Any) -> None:
    """An app that does not acknowledge in time is told under the button and in a banner that goes away."""
    workspace.control.settings(ack_seconds=0.2)
    card.get_by_role("button", name="Ignore").click()
    card.get_by_test_id("trouble-line").wait_for()
    banner = browser_page.get_by_test_id("trouble")
    banner.wait_for()
    assert banner.get_attribute("data-kind") in {"missing_ack", "late_ack"}
    banner.get_by_test_id("trouble-dismiss").click()
    banner.wait_for(state="detached")


def test_a_double_press_sends_both(card: Any, page_app: Any) -> None:
    """The page does not hide a double press from the app, as Slack does not."""
    card.get_by_role("button", name="Beside").dblclick()
    first, second = page_app.next("action"), page_app.next("action")
    assert first["actions"][0]["action_id"] == second["actions"][0]["action_id"] == "beside"
