"""The other ways to an answer on the page: through the full view, from the home tab, and by words."""

from __future__ import annotations

from typing import Any

import pytest

from gate.lifecycle import State
from tests.bot.bot_fixtures import Office, office, spell
from tests.bot.browser import DESKTOP, PHONE

__all__ = ["office"]

pytestmark = pytest.mark.page

LONG = "echo ok" + " " * 6000 + "; rm -rf /"


def person(office: Office, open_page: Any, size: dict[str, int], *, at: str = "") -> Any:
    """Open the page as Alice."""
    touch = {"has_touch": True, "reduced_motion": "reduce"} if size is PHONE else {}
    return open_page(f"{office.workspace.url}/#as=U0ALICE{at}", size, **touch)


@pytest.mark.parametrize("transport", ["socket", "http"])
def test_what_must_be_seen_is_seen_before_it_is_approved(
    office: Office, open_page: Any, transport: Any
) -> None:
    """On a phone: the card asks for the full view, which shows the hidden tail, and the answer is there."""
    office.open(transport)
    record = office.hold("shell.run", command=LONG)
    office.card(record)
    page = person(office, open_page, PHONE)
    page.get_by_text("before you approve").wait_for()
    page.get_by_test_id("timeline").get_by_role("button", name="View everything").tap()
    modal = page.get_by_test_id("modal")
    modal.get_by_text("; rm -rf /").wait_for()
    modal.get_by_role("button", name="Approve…").tap()
    modal.get_by_role("button", name="Approve", exact=True).tap()
    modal.wait_for(state="detached")
    after = office.until(record, State.APPROVED)
    assert after.view_required
    assert "view" in [each.body["kind"] for each in office.agent.records(action=record.id)]


def test_the_home_tab_answers_in_two_taps(office: Office, open_page: Any) -> None:
    """The tab that stands open gets the hold by itself; Approve and its confirmation decide it there."""
    office.open()
    page = person(office, open_page, DESKTOP, at="&home")
    home = page.get_by_test_id("home")
    home.get_by_text("Nothing waits for you.").wait_for()
    record = office.hold()
    home.get_by_role("button", name="Approve", exact=True).click()
    page.get_by_test_id("confirm").get_by_role("button", name="Approve").click()
    office.until(record, State.APPROVED)
    home.get_by_text("Decided by you").wait_for()
    home.get_by_role("button", name="Stop…").wait_for()


def test_freezing_by_words_on_the_page(office: Office, open_page: Any) -> None:
    """An approver types it in the channel and is told alone; the home tab says so."""
    office.open()
    page = person(office, open_page, DESKTOP)
    line = page.get_by_test_id("composer-input")
    line.fill("/gate freeze everything it sends too much")
    line.press("Enter")
    page.get_by_test_id("ephemeral").get_by_text("Everything is frozen").wait_for()
    page.get_by_test_id("home-link").click()
    page.get_by_test_id("home").get_by_text("Frozen").wait_for()
    assert "it sends too much" in spell(office.control.home("U0ALICE"))
