"""The options that verbs share, and the store and the policy that they name."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from gate.cli.commands import Whole
from gate.clock import SystemClock
from gate.policy.folder import policy_files
from gate.service import Service
from gate.store.anchors import Anchor, find
from gate.store.files import default_path
from gate.values import parse_duration

F = TypeVar("F", bound=Callable[..., Any])

_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
"""Between them windows, spans and zones can be reckoned with."""

HERE = Path("policies")
"""Where a policy is looked for when none is named, as 'gate init' writes it."""


def json_option(command: F) -> F:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Write JSON instead of text.")(command)


def policy_option(command: F) -> F:
    """Add ``--policy``; default is GATE_POLICY, then ./policies (see `required_policy`)."""
    return click.option(
        "--policy",
        envvar="GATE_POLICY",
        type=click.Path(path_type=Path, readable=False),
        metavar="PATH",
        help="Policy file, or folder of them.  [default: GATE_POLICY, else ./policies]",
    )(command)


def db_option(command: F) -> F:
    """Add ``--db``; default is GATE_DB, then the place in the XDG state folder."""
    return click.option(
        "--db",
        envvar="GATE_DB",
        type=click.Path(path_type=Path, dir_okay=False, readable=False),
        metavar="FILE",
        help="The store.  [default: GATE_DB, else the XDG state folder]",
    )(command)


def same_store() -> str:
    """Return ``--db FILE``, a space before it, for a command to be run next; empty where it was not given."""
    context = click.get_current_context()
    if context.get_parameter_source("db") is not ParameterSource.COMMANDLINE:
        return ""
    return f" --db {shlex.quote(str(context.params['db']))}"


def limit_option(default: int) -> Callable[[F], F]:
    """Add ``--limit``: how many of the newest."""
    return click.option(
        "--limit",
        type=Whole(1, 1_000_000),
        default=default,
        show_default=True,
        metavar="N",
        help="How many at most, the newest.",
    )


def time_option(name: str, help_: str, *, default: str = "", required: bool = False) -> Callable[[F], F]:
    """Add an option that takes a time: a span back from now such as ``7d``, or an ISO 8601 date or time."""
    return click.option(
        name,
        callback=_moment,
        required=required,
        metavar="TIME",
        help=f"{help_}: 7d (ago), or an ISO date or time, UTC without a zone."
        + (f"  [default: {default}]" if default else ""),
    )


def _moment(context: click.Context, option: click.Parameter, value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        found = _read_moment(value)
    except (ValueError, OverflowError):
        said = f"{value!r} is no time: write 7d, 2026-11-20 or 2026-11-20T14:00:00Z."
        raise click.BadParameter(said, context, option) from None
    if not _EARLIEST <= found < _LATEST:
        said = f"{value!r} is no time of a log: it lies before {_EARLIEST:%Y} or after {_LATEST.year - 1}."
        raise click.BadParameter(said, context, option)
    return found


def _read_moment(text: str) -> datetime:
    try:
        span = parse_duration(text)
    except ValueError:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    return SystemClock().now() - span


def check_span(since: datetime, until: datetime) -> None:
    """Refuse a time that ends before it begins.

    Raises:
        UsageError: It does.
    """
    if since > until:
        raise click.UsageError(
            f"--since ({since:%Y-%m-%d %H:%M}) lies after --until ({until:%Y-%m-%d %H:%M})."
        )


def anchors_option(command: F) -> F:
    """Add ``--anchors``: texts with published heads of the log."""
    return click.option(
        "--anchors",
        multiple=True,
        metavar="FILE",
        help="Text with published heads of the log, such as copied threads; - reads standard input.",
    )(command)


def published(paths: Sequence[str]) -> list[Anchor]:
    """Return every published head that stands in these files.

    Raises:
        UsageError: A file cannot be read, or has none.
    """
    found: list[Anchor] = []
    for path in paths:
        heads = find(_text(path))
        if not heads:
            named = "standard input" if path == "-" else path
            raise click.UsageError(f"{named} has no head of a log; one looks like '#1234 0123456789ab'.")
        found += heads
    return found


def _text(path: str) -> str:
    if path == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError as error:
        raise click.UsageError(f"{path} cannot be read: {error.strerror}.") from error


def holds_policy(path: Path) -> bool:
    """Tell whether a path is a file, or a folder with a policy file in it; loading says what is not read."""
    try:
        return bool(policy_files(path)) if path.is_dir() else path.is_file()
    except OSError:
        return True


def policy_here(policy: Path | None) -> Path | None:
    """Return the policy that is named, else ./policies where one is in it, else None."""
    return policy or (HERE if holds_policy(HERE) else None)


def required_policy(policy: Path | None) -> Path:
    """Return the path of the policy, or say how to name one.

    Raises:
        UsageError: None is named, and none is in ./policies.
    """
    found = policy_here(policy)
    if found is None:
        raise click.UsageError(
            "No policy is named, and there is none in ./policies: give --policy PATH, set GATE_POLICY, "
            "or let 'gate init' write one."
        )
    return found


def store_path(db: Path | None) -> Path:
    """Return the place of the store that is meant."""
    if str(db) == ":memory:":
        raise click.UsageError("A store in memory ends with this command: name a file with --db or GATE_DB.")
    return db or default_path()


@contextmanager
def opened(
    db: Path | None, *, create: bool = False, renew_key: bool = False, allow_older: bool = False
) -> Iterator[Service]:
    """Open the store for one verb and close it after.

    Args:
        db: Its file, or None for the default place.
        create: Whether an empty place becomes a new store.
        renew_key: Whether a new key replaces the old or lost one.
        allow_older: Whether it may be a copy that lacks records which were published.

    Raises:
        StoreError: It cannot be opened.
    """
    service = Service(
        store_path(db),
        kind="cli",
        channel=os.environ.get("GATE_CHANNEL") or None,
        create=create,
        renew_key=renew_key,
        allow_older=allow_older,
    )
    try:
        yield service
    finally:
        service.close()
