"""``gate db`` and ``gate key``: the state of a store's file, its schema and its key."""

from __future__ import annotations

from pathlib import Path

import click

from gate.cli import output, shapes
from gate.cli.commands import Verbs
from gate.cli.exits import Exit
from gate.cli.options import db_option, json_option, opened, store_path
from gate.store import inspect


@click.group("db", cls=Verbs, short_help="Look at the store's file, copy it, migrate it.")
def db_group() -> None:
    """Look at the store's file, migrate it, copy it, or go on with a copy."""


@db_group.command("status", short_help="Show where the store lies, and how much is in it.")
@db_option
@json_option
def status_command(db: Path | None, as_json: bool) -> int:
    """Show where the store lies, its schema, its key and how much is in it. Changes nothing."""
    found = inspect.look_at(store_path(db))
    if as_json:
        output.emit(shapes.as_json(found))
    else:
        output.show_facts(_facts(found))
    return Exit.OK if found.usable else Exit.STORE


@db_group.command("migrate", short_help="Bring the store to this version's schema.")
@db_option
@json_option
def migrate_command(db: Path | None, as_json: bool) -> None:
    """Bring the store to this version's schema; one that has it already stays as it is."""
    before, after = inspect.migrate(store_path(db))
    if as_json:
        output.emit({"before": before, "after": after})
    elif before == after:
        output.say(f"The store has schema {after}, which is this version's. Nothing to do.")
    else:
        output.say(f"Brought the store from schema {before} to {after}.")


@click.group("key", cls=Verbs)
def key_group() -> None:
    """Renew the key of a store's digests."""


@key_group.command("new")
@db_option
@json_option
def new_command(db: Path | None, as_json: bool) -> None:
    """Replace the store's key, also a lost one, and cancel every open hold.

    Agents and bots that run go on with the new key from their next call on.
    """
    with opened(db, renew_key=True) as service:
        cancelled = service.renew_key(by=service.actor)
        others = [each for each in service.living() if each.kind != "cli"]
    if as_json:
        output.emit({"cancelled": cancelled, "live_processes": len(others)})
        return
    output.say(
        f"The store has a new key; {cancelled} open hold{'s were' if cancelled != 1 else ' was'} cancelled."
    )
    if others:
        output.say(f"{len(others)} live process{'es' * (len(others) > 1)} will take it with the next call.")


def _facts(found: inspect.Inspection) -> list[tuple[str, object]]:
    schema = "none" if found.schema is None else f"{found.schema} (this version's is {found.newest})"
    facts: list[tuple[str, object]] = [
        ("Store", found.path),
        ("State", found.problem or "usable"),
        ("Schema", schema),
        ("Key", found.key),
    ]
    if found.bytes is not None:
        log = f", {found.log_bytes:,} of them in its write-ahead log" if found.log_bytes else ""
        facts.append(("Size", f"{found.bytes:,} bytes{log}"))
    if found.store_id:
        workspace = found.workspace or "none yet"
        facts += [("Id", found.store_id), ("Made by", found.made_by), ("Workspace", workspace)]
        facts.append(("Holds", ", ".join(f"{name} {count:,}" for name, count in found.rows.items())))
    return facts
