"""Modals on the page: inputs, errors, the stack, and what a person has typed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bot.browser import HeldAnswers, caught_up, expect
from tests.bot.page_app import CARD

pytestmark = pytest.mark.page


@pytest.fixture
def modal(browser_page: Any, page_app: Any) -> Any:
    """Give the form that the card's button opens."""
    page_app.post(CARD)
    browser_page.get_by_role("button", name="Deny").click()
    shown = browser_page.get_by_test_id("modal")
    shown.wait_for()
    page_app.next("action")
    return shown


def values_of(body: dict[str, Any]) -> dict[str, Any]:
    """Return each input's state from a submission, by block id."""
    return {block: next(iter(state.values())) for block, state in body["view"]["state"]["values"].items()}


def test_the_form_is_drawn(modal: Any) -> None:
    """A modal has a title, its own words on the buttons, labels, hints, optional marks and initial values."""
    expect(modal.get_by_role("heading").first).to_have_text("Deny this call")
    assert modal.get_by_test_id("modal-submit").inner_text() == "Deny"
    assert modal.get_by_test_id("modal-close").inner_text() == "Go back"
    assert modal.get_by_label("Comment").get_attribute("placeholder") == "Say why"
    assert "The agent reads this word for word." in modal.inner_text()
    assert modal.locator(".optional").count() == 2
    assert modal.get_by_label("Name").input_value() == "support"
    assert modal.get_by_label("Count").input_value() == "3"
    assert modal.get_by_label("Until").input_value() == "2030-01-02"
    assert modal.get_by_label("Kind").input_value() == ""
    assert modal.get_by_label("Sales").is_checked()
    assert not modal.get_by_role("radio", checked=True).count()


def test_a_submission_carries_every_value(modal: Any, page_app: Any) -> None:
    """What is filled in reaches the app by block and action, and the modal closes."""
    modal.get_by_label("Rules").check()
    modal.get_by_label("Comment").fill("No claim *on* file.\nSecond line")
    modal.get_by_label("Name").fill("desk")
    modal.get_by_label("Count").fill("12")
    modal.get_by_label("Until").fill("2031-02-03")
    modal.get_by_label("Kind").select_option("blue")
    modal.get_by_label("Finance").check()
    modal.get_by_test_id("modal-submit").click()
    modal.wait_for(state="detached")
    values = values_of(page_app.next("submit"))
    assert values["why"]["selected_option"]["value"] == "rules"
    assert values["comment"]["value"] == "No claim *on* file.\nSecond line"
    assert (values["name"]["value"], values["count"]["value"]) == ("desk", "12")
    assert values["until"]["selected_date"] == "2031-02-03"
    assert values["kind"]["selected_option"]["value"] == "blue"
    assert [option["value"] for option in values["tell"]["selected_options"]] == ["finance", "sales"]


def test_errors_show_under_their_inputs(modal: Any, page_app: Any) -> None:
    """A missing input, then the app's own error, are shown under the block that they name, with the focus."""
    modal.get_by_test_id("modal-submit").click()
    wrong = modal.locator(".block[data-block-id='why'] .input-error")
    wrong.wait_for()
    expect(modal.get_by_role("radio").first).to_be_focused()
    modal.get_by_label("Rules").check()
    modal.get_by_label("Kind").select_option("red")
    modal.get_by_test_id("modal-submit").click()
    modal.get_by_text("Say a little more.").wait_for()
    expect(wrong).to_be_hidden()
    expect(modal.get_by_label("Comment")).to_be_focused()
    modal.get_by_label("Comment").fill("Because.")
    modal.get_by_test_id("modal-submit").click()
    expect(modal).to_be_hidden()
    assert [values_of(page_app.next("submit"))["comment"]["value"] for _ in range(2)] == [None, "Because."]


def test_an_error_shows_together_with_the_focus(modal: Any, browser_page: Any, workspace: Any) -> None:
    """News that overtakes the answer to a submission does not show its errors before the form can be used."""
    answers = HeldAnswers(browser_page, "submit_view")
    modal.get_by_test_id("modal-submit").click()
    answers.come()
    expect(modal.get_by_test_id("modal-submit")).to_have_attribute("aria-busy", "true")
    caught_up(browser_page, workspace)
    wrong = modal.locator(".block[data-block-id='why'] .input-error")
    assert wrong.is_hidden()
    answers.release()
    expect(wrong).to_be_visible()
    expect(modal.get_by_role("radio").first).to_be_focused()


