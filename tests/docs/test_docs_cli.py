"""The page about the command line has every command, option and exit code, and no other."""

from __future__ import annotations

import re
from typing import Any

import click
import pytest

from bot.command import command as bot_command
from gate.cli.exits import MEANINGS
from gate.cli.root import cli
from tests.cli.every_command import leaves
from tests.docs.docs_kit import codes, page, rows, sections, without_blocks

PAGE = page("cli.md")
COMMANDS: dict[str, Any] = {f"gate {' '.join(path)}": command for path, command in leaves(cli)}
COMMANDS["gate-bot"] = bot_command
SECTIONS = {
    title.strip("`"): without_blocks(text) for title, text in sections(PAGE).items() if title.startswith("`")
}


def test_every_command_has_its_section() -> None:
    """Sections and commands are the same set."""
    assert set(SECTIONS) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained(name: str) -> None:
    """The section's table has exactly the command's options, each with an explanation or a default."""
    listed = {re.split(r"[ =]", codes(row[0])[0])[0]: row for row in rows(SECTIONS[name]) if "`--" in row[0]}
    real = {
        option
        for parameter in COMMANDS[name].params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
        if option.startswith("--") and option != "--version"
    }
    assert set(listed) == real
    assert all(any(row[1:]) for row in listed.values())


@pytest.mark.parametrize("name", COMMANDS)
def test_required_options_are_called_so(name: str) -> None:
    """An option says 'required' in the page exactly where the command refuses to go without it."""
    listed = {codes(row[0])[0].split()[0]: row[1] for row in rows(SECTIONS[name]) if "`--" in row[0]}
    for parameter in COMMANDS[name].params:
        if isinstance(parameter, click.Option) and parameter.opts[0] in listed:
            assert (listed[parameter.opts[0]] == "required") is parameter.required, parameter.opts


@pytest.mark.parametrize("name", COMMANDS)
def test_arguments_are_shown_with_the_command(name: str) -> None:
    """Each argument's name stands behind the command in its section."""
    for parameter in COMMANDS[name].params:
        if isinstance(parameter, click.Argument):
            word = (parameter.metavar or parameter.name or "").strip("[].").upper()
            assert re.search(rf"`{re.escape(name)}[^`]* ?\[?{re.escape(word)}", SECTIONS[name]), (
                parameter.name
            )


def test_every_exit_code_is_explained() -> None:
    """The table of exit codes is the code's own."""
    listed = {int(row[0]): row[1] for row in rows(sections(PAGE)["Exit codes"])}
    assert listed == {int(code): meaning for code, meaning in MEANINGS.items()}


def test_every_command_that_any_page_names_exists() -> None:
    """A 'gate …' or 'gate-bot …' in backticks anywhere is a command that is there."""
    from tests.docs.docs_kit import PAGES

    groups = {name.rsplit(" ", count)[0] for name in COMMANDS for count in range(1, name.count(" "))}
    for path in PAGES:
        for code in codes(without_blocks(path.read_text("utf-8"))):
            words = code.split()
            if words[:1] in (["gate"], ["gate-bot"]) and len(words) > 1 and words[1] != "…":
                named = " ".join(
                    word for word in words[:3] if re.fullmatch(r"[a-z-]+", word) and word[0] != "-"
                )
                known = named in COMMANDS or named in groups or " ".join(words[:2]) in COMMANDS
                assert known or words[0] == "gate-bot", (path.name, code)
