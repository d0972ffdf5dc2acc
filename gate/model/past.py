"""Earlier calls, as people are told of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from gate.lifecycle import State


@dataclass(frozen=True, slots=True)
class PastCall:
    """One earlier call, as the history line and the view show it.

    Attributes:
        action_id: Its id.
        name: Its name.
        described: Its describe line, redacted.
        state: How it stands or ended.
        at: When it was submitted, UTC.
        reason: Reason or comment that belongs to the end; may be empty.
        held: Whether people were asked about it.
        by: Slack user id of who denied it; empty where nobody did.
        ended_at: When it ended, UTC; None while it has not.
    """

    action_id: str
    name: str
    described: str
    state: State
    at: datetime
    reason: str = ""
    held: bool = False
    by: str = ""
    ended_at: datetime | None = None
