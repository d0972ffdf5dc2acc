"""What happens at the edges: pipes, signals, locks, encodings, misuse. No traceback ever."""

from __future__ import annotations

import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import click
import pytest

from gate.cli import output
from gate.cli.exits import Exit
from gate.cli.root import cli, guarded
from gate.store import sqlite
from tests.cli.cli_kit import COMMAND, Filled, read, run, said, start
from tests.cli.every_command import leaves
from tests.kit import act, service


def test_the_module_and_the_entry_point_are_the_same_command() -> None:
    """``python -m gate.cli`` works in a process of its own and tells its version."""
    process = start("--version")
    out, error = process.communicate()
    assert (process.returncode, error) == (0, "")
    assert out.startswith("gate ")


def test_main_ends_the_process_with_the_exit_code() -> None:
    """The function behind the entry point exits with the documented codes."""
    from gate.cli import main

    for words, code in ((["--version"], 0), (["no-such-verb"], 2)):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == code


def test_a_reader_that_goes_away(filled: Filled) -> None:
    """When the reader closes the pipe the command ends with 141 and writes nothing to standard error."""
    with (filled.db.parent / "calls.jsonl").open("w") as file:
        file.writelines('{"action": "desk.pay", "args": {"amount": 5, "to": "bob"}}\n' for _ in range(20_000))
    policy = filled.db.parent / "desk.yml"
    policy.write_text(read("policy", "show", *filled.words())["files"]["desk.yml"])
    process = start("check", "--policy", policy, "--calls", file.name, "--json")
    assert process.stdout is not None
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait() == Exit.READER_GONE


def test_an_interrupt(tmp_path: Path) -> None:
    """Ctrl-C while it reads standard input ends with 130, without a word of Python."""
    policy = tmp_path / "p.yml"
    policy.write_text("default: allow\n")
    process = start("check", "--policy", policy, "--calls", "-", stdin=subprocess.PIPE, preexec_fn=_heed)
    assert process.stdin is not None
    process.stdin.write("{" * 200_000)  # more than a pipe holds: once written, the command is reading
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    process.stdin.close()  # a signal that comes just before a read is seen once the read returns
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
    assert process.wait() == Exit.INTERRUPTED


