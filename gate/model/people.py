"""What people do, and what they are shown: decisions, cards, notices, freezes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from gate.model.words import Said


@dataclass(frozen=True, slots=True)
class Person:
    """A person whom Slack authenticated.

    Attributes:
        team: Slack team id (or enterprise id on Grid).
        user: Slack user id.
        name: Display name, decoration only.
    """

    team: str
    user: str
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Route:
    """Where a decision came from, as Slack told it.

    Attributes:
        app: Slack app id.
        api_host: Host of the Slack API the bot talks to.
        channel: Channel id; empty for the home tab.
        message_ts: Timestamp of the card; empty where there is none.
        action_ts: Slack's timestamp of the click; empty where there is none.
        via: ``socket``, ``http``, ``home`` or ``command``.
    """

    app: str
    api_host: str
    channel: str = ""
    message_ts: str = ""
    action_ts: str = ""
    via: Literal["socket", "http", "home", "command"] = "socket"


@dataclass(frozen=True, slots=True)
class Decision:
    """One approver's recorded answer.

    Attributes:
        person: Who.
        said: ``approve`` or ``deny``.
        comment: Their words; empty for none.
        at: When the store recorded it, UTC.
        version: Version of the hold they answered.
        headroom: Whether they also let the next calls pass that would be over the same budget.
        counts: Indexes of the requirements of that version in which they count.
    """

    person: Person
    said: Said
    comment: str
    at: datetime
    version: int
    headroom: bool = False
    counts: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a person says became of a call in doubt; it moves no state and revives no approval.

    Attributes:
        person: Who.
        ran: Whether they say that it ran.
        comment: How they know; empty for nothing.
        at: When the store recorded it, UTC.
    """

    person: Person
    ran: bool
    comment: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Card:
    """A Slack message that shows a hold.

    Attributes:
        channel: Channel id.
        ts: Slack timestamp.
        version: Version it was posted for.
    """

    channel: str
    ts: str
    version: int


@dataclass(frozen=True, slots=True)
class Notice:
    """One outbox row: a Slack message to post or to update.

    Attributes:
        id: Row id.
        kind: ``card`` (post the hold's card), ``refresh`` (update every card of the hold to its current
            state), ``reply`` (thread reply under the hold's cards), ``doubt`` (ask about an allowed call in
            doubt), ``count`` (count who could meet what is required now), ``remind`` (remind those still
            needed), ``hand_over`` (add more people), ``burst`` (post or update the card of a session's burst)
            or ``announce`` (channel message).
        hold: Hold id; None for announcements.
        version: Version of the hold the notice is about; 0 for announcements.
        channel: Channel id for ``card`` and ``announce``; empty for the others.
        text: Fixed sentence of a reply or announcement, id of a burst; empty for most others.
        attempts: Tries so far.
    """

    id: int
    kind: Literal["card", "refresh", "reply", "doubt", "count", "remind", "hand_over", "burst", "announce"]
    hold: str | None
    version: int
    channel: str
    text: str
    attempts: int


@dataclass(frozen=True, slots=True)
class Freeze:
    """One freeze in force.

    Attributes:
        scope: ``everything``, ``agent`` or ``session``.
        id: Agent or session id; empty for everything.
        by: Who froze.
        reason: Why.
        at: Since when, UTC.
    """

    scope: Literal["everything", "agent", "session"]
    id: str
    by: str
    reason: str
    at: datetime
