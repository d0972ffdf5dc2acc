"""The command ``gate`` itself: its verbs, and how every fault becomes one message and an exit code."""

from __future__ import annotations

import errno
import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TextIO

import click

from gate.cli import output
from gate.cli.audit import audit_group
from gate.cli.check import check_command
from gate.cli.commands import Verbs
from gate.cli.doctor import doctor_command
from gate.cli.exits import Exit, exit_of
from gate.cli.freezing import freeze_command, unfreeze_command
from gate.cli.holds import holds_group
from gate.cli.init import init_command
from gate.cli.keeping import clock_group
from gate.cli.policy import policy_group
from gate.cli.stats import stats_command
from gate.cli.status import status_command
from gate.cli.store import db_group, key_group
from gate.cli.tools import tools_group
from gate.errors import Fault, PolicyError
from gate.redact import error_text
from gate.service.turns import package_version

log = logging.getLogger("gate.cli")

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})
"""What the system says where an output takes no more."""


class Root(Verbs):
    """A group that ends the process with one of the documented exit codes and never shows a traceback."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run one command line and end the process."""
        words = list(sys.argv[1:] if args is None else args)
        extra["standalone_mode"] = False
        code = guarded(lambda: super(Root, self).main(words, *rest, **extra), as_json="--json" in words)
        sys.exit(flushed(code))


def guarded(run: Callable[[], Any], *, as_json: bool) -> int:
    """Run a command and turn whatever it raises into one message and an exit code.

    Args:
        run: The command; what it returns is its exit code, anything but a number is 0.
        as_json: Whether the message is JSON.
    """
    try:
        code = run()
        return int(code) if isinstance(code, int) else Exit.OK
    except click.ClickException as error:
        return _misused(error, as_json)
    except Fault as fault:
        return _faulted(fault, as_json)
    except (KeyboardInterrupt, click.Abort):
        return Exit.INTERRUPTED
    except (output.ReaderGone, BrokenPipeError):
        return Exit.READER_GONE
    except UnicodeEncodeError as error:
        return _not_utf8(error, as_json)
    except OSError as error:
        return _unusable(error, as_json)
    except Exception as error:
        log.debug("unexpected", exc_info=True)
        return _unexpected(error, as_json)


def _misused(error: click.ClickException, as_json: bool) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        output.complain(error.format_message())
        return Exit.USAGE
    context = getattr(error, "ctx", None)
    hint = f"\nTry '{context.command_path} --help'." if context is not None else ""
    message = error.format_message()
    _tell("usage", message, f"gate: {message}{hint}", as_json)
    return Exit.USAGE


def _faulted(fault: Fault, as_json: bool) -> int:
    if isinstance(fault, PolicyError):
        problems = [
            {
                "file": one.file,
                "line": one.line,
                "column": one.column,
                "where": one.where,
                "message": one.message,
            }
            for one in fault.problems
        ]
        count = f"gate: the policy does not load: {len(problems)} problem{'s' * (len(problems) > 1)}."
        _tell(fault.code, str(fault), f"{fault}\n{count}", as_json, problems=problems)
    else:
        _tell(fault.code, str(fault), f"gate: {fault}", as_json)
    return exit_of(fault)


def _unusable(error: OSError, as_json: bool) -> int:
    """Tell of a path that the file system refuses, such as a loop of links, and of a full disk."""
    if error.errno in _FULL and not error.filename:
        return _unwritten(error, as_json)
    if not error.filename:
        return _unexpected(error, as_json)
    message = f"{error.filename} cannot be used: {error.strerror}. Mend that, or name another."
    _tell("usage", message, f"gate: {message}", as_json)
    return Exit.USAGE


def _unwritten(error: OSError, as_json: bool) -> int:
    """Tell of an output that takes no more."""
    message = (
        f"The output could not be written: {error.strerror}. Make room, or write elsewhere. "
        "What was changed before that stays changed."
    )
    _tell("unwritten", message, f"gate: {message}", as_json)
    return Exit.FAILED


def _not_utf8(error: UnicodeEncodeError, as_json: bool) -> int:
    """Tell of a word of the command line, or of a setting, in another encoding; it is not repeated whole."""
    bad = ascii(error.object[error.start : error.end][:8])
    message = f"A word of the command or a setting is not UTF-8: it has {bad}. Write it in UTF-8."
    _tell("usage", message, f"gate: {message}", as_json)
    return Exit.USAGE


def _unexpected(error: Exception, as_json: bool) -> int:
    said = error_text(error)
    message = f"Something went wrong that gate did not expect ({said}). Please report it with what you typed."
    _tell("unexpected", message, f"gate: {message}", as_json)
    return Exit.FAILED


def _tell(code: str, message: str, text: str, as_json: bool, **more: Any) -> None:
    try:
        if as_json:
            output.emit_error({"error": {"code": code, "message": message, **more}})
        else:
            output.complain(text)
    except (output.ReaderGone, OSError):
        _mute(sys.stderr)


def flushed(code: int) -> int:
    """Flush what is still buffered, so that nothing is left to fail while Python ends.

    Args:
        code: The exit code so far.

    Returns:
        The exit code, which is another one where what was left could not be written.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = Exit.READER_GONE
    except OSError:
        code = code or Exit.FAILED
        _mute(sys.stdout)
    if code == Exit.READER_GONE:
        _mute(sys.stdout)
    return int(code)


def _mute(stream: TextIO) -> None:
    """Let a stream whose reader is gone swallow what is left in it."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except OSError:
        return


@click.group(cls=Root, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_version(), prog_name="gate", message="%(prog)s %(version)s")
def cli() -> None:
    """Run the approval gate from a shell: policies, holds, the log and the kill switch.

    Approving is not here: only people do that, in Slack.
    """


for command in (
    init_command,
    check_command,
    policy_group,
    holds_group,
    audit_group,
    freeze_command,
    unfreeze_command,
    status_command,
    stats_command,
    tools_group,
    key_group,
    db_group,
    clock_group,
    doctor_command,
):
    cli.add_command(command)
