"""Standard streams that are closed or full, and what may stand in what is written to them."""

from __future__ import annotations

import errno
import json
import os
import re
from pathlib import Path

import pytest

from gate.cli import output
from gate.cli.exits import Exit
from gate.cli.root import guarded
from gate.unseen import HIDDEN
from tests.cli.cli_kit import Filled, run, start


def _closing(*numbers: int) -> None:
    for number in numbers:
        os.close(number)


def test_streams_that_were_closed(filled: Filled) -> None:
    """Without a standard input, output or error stream a command does its work, and ends as it would."""
    silent = start("status", *filled.words(), stdout=None, preexec_fn=lambda: _closing(0, 1))
    assert silent.stderr is not None
    assert silent.stderr.read() == ""
    assert silent.wait() == Exit.OK
    deaf = start("status", "--nope", stdin=None, stderr=None, preexec_fn=lambda: _closing(0, 2))
    assert deaf.stdout is not None
    assert deaf.stdout.read() == ""
    assert deaf.wait() == Exit.USAGE


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_an_output_that_is_full(filled: Filled) -> None:
    """An output that takes no more is named in one message, with what to do; Python adds nothing."""
    with open("/dev/full", "w") as full:
        process = start("status", *filled.words(), stdout=full)
    assert process.stderr is not None
    told = process.stderr.read()
    assert told.startswith("gate: The output could not be written: No space left on device. Make room")
    assert told.count("\n") == 1
    assert process.wait() == Exit.FAILED


def test_a_full_output_is_json_where_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """It has a code of its own, and what else the system refuses without a path stays unexpected."""
    for number, code in ((errno.ENOSPC, "unwritten"), (errno.ENOMEM, "unexpected")):

        def refused(number: int = number) -> None:
            raise OSError(number, os.strerror(number))

        assert guarded(refused, as_json=True) == Exit.FAILED
        assert json.loads(capsys.readouterr().err)["error"]["code"] == code


def test_a_reader_that_is_gone_before_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    """A closed pipe is no surprise, whoever writes into it."""

    def gone() -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    assert guarded(gone, as_json=False) == Exit.READER_GONE
    assert capsys.readouterr().err == ""


def test_json_has_nothing_unseen_either(capsys: pytest.CaptureFixture[str]) -> None:
    """In JSON, too, controls, directions and invisible characters are escapes, and it reads back equal."""
    told = {
        "name": "\x1b[31m\x9b2J\x7f\u202egnp.exe\u2066 \U000e0041\ue000 5\u0336",
        "Zoë": "東京 \ud83d",
        "plain": ["a\nb", 1.5],
    }
    output.emit(told)
    written = capsys.readouterr().out
    assert written.endswith("}\n")
    assert not re.search(HIDDEN, written.rstrip("\n"))
    assert "Zoë" in written
    assert json.loads(written) == told


def test_every_unseen_character_reads_back(capsys: pytest.CaptureFixture[str]) -> None:
    """No character that is escaped in JSON becomes another one."""
    all_ = [
        *map(chr, range(0x3100)),
        "\ud800",
        "\udfff",
        "\ue000",
        "\ufeff",
        "\uffff",
        "\U000e0041",
        "\U0010ffff",
    ]
    unseen = [each for each in all_ if re.fullmatch(HIDDEN, each)]
    assert len(unseen) > 100
    output.emit(unseen)
    written = capsys.readouterr().out
    assert not re.search(HIDDEN, written.rstrip("\n"))
    assert json.loads(written) == unseen


@pytest.mark.parametrize("time", ["0001-01-01", "9999-12-31T23:59:59-23:59", "1969-12-31", "30000d"])
def test_a_time_no_log_has(filled: Filled, time: str) -> None:
    """A time that nothing can be reckoned from is refused by its option."""
    for words in (["stats", "--until"], ["stats", "--since"], ["audit", "list", "--since"]):
        result = run(*words, time, *filled.words())
        assert result.exit_code == Exit.USAGE, words
        assert "is no time" in result.stderr


def test_bytes_that_are_no_utf8(filled: Filled, tmp_path: Path) -> None:
    """A path in any encoding is looked at; any other word in another one is said not to be UTF-8."""
    place = tmp_path / "caf\udce9"
    assert run("db", "status", "--db", place).exit_code == Exit.STORE
    place.write_bytes(filled.db.read_bytes())
    assert "4,096 bytes" in run("db", "status", "--db", place).stdout
    words = ("policy", "import", "kortix", tmp_path / "k.yaml", "--approvers", "U0ALICE")
    result = run(*words, "--channel", "C0\udcff")
    assert result.exit_code == Exit.USAGE
    assert "is not UTF-8: it has '\\udcff'" in result.stderr
