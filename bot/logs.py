"""The log of a bot's own process, on standard error: one line an event, and nothing in it that is secret.

Events tell of texts that people, agents and Slack wrote. What cannot be seen in them is escaped, and what is
secret by its shape is hidden. An error is told by where it happened and by its redacted words, never by the
values that were at hand there: tokens, payloads and comments are among them.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Iterator
from typing import TextIO

import structlog
from structlog.typing import EventDict, ExcInfo, WrappedLogger

from gate.cli.output import clean
from gate.redact import error_text, hide

LONGEST = 20_000
"""Characters of an event that are written."""
DEEPEST = 5
"""How many errors that led to an error are told."""


def to_stderr() -> None:
    """Write everything from warnings on, of this process and its libraries, to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(_formatter(colors=sys.stderr.isatty()))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


def _formatter(*, colors: bool) -> logging.Formatter:
    return structlog.stdlib.ProcessorFormatter(
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            _safe,
            structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=_told),
        ],
        foreign_pre_chain=[
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False),
        ],
    )


def _safe(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
    """Make the text of an event one line that anybody may read."""
    event["event"] = clean(hide(str(event["event"])[:LONGEST]))
    return event


def _told(stream: TextIO, given: ExcInfo) -> None:
    """Write where an error happened and what it says, after the errors that led to it."""
    for error in _chain(given[1]):
        for frame in traceback.extract_tb(error.__traceback__):
            stream.write(f"\n  {frame.filename}:{frame.lineno} in {frame.name}")
        stream.write(f"\n  {clean(error_text(error))}")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error after those that led to it, and after those of its group."""
    found: dict[int, BaseException] = {}
    waiting = [error]
    while waiting and len(found) < DEEPEST:
        each = waiting.pop()
        if each is not None and id(each) not in found:
            found[id(each)] = each
            waiting += [_before(each), *(each.exceptions if isinstance(each, BaseExceptionGroup) else ())]
    return reversed(found.values())


def _before(error: BaseException) -> BaseException | None:
    return error.__cause__ or (None if error.__suppress_context__ else error.__context__)
