"""Edit and approve on the page: an agent that waits, the form, and the run with the new values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot import names
from bot.local_workspace import LocalWorkspace
from tests.bot.bot_fixtures import POLICY
from tests.bot.browser import DESKTOP, PHONE, expect
from tests.bot.road import Road, make_road
from tests.bot.test_road_page import Visitor

pytestmark = pytest.mark.page

EDITABLE = POLICY.replace(
    "reason: Refund above the limit.}",
    "reason: Refund above the limit., editable: [args.amount, args.currency]}\n"
    "  - {id: never, match: payments.issue_refund, when: {args.amount: {gt: 5000}}, then: block, "
    "reason: Never that much.}",
)


@pytest.fixture
def road(tmp_path: Path, workspace: LocalWorkspace) -> Iterator[Road]:
    """Give a road on which refunds may be changed."""
    yield from make_road(tmp_path, workspace, EDITABLE)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_edit_and_approve_on_the_page(
    road: Road, open_page: Any, tmp_path: Path, size: dict[str, int]
) -> None:
    """What is blocked is said under its input; the changed call runs once, and all read what changed."""
    road.open()
    agent = road.agent()
    agent.ask()
    hold = road.hold()
    alice = Visitor(road, open_page, "U0ALICE", size, tmp_path)
    card = alice.card(hold)
    alice.look("1-card")
    alice.press(card, "Edit and approve")
    form = alice.page.get_by_test_id("modal")
    amount = form.get_by_label("amount", exact=True)
    expect(amount).to_have_value("400")
    alice.look("2-form")
    amount.fill("9000")
    alice.press(form, "Approve as changed")
    form.get_by_text("Never that much.").wait_for()
    alice.look("3-blocked")
    assert agent.waits
    amount.fill("250")
    form.get_by_label("Comment").fill("Half is enough.")
    alice.press(form, "Approve as changed")
    told = agent.answer()
    assert (told["kind"], told["result"], told["comments"]) == ("Ran", "RF-ORD-1", ["Half is enough."])
    assert "changed the call before it was approved: amount from 400 to 250." in told["message"]
    form.wait_for(state="detached")
    closed = alice.until(card, "Ran once.")
    assert "Changed by @Alice" in closed
    assert "amount 400 → 250" in closed
    assert "Refund 250 EUR on ORD-1" in closed
    alice.look("4-closed")
    assert "amount from 400 to 250" in alice.thread(card, "amount from 400 to 250")
    alice.look("5-thread")
    assert road.happened() == ["refund ORD-1 250 EUR"]
    assert names.EDIT not in str(road.card(hold))
    assert road.log(hold) == ["submit", "refused edit_blocked", "edit", "approve", "claim", "settle"]
