"""``gate audit export|archive``, ``gate db backup|adopt`` and ``gate clock accept``: keep a store whole."""

from __future__ import annotations

import shlex
from datetime import datetime
from pathlib import Path

import click

from gate.cli import output, shapes
from gate.cli.audit import audit_group
from gate.cli.commands import Verbs
from gate.cli.options import (
    anchors_option,
    db_option,
    json_option,
    opened,
    published,
    same_store,
    store_path,
    time_option,
)
from gate.cli.store import db_group
from gate.clock import SystemClock
from gate.service import Service


@audit_group.command("export")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A new file.  [default: standard output]",
)
@db_option
@json_option
def export_command(out: Path | None, db: Path | None, as_json: bool) -> None:
    """Write the log as lines of JSON.

    They can be checked without the database: 'python -m gate.audit_export FILE' does so.
    """
    with opened(db, allow_older=True) as service:
        span = service.export_file(out) if out else service.export(output.raw)
    if out and as_json:
        output.emit({"file": str(out), **shapes.as_json(span)})
    elif out:
        output.say(f"Wrote {out}: #{span.first} to #{span.last}, head {span.head[:12] or 'none'}.")


@audit_group.command("archive")
@time_option("--before", "Records from before then", required=True)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A new file.  [default: beside the store]",
)
@db_option
@json_option
def archive_command(before: datetime, out: Path | None, db: Path | None, as_json: bool) -> None:
    """Move the oldest records of the log into a file.

    A record of the log tells which, so that the log verifies across it. Keep the file: 'gate audit why' and
    'gate policy backtest' know the moved records no more.
    """
    place = out or _default_archive(store_path(db))
    with opened(db) as service:
        span = service.archive(before, place, by=service.actor)
    if as_json:
        output.emit({"file": str(place), **shapes.as_json(span)})
        return
    output.say(f"Moved #{span.first} to #{span.last} into {place}.")
    output.say(f"Check both with: gate audit verify --archive {shlex.quote(str(place))}{same_store()}")


def _default_archive(database: Path) -> Path:
    now = SystemClock().now()
    return database.with_name(f"{database.name}.{now:%Y-%m-%dT%H%M%SZ}.archive.jsonl")


@db_group.command("backup", short_help="Copy the store into a new file while agents go on.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
@db_option
@json_option
def backup_command(file: Path, db: Path | None, as_json: bool) -> None:
    """Copy the store into a new file, with its key beside it, while agents and bots go on.

    To restore: stop what uses the store, put both files in its place, remove its -wal and -shm files, and
    run 'gate db adopt'.
    """
    with opened(db) as service:
        service.backup(file, by=service.actor)
    if as_json:
        output.emit({"file": str(file), "key": f"{file}.key"})
        return
    output.say(f"Wrote {file} and {file}.key. Keep the key as safe as the store.")


@db_group.command("adopt")
@anchors_option
@click.option("--anyway", is_flag=True, help="Also where nothing shows that it is an older copy.")
@db_option
@json_option
def adopt_command(anchors: tuple[str, ...], anyway: bool, db: Path | None, as_json: bool) -> None:
    """Take an older copy as the store, and cancel its open holds.

    What was recorded since the copy was made is lost: calls that ran since are not known any more.
    """
    heads = published(anchors)
    with opened(db, allow_older=True) as service:
        cancelled = service.adopt(heads, by=service.actor, anyway=anyway)
    if as_json:
        output.emit({"cancelled": cancelled})
        return
    output.say(f"Adopted; {cancelled} open hold{'s were' if cancelled != 1 else ' was'} cancelled.")
    output.say("Start agents and bots again.")


@click.group("clock", cls=Verbs)
def clock_group() -> None:
    """Settle what the clock and the store disagree about."""


@clock_group.command("accept", short_help="Take this machine's clock for right.")
@db_option
@json_option
def accept_command(db: Path | None, as_json: bool) -> None:
    """Take this machine's clock for right, and its time as the store's newest.

    Do so where agents get a ClockError though the machine's clock is right, because it was wrong before.
    Open holds that were asked or approved at the wrong time are cancelled.
    """
    with opened(db) as service:
        found = service.accept_clock(by=service.actor)
        ahead = _ahead(service, found.now)
    if as_json:
        output.emit({**shapes.as_json(found), "ahead": ahead})
        return
    before, now = shapes.moment(found.before), shapes.moment(found.now)
    output.say(f"The store's newest time was {before}; now it is {now}.")
    if found.cancelled:
        output.say(f"{found.cancelled} open hold{'s were' if found.cancelled != 1 else ' was'} cancelled.")
    if ahead:
        output.say(f"Restart what was started with the wrong clock: {', '.join(map(str, ahead))}.")


def _ahead(service: Service, now: datetime) -> list[int]:
    return [each.identity.pid for each in service.living() if each.kind != "cli" and each.opened_at > now]
