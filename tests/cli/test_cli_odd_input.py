"""Input that nobody writes on purpose: each is answered in words, and never called a surprise."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from gate.cli.exits import Exit
from gate.cli.root import cli
from tests.cli.cli_kit import Filled, run

LONG = "x" * 300
DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "words",
    [
        ["policy", "diff", LONG, "policies"],
        ["status", "--db", LONG],
        ["init", LONG],
    ],
)
def test_a_path_that_no_file_system_takes_is_said(words: list[str], tmp_path: Path) -> None:
    """The message names the path and what is wrong with it, and the command was written wrongly."""
    result = run(*words)
    assert result.exit_code == Exit.USAGE
    assert f"{LONG} cannot be used: File name too long." in result.stderr


def test_a_policy_that_no_file_system_takes_is_said() -> None:
    """It is a policy that does not load, and the message names its path and what is wrong with it."""
    for words in (["policy", "lint"], ["check", "--calls", "-"]):
        result = run(*words, "--policy", LONG)
        assert result.exit_code == Exit.POLICY
        assert f"{LONG}: cannot be read: File name too long" in result.stderr


@pytest.mark.parametrize("link", ["http://[x/archives/C1/p1234567890123456", "//["])
def test_a_link_that_is_no_address_is_said(filled: Filled, link: str) -> None:
    """It is no link of a card, as any other that names none."""
    for words in (["audit", "why", link], ["audit", "list", "--action", link]):
        result = run(*words, *filled.words())
        assert result.exit_code == Exit.NOT_FOUND
        assert "is no link of a card that this store posted" in result.stderr


def test_published_heads_may_stand_among_anything(filled: Filled) -> None:
    """Bytes that are no text say that no head is among them, on standard input as in a file."""
    result = CliRunner().invoke(
        cli, ["audit", "verify", "--anchors", "-", *filled.words()], input=b"\xff\xfe"
    )
    assert result.exit_code == Exit.USAGE
    assert "standard input has no head of a log" in result.stderr


def test_what_is_nested_without_end_is_said(tmp_path: Path) -> None:
    """A catalogue and a call of a hundred thousand brackets are refused like any that cannot be read."""
    catalogue = tmp_path / "tools.json"
    catalogue.write_text(f'{{"tools": {DEEP}{"]" * 100_000}}}')
    assert run("init", tmp_path / "policies").exit_code == Exit.OK
    named = ["--policy", tmp_path / "policies"]
    told = run("policy", "lint", "--tools", catalogue, *named)
    assert (told.exit_code, "is no catalogue" in told.stderr) == (Exit.USAGE, True)
    for written in (DEEP, '{"a":' * 100_000):
        told = run("policy", "explain", "--call", written, *named)
        assert (told.exit_code, "nested more than 64 levels deep" in told.stderr) == (Exit.USAGE, True)


@pytest.mark.parametrize("levels", [500, 1150, 4500])
def test_a_call_that_some_python_reads_is_judged_by_its_levels(tmp_path: Path, levels: int) -> None:
    """How deep JSON is read depends on the Python; what is read is refused in words all the same."""
    value, calls = "[" * levels + "]" * levels, tmp_path / "calls.jsonl"
    calls.write_text(f'{{"action": "desk.pay", "args": {{"x": {value}}}}}')
    assert run("init", tmp_path / "policies").exit_code == Exit.OK
    told = run("check", "--calls", calls, "--policy", tmp_path / "policies")
    assert told.exit_code == Exit.FAILED
    assert "1 that cannot be judged" in told.stdout


def test_a_text_file_is_no_store(tmp_path: Path) -> None:
    """It is called no store first, with the way to name the right one, before any word of backups."""
    file = tmp_path / "refunds.yml"
    file.write_text("version: 1\nname: refunds\ndefault: allow\n" * 200)
    for words in (["status"], ["holds", "list"], ["freeze"]):
        told = run(*words, "--db", file)
        assert told.exit_code == Exit.STORE
        assert told.stderr.startswith(f"gate: The store {file} is no store")
        assert told.stderr.index("--db") < told.stderr.index("backup")
