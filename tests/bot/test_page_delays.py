"""People who are faster than the workspace: what they press early, twice or while it is away is not lost."""

from __future__ import annotations

from typing import Any

import pytest

from bot.local_workspace import LocalWorkspace
from tests.bot.browser import HeldAnswers, caught_up, expect
from tests.bot.page_app import ACTIONS, CARD, CHANNEL, CONFIRM, PICKERS, card, plain
from tests.ports import lasting_port

__all__ = ["card"]

pytestmark = pytest.mark.page


def _reply(browser_page: Any, page_app: Any, card: Any) -> None:
    """Answer under the card, and wait until it was drawn anew because of that."""
    page_app.client.chat_postMessage(
        channel=CHANNEL, text="Is that so?", thread_ts=card.get_attribute("data-ts")
    )
    browser_page.get_by_test_id("reply-count").wait_for()


def test_enter_pressed_twice_sends_one_line(browser_page: Any, workspace: LocalWorkspace) -> None:
    """Until the workspace has answered, the same line is not sent again; afterwards it may be."""
    answers = HeldAnswers(browser_page, "say")
    line = browser_page.get_by_test_id("composer-input")
    line.fill("once")
    line.press("Enter")
    line.press("Enter")
    answers.come()
    line.fill("then another")
    line.press("Enter")
    answers.come(2)
    answers.release()
    expect(line).to_have_value("")
    line.fill("once")
    line.press("Enter")
    expect(browser_page.get_by_test_id("message")).to_have_count(3)
    assert [each["text"] for each in workspace.control.messages(CHANNEL)] == ["once", "then another", "once"]


def test_a_state_that_did_not_come_is_asked_for_again(browser_page: Any, workspace: LocalWorkspace) -> None:
    """One answer that fails leaves no page behind the times, though nothing else happens there any more."""
    browser_page.get_by_test_id("channel-link").first.wait_for()
    browser_page.route("**/control/state*", lambda route: route.abort())
    workspace.control.say("U0BOB", CHANNEL, "good morning")
    browser_page.get_by_test_id("line").wait_for()
    browser_page.unroute_all()
    browser_page.get_by_text("good morning").wait_for()
    expect(browser_page.get_by_test_id("line")).to_be_hidden()


def test_a_late_answer_does_not_hide_that_the_line_is_down(open_page: Any) -> None:
    """What the workspace said before it went is drawn, and the page goes on saying that it is gone."""
    gone = LocalWorkspace().start()
    page = open_page(f"{gone.url}/#as=U0ALICE")
    page.get_by_test_id("channel-link").first.wait_for()
    answers = HeldAnswers(page, "state")
    gone.control.say("U0BOB", CHANNEL, "last words")
    answers.come()
    gone.stop()
    line = page.get_by_test_id("line")
    line.wait_for()
    line.evaluate(
        "line => new MutationObserver(() => { window.hidden = line.hidden || window.hidden; })"
        ".observe(line, {attributes: true})"
    )
    answers.release()
    page.get_by_text("last words").wait_for()
    assert not page.evaluate("window.hidden")


def test_a_home_is_opened_again_in_a_workspace_that_was_started_again(open_page: Any) -> None:
    """Who stands in the app's home is told to the new workspace, and so to the app."""
    port = lasting_port()
    first = LocalWorkspace(port=port).start()
    page = open_page(f"{first.url}/#as=U0BOB&home")
    page.get_by_test_id("channel-link").first.wait_for()
    first.stop()
    with LocalWorkspace(port=port) as second:
        second.control.wait_until(lambda _state: second.control.envelopes())
        event = second.control.envelopes()[0]["payload"]["event"]
    assert (event["type"], event["user"]) == ("app_home_opened", "U0BOB")


def test_troubles_of_a_workspace_that_was_started_again_are_shown(open_page: Any) -> None:
    """What was dismissed belongs to the workspace that was; the first trouble of the new one is shown."""
    port = lasting_port()
    first = LocalWorkspace(port=port).start()
    page = open_page(f"{first.url}/#as=U0BOB")
    trouble = page.get_by_test_id("trouble")
    first.control.slash("U0BOB", CHANNEL, "/nobody")
    trouble.get_by_test_id("trouble-dismiss").click()
    trouble.wait_for(state="detached")
    first.stop()
    with LocalWorkspace(port=port) as second:
        second.control.slash("U0BOB", CHANNEL, "/somebody")
        trouble.get_by_text("/somebody").wait_for()


def test_a_confirmation_counts_after_the_home_was_drawn_anew(browser_page: Any, page_app: Any) -> None:
    """While somebody reads the question the app fills the home anew; the answer still reaches the app."""
    browser_page.get_by_test_id("home-link").click()
    home = browser_page.get_by_test_id("home")
    home.get_by_role("button", name="Approve").click()
    more = {"type": "section", "block_id": "new", "text": plain("More waits")}
    blocks = [more, ACTIONS | {"elements": ACTIONS["elements"][:1]}]
    page_app.client.views_publish(user_id="U0ALICE", view={"type": "home", "blocks": blocks})
    home.get_by_text("More waits").wait_for()
    expect(home.locator("[data-action-id='approve']")).to_have_count(1)
    browser_page.get_by_test_id("confirm-yes").click()
    assert page_app.next("action")["actions"][0]["action_id"] == "approve"


