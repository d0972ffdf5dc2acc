"""The stored cards on the page: what a phone shows before anybody scrolls."""

from __future__ import annotations

from typing import Any

import pytest
from slack_sdk.web import WebClient

from bot.views.text import width
from bot.views.values import decisive_values
from tests.bot.browser import PHONE
from tests.bot.gallery import CASES, card_scene

pytestmark = pytest.mark.page

CHANNEL = "C0APPROVALS"
MOST, WIDEST = 3, 60


def _small(name: str) -> bool:
    values = decisive_values(CASES[name]())
    return len(values) <= MOST and all(width(value.text) <= WIDEST for value in values)


SMALL = [name for name in CASES if _small(name)]
LOWER_EDGE = """card => {
  const buttons = [...card.querySelectorAll(".block-type-actions")].at(-1).getBoundingClientRect();
  const top = document.querySelector("#timeline").getBoundingClientRect().top;
  return buttons.bottom - card.getBoundingClientRect().top + top;
}"""
"""Where the buttons end while the card's first line stands at the top, as after a tap on its notification."""


def test_every_stored_card_with_few_short_values_keeps_its_buttons_in_sight(
    workspace: Any, client: WebClient, open_page: Any
) -> None:
    """At 390 × 844 the lower edge of the buttons is above 844 px, and no card is wider than the window."""
    posted = {
        name: client.chat_postMessage(channel=CHANNEL, **card_scene(CASES[name]()).payload)["ts"]
        for name in SMALL
    }
    page = open_page(f"{workspace.url}/#as=U0ALICE", PHONE, has_touch=True, reduced_motion="reduce")
    cards = {name: page.locator(f"#timeline [data-ts='{ts}']") for name, ts in posted.items()}
    for card in cards.values():
        card.locator(".block-type-actions").last.wait_for()
    edges = {name: card.evaluate(LOWER_EDGE) for name, card in cards.items()}
    assert {"pending", "pending-long-values", "pending-budget", "pending-unknown"} <= edges.keys()
    assert {name: edge for name, edge in edges.items() if edge >= PHONE["height"]} == {}
    assert page.get_by_test_id("timeline").evaluate("node => node.scrollWidth <= node.clientWidth")
