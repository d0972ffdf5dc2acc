"""The things that come and go in a workspace. They change in place, in the server's loop only."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from bot.local_workspace.seed import APP_ID, BOT_ID, TEAM_ID

Json = dict[str, Any]
FORMER_VIEWS = 8
"""Former versions of a view that are remembered."""


@dataclass(slots=True)
class Settings:
    """Limits of the platform that a test may move.

    Attributes:
        ack_seconds: how long an acknowledgement may take. Default 3.
        trigger_seconds: how long a trigger_id is good. Default 3.
        response_url_seconds: how long a response_url is good. Default 1800.
        response_url_uses: how often a response_url may be used. Default 5.
        edit_window_closed: whether the workspace forbids editing. Default false.
    """

    ack_seconds: float = 3.0
    trigger_seconds: float = 3.0
    response_url_seconds: float = 1800.0
    response_url_uses: int = 5
    edit_window_closed: bool = False


@dataclass(slots=True)
class Message:
    """One message, seen by all or by one person (`ephemeral_for`).

    `earlier` holds the blocks of former versions: somebody's screen may still show them.
    """

    channel: str
    ts: str
    user: str
    text: str = ""
    blocks: list[Json] = field(default_factory=list)
    bot_id: str | None = None
    thread_ts: str | None = None
    edited: Json | None = None
    metadata: Json | None = None
    deleted: bool = False
    ephemeral_for: str | None = None
    files: list[Json] = field(default_factory=list)
    mrkdwn: bool = True
    reply_broadcast: bool = False
    replies: list[str] = field(default_factory=list)
    earlier: list[list[Json]] = field(default_factory=list)

    def put(self, text: str, blocks: list[Json]) -> None:
        """Put other content into the message and remember the blocks that people saw before."""
        self.earlier.append(self.blocks)
        self.text, self.blocks = text, blocks

    @property
    def is_reply(self) -> bool:
        """Return whether the message stands in another message's thread."""
        return self.thread_ts is not None and self.thread_ts != self.ts


@dataclass(slots=True)
class View:
    """A modal or a home tab of one person.

    `earlier` holds the last bodies of former versions: somebody's screen may still show them.
    """

    id: str
    user: str
    body: Json
    root_view_id: str
    previous_view_id: str | None = None
    hash: str = ""
    values: dict[str, dict[str, Json]] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    earlier: deque[Json] = field(default_factory=lambda: deque(maxlen=FORMER_VIEWS))

    def put(self, body: Json) -> None:
        """Put other content into the view and remember what the person saw before."""
        self.earlier.append(self.body)
        self.body = body

    @property
    def blocks(self) -> list[Json]:
        """Return the view's blocks."""
        return list(self.body.get("blocks", []))

    def as_dict(self) -> Json:
        """Return the view as Slack sends it in payloads and answers."""
        body = self.body
        return {
            "id": self.id,
            "team_id": TEAM_ID,
            "type": body["type"],
            "callback_id": body.get("callback_id", ""),
            "private_metadata": body.get("private_metadata", ""),
            "external_id": body.get("external_id", ""),
            "title": body.get("title"),
            "submit": body.get("submit"),
            "close": body.get("close"),
            "blocks": self.blocks,
            "state": {"values": self.values},
            "hash": self.hash,
            "clear_on_close": body.get("clear_on_close", False),
            "notify_on_close": body.get("notify_on_close", False),
            "submit_disabled": body.get("submit_disabled", False),
            "root_view_id": self.root_view_id,
            "previous_view_id": self.previous_view_id,
            "app_id": APP_ID,
            "app_installed_team_id": TEAM_ID,
            "bot_id": BOT_ID,
        }


@dataclass(slots=True)
class Trigger:
    """Leave to open one modal for one person."""

    user: str
    born: float
    view_id: str | None = None
    used: bool = False


@dataclass(slots=True)
class ResponseUrl:
    """Leave to answer one interaction a few times."""

    user: str
    channel: str
    born: float
    ts: str | None = None
    thread_ts: str | None = None
    uses: int = 0


TroubleKind = Literal[
    "late_ack",
    "missing_ack",
    "not_delivered",
    "http_error",
    "bad_response",
    "failed_modal",
    "unknown_command",
]


@dataclass(frozen=True, slots=True)
class Trouble:
    """A warning that a person saw."""

    id: int
    at: float
    user: str | None
    kind: TroubleKind
    text: str


@dataclass(slots=True)
class Envelope:
    """One delivery to the app and what became of it."""

    envelope_id: str
    kind: str
    type: str
    payload: Json
    at: float
    user: str | None
    connections: list[str] = field(default_factory=list)
    delivered: bool = False
    acked: bool = False
    late: bool = False
    ack_ms: float | None = None
    trouble: str | None = None
    body: Json | None = None
    copies: int = 1
    timestamp: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    http_status: int | None = None
    no_retry: bool = False
