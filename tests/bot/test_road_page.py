"""From an agent in another process to a click on the page and back, at the desk and on a phone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot import names
from gate.model import HoldRecord
from tests.bot.browser import DESKTOP, PHONE, caught_up, expect
from tests.bot.road import PATIENCE, Agent, Road, road, short_road

__all__ = ["road", "short_road"]

pytestmark = pytest.mark.page

sizes = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desk", "phone"])
WAIT = PATIENCE * 1000
WORDS = "No damage claim on file for this order."

Look = Callable[[str], None]


class Visitor:
    """A person at the page, and pictures of what they saw."""

    def __init__(self, road: Road, open_page: Any, user: str, size: dict[str, int], folder: Path) -> None:
        touch = {"has_touch": True, "reduced_motion": "reduce"} if size is PHONE else {}
        self.page = open_page(f"{road.workspace.url}/#as={user}", size, **touch)
        self.page.set_default_timeout(WAIT)
        self._road, self._size, self._folder = road, size, folder

    def card(self, hold: HoldRecord) -> Any:
        """Return the drawn card of a hold, once it is there."""
        card = self.page.locator(f"#timeline [data-ts='{self._road.card(hold)['ts']}']")
        card.wait_for()
        return card

    def look(self, name: str) -> None:
        """Take a picture; nothing may be wider than the window."""
        self.page.screenshot(path=self._folder / f"{name}.png")
        assert self.page.evaluate("document.documentElement.scrollWidth") <= self._size["width"]
        assert self.page.get_by_test_id("timeline").evaluate("node => node.scrollWidth <= node.clientWidth")

    def press(self, inside: Any, name: str) -> None:
        """Press a button with a finger on a phone, with the mouse at a desk."""
        button = inside.get_by_role("button", name=name, exact=True)
        button.tap() if self._size is PHONE else button.click()

    def thread(self, card: Any, piece: str) -> str:
        """Open the card's thread and return what it says, once it says something."""
        count = card.get_by_test_id("reply-count")
        count.wait_for()
        count.click()
        thread = self.page.get_by_test_id("thread")
        thread.get_by_text(piece).first.wait_for()
        return str(thread.inner_text())

    def until(self, card: Any, piece: str) -> str:
        """Wait until the card says something, and return all it says."""
        card.get_by_text(piece).first.wait_for()
        return str(card.inner_text())


def _held(road: Road) -> tuple[Agent, HoldRecord]:
    road.open()
    agent = road.agent()
    agent.ask()
    return agent, road.hold()


@sizes
def test_approve_on_the_page(road: Road, open_page: Any, tmp_path: Path, size: dict[str, int]) -> None:
    """Approve and its confirmation let the waiting agent run the call once; card, thread and log tell."""
    agent, hold = _held(road)
    alice = Visitor(road, open_page, "U0ALICE", size, tmp_path)
    card = alice.card(hold)
    alice.until(card, "The agent is waiting.")
    alice.look("1-card")
    alice.press(card, "Approve")
    confirm = alice.page.get_by_test_id("confirm")
    expect(confirm).to_contain_text("Refund 400 EUR on ORD-1")
    expect(confirm).to_contain_text("Runs once, now.")
    alice.look("2-confirm")
    assert agent.waits
    alice.press(confirm, "Approve")
    told = agent.answer()
    assert (told["kind"], told["result"]) == ("Ran", "RF-ORD-1")
    closed = alice.until(card, "Ran once.")
    assert "Approved by @Alice" in closed
    assert "RF-ORD-1" in closed
    expect(card.get_by_role("button", name="Approve")).to_have_count(0)
    alice.look("3-closed")
    assert "Approved by alice" in alice.thread(card, "Approved by alice")
    alice.look("4-thread")
    caught_up(alice.page, road.workspace)
    assert alice.page.get_by_test_id("ephemeral").count() == 0
    assert alice.page.get_by_test_id("modal").count() == 0
    assert road.happened() == ["refund ORD-1 400 EUR"]
    assert road.log(hold) == ["submit", "approve", "claim", "settle"]