def _heed() -> None:
    """Heed interrupts even where whoever runs the tests ignores them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_locked_store(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that another process holds ends with 4 and says so."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.2)
    with closing(sqlite3.connect(filled.db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        result = run("status", *filled.words())
        other.execute("ROLLBACK")
    assert result.exit_code == 4
    assert "held the store" in result.stderr


def test_a_terminal_that_knows_only_ascii(db: Path) -> None:
    """What the encoding lacks is written as escapes; the command ends well."""
    gate = service(db)
    hold = gate.submit(act(amount=50, to="Zoë — 東京")).record.id
    gate.close()
    for words in (["holds", "show", hold], ["holds", "show", hold, "--json"], ["audit", "why", hold]):
        process = start(*words, "--db", db, environment={"PYTHONIOENCODING": "ascii"})
        out, error = process.communicate()
        assert (process.returncode, error) == (0, "")
        assert out.isascii()
        assert (
            ("Zoë" in json.dumps(json.loads(out), ensure_ascii=False))
            if "--json" in words
            else "Zo\\xeb" in out
        )


def test_every_misuse_is_a_message(filled: Filled) -> None:
    """Unknown verbs, options and missing words end with 2 and point to the help, as JSON where asked."""
    for words in (
        ["nope"],
        ["holds", "nope"],
        ["holds", "show"],
        ["status", "--nope"],
        ["holds", "list", "--limit", "0"],
    ):
        result = run(*words)
        assert result.exit_code == 2, words
        assert result.stderr.startswith("gate: ")
        assert "--help" in result.stderr
        told = run(*words, "--json")
        assert told.exit_code == 2
        assert json.loads(told.stderr)["error"]["code"] == "usage"


def test_faults_are_json_where_asked(filled: Filled) -> None:
    """A fault with --json is one JSON object on standard error; standard output stays empty."""
    result = run("holds", "show", "zzzzzzzz", "--json", *filled.words())
    assert result.stdout == ""
    assert json.loads(result.stderr)["error"]["code"] == "unknown_hold"


def test_what_nobody_expected_is_a_message_too(capsys: pytest.CaptureFixture[str]) -> None:
    """An exception that no code foresaw ends with 1 and one line that names it."""

    def broken() -> None:
        raise RuntimeError("surprise")

    assert guarded(broken, as_json=False) == Exit.FAILED
    written = capsys.readouterr().err
    assert "RuntimeError: surprise" in written
    assert "Traceback" not in written

    def telling() -> None:
        raise RuntimeError("password=hunter2-hunter2")

    assert guarded(telling, as_json=False) == Exit.FAILED
    assert "hunter2" not in capsys.readouterr().err


def test_every_verb_takes_json() -> None:
    """Every verb has --json, and every verb and option explains itself."""
    found = list(leaves(cli))
    assert len(found) > 20
    for path, command in found:
        options = {name for each in command.params for name in each.opts}
        assert "--json" in options, path
        assert command.help, path
        silent = [each.name for each in command.params if isinstance(each, click.Option) and not each.help]
        assert silent == [], path


def test_settings_stand_in_for_the_options(filled: Filled) -> None:
    """GATE_DB names the store; without it the XDG state folder is meant; --db wins over both."""
    assert read("holds", "list", "--db", filled.db) == json.loads(
        said("holds", "list", "--json", GATE_DB=str(filled.db))
    )
    missing = run("status")
    assert missing.exit_code == 4
    assert os.environ["XDG_STATE_HOME"] in missing.stderr
    assert run("status", "--db", filled.db, GATE_DB="/nowhere/gate.db").exit_code == 0


def test_tables_into_a_pipe_are_one_line_a_row(filled: Filled) -> None:
    """Into a pipe no row is wrapped and nothing is coloured, so grep and awk work."""
    process = start("audit", "list", *filled.words())
    out, _ = process.communicate()
    head, *rows = out.splitlines()
    assert head.split()[0] == "SEQ"
    assert [row.split()[0] for row in rows] == [str(number + 1) for number in range(len(rows))]
    assert "\x1b" not in out
    assert not any(row != row.rstrip() for row in rows)


@pytest.mark.parametrize("words", [["holds", "list", "--all"], ["audit", "list"], ["status"]])
def test_nothing_is_wider_than_80_columns(filled: Filled, words: list[str]) -> None:
    """At 80 columns no line is longer."""
    text = said(*words, *filled.words(), COLUMNS="80")
    assert max(map(len, text.splitlines())) <= 80


def test_ids_are_never_cut(filled: Filled) -> None:
    """Even at 50 columns a hold's id stands whole in its row."""
    assert filled.pending in said("holds", "list", *filled.words(), COLUMNS="50")


@pytest.mark.parametrize(("environment", "coloured"), [({"NO_COLOR": "1"}, False), ({}, True)])
def test_colours_on_a_terminal(filled: Filled, environment: dict[str, str], coloured: bool) -> None:
    """On a terminal headings are bold; with NO_COLOR there is no escape code at all."""
    clean = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS")}
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "holds", "list", *filled.words()],
        stdout=follower,
        stderr=follower,
        env=clean | {"TERM": "xterm-256color"} | environment,
    )
    os.close(follower)
    written = b""
    while chunk := _read(leader):
        written += chunk
    os.close(leader)
    assert process.wait() == 0
    assert (b"\x1b" in written) is coloured
    assert filled.pending.encode() in written


def _read(descriptor: int) -> bytes:
    """Read what a terminal has; nothing once its other end is closed."""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


def test_clean_text_is_left_alone() -> None:
    """Letters of every script and symbols stand; controls, joiners and direction marks become escapes."""
    assert output.clean("Zoë 東京 €5 🙂") == "Zoë 東京 €5 🙂"
    assert output.clean("a\x00\t\n\u200b\u202e\ufeff\U000e0041") == (
        "a\\x00\\x09\\x0a\\u200b\\u202e\\ufeff\\U000e0041"
    )
    assert output.clean("4\u034f\u3164\u2800\ufe0f\U000e0101\xa05\u0336") == (
        "4\\u034f\\u3164\\u2800\\ufe0f\\U000e0101\\xa05\\u0336"
    )
    assert output.clean("a\nb", lines=True) == "a\nb"


def test_the_library_does_not_load_the_command_line() -> None:
    """Importing gate loads neither click nor rich nor the command line."""
    code = "import sys, gate; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = found.stdout.split()
    assert "gate" in loaded
    assert {"click", "rich", "gate.cli"}.isdisjoint(loaded)
