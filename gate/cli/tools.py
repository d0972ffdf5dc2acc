"""``gate tools``: the catalogue of guarded tools that a store has seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gate.catalogue import Tool
from gate.cli import output, shapes
from gate.cli.commands import Verbs
from gate.cli.options import db_option, json_option, opened
from gate.json_schema import inside
from gate.model import Effect


@click.group("tools", cls=Verbs)
def tools_group() -> None:
    """List or export the guarded tools."""


@tools_group.command("list")
@db_option
@json_option
def list_command(db: Path | None, as_json: bool) -> None:
    """List the tools that a process has registered in this store."""
    with opened(db) as service:
        found = service.tools()
    if as_json:
        output.emit({"tools": [tool_json(tool) for tool in found]})
    elif not found:
        output.say("No tools: the first process that guards some registers them when it opens its gate.")
    else:
        rows = [(tool.name, ", ".join(_parameters(tool)), _declared(tool.effect), tool.doc) for tool in found]
        output.show_table(("TOOL", "PARAMETERS", "DECLARED IN CODE", "WHAT IT DOES"), rows)


@tools_group.command("export", short_help="Write the catalogue as JSON, for --tools.")
@db_option
@json_option
def export_command(db: Path | None, as_json: bool) -> None:
    """Write the catalogue as JSON, for --tools of 'gate check' and 'gate policy test'.

    It is JSON with and without --json.
    """
    with opened(db) as service:
        output.emit({"tools": [tool_json(tool) for tool in service.tools()]})


def tool_json(tool: Tool) -> dict[str, Any]:
    """Return one tool as JSON."""
    found: dict[str, Any] = shapes.as_json(tool)
    return found


def _parameters(tool: Tool) -> list[str]:
    named = inside(tool.schema, "properties")
    names = [name for name in named if name in tool.parameters.names]
    names += sorted(tool.parameters.names.difference(names))
    return [*names, "**"] if tool.parameters.open else names


def _declared(effect: Effect | None) -> str:
    if effect is None:
        return "nothing"
    said = {"reversible": effect.reversible, "outbound": effect.outbound}
    words: list[str] = [effect.risk] if effect.risk else []
    words += [name if yes else f"not {name}" for name, yes in said.items() if yes is not None]
    return ", ".join(words) or "nothing"
