"""What a person presses on the page reaches the app, and what the app answers is shown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bot.browser import caught_up, expect
from tests.bot.page_app import card

__all__ = ["card"]

pytestmark = pytest.mark.page


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
    expect(dialog.locator("h2")).to_have_text("Really?")
    expect(dialog.locator(".confirm-text strong")).to_have_text("Refund")
    expect(dialog.get_by_test_id("confirm-deny")).to_be_focused()
    dialog.get_by_role("button", name="Go back").click()
    expect(dialog).to_be_hidden()
    approve.click()
    expect(dialog.get_by_test_id("confirm-deny")).to_be_focused()
    browser_page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(approve).to_be_focused()
    card.get_by_role("button", name="Beside").click()
    assert page_app.next("action")["actions"][0]["action_id"] == "beside"
    approve.click()
    dialog.get_by_role("button", name="Do it").click()
    assert page_app.next("action")["actions"][0]["action_id"] == "approve"


def test_a_question_is_answered_by_nobody_else(browser_page: Any, card: Any, page_app: Any) -> None:
    """Where the page becomes another person's, what the first one was asked is taken back."""
    card.get_by_role("button", name="Approve").click()
    question = browser_page.get_by_test_id("confirm")
    question.wait_for()
    person = browser_page.get_by_test_id("person-select")
    person.select_option("U0BOB")
    question.wait_for(state="detached")
    expect(person).to_have_value("U0BOB")
    card.get_by_role("button", name="Ignore").click()
    assert page_app.next("action")["actions"][0]["action_id"] == "ignore"


def test_the_overflow_menu_by_keyboard(browser_page: Any, card: Any, page_app: Any) -> None:
    """A menu opens, moves and chooses by keyboard, and Escape closes it without sending."""
    more = card.get_by_role("button", name="More actions")
    menu = browser_page.get_by_test_id("menu")
    more.press("Enter")
    expect(menu.get_by_role("menuitem").first).to_be_focused()
    browser_page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    more.press("Enter")
    expect(menu.get_by_role("menuitem").first).to_be_focused()
    browser_page.keyboard.press("ArrowDown")
    expect(menu.get_by_role("menuitem").last).to_be_focused()
    browser_page.keyboard.press("Enter")
    assert page_app.next("action")["actions"][0]["selected_option"]["value"] == "stop"
    card.get_by_role("button", name="Beside").click()
    assert page_app.next("action")["actions"][0]["action_id"] == "beside"


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
    day = card.locator("[data-action-id='day']")
    day.focus()
    browser_page.keyboard.press("ArrowUp")
    browser_page.keyboard.press("ArrowUp")
    expect(day).not_to_have_value("2030-01-02")
    changed = day.input_value()
    card.get_by_role("button", name="Beside").evaluate("button => button.click()")
    assert page_app.next("action")["actions"][0]["action_id"] == "beside"
    browser_page.keyboard.press("Enter")
    assert page_app.next("action")["actions"][0]["selected_date"] == changed


def test_an_ephemeral_answer_is_for_one(browser_page: Any, open_page: Any, workspace: Any, card: Any) -> None:
    """Only the person sees it, it says so, and it can be dismissed."""
    other = open_page(f"{workspace.url}/#as=U0BOB")
    card.get_by_role("button", name="Whisper").click()
    whisper = browser_page.get_by_test_id("ephemeral")
    expect(whisper).to_contain_text("Only visible to you")
    expect(whisper).to_contain_text("Too late, Bob decided.")
    caught_up(other, workspace)
    expect(other.get_by_test_id("message")).to_have_count(1)
    assert other.get_by_test_id("ephemeral").count() == 0
    whisper.get_by_test_id("dismiss").click()
    whisper.wait_for(state="detached")


def test_an_edit_shows_live_everywhere(browser_page: Any, open_page: Any, workspace: Any, card: Any) -> None:
    """The card changes in place with the edited mark, and the focus stays on the button that was pressed."""
    other = open_page(f"{workspace.url}/#as=U0BOB")
    card.get_by_role("button", name="Edit").press("Enter")
    for page in (browser_page, other):
        page.get_by_test_id("edited").wait_for()
        expect(page.locator(".block-type-section")).to_have_count(0)
    expect(card.get_by_role("button", name="Edit")).to_be_focused()


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
