"""Payloads of presses made by hand, and what became of them."""

from __future__ import annotations

from typing import Any

from bot import names
from bot.references import Reference
from gate.model import HoldRecord
from tests.bot.bot_fixtures import CHANNEL, Office, eventually, spell


def payload(
    office: Office,
    record: HoldRecord,
    user: str = "U0ALICE",
    *,
    action: str = names.APPROVE,
    value: str | None = None,
) -> dict[str, Any]:
    """Return what Slack sends when somebody presses a button of a hold's card."""
    ts = office.card(record)["ts"]
    minted = office.control.mint(user=user, channel=CHANNEL, ts=ts)
    return {
        "type": "block_actions",
        "team": {"id": "T0LOCAL", "domain": "local"},
        "user": {"id": user, "team_id": "T0LOCAL", "name": "x"},
        "api_app_id": "A0GATE",
        "container": {"type": "message", "message_ts": ts, "channel_id": CHANNEL, "is_ephemeral": False},
        "channel": {"id": CHANNEL, "name": "approvals"},
        "trigger_id": minted["trigger_id"],
        "response_url": minted["response_url"],
        "actions": [
            {
                "type": "button",
                "action_id": action,
                "block_id": "b",
                "value": str(Reference.of(record)) if value is None else value,
                "action_ts": "1.1",
            }
        ],
    }


def refusals(office: Office, record: HoldRecord) -> list[str]:
    """Return the codes of the refusals in the log."""
    found = office.agent.records(action=record.id)
    return [each.body["code"] for each in found if each.body["kind"] == "refused"]


def answers(office: Office, user: str) -> list[str]:
    """Return everything that was said to one person alone: whispers, windows, direct messages."""
    said = [spell(each) for each in office.control.ephemerals(user)]
    direct = [each for each in office.control.state()["channels"] if each["user"] == user]
    written = [spell(message) for channel in direct for message in channel["messages"]]
    return said + written + [spell(view) for view in office.control.views(user)]


def one_answer(office: Office, user: str, piece: str) -> None:
    """Wait for an answer to somebody that says something, and assert that there is no other."""
    eventually(lambda: any(piece in said for said in answers(office, user)))
    assert len(answers(office, user)) == 1
