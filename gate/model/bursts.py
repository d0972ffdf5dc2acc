"""A burst: a session's holds that came faster than people can read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from gate.lifecycle import State
from gate.model.calls import Principal, ResolvedEffect


@dataclass(frozen=True, slots=True)
class BurstHold:
    """One pending hold of a burst, redacted.

    Attributes:
        id: Hold id.
        name: Action name.
        described: Describe line.
        arguments: JSON arguments by name.
        hidden: Paths whose value was redacted.
        effect: The tool's resolved effect.
        expires_at: Deadline for answering, UTC, exclusive.
        comment_to_deny: Whether a denial needs a comment.
        nonce: Random mark of its version.
    """

    id: str
    name: str
    described: str
    arguments: Mapping[str, Any]
    hidden: tuple[str, ...]
    effect: ResolvedEffect
    expires_at: datetime
    comment_to_deny: bool
    nonce: str


@dataclass(frozen=True, slots=True)
class Burst:
    """The holds of one session that wait in one channel, for one card.

    Attributes:
        id: Its id.
        store: Store id, carried by every button.
        session: Session id.
        agent: Which agent asks.
        on_behalf_of: For whom, or None.
        channel: Where its card belongs.
        ts: Slack timestamp of the card; empty before it is posted.
        opened_at: When there were too many, UTC.
        closed_at: When none waited any more, UTC; None before.
        count: How many holds within the window are not too fast.
        window: That window.
        pending: The holds that wait, oldest first.
        ended: How many others of the burst stand or ended in which state.
        frozen: Whether the session cannot run now.
    """

    id: str
    store: str
    session: str
    agent: str
    on_behalf_of: Principal | None
    channel: str
    ts: str
    opened_at: datetime
    closed_at: datetime | None
    count: int
    window: timedelta
    pending: tuple[BurstHold, ...]
    ended: Mapping[State, int]
    frozen: bool
