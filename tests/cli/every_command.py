"""Every command of the command line, with words that make sense for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click


def leaves(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the words and the command of every verb."""
    for name, command in sorted(group.commands.items()):
        if hasattr(command, "commands"):
            yield from leaves(command, (*path, name))
        else:
            yield (*path, name), command


def plausible(command: Any, hold: str, code: str, db: Path) -> list[str]:
    """Return words for every parameter of a command, about one hold of one store."""
    words: list[str] = []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            words.append(hold if parameter.metavar == "ID" else str(db.parent / "nothing"))
        elif parameter.name == "db":
            words += ["--db", str(db)]
        elif parameter.required:
            words += [parameter.opts[0], f"approve {hold} {code}"]
    return words
