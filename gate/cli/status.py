"""``gate status``: what is frozen, in force, alive and waiting."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from gate.cli import output, shapes
from gate.cli.commands import Verb
from gate.cli.holds import hold_json, show_holds
from gate.cli.options import db_option, json_option, opened
from gate.lifecycle import State
from gate.model import Freeze, HoldRecord
from gate.sentences import LOCAL_TEAM
from gate.service import Service
from gate.verbs.freezing import describe
from gate.verbs.living import Living
from gate.verbs.ruling import Revision


@click.command("status", cls=Verb)
@db_option
@json_option
def status_command(db: Path | None, as_json: bool) -> None:
    """Show freezes, policy, processes and open holds.

    The policy is the revision in force; the processes are live agents and bots.
    """
    with opened(db) as service:
        now, freezes, holds = service.now(), service.freezes(), service.holds()
        revision = current_revision(service)
        living = [each for each in service.living() if each.kind != "cli"]
        path, workspace = service.path, service.meta("workspace_team")
    if as_json:
        output.emit(
            {
                "db": str(path),
                "workspace": workspace,
                "freezes": shapes.as_json(freezes),
                "policy": shapes.as_json(revision),
                "processes": shapes.as_json(living),
                "holds": [hold_json(hold) for hold in holds],
            }
        )
        return
    facts = [("Store", str(path)), ("Workspace", _workspace(workspace)), ("Frozen", _freezes(freezes))]
    facts += [("Policy", revision_line(revision)), ("Agents", _living(living, "agent", now, "none is alive"))]
    nobody = (
        "none is alive, so nobody is asked: start one with 'gate-bot' (without Slack: 'gate-bot --local')"
    )
    facts += [("Bots", _living(living, "bot", now, nobody)), ("Open holds", _counts(holds))]
    output.show_facts(facts)
    if holds:
        output.say()
        show_holds(holds, now)


def current_revision(service: Service) -> Revision | None:
    """Return the revision in force; None where no policy ever was."""
    found = service.revisions()
    return found[-1] if found else None


def revision_line(found: Revision | None) -> str:
    """Say which revision is in force, since when and by whom."""
    if found is None:
        return "none is in force: 'gate policy apply' or the first start of an agent brings one"
    return f"revision {shapes.revision(found.revision)} since {shapes.moment(found.at)}, by {found.by}"


def _workspace(team: str | None) -> str:
    if team is None:
        return "none yet: the first bot binds the store to the one it talks to"
    return f"{team}, the local workspace" if team == LOCAL_TEAM else team


def _freezes(freezes: list[Freeze]) -> str:
    lines = [f"{describe(one)} since {shapes.moment(one.at)}, by {one.by}: {one.reason}" for one in freezes]
    return "\n".join(lines) or "nothing"


def _living(living: list[Living], kind: str, now: datetime, nobody: str) -> str:
    lines = [
        f"process {one.identity.pid} on {one.identity.host}, since {shapes.moment(one.opened_at)}, "
        f"last sign of life {shapes.span(now - one.beat_at)} ago"
        for one in living
        if one.kind == kind
    ]
    return "\n".join(lines) or nobody


def _counts(holds: list[HoldRecord]) -> str:
    waiting = sum(hold.state == State.PENDING for hold in holds)
    return f"{waiting} pending, {len(holds) - waiting} approved and not started" if holds else "none"
