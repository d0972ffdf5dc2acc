"""Bursts and calls in doubt through the page: what people press on a phone, and what it says then."""

from __future__ import annotations

from typing import Any

import pytest

from gate.lifecycle import State
from tests.bot.bot_fixtures import CHANNEL, office_of
from tests.bot.browser import DESKTOP, PHONE, expect
from tests.bot.test_burst_cards import FAST, _burst, _refunds
from tests.bot.test_doubt_cards import _in_doubt

__all__ = ["office_of"]

pytestmark = pytest.mark.page


def _card(page: Any, ts: str) -> Any:
    card = page.locator(f"#timeline [data-ts='{ts}']")
    card.wait_for()
    return card


def _press(inside: Any, name: str) -> None:
    inside.get_by_role("button", name=name, exact=True).click()


def test_a_runaway_session_is_denied_from_a_phone(office_of: Any, open_page: Any) -> None:
    """Deny all, a reason, done: the window says how many, every hold is denied, the card is over."""
    office = office_of(FAST)
    office.open()
    holds = _refunds(office)
    page = open_page(f"{office.workspace.url}/#as=U0ALICE", PHONE)
    card = _card(page, _burst(office, "3 calls of one session wait")["ts"])
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    _press(card, "Deny all…")
    page.get_by_role("radio", name="Against our rules").check()
    page.get_by_role("button", name="Deny all", exact=True).click()
    page.get_by_text("3 calls are denied").wait_for()
    for each in holds:
        office.until(each, State.DENIED)
    expect(card).to_contain_text("None of its calls waits here any more")
    expect(card.get_by_role("button", name="Deny all…")).to_have_count(0)


def test_what_became_of_a_call_in_doubt_is_said_at_the_desk(office_of: Any, open_page: Any) -> None:
    """It did not run, with how the person knows: the card says who said so, and offers the other answer."""
    office = office_of(FAST)
    office.open()
    record = _in_doubt(office)
    page = open_page(f"{office.workspace.url}/#as=U0ALICE", DESKTOP)
    card = _card(page, office.agent.hold(record.id).cards[0].ts)
    expect(card).to_contain_text("Did it run?")
    _press(card, "It did not run")
    page.get_by_label("Comment").fill("The bank has no such transfer.")
    page.get_by_role("button", name="It did not run", exact=True).last.click()
    expect(card).to_contain_text("The bank has no such transfer.")
    expect(card.get_by_role("button", name="It did not run")).to_have_count(0)
    expect(card.get_by_role("button", name="It ran", exact=True)).to_be_visible()
    found = office.agent.hold(record.id).annotation
    assert found is not None
    assert not found.ran
    assert office.control.messages(CHANNEL)
