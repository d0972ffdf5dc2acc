"""The page's places: channels, threads, the app's home, the line to write in, and who one is."""

from __future__ import annotations

from typing import Any

import pytest

from bot.local_workspace import NOTICE, LocalWorkspace
from tests.bot.browser import PHONE, expect
from tests.bot.page_app import CARD, CHANNEL
from tests.ports import lasting_port

pytestmark = pytest.mark.page


def test_every_place_says_what_it_is(browser_page: Any, page_app: Any) -> None:
    """Channel, thread, home and modal all show that this is not Slack, and the title says it too."""
    notice = browser_page.get_by_test_id("notice")
    page_app.post(CARD)
    browser_page.get_by_test_id("message").wait_for()
    expect(notice).to_be_visible()
    browser_page.get_by_role("button", name="Reply in thread").click()
    browser_page.get_by_test_id("thread").wait_for()
    expect(notice).to_be_visible()
    browser_page.get_by_test_id("thread-close").click()
    browser_page.get_by_role("button", name="Deny").click()
    browser_page.get_by_test_id("modal").wait_for()
    browser_page.wait_for_function("() => document.elementFromPoint(40, 20).dataset.testid === 'notice'")
    browser_page.keyboard.press("Escape")
    browser_page.get_by_test_id("home-link").click()
    browser_page.get_by_test_id("home").wait_for()
    expect(notice).to_be_visible()
    expect(notice).to_have_text(NOTICE)
    expect(browser_page).to_have_title("Local workspace: not Slack")


def test_who_one_is(browser_page: Any) -> None:
    """The choice shows names, ids and what sets somebody apart; those who cannot act cannot be chosen."""
    person = browser_page.get_by_test_id("person-select")
    person.locator("option").first.wait_for(state="attached")
    text = {option.get_attribute("value"): option.inner_text() for option in person.locator("option").all()}
    assert "U0ALICE" in text["U0ALICE"]
    assert "guest" in text["U0GUEST"]
    assert "other team · T0OTHER" in text["U0STRANGE"]
    assert "deactivated" in text["U0GONE"]
    assert "bot" in text["U0ROBOT"]
    disabled = {option.get_attribute("value") for option in person.locator("option:disabled").all()}
    assert {"U0GONE", "U0ROBOT"} <= disabled
    assert not {"U0ALICE", "U0GUEST", "U0STRANGE"} & disabled


def test_nothing_can_be_written_before_there_is_somewhere_to_write(
    workspace: LocalWorkspace, open_page: Any
) -> None:
    """While the workspace has not answered yet, the line to write in is not there; then it is, and sends."""
    page = open_page("about:blank")
    page.route("**/control/state*", lambda route: None)
    with page.expect_request("**/control/state*"):
        page.goto(f"{workspace.url}/#as=U0ALICE")
    line = page.get_by_test_id("composer-input")
    line.wait_for(state="attached")
    expect(line).to_be_hidden()
    page.unroute_all()  # what was held goes on
    line.fill("good morning")
    line.press("Enter")
    page.get_by_test_id("message").get_by_text("good morning").wait_for()


def test_each_person_sees_their_channels(browser_page: Any) -> None:
    """A private channel is listed for its members alone, and the address remembers who one is."""
    private = browser_page.locator("[data-channel-id='C0PRIVATE']")
    private.wait_for()
    browser_page.get_by_test_id("person-select").select_option("U0CAROL")
    private.wait_for(state="detached")
    browser_page.reload()
    browser_page.get_by_test_id("channel-link").first.wait_for()
    expect(browser_page.get_by_test_id("person-select")).to_have_value("U0CAROL")
    expect(private).to_have_count(0)


def test_an_unknown_person_in_the_address(open_page: Any, workspace: Any) -> None:
    """An address that names nobody shows the page to the first person."""
    page = open_page(f"{workspace.url}/#as=U0NOBODY")
    page.get_by_test_id("channel-link").first.wait_for()
    expect(page.get_by_test_id("person-select")).to_have_value("U0ALICE")


def test_threads(browser_page: Any, page_app: Any, workspace: Any) -> None:
    """A thread opens beside the channel, its replies come live, and the count stands under the message."""
    root = page_app.post(CARD)
    browser_page.get_by_role("button", name="Reply in thread").click()
    reply = browser_page.get_by_test_id("thread-composer-input")
    reply.fill("Ask *finance*")
    reply.press("Enter")
    thread = browser_page.get_by_test_id("thread")
    thread.get_by_text("Ask finance").wait_for()
    page_app.client.chat_postMessage(channel=CHANNEL, text="Closed: denied", thread_ts=root)
    thread.get_by_text("Closed: denied").wait_for()
    expect(thread.get_by_test_id("message")).to_have_count(3)
    expect(browser_page.locator("#timeline").get_by_test_id("reply-count")).to_contain_text("2 replies")
    expect(browser_page.locator("#timeline").get_by_text("Closed: denied")).to_have_count(0)
    texts = [message["text"] for message in workspace.control.thread(CHANNEL, root)]
    assert texts[-2:] == ["Ask *finance*", "Closed: denied"]


def test_a_card_is_pressed_in_its_thread(browser_page: Any, page_app: Any) -> None:
    """The card in the thread works as the one in the channel."""
    page_app.post(CARD)
    browser_page.get_by_role("button", name="Reply in thread").click()
    browser_page.get_by_test_id("thread").get_by_role("button", name="Beside").click()
    assert page_app.next("action")["actions"][0]["action_id"] == "beside"


