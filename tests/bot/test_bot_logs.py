"""What a bot's own process writes to standard error says where it went wrong, and no secret."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from bot import command, logs
from bot.preflight import Report

TOKEN = "xoxb-" + "1234567890-ABCDEFGHIJKLMNOP"


@pytest.fixture(autouse=True)
def _put_back() -> Iterator[None]:
    """Put the log of the tests back."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers = []
    yield
    root.handlers = handlers
    root.setLevel(level)


def _log() -> logging.Logger:
    """Log as a bot's process does from now on."""
    logging.getLogger().handlers = []
    logs.to_stderr()
    return logging.getLogger("bot")


def _call(token: str, comment: str) -> None:
    header = f"Bearer {token}"
    raise ValueError(f"{comment}: token={token}" if header else "")


def test_an_error_is_told_without_the_values_at_hand(capsys: pytest.CaptureFixture[str]) -> None:
    """It is told by its place and its redacted words; no variable of any frame is written."""
    log = _log()
    try:
        _call(TOKEN, "the comment was \x1b[31m\u202e")
    except ValueError:
        log.exception("A press could not be handled")
    told = capsys.readouterr().err
    assert "A press could not be handled" in told
    assert f"{__file__}:" in told
    assert "in _call" in told
    assert "ValueError: the comment was \\x1b[31m\\u202e: token=" in told
    assert TOKEN not in told
    assert "header" not in told
    assert "\x1b" not in told


def test_what_led_to_an_error_is_told_too(capsys: pytest.CaptureFixture[str]) -> None:
    """Causes and the errors of groups stand before what they led to; a circle of causes ends."""
    first, second = KeyError("first"), RuntimeError("second")
    group = ExceptionGroup("several", [OSError("one"), OSError("two")])
    first.__cause__, second.__cause__, group.__cause__ = second, first, second
    _log().error("Broken", exc_info=group)
    told = capsys.readouterr().err
    at = [told.index(word) for word in ("first", "second", "several")]
    assert at == sorted(at)
    assert "OSError: one" in told
    assert "OSError: two" in told


def test_an_event_is_one_line_that_anybody_may_read(capsys: pytest.CaptureFixture[str]) -> None:
    """Texts of others cannot begin a line of their own, steer a terminal, or carry a token out."""
    _log().warning("Slack said %s", f"\x1b[2J\n00:00:00 [info] all is well\u202e {TOKEN}")
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "\\x1b[2J\\x0a00:00:00" in told
    assert TOKEN not in told


def test_names_of_slack_steer_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What ``gate-bot --check`` tells of people and channels has escapes where it cannot be seen."""
    report = Report(team="T1", names=["U1 = \x1b[31mred\u202e"])
    monkeypatch.setattr(command, "look", lambda *given, **more: report)
    monkeypatch.setattr(command, "_looked_at", lambda told: (None, ""))
    monkeypatch.setenv("SLACK_APP_TOKEN", "xapp-1")
    with pytest.raises(SystemExit) as ended:
        command.main(["--check", "--socket"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == "ok       U1 = \\x1b[31mred\\u202e\n"
