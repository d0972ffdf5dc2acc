"""The bot posts the summary of the week into the channel that is named for it."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.settings import BotSettings
from tests.bot.bot_fixtures import Office, eventually, office

__all__ = ["office"]

NUMBERS = "C0APPROVALS"


def test_the_channel_is_read_from_the_environment() -> None:
    """Without it there are no summaries."""
    assert BotSettings.read({}).summary_channel is None
    assert BotSettings.read({"GATE_SUMMARY_CHANNEL": NUMBERS}).summary_channel == NUMBERS


def test_a_bot_that_starts_late_posts_what_was_missed(office: Office) -> None:
    """Through the outbox, as plain text, and once."""
    assert office.agent.summary_due() is None
    monday = datetime(2026, 1, 5, 9, tzinfo=UTC)
    office.clock.advance(monday - office.clock.now())
    office.open(summary_channel=NUMBERS)
    found = eventually(
        lambda: [each for each in office.control.messages(NUMBERS) if "nothing was held" in str(each)]
    )
    assert len(found) == 1
    assert office.agent.summary_due() is None
