"""``gate audit``: read the log, tell the story of one call, check that the log is whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import click

from gate.audit import AuditRecord, Filter
from gate.cli import output, shapes, story
from gate.cli.commands import Verbs
from gate.cli.exits import Exit
from gate.cli.kinds import KINDS
from gate.cli.options import (
    anchors_option,
    db_option,
    json_option,
    limit_option,
    opened,
    published,
    time_option,
)
from gate.errors import IllegalMove
from gate.policy.paths import did_you_mean
from gate.service import Service
from gate.verifying import Verified

_LINK = re.compile(r".*/archives/(?P<channel>[A-Z0-9]+)/p(?P<seconds>\d{10})(?P<micros>\d{6})/?")


@click.group("audit", cls=Verbs)
def audit_group() -> None:
    """Read the tamper-evident log."""


@audit_group.command("list")
@click.option(
    "--action",
    metavar="ID",
    help="Only about this action: an id, its first six characters, or a card's link.",
)
@click.option("--kind", metavar="KIND", help="Only of this kind, such as submit, approve or policy.")
@time_option("--since", "From then on")
@time_option("--until", "Before then")
@limit_option(50)
@db_option
@json_option
def list_command(
    action: str | None,
    kind: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    db: Path | None,
    as_json: bool,
) -> None:
    """List records of the log, oldest first.

    With --json each record is one line.
    """
    with opened(db) as service:
        wanted = Filter(action=action and action_id(service, action), kind=kind, since=since, until=until)
        found = service.records(wanted=wanted, limit=limit, newest=True)
        known = service.kinds() if kind and not found else []
    if kind and not found and kind not in known:
        _check_kind(kind, known)
    if as_json:
        for record in found:
            output.emit({"seq": record.seq, "hash": record.hash, **record.body})
    elif not found:
        output.say(_none(kind, known))
    else:
        rows = [_row(record) for record in found]
        output.show_table(
            ("SEQ", "TIME (UTC)", "WHAT", "BY", "ABOUT"), rows, whole=("SEQ", "TIME (UTC)", "WHAT")
        )


@audit_group.command("why")
@click.argument("what", metavar="ID")
@db_option
@json_option
def why_command(what: str, db: Path | None, as_json: bool) -> None:
    """Tell the whole story of one call.

    Who asked, which rule decided, who answered and what ran.
    ID is an action id, at least its first six characters, or the Slack link of its card.
    """
    with opened(db) as service:
        told = story.tell(service, action_id(service, what))
    if as_json:
        output.emit(shapes.as_json(told))
        return
    output.say(told.title, style="bold")
    for line in told.lines:
        output.say()
        output.say(f"{shapes.moment(line.at)}  #{line.seq}")
        output.say(line.text, indent=2)
    output.say()
    output.say(told.ending, style="bold")


@audit_group.command("verify")
@anchors_option
@click.option(
    "--archive",
    "archives",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    multiple=True,
    metavar="FILE",
    help="What 'gate audit archive' wrote; give all of them.",
)
@db_option
@json_option
def verify_command(
    anchors: tuple[str, ...], archives: tuple[Path, ...], db: Path | None, as_json: bool
) -> int:
    """Check that the log is whole.

    Ends with 1 where a record was changed, removed, reordered, inserted or cut off, or is not the one that
    was published.
    """
    heads = published(anchors)
    with opened(db, allow_older=True) as service:
        found = service.verify(heads, archives)
    if as_json:
        output.emit(shapes.as_json(found))
    elif found.ok:
        output.say(f"The log is whole: {found.records:,} records, head {found.head or 'none'}.")
        for line in _beside(found, archives):
            output.say(line)
    else:
        output.say(f"The log is not whole. The first bad record is #{found.first_bad}: {found.problem}.")
        output.say(
            f"The {found.records:,} before it are whole. Compare with a backup ('gate db backup' makes them)."
        )
    return Exit.OK if found.ok else Exit.FAILED


def _beside(found: Verified, archives: tuple[Path, ...]) -> Iterator[str]:
    if found.anchors:
        yield f"Published heads compared: {found.anchors:,}, all of them right."
    if found.archived and not archives:
        yield f"The first {found.archived:,} records are archived; --archive FILE checks them too."
    if found.unchecked:
        yield f"Published heads of archived records, not compared: {found.unchecked:,}."


def action_id(service: Service, what: str) -> str:
    """Return the id of the action that is meant.

    Args:
        service: The open store.
        what: An id, at least six characters of it, or the Slack link of a card or of a reply under it.

    Raises:
        IllegalMove: Nothing in this store is meant by it, or more than one thing.
    """
    if "/" not in what:
        return service.full_id(what.strip())
    for channel, ts in _messages(what):
        found = service.card_action(channel, ts)
        if found:
            return found
    raise IllegalMove(
        f"{what!r} is no link of a card that this store posted. "
        "Copy the link of the card in Slack, or give the id.",
        code="unknown_hold",
    )


def _messages(link: str) -> list[tuple[str, str]]:
    """Return the channel and timestamp of the message a link names, and of the thread it stands in."""
    try:
        parts = urlsplit(link.strip().strip("<>"))
    except ValueError:
        return []
    found = _LINK.fullmatch(parts.path)
    if found is None:
        return []
    channel = found["channel"]
    threads = parse_qs(parts.query).get("thread_ts", [])
    return [(channel, f"{found['seconds']}.{found['micros']}"), *((channel, ts) for ts in threads)]


def _check_kind(kind: str, known: Sequence[str]) -> None:
    """Refuse a kind that no log has; one that this log may still get is only not there yet."""
    if kind not in KINDS:
        there = f" It has: {', '.join(known)}." if known else ""
        near = did_you_mean(kind, sorted(KINDS))
        raise click.UsageError(f"No log has records of the kind {kind!r}{near}.{there}")


def _none(kind: str | None, known: Sequence[str]) -> str:
    """Say that nothing was found, and which kinds there are where the one that was asked for is none."""
    if kind is None or kind in known:
        return "No records."
    there = f" It has: {', '.join(known)}." if known else ""
    return f"The log has no record of the kind {kind!r}.{there}"


def _row(record: AuditRecord) -> tuple[object, ...]:
    body = record.body
    return (record.seq, shapes.moment(body["at"], zone=False), body["kind"], body["actor"], _about(body))


def _about(body: Mapping[str, Any]) -> str:
    move = body.get("move", {}).get("to", "")
    words = [
        body.get("action", "")[:8],
        body.get("name", "") if body["kind"] in ("submit", "refused") else "",
        *(body.get(key, "") for key in ("verb", "scope", "id") if body["kind"] == "refused"),
        move and f"→ {move}",
        body.get("comment", "") or body.get("reason", "") or ", ".join(body.get("rules", ())),
        body.get("session", "") if body["kind"] in ("session", "session_ended") else "",
        body.get("text", ""),
        body.get("revision", "")[:12] if body["kind"] == "policy" else "",
    ]
    return " ".join(word for word in words if word)
