"""``gate policy lint`` and ``schema``: help with writing a policy."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click
from click.core import ParameterSource

from gate.catalogue import Tool
from gate.cli import output, shapes
from gate.cli.check import read_catalogue
from gate.cli.commands import Verb
from gate.cli.exits import Exit
from gate.cli.options import json_option, opened, policy_option, required_policy
from gate.json_schema import listed
from gate.policy.lint import Finding, KnownTool, Seen, findings
from gate.policy.load import load_path
from gate.policy.policyset import PolicySet
from gate.policy.schema_json import schema_text


@click.command("lint", cls=Verb)
@policy_option
@click.option(
    "--tools", type=click.Path(path_type=Path), metavar="FILE", help="Catalogue from 'gate tools export'."
)
@click.option(
    "--db",
    envvar="GATE_DB",
    type=click.Path(path_type=Path, dir_okay=False, readable=False),
    metavar="FILE",
    help="A store whose tools and log count as known.  [default: GATE_DB where it exists, else none]",
)
@json_option
def lint_command(policy: Path | None, tools: Path | None, db: Path | None, as_json: bool) -> int:
    """Find what is wrong with a policy.

    What keeps it from loading ends with 3. A finding, which most likely does not do what its writer means,
    ends with 1. Advice changes no exit code. Each says what stands where, why it matters and what to write.

    Tools are known from --tools, else from the store's catalogue; some findings need them.
    """
    path = required_policy(policy)
    loaded = load_path(path)
    store = _made(db)
    catalogue, seen = _known(tools, store)
    places = _places(tools, store)
    found = findings(loaded, known_tools(catalogue), seen, places)
    failed = any(each.kind == "finding" for each in found)
    if as_json:
        output.emit(_json(loaded, found, catalogue, failed) | {"known_from": places})
    else:
        _show(path, loaded, found, catalogue, places)
    return Exit.FAILED if failed else Exit.OK


@click.command("schema", cls=Verb)
@json_option
def schema_command(as_json: bool) -> None:
    """Write the JSON Schema of policy files, for editors.

    It is JSON with and without --json. An editor uses it where a policy begins with this line, and the schema
    lies beside it under that name:

    \b
    # yaml-language-server: $schema=./policy.schema.json
    """  # noqa: D301
    output.verbatim(schema_text())


def _made(db: Path | None) -> Path | None:
    """Return the store that is meant; none where GATE_DB names one that is still to be made."""
    named = click.get_current_context().get_parameter_source("db") is ParameterSource.COMMANDLINE
    return db if db is None or named or db.exists() else None


def _known(tools: Path | None, db: Path | None) -> tuple[list[Tool], Seen | None]:
    """Return the catalogue that was named, and what the log of a named store has seen."""
    if db is None:
        return (read_catalogue(tools) if tools else []), None
    with opened(db) as service:
        actions, facts = service.seen()
        own = service.tools()
    return (read_catalogue(tools) if tools else own), Seen(actions, facts)


def _places(tools: Path | None, store: Path | None) -> list[str]:
    """Return where tools and calls are looked for, in words."""
    if tools is None:
        return [] if store is None else [f"the store {store}"]
    return [f"the file {tools}", *([] if store is None else [f"the log of {store}"])]


def known_tools(catalogue: Iterable[Tool]) -> list[KnownTool]:
    """Return what the lint needs to know of each tool."""
    return [KnownTool(tool.name, tool.effect, tool.parameters, _required(tool)) for tool in catalogue]


def _required(tool: Tool) -> frozenset[str] | None:
    if not tool.schema:
        return None
    return frozenset(each for each in listed(tool.schema, "required") if isinstance(each, str))


def _json(
    loaded: PolicySet, found: tuple[Finding, ...], catalogue: list[Tool], failed: bool
) -> dict[str, object]:
    return {
        "ok": not failed,
        "files": list(loaded.texts),
        "rules": _rules(loaded),
        "revision": loaded.revision,
        "tools": len(catalogue),
        "findings": shapes.as_json(found),
    }


def _rules(loaded: PolicySet) -> int:
    return sum(len(file.rules) for file in loaded.files)


def _show(
    path: Path, loaded: PolicySet, found: tuple[Finding, ...], catalogue: list[Tool], places: list[str]
) -> None:
    for each in found:
        file = path / each.file if path.is_dir() else path
        output.say(f"{file}:{each.line}:{each.column}: {each.kind} {each.code}: {each.what}.")
        output.say(each.why, indent=4)
        output.say(f"Write: {each.write}", indent=4)
    counts = [sum(each.kind == kind for each in found) for kind in ("finding", "advice")]
    output.say(
        f"It loads: {shapes.count(len(loaded.files), 'file')}, {shapes.count(_rules(loaded), 'rule')}."
    )
    output.say(f"{shapes.count(counts[0], 'finding')}, {shapes.count(counts[1], 'piece')} of advice.")
    if catalogue:
        output.say(f"{shapes.count(len(catalogue), 'tool')} known from {' and '.join(places)}.")
    else:
        looked = f" from {' and '.join(places)}" if places else ""
        output.say(f"No tools are known{looked}: --tools FILE or --db FILE finds more.")
    output.say(f"Revision {loaded.revision}")
