"""Say to people what Slack did not tell about them, what that means, and who can mend it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.directory import LookupFailed
from bot.slack_errors import APP
from gate.errors import NotEligible

AGAIN = "Try again."
WORN_OUT = "Try again; if that does not help, tell whoever runs the bot that Slack refuses its token."
MEND = (
    "That does not pass by itself: tell whoever keeps the policy and the Slack app;"
    " gate-bot --check names what is wrong."
)


def untold(failures: Sequence[LookupFailed], then: str = "nothing was recorded") -> NotEligible:
    """Return the refusal of somebody about whom Slack did not tell enough.

    Args:
        failures: What it did not tell, at least one; what may pass is told first: trying again may help.
        then: What comes of that, as a sentence goes on.
    """
    told = next((each for each in failures if each.transient), failures[0])
    advice = MEND if not told.transient else WORN_OUT if told.code in APP else AGAIN
    return NotEligible(f"{told}, so {then}. {advice}", code="lookup_failed")
