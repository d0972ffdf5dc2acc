"""``gate policy import``: turn the policy files of other systems into ours."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click
from pydantic import ValidationError

from gate.cli import output
from gate.cli.commands import Verbs
from gate.cli.options import json_option
from gate.model import Approver
from gate.policy.importers import kortix, phrony
from gate.policy.importers.draft import People
from gate.policy.schema import ApprovalKeys

F = TypeVar("F", bound=Callable[..., object])


@click.group("import", cls=Verbs)
def import_group() -> None:
    """Turn policies of other systems into ours.

    What could not be carried over, or is decided more strictly here, stands as a comment in the result.
    """


def _people_options(command: F) -> F:
    """Add the options that every import needs, and ``--out``."""
    for option in (
        click.option(
            "--out",
            type=click.Path(path_type=Path, dir_okay=False),
            metavar="FILE",
            help="Write there, where no file stands yet.  [default: standard output]",
        ),
        click.option("--channel", required=True, metavar="C…", help="Slack channel that shows the cards."),
        click.option(
            "--approvers",
            required=True,
            multiple=True,
            metavar="IDS",
            help="Who approves: users (U…), groups (S…), members_of:C…; several with commas.",
        ),
        json_option,
    ):
        command = option(command)
    return command


@import_group.command("kortix")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@_people_options
def kortix_command(
    file: Path, approvers: tuple[str, ...], channel: str, out: Path | None, as_json: bool
) -> None:
    """Turn the policies of a kortix.yaml into ours.

    Project rules come first, then those of connectors; the first that applies decides. Where the file sets
    no default_mode, reads run and everything else waits.
    """
    people = _people(approvers, channel)
    _deliver(kortix.import_file(file, people), out, as_json)


@import_group.command("phrony")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@_people_options
@click.option(
    "--hand-over",
    "escalated",
    multiple=True,
    metavar="[ROLE=]IDS",
    help="Who may answer as well where Phrony escalates after a timeout, or only where it names ROLE. "
    "[default: nobody]",
)
def phrony_command(
    paths: tuple[Path, ...],
    approvers: tuple[str, ...],
    channel: str,
    out: Path | None,
    as_json: bool,
    escalated: tuple[str, ...],
) -> None:
    """Turn Phrony policies into ours.

    A PATH is a file, or a folder of them. An agent's file among them says which tools a policy is about.
    """
    people = _people(approvers, channel)
    people = replace(people, escalated=_escalated(escalated, people.approvers))
    _deliver(phrony.import_files(paths, people), out, as_json)


def _people(approvers: tuple[str, ...], channel: str) -> People:
    return People(_read("channel", channel, "--channel"), _listed(",".join(approvers), "--approvers"))


def _listed(text: str, option: str) -> tuple[Approver, ...]:
    listed = [_approver(each.strip()) for each in text.split(",") if each.strip()]
    return tuple(_read("approvers", listed, option))


def _escalated(given: tuple[str, ...], approvers: tuple[Approver, ...]) -> Mapping[str, tuple[Approver, ...]]:
    found: dict[str, str] = {}
    for each in given:
        role, _, ids = each.rpartition("=")
        found[role.strip()] = f"{found.get(role.strip(), '')},{ids}"
    people = {role: _listed(ids, "--hand-over") for role, ids in found.items()}
    twice = next((each for listed in people.values() for each in listed if each in approvers), None)
    if twice is not None:
        raise click.UsageError(f"--hand-over: {twice} is among --approvers already: name others.")
    return people


def _approver(text: str) -> object:
    kind, colon, channel = text.partition(":")
    return {kind: channel} if colon else text


def _read(key: str, value: object, option: str) -> Any:
    try:
        return getattr(ApprovalKeys.model_validate({key: value}), key)
    except ValidationError as error:
        context = error.errors(include_url=False)[0].get("ctx", {})
        entries = context.get("entries") or [(0, context.get("error", "cannot be read"))]
        raise click.UsageError(f"{option}: {entries[0][1]}.") from None


def _deliver(text: str, out: Path | None, as_json: bool) -> None:
    if out is not None:
        _write_new(out, text)
    if as_json:
        output.emit({"out": None if out is None else str(out), "policy": text})
    elif out is None:
        output.verbatim(text)
    else:
        output.say(f"Wrote {out}. Read its comments, then: gate policy lint --policy {shlex.quote(str(out))}")


def _write_new(out: Path, text: str) -> None:
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise click.UsageError(f"{out} is there already: name another file, or move it away.") from None
    except OSError as error:
        raise click.UsageError(f"{out} cannot be written: {error.strerror}.") from None
