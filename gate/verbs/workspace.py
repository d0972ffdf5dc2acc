"""What ties a store to a workspace and its people: the binding, who asked, and who opened the full view."""

from __future__ import annotations

import json

from gate.errors import IllegalMove, StoreError
from gate.model import Person
from gate.store.port import Reader
from gate.verbs import ends
from gate.verbs.turn import Turn, action_row

LOCAL_TEAM = "T0LOCAL"
"""Team id of the local workspace; no workspace of Slack has it."""

SLACK_HOSTS = ("slack.com", "slack-gov.com")


def bind(turn: Turn, team: str, api_host: str, *, allow_local: bool) -> None:
    """Bind a store to the workspace it talks to; once bound, it refuses any other.

    Args:
        turn: The open turn.
        team: Team id that the workspace says it has.
        api_host: Host of its API.
        allow_local: Whether a workspace that is not Slack may be talked to.

    Raises:
        StoreError: It is bound to another, or the workspace is not what it says.
    """
    _check_host(team, api_host, allow_local)
    bound = _meta(turn, "workspace_team")
    if bound is None:
        turn.tx.insert("meta", key="workspace_team", value=team)
        turn.tx.insert("meta", key="workspace_host", value=api_host)
        turn.log("workspace", actor="bot", team=team, api_host=api_host)
    elif bound != team:
        kind = "a local workspace" if bound == LOCAL_TEAM else f"the workspace {bound}"
        raise StoreError(
            f"This store belongs to {kind} and stays with it; the bot talks to {team}. Nothing was posted. "
            "Name another GATE_DB for this workspace.",
            code="other_workspace",
        )


def _check_host(team: str, api_host: str, allow_local: bool) -> None:
    slack = any(api_host == host or api_host.endswith(f".{host}") for host in SLACK_HOSTS)
    if slack and team == LOCAL_TEAM:
        raise StoreError(
            f"{api_host} says it is the local workspace, which it cannot be; nothing was posted."
        )
    if not slack and (team != LOCAL_TEAM or not allow_local):
        raise StoreError(
            f"{api_host} is not Slack. Only the local workspace ({LOCAL_TEAM}) may be talked to "
            "there, and only "
            "with GATE_ALLOW_LOCAL_WORKSPACE=1. Nothing was posted.",
            code="not_slack",
        )


def mark_made_by(turn: Turn, made_by: str) -> None:
    """Mark a new store as a gate's or a test's.

    Raises:
        StoreError: A test would use a store that a gate made, or the other way round.
    """
    known = _meta(turn, "made_by")
    if known is None:
        turn.tx.insert("meta", key="made_by", value=made_by)
    elif known != made_by:
        raise StoreError(f"This store was made by a {known}; a {made_by} may not use it. Name another file.")


def who_asked(turn: Turn, hold: str, person: Person | None) -> None:
    """Record who the address that a session acts for belongs to; None ends the hold undelivered."""
    row = action_row(turn.tx, hold)
    if person is None:
        ends.undeliver(
            turn, hold, code="cannot_tell_who_asked", reason="Cannot tell who asked: no single active member."
        )
        return
    asker = json.dumps([person.team, person.user, person.name])
    turn.tx.run("UPDATE holds SET asker = ? WHERE action = ?", (asker, row["id"]))


def record_view(turn: Turn, hold: str, *, nonce: str, person: Person) -> None:
    """Record that somebody opened the full view of the current version.

    Raises:
        IllegalMove: The nonce is not the current version's.
    """
    row = action_row(turn.tx, hold)
    if row["nonce"] != nonce:
        raise IllegalMove("It was changed meanwhile; look at the card again.", code="changed")
    added = turn.tx.run(
        "INSERT OR IGNORE INTO views_opened VALUES (?, ?, ?, ?, ?)",
        (hold, row["version"], person.team, person.user, turn.us),
    )
    if added:
        turn.log("view", actor=f"{person.team}/{person.user}", action=hold, version=row["version"])


def has_viewed(reader: Reader, hold: str, person: Person) -> bool:
    """Tell whether somebody opened the full view of the current version."""
    found = reader.one(
        "SELECT 1 FROM views_opened v JOIN holds h ON h.action = v.action AND h.version = v.version "
        "WHERE v.action = ? AND v.team = ? AND v.user = ?",
        (hold, person.team, person.user),
    )
    return found is not None


def require_view(turn: Turn, hold: str) -> None:
    """Make approvers of the current version open the full view first."""
    row = action_row(turn.tx, hold)
    turn.tx.run(
        "UPDATE versions SET view_required = 1 WHERE action = ? AND version = ?", (hold, row["version"])
    )


def _meta(turn: Turn, key: str) -> str | None:
    row = turn.tx.one("SELECT value FROM meta WHERE key = ?", (key,))
    return row["value"] if row else None