def test_typing_survives_news(modal: Any, page_app: Any, browser_page: Any) -> None:
    """News in the channel changes neither text, caret nor focus of an open modal."""
    comment = modal.get_by_label("Comment")
    comment.press_sequentially("half a sent")
    comment.press("ArrowLeft")
    page_app.post([], text="News")
    browser_page.locator("#timeline").get_by_text("News").wait_for()
    browser_page.keyboard.press("x")
    expect(comment).to_have_value("half a senxt")


def test_typing_survives_an_update_of_the_view(modal: Any, page_app: Any) -> None:
    """An updated view keeps what was typed in inputs that are still there, even where an input changed."""
    modal.get_by_label("Comment").fill("kept")
    modal.get_by_label("Name").fill("also kept")
    modal.get_by_label("Rules").check()
    modal.get_by_role("button", name="Refresh").click()
    modal.get_by_text("Changed meanwhile").wait_for()
    expect(modal.get_by_label("Comment")).to_have_value("kept")
    expect(modal.get_by_label("Full name")).to_have_value("also kept")
    expect(modal.get_by_label("Rules")).to_be_checked()
    assert page_app.next("action")["view"]["state"]["values"]["comment"]["comment"]["value"] == "kept"


def test_the_stack(modal: Any, browser_page: Any) -> None:
    """A pushed view covers the first; going back shows the first with its text and the focus where it was."""
    modal.get_by_label("Comment").fill("below")
    modal.get_by_role("button", name="More").click()
    second = browser_page.get_by_role("dialog", name="Everything")
    second.wait_for()
    expect(browser_page.get_by_test_id("modal")).to_have_count(1)
    expect(second.get_by_test_id("modal-submit")).to_have_count(0)
    second.get_by_test_id("modal-back").click()
    first = browser_page.get_by_role("dialog", name="Deny this call")
    first.wait_for()
    expect(first.get_by_label("Comment")).to_have_value("below")
    expect(first.get_by_role("button", name="More")).to_be_focused()


def test_closing_the_whole_stack(modal: Any, browser_page: Any, page_app: Any) -> None:
    """The cross of a pushed view closes all of them, and the app hears it where it asked to."""
    modal.get_by_role("button", name="More").click()
    browser_page.get_by_role("dialog", name="Everything").get_by_test_id("modal-x").click()
    browser_page.get_by_test_id("modal").wait_for(state="detached")
    assert page_app.next("closed")["is_cleared"] is True


def test_escape_closes_and_gives_the_focus_back(modal: Any, browser_page: Any, page_app: Any) -> None:
    """Escape closes the modal, tells the app, and the focus returns to the button that opened it."""
    browser_page.keyboard.press("Escape")
    modal.wait_for(state="detached")
    assert page_app.next("closed")["view"]["callback_id"] == "form"
    expect(browser_page.locator("[data-action-id='open_form']")).to_be_focused()


def test_the_focus_stays_inside(modal: Any, browser_page: Any) -> None:
    """Tab goes round inside the modal, in both directions, and the page behind cannot be used."""
    expect(browser_page.locator("#app")).to_have_js_property("inert", True)
    modal.get_by_test_id("modal-submit").focus()
    browser_page.keyboard.press("Tab")
    expect(modal.get_by_test_id("modal-x")).to_be_focused()
    browser_page.keyboard.press("Shift+Tab")
    expect(modal.get_by_test_id("modal-submit")).to_be_focused()


def test_enter_alone_never_submits(modal: Any, page_app: Any) -> None:
    """Enter in a line of text sends nothing; with Ctrl it submits."""
    modal.get_by_label("Rules").check()
    modal.get_by_label("Kind").select_option("red")
    modal.get_by_label("Comment").fill("Too early.")
    modal.get_by_label("Name").press("Enter")
    modal.get_by_label("Comment").fill("Because.")
    modal.get_by_label("Name").press("Control+Enter")
    expect(modal).to_be_hidden()
    assert values_of(page_app.next("submit"))["comment"]["value"] == "Because."


def test_modals_belong_to_one_person(modal: Any, browser_page: Any) -> None:
    """Somebody else does not see the modal; coming back shows it with what was typed."""
    modal.get_by_label("Comment").fill("mine")
    browser_page.get_by_test_id("person-select").select_option("U0BOB")
    modal.wait_for(state="detached")
    browser_page.get_by_test_id("person-select").select_option("U0ALICE")
    modal.wait_for()
    expect(modal.get_by_label("Comment")).to_have_value("mine")
