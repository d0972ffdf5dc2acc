"""``gate freeze`` and ``gate unfreeze``: the kill switch."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from gate.cli import output
from gate.cli.commands import Verb
from gate.cli.options import db_option, json_option, opened, same_store
from gate.verbs.freezing import Scope

F = TypeVar("F", bound=Callable[..., Any])


def scope_options(command: F) -> F:
    """Add the three ways to say what is meant."""
    for option in (
        click.option("--session", metavar="ID", help="Only this session."),
        click.option("--agent", metavar="NAME", help="Only this agent."),
        click.option("--everything", is_flag=True, help="Every agent and session (the default)."),
    ):
        command = option(command)
    return command


@click.command("freeze", cls=Verb)
@scope_options
@click.option(
    "--reason", default="", metavar="TEXT", help="Why; agents and the log get it. Replaces an older one."
)
@db_option
@json_option
def freeze_command(
    everything: bool, agent: str | None, session: str | None, reason: str, db: Path | None, as_json: bool
) -> None:
    """Let nothing run but declared reads.

    That lasts until it is lifted, for everything or for one agent or session.
    A name that was never seen is frozen too, and said first, with names like it.
    Open holds keep their deadlines; they can be denied, but not approved. Calls that run already go on.
    """
    scope, id_ = which(everything, agent, session)
    with opened(db) as service:
        fresh = service.freeze(scope, id_, by=service.actor, reason=reason)
        stranger = service.stranger(scope, id_)
    if as_json:
        near = list(stranger.near) if stranger else []
        seen = {"seen": stranger is None, "near": near}
        output.emit({"scope": scope, "id": id_, "frozen": True, "changed": fresh, **seen})
        return
    if stranger:
        output.say(str(stranger), style="bold")
    if fresh:
        output.say(f"Frozen: {_named(scope, id_)}. Nothing but declared reads runs there now.")
        output.say(f"Lift it with: gate unfreeze{_words(scope, id_)}{same_store()} --reason TEXT")
    else:
        kept = "it has the new reason now" if reason else "it keeps its reason"
        output.say(f"Frozen already: {_named(scope, id_)}; {kept}.")


@click.command("unfreeze", cls=Verb)
@scope_options
@click.option("--reason", required=True, metavar="TEXT", help="Why it is lifted; the log gets it.")
@db_option
@json_option
def unfreeze_command(
    everything: bool, agent: str | None, session: str | None, reason: str, db: Path | None, as_json: bool
) -> None:
    """Lift one freeze.

    An approval whose call the freeze blocked does not come back.
    """
    scope, id_ = which(everything, agent, session)
    with opened(db) as service:
        service.unfreeze(scope, id_, by=service.actor, reason=reason)
        left = service.freezes()
    if as_json:
        output.emit({"scope": scope, "id": id_, "frozen": False, "left": len(left)})
        return
    output.say(f"Lifted: {_named(scope, id_)}.{_others(len(left))}")


def which(everything: bool, agent: str | None, session: str | None) -> tuple[Scope, str]:
    """Return what the three options mean together; none of them means everything."""
    if everything + (agent is not None) + (session is not None) > 1:
        raise click.UsageError("Give one of --everything, --agent and --session.")
    if "" in (agent, session):
        raise click.UsageError("An agent or a session has a name: give it after --agent or --session.")
    if agent:
        return "agent", agent
    return ("session", session) if session else ("everything", "")


def _named(scope: Scope, id_: str) -> str:
    return "everything" if scope == "everything" else f"the {scope} {id_}"


def _others(count: int) -> str:
    stand = "freezes stand" if count > 1 else "freeze stands"
    return f" {count} other {stand}: see 'gate status{same_store()}'." if count else ""


def _words(scope: Scope, id_: str) -> str:
    return "" if scope == "everything" else f" --{scope} {shlex.quote(id_)}"