def test_a_trouble_is_told_on_the_card_as_it_stands_now(
    browser_page: Any, page_app: Any, card: Any, workspace: LocalWorkspace
) -> None:
    """A card that was drawn anew before the answer came says under the button what went wrong."""
    workspace.control.settings(ack_seconds=0.2)
    answers = HeldAnswers(browser_page, "click")
    card.get_by_role("button", name="Ignore").click()
    answers.come()
    _reply(browser_page, page_app, card)
    answers.release()
    card.locator(".block-type-actions > .trouble-line").wait_for()


def test_a_trouble_is_told_though_its_card_is_gone(browser_page: Any, page_app: Any, card: Any) -> None:
    """Who confirms on a card that was deleted meanwhile is told so, in a banner that goes away."""
    card.get_by_role("button", name="Approve").click()
    page_app.client.chat_delete(channel=CHANNEL, ts=card.get_attribute("data-ts"))
    card.wait_for(state="detached")
    browser_page.get_by_test_id("confirm-yes").click()
    banner = browser_page.get_by_test_id("trouble").filter(has_text="sees no message")
    banner.get_by_test_id("trouble-dismiss").click()
    banner.wait_for(state="detached")


def test_an_answer_that_cannot_be_read_is_told(browser_page: Any, page_app: Any, card: Any) -> None:
    """A press whose answer broke off says so under the button."""
    browser_page.route("**/control/click", lambda route: route.fulfill(body="{"))
    card.get_by_role("button", name="Beside").click()
    card.get_by_test_id("trouble-line").get_by_text("could not be read").wait_for()


def test_a_modal_that_could_not_be_closed_says_so(browser_page: Any, page_app: Any, card: Any) -> None:
    """While the workspace does not answer, the modal stays and says why; then it closes."""
    card.get_by_role("button", name="Deny").click()
    modal = browser_page.get_by_test_id("modal")
    modal.get_by_label("Comment").fill("kept")
    browser_page.route("**/control/close_view", lambda route: route.abort())
    modal.get_by_test_id("modal-close").click()
    modal.get_by_test_id("modal-trouble").get_by_text("does not answer").wait_for()
    expect(modal.get_by_label("Comment")).to_have_value("kept")
    browser_page.unroute_all()
    modal.get_by_test_id("modal-close").click()
    modal.wait_for(state="detached")


def test_the_focus_stays_when_something_above_goes_away(browser_page: Any, page_app: Any) -> None:
    """A message that is deleted above takes no focus and no keys from the control that a person is using."""
    above, below = page_app.post([], "above"), page_app.post(CARD)
    day = browser_page.locator(f"#timeline [data-ts='{below}'] [data-action-id='day']")
    day.focus()
    page_app.client.chat_delete(channel=CHANNEL, ts=above)
    browser_page.locator(f"[data-ts='{above}']").wait_for(state="detached")
    expect(day).to_be_focused()


def test_a_refused_question_puts_the_control_back_on_the_card_as_it_stands_now(
    browser_page: Any, page_app: Any
) -> None:
    """A choice that was not confirmed is taken back, though the card was drawn anew while it was asked."""
    asked = [element | {"confirm": CONFIRM} for element in PICKERS["elements"]]
    ts = page_app.post([PICKERS | {"elements": asked}])
    card = browser_page.locator(f"#timeline [data-ts='{ts}']")
    card.locator("[data-action-id='pick']").select_option("blue")
    browser_page.get_by_test_id("confirm").wait_for()
    _reply(browser_page, page_app, card)
    expect(card.locator("[data-action-id='pick']")).to_have_value("blue")
    browser_page.get_by_test_id("confirm-deny").click()
    expect(card.locator("[data-action-id='pick']")).to_have_value("")


def test_a_date_half_typed_outlives_news(
    browser_page: Any, page_app: Any, card: Any, workspace: LocalWorkspace
) -> None:
    """A card that is drawn anew sends no date that is still being typed, and Enter then sends it."""
    day = card.locator("[data-action-id='day']")
    day.focus()
    browser_page.keyboard.press("ArrowUp")
    expect(day).not_to_have_value("2030-01-02")
    typed = day.input_value()
    _reply(browser_page, page_app, card)
    expect(day).to_be_focused()
    expect(day).to_have_value(typed)
    caught_up(browser_page, workspace)
    assert not [each for each in workspace.control.envelopes() if each["type"] == "block_actions"]
    browser_page.keyboard.press("Enter")
    assert page_app.next("action")["actions"][0]["selected_date"] == typed
