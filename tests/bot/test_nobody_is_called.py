"""No text of an agent or a colleague calls anybody, becomes a link, or stands where Slack reads markup."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot import names
from bot.local_workspace import LocalWorkspace
from bot.views import modals
from bot.views.text import notification
from gate.lifecycle import State
from gate.model import Principal
from tests.bot.bot_fixtures import CHANNEL, Office, eventually, office
from tests.bot.slack_limits import objects

__all__ = ["office"]

EVIL = "@here @Channel <!everyone> <@U0BOB> <https://evil.example|ok> #general `x` QZX"


def mrkdwn(message: dict[str, Any]) -> list[str]:
    """Return every text of a call that Slack reads as markup."""
    blocks = message.get("blocks") or []
    found = objects(json.loads(blocks) if isinstance(blocks, str) else blocks)
    return [each["text"] for each in found if each.get("type") == "mrkdwn"]


@pytest.mark.parametrize(
    "word", ["@here", "@Channel", "@EVERYONE", "<!here>", "<@U0BOB>", "<https://a.example|b>"]
)
def test_a_notification_line_calls_nobody(word: str) -> None:
    """Neither bare nor bracketed words that call people survive in a line that Slack parses."""
    line = notification(f"Refund {word} now")
    assert word.lower() not in line.lower()
    assert "<" not in line


def test_a_notification_line_keeps_names_whole_and_makes_nothing_slanted() -> None:
    """A low line within a word is no mark of style, and names of actions have it; any other is."""
    assert (
        notification("Approval needed: crm.merge_all_contacts") == "Approval needed: crm.merge_all_contacts"
    )
    assert notification("_a_ b_ _c d__e *f* é_é") == "…a… b… …c d……e …f… é…é"


def test_hostile_words_reach_slack_only_as_plain_text(office: Office, workspace: LocalWorkspace) -> None:
    """A call full of markup never stands in mrkdwn, and every message says not to parse."""
    office.open()
    record = office.hold(
        on_behalf_of=Principal("outside", EVIL), order_id=EVIL, amount=400, currency=EVIL, **{EVIL: EVIL}
    )
    office.press("U0CAROL", record, names.APPROVE)
    office.whispered("U0CAROL", "not among")
    office.control.slash("U0ALICE", CHANNEL, f"/gate show {record.id}")
    office.whispered("U0ALICE", "QZX")
    office.press("U0ALICE", record, names.DENY)
    view = office.control.wait_view("U0ALICE", "Reason")
    office.control.submit_view("U0ALICE", view["id"], {modals.COMMENT_BLOCK: {names.COMMENT: EVIL}})
    office.until(record, State.DENIED)
    ts = office.card(record)["ts"]
    eventually(lambda: len(office.control.thread(CHANNEL, ts)) > 1)
    for method in ("chat.postMessage", "chat.update", "chat.postEphemeral", "views.open", "views.update"):
        for call in workspace.control.calls(method):
            args = call["args"]
            assert all("QZX" not in text for text in mrkdwn(args)), method
            if method.startswith("chat."):
                assert args["parse"] == "none"
                assert str(args["link_names"]).lower() in ("0", "false")
                assert not any(
                    piece in args["text"].lower() for piece in ("@here", "@channel", "<!", "<@", "<h")
                )
