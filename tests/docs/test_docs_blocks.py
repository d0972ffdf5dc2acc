"""What the pages say runs, does run, with the output that they show."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from gate.cli.root import cli
from gate.policy.load import load_texts
from tests.docs.docs_kit import DOCS, PAGES, ROOT, Block, blocks

MARKS = re.compile(r"run|policy|file: [\w.-]+|app\.py")
RUNNING = [path for path in PAGES if any(block.mark == "run" for block in blocks(path))]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder to work in, with the command ``gate`` on the path."""
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, module in (("gate", "gate.cli"), ("gate-bot", "bot")):
        (commands / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("COLUMNS", raising=False)
    work = tmp_path / "work"
    work.mkdir()
    return work


@pytest.mark.parametrize("path", RUNNING, ids=lambda path: path.name)
def test_marked_blocks_run_as_shown(path: Path, folder: Path) -> None:
    """Every block marked to run ends as the page says, in one folder, in order, with the shown output."""
    for block in blocks(path):
        if block.mark.startswith("file: "):
            (folder / block.mark.removeprefix("file: ")).write_text(block.text)
        elif block.mark == "run" and block.language == "python":
            subprocess.run([sys.executable, "-c", block.text], cwd=folder, check=True)
        elif block.mark == "run":
            _walk(block, folder)


def _walk(block: Block, folder: Path) -> None:
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        command, _, ends = line.partition("  # exits with ")
        plain = re.fullmatch(r"gate [^|<>&;$`*~#\\]+", command)
        code, written = _here(shlex.split(command)[1:], folder) if plain else _in_shell(command, folder)
        where = f"{block.page}:{block.line}: {command}\n{written}"
        assert code == int(ends or 0), where
        assert re.fullmatch(_pattern(shown), written), where


def _here(words: list[str], folder: Path) -> tuple[int, str]:
    """Run ``gate`` in this process, which costs no start of Python, and return its exit code and output."""
    with contextlib.chdir(folder):
        done = CliRunner().invoke(cli, words)
    return done.exit_code, done.stdout + done.stderr


def _in_shell(command: str, folder: Path) -> tuple[int, str]:
    """Run what needs a shell in one, and return its exit code and output."""
    shell = ["/bin/sh", "-c", command]
    done = subprocess.run(
        shell, cwd=folder, env=dict(os.environ), capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def _pattern(shown: str) -> str:
    """Return what matches the shown output: … stands for anything in a line, alone for any lines."""
    lines = shown.rstrip("\n").split("\n") if shown.strip() else []
    return "".join(map(_line, lines)) + r"\n*\Z"


def _line(shown: str) -> str:
    whole = ".*".join(map(re.escape, shown.split("…"))) + r" *\n"
    return r"(?:.*\n)*?" if shown.strip() == "…" else whole


def test_an_ellipsis_is_the_only_wildcard() -> None:
    """The comparison is exact apart from … and space at the end of lines."""
    assert re.fullmatch(_pattern("a … d\n"), "a b c d\n")
    assert re.fullmatch(_pattern("a\n…\nd\n"), "a\nb\nc\nd  \n\n")
    assert re.fullmatch(_pattern(""), "")
    assert not re.fullmatch(_pattern(""), "a\n")
    assert not re.fullmatch(_pattern("a . d\n"), "a b d\n")
    assert not re.fullmatch(_pattern("a\n"), "a\nb\n")


def test_something_runs() -> None:
    """At least the page about the command line has blocks that run."""
    assert "cli.md" in [path.name for path in RUNNING]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_policies_in_the_pages_load(path: Path) -> None:
    """Every block that shows a whole policy loads."""
    for block in blocks(path):
        if block.language == "yaml" and (block.mark == "policy" or block.text.startswith("version: 1")):
            load_texts({"shown.yml": block.text})


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_blocks_are_well_formed(path: Path) -> None:
    """Fences are closed, marks are known, Python compiles."""
    text = path.read_text("utf-8")
    found = blocks(path)
    assert len(re.findall(r"^ *```", text, re.MULTILINE)) == 2 * len(found)
    for block in found:
        assert not block.mark or MARKS.fullmatch(block.mark), block
        if block.language == "python":
            body = re.sub(r"^ {3}", "", block.text, flags=re.MULTILINE)
            compile(body, f"{block.page}:{block.line}", "exec")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    """Every relative link names a file that is there; every page of the docs is linked from somewhere."""
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8")):
        if "://" not in target and not target.startswith("#"):
            assert (path.parent / target.partition("#")[0]).exists(), (path.name, target)


def test_every_page_can_be_reached() -> None:
    """Every page of the docs is linked from the README or from another page."""
    linked = {
        Path(target.partition("#")[0]).name
        for path in PAGES
        for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8"))
    }
    assert [each.name for each in DOCS.rglob("*.md") if each.name not in linked] == []