def test_slash_commands(browser_page: Any, page_app: Any) -> None:
    """A line that starts with a slash goes to the app, and its answer is for the person alone."""
    line = browser_page.get_by_test_id("composer-input")
    line.fill("/gate holds")
    line.press("Enter")
    body = page_app.next("command")
    assert (body["command"], body["text"], body["user_id"]) == ("/gate", "holds", "U0ALICE")
    browser_page.get_by_test_id("ephemeral").get_by_text("No holds are waiting.").wait_for()
    expect(line).to_have_value("")


def test_the_next_line_is_not_lost(browser_page: Any, page_app: Any, workspace: Any) -> None:
    """What is typed while the line before it is still on its way stays in the line."""
    workspace.control.settings(ack_seconds=30)
    line = browser_page.get_by_test_id("composer-input")
    page_app.may_answer.clear()
    line.fill("/gate holds")
    line.press("Enter")
    page_app.next("command")
    line.fill("a second line")
    page_app.may_answer.set()
    browser_page.get_by_test_id("ephemeral").get_by_text("No holds are waiting.").wait_for()
    expect(browser_page.get_by_test_id("composer")).not_to_have_attribute("aria-busy", "true")
    expect(line).to_have_value("a second line")


def test_a_slash_command_in_a_thread_is_refused(browser_page: Any, page_app: Any) -> None:
    """As in Slack, a thread takes no slash command; the words stay in the line."""
    page_app.post(CARD)
    browser_page.get_by_role("button", name="Reply in thread").click()
    line = browser_page.get_by_test_id("thread-composer-input")
    line.fill("/gate holds")
    line.press("Enter")
    browser_page.get_by_test_id("thread-composer-problem").get_by_text("do not work in threads").wait_for()
    expect(line).to_have_value("/gate holds")
    assert page_app.seen.empty()


def test_an_archived_channel_takes_nothing(browser_page: Any, workspace: Any) -> None:
    """An archived channel says so in place of the line."""
    workspace.control.archive(CHANNEL)
    browser_page.get_by_text("This channel is archived.").wait_for()
    expect(browser_page.get_by_test_id("composer-input")).to_be_hidden()


def test_the_home_tab(browser_page: Any, page_app: Any) -> None:
    """Opening the home tells the app, which fills it; its buttons work."""
    browser_page.get_by_test_id("home-link").click()
    home = browser_page.get_by_test_id("home")
    home.wait_for()
    assert page_app.next("home")["user"] == "U0ALICE"
    home.get_by_role("button", name="Whisper").click()
    assert page_app.next("action")["container"]["type"] == "view"


def test_unread_channels_are_marked(browser_page: Any, page_app: Any) -> None:
    """A message in another channel makes its name bold until the channel is opened."""
    private = browser_page.locator("[data-channel-id='C0PRIVATE']")
    private.wait_for()
    page_app.client.chat_postMessage(channel="C0PRIVATE", text="psst")
    browser_page.locator("[data-channel-id='C0PRIVATE'].unread").wait_for()
    private.click()
    browser_page.get_by_text("psst").wait_for()
    expect(browser_page.locator(".unread")).to_have_count(0)


def test_a_permalink_leads_to_its_message(open_page: Any, page_app: Any, workspace: Any) -> None:
    """The address that the app is given for a message opens its channel at that message."""
    ts = page_app.client.chat_postMessage(channel="C0PRIVATE", text="linked words")["ts"]
    page = open_page(page_app.client.chat_getPermalink(channel="C0PRIVATE", message_ts=ts)["permalink"])
    page.locator(f".linked[data-ts='{ts}']").wait_for()


def test_the_page_comes_back_after_a_restart(open_page: Any, chromium: Any) -> None:
    """When the workspace goes away the page says so, and it goes on by itself when it is back."""
    port = lasting_port()
    first = LocalWorkspace(port=port).start()
    page = open_page(f"{first.url}/#as=U0BOB")
    page.get_by_test_id("channel-link").first.wait_for()
    first.stop()
    page.get_by_test_id("line").wait_for()
    with LocalWorkspace(port=port) as second:
        page.get_by_test_id("line").wait_for(state="hidden")
        second.control.say("U0ALICE", CHANNEL, "after the restart")
        page.get_by_text("after the restart").wait_for()


def test_a_phone(open_page: Any, page_app: Any, workspace: Any) -> None:
    """At phone width the list opens over the channel, nothing is wider than that, and a modal fills it."""
    page_app.post(CARD)
    page = open_page(f"{workspace.url}/#as=U0ALICE", PHONE, has_touch=True, reduced_motion="reduce")
    page.get_by_test_id("message").wait_for()
    expect(page.get_by_test_id("sidebar")).to_be_hidden()
    page.get_by_test_id("nav-button").tap()
    page.locator("[data-channel-id='C0PRIVATE']").tap()
    page.get_by_role("heading", name="private").wait_for()
    page.get_by_test_id("nav-button").tap()
    page.locator(f"[data-channel-id='{CHANNEL}']").tap()
    page.get_by_role("button", name="Deny").tap()
    modal = page.get_by_test_id("modal")
    modal.wait_for()
    box = modal.bounding_box()
    assert (box["x"], box["width"]) == (0, PHONE["width"])
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert page.get_by_test_id("timeline").evaluate("node => node.scrollWidth <= node.clientWidth")
