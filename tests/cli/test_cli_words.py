"""Words that are typed twice, in the wrong place, or wrongly."""

from __future__ import annotations

import ast
from pathlib import Path

import click
import pytest

import gate
from bot.command import command as bot_command
from gate.cli.commands import MEANT, Verb, Verbs
from gate.cli.exits import Exit
from gate.cli.kinds import KINDS
from gate.cli.root import cli
from gate.lifecycle import Verb as Move
from tests.cli.cli_kit import Filled, run
from tests.cli.every_command import leaves


def test_an_option_with_one_value_is_given_once() -> None:
    """Of every command, bot's included, each such option twice is an error; a flag twice loses nothing."""
    for path, command in [*leaves(cli), (("gate-bot",), bot_command)]:
        assert isinstance(command, Verb), path
        for option in command.params:
            if not isinstance(option, click.Option) or option.multiple or option.is_flag:
                continue
            context = click.Context(command)
            name = option.opts[0]
            with pytest.raises(click.UsageError, match=f"{name} is given twice"):
                command.parse_args(context, [name, "1", name, "2"])


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("log", "it is 'cli audit list'."),
        ("why", "it is 'cli audit why'."),
        ("approve", "it is in Slack: only people approve, never a command."),
        ("version", "it is cli --version."),
        ("freez", "did you mean 'cli freeze' or 'cli unfreeze'?"),
        ("Stat", "did you mean 'cli stats' or 'cli status'?"),
        ("holds lst", "did you mean 'cli holds list'?"),
        ("holds doctr", "did you mean 'cli doctor'?"),
        ("audt", "did you mean 'cli audit'?"),
    ],
)
def test_a_wrong_word_finds_the_command_that_was_meant(words: str, hint: str) -> None:
    """By another word for it, by its place elsewhere, or by a word like it, first of the same group."""
    told = run(*words.split())
    assert told.exit_code == Exit.USAGE
    assert told.stderr.splitlines()[0] == f"gate: No such command {words.split()[-1]!r}: {hint}"


def test_no_command_is_cut_short_in_a_list_of_commands() -> None:
    """At 80 columns each one stands with a whole sentence."""
    groups = {path[:-1] for path, _ in leaves(cli)}
    assert len(groups) > 5
    for group in groups:
        listed = run(*group, "--help", COLUMNS="80").stdout.partition("Commands:")[2]
        assert listed, group
        assert [line for line in listed.splitlines() if line.strip() and not line.endswith(".")] == [], group
        assert "..." not in listed, group


def test_every_word_that_means_a_command_names_one() -> None:
    """Other words lead to commands that exist, and none of them is a command itself."""
    paths = {" ".join(path) for path, _ in leaves(cli)}
    assert set(MEANT.values()) <= paths
    assert not set(MEANT) & {path.split()[-1] for path in paths}
    told = run("xyzzy")
    assert told.stderr.splitlines()[0] == "gate: No such command 'xyzzy'."


def test_the_last_of_two_policies_does_not_win(tmp_path: Path) -> None:
    """Two policies end with 2, where one ends with 0 as ever."""
    assert run("init", tmp_path).exit_code == 0
    named = ["--policy", str(tmp_path)]
    assert run("policy", "lint", *named).exit_code == 0
    told = run("policy", "lint", *named, *named)
    assert (told.exit_code, "--policy is given twice" in told.stderr) == (Exit.USAGE, True)


def test_several_values_and_flags_may_be_repeated(filled: Filled) -> None:
    """What takes several values takes them, and --json twice is --json."""
    assert run("status", "--json", "--json", *filled.words()).exit_code == 0
    heads = ["--anchors", "no such file", "--anchors", "nor this"]
    assert "cannot be read" in run("audit", "verify", *heads, *filled.words()).stderr


def test_two_options_that_exclude_each_other() -> None:
    """--socket and --http say two things, so the last does not win."""
    with pytest.raises(click.UsageError, match="Give one of --socket and --http"):
        bot_command.make_context("gate-bot", ["--socket", "--http"])


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["lint"], "gate policy lint'."),
        (["apply"], "gate policy apply'."),
        (["backup"], "gate db backup'."),
        (["show"], "gate policy show' or '"),
        (["help"], "gate --help."),
        (["approve", "abc123"], "only people approve"),
        (["holds", "deny"], "'holds cancel'"),
        (["stat"], "'gate stats' or 'gate status'"),
        (["policy", "lint", "refunds.yml"], "a policy is named with --policy PATH"),
        (["holds", "list", "--limit", "80a"], "'80a' is not a valid whole number"),
    ],
)
def test_a_wrong_word_finds_the_right_one(words: list[str], hint: str) -> None:
    """It ends with 2 as before, and says what was meant."""
    told = run(*words)
    assert told.exit_code == Exit.USAGE
    assert hint in told.stderr.replace("cli ", "gate ")


def test_a_word_that_nobody_knows_gets_no_hint() -> None:
    """Nothing is made up; an unknown option is none of the commands."""
    assert "it is" not in run("frobnicate").stderr
    assert "No such option" in run("--lint").stderr


def test_every_group_gives_hints() -> None:
    """No group was forgotten."""

    def groups(group: click.Group) -> list[click.Group]:
        found = [each for each in group.commands.values() if isinstance(each, click.Group)]
        return [group, *(deeper for each in found for deeper in groups(each))]

    assert all(isinstance(each, Verbs) for each in groups(cli))


def test_a_kind_that_no_log_has(filled: Filled) -> None:
    """It ends with 2 and the kind that was meant; one that this log may still get is only not there yet."""
    told = run("audit", "list", "--kind", "sumbit", *filled.words())
    assert (told.exit_code, 'did you mean "submit"?' in told.stderr) == (Exit.USAGE, True)
    assert "It has: " in told.stderr
    assert run("audit", "list", "--kind", "headroom", *filled.words()).exit_code == 0
    assert run("audit", "list", "--kind", "submit", *filled.words()).exit_code == 0


def test_every_kind_that_is_recorded_is_known() -> None:
    """No text that is handed to a turn's ``log`` is missing from the kinds, and none there is unused."""
    recorded = {
        str(call.args[0].value)
        for file in Path(gate.__file__).parent.rglob("*.py")
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "log"
        if call.args and isinstance(call.args[0], ast.Constant)
    }
    assert recorded | set(Move) == KINDS


def test_another_folder_is_named_in_the_next_steps(tmp_path: Path) -> None:
    """Where the policy does not lie in ./policies, what the six lines must name is said."""
    folder = tmp_path / "rules"
    assert f'policy="{folder}"' in run("init", folder).output