@sizes
def test_deny_with_a_comment_on_the_page(
    road: Road, open_page: Any, tmp_path: Path, size: dict[str, int]
) -> None:
    """Deny opens the form; its comment is the agent's outcome word for word, and stands on the card."""
    agent, hold = _held(road)
    alice = Visitor(road, open_page, "U0ALICE", size, tmp_path)
    card = alice.card(hold)
    alice.press(card, "Deny")
    form = alice.page.get_by_test_id("modal")
    form.get_by_label("Comment").fill(WORDS)
    expect(form.get_by_role("radio", checked=True)).to_have_count(0)
    assert "The agent reads this word for word" in form.inner_text()
    alice.look("1-form")
    alice.press(form, "Deny")
    form.wait_for(state="detached")
    told = agent.answer()
    assert (told["kind"], told["comments"]) == ("Denied", [WORDS])
    assert WORDS in told["message"]
    closed = alice.until(card, "Nothing ran.")
    assert "Denied by @Alice" in closed
    assert WORDS in closed
    expect(card.get_by_role("button", name="Approve")).to_have_count(0)
    alice.look("3-closed")
    assert WORDS in alice.thread(card, "Denied by alice")
    assert road.happened() == []
    assert road.log(hold) == ["submit", "deny"]


def test_deny_with_a_quick_reason_on_the_page(road: Road, open_page: Any, tmp_path: Path) -> None:
    """A form without words says what is missing; a quick reason alone is enough, and the agent reads it."""
    agent, hold = _held(road)
    bob = Visitor(road, open_page, "U0BOB", DESKTOP, tmp_path)
    card = bob.card(hold)
    bob.press(card, "Deny")
    form = bob.page.get_by_test_id("modal")
    form.get_by_label("Not enough evidence").wait_for()
    bob.press(form, "Deny")
    form.get_by_text("Choose a reason above").wait_for()
    bob.look("1-missing")
    assert agent.waits
    form.get_by_label("Not enough evidence").check()
    bob.press(form, "Deny")
    told = agent.answer()
    assert (told["kind"], told["comments"]) == ("Denied", ["Not enough evidence"])
    form.wait_for(state="detached")
    assert "Not enough evidence" in bob.until(card, "Nothing ran.")
    assert road.log(hold) == ["submit", "deny"]


def test_expiry_on_the_page(short_road: Road, open_page: Any, tmp_path: Path) -> None:
    """Nobody answers: the card closes by itself, its thread says why, and the agent gets Expired."""
    desk = Visitor(short_road, open_page, "U0ALICE", DESKTOP, tmp_path / "desk")
    phone = Visitor(short_road, open_page, "U0BOB", PHONE, tmp_path / "phone")
    agent, hold = _held(short_road)
    cards = {visitor: visitor.card(hold) for visitor in (desk, phone)}
    short_road.expire()
    told = agent.answer()
    assert (told["kind"], told["code"]) == ("Expired", "expired_unanswered")
    for visitor, card in cards.items():
        assert "nobody answered in time" in visitor.until(card, "Nothing ran.")
        expect(card.get_by_role("button", name="Approve")).to_have_count(0)
        expect(card.get_by_role("button", name="Deny")).to_have_count(0)
        visitor.look("1-closed")
        assert "Nothing ran." in visitor.thread(card, "Expired")
    assert short_road.happened() == []
    assert short_road.log(hold) == ["submit", "expire"]


def test_a_colleague_on_the_page(road: Road, open_page: Any, tmp_path: Path) -> None:
    """Who may not answer is told so under the card, alone; the others see nothing, and the agent waits on."""
    agent, hold = _held(road)
    carol = Visitor(road, open_page, "U0CAROL", DESKTOP, tmp_path)
    alice = Visitor(road, open_page, "U0ALICE", DESKTOP, tmp_path)
    card = carol.card(hold)
    carol.press(card, "Approve")
    carol.press(carol.page.get_by_test_id("confirm"), "Approve")
    carol.page.get_by_test_id("ephemeral").get_by_text("not among the approvers").wait_for()
    carol.look("1-refused")
    alice.card(hold)
    caught_up(alice.page, road.workspace)
    assert alice.page.get_by_test_id("ephemeral").count() == 0
    assert names.APPROVE in str(road.card(hold))
    assert agent.waits
