"""Everything the command line writes: JSON, tables, facts and sentences, on a terminal or into a pipe.

Text that an agent or a stranger wrote may stand in any of it, so control, invisible and bidirectional
characters, and marks over digits, are always shown as escapes and never reach the terminal.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gate.unseen import HIDDEN

WIDE = 1_000_000
"""Width where nobody looks at columns: into a pipe or a file nothing is wrapped."""

_HIDDEN = re.compile(HIDDEN)


LONGEST_BRIEF = 200
"""Longest text of what is shown whole elsewhere, in characters."""


class ReaderGone(Exception):
    """Say that whoever read the output has closed it."""


def clean(text: object, *, lines: bool = False) -> str:
    """Return text that is safe on a terminal: what cannot be seen as escapes.

    Args:
        text: Anything.
        lines: Whether line breaks stand; else they are escaped too.
    """
    shown = _HIDDEN.sub(_escaped, str(text))
    return shown if lines else shown.replace("\n", "\\x0a")


def brief(text: str) -> str:
    """Return a text for one line among many: a long one is cut, and ends with an ellipsis."""
    return text if len(text) <= LONGEST_BRIEF else text[: LONGEST_BRIEF - 1] + "…"


def _escaped(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def say(text: str = "", *, style: str = "", indent: int = 0) -> None:
    """Write one paragraph, or several lines, to standard output.

    Args:
        text: What to say; line breaks stand.
        style: Style of rich, such as ``bold``; shown on terminals only.
        indent: Spaces before each line, wrapped ones included.
    """
    _print(sys.stdout, _indented(Text(clean(text, lines=True), style=style), indent))


def verbatim(text: str) -> None:
    """Write a text as it stands: lines are not wrapped, tabs stand."""
    _write(sys.stdout, "\t".join(clean(part, lines=True) for part in text.split("\t")))


def raw(text: str) -> None:
    """Write ASCII text exactly as it is."""
    _write(sys.stdout, text)


def complain(text: str) -> None:
    """Write a message to standard error."""
    _write(sys.stderr, clean(text, lines=True) + "\n")


def emit(value: Any) -> None:
    """Write one JSON document on one line to standard output."""
    _write(sys.stdout, _json(value, sys.stdout))


def emit_error(value: Any) -> None:
    """Write one JSON document on one line to standard error."""
    _write(sys.stderr, _json(value, sys.stderr))


def _json(value: Any, stream: TextIO) -> str:
    """Return a line of JSON: what cannot be seen is escaped, and all but ASCII where the stream needs it."""
    narrow = "utf" not in (stream.encoding or "").lower()
    line = json.dumps(value, ensure_ascii=narrow, allow_nan=False, default=str)
    return (line if line.isascii() and "\x7f" not in line else _HIDDEN.sub(_escaped_json, line)) + "\n"


def _escaped_json(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1].replace("\x7f", "\\u007f")


def show_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, whole: Sequence[str] = ()
) -> None:
    """Write a table.

    Args:
        columns: Headings.
        rows: Cells; None is written as nothing.
        whole: Columns that are never wrapped, such as ids to be copied.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, no_wrap=column in whole, overflow="fold")
    for row in rows:
        table.add_row(*(Text("" if cell is None else clean(cell)) for cell in row))
    _print(sys.stdout, table)


def show_facts(facts: Iterable[tuple[str, object]]) -> None:
    """Write name and value pairs, the values in one column; line breaks in values stand."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style="bold")
    grid.add_column(overflow="fold")
    for name, value in facts:
        grid.add_row(name, Text(clean(value, lines=True)))
    _print(sys.stdout, grid)


def _indented(text: Text, indent: int) -> Any:
    if not indent:
        return text
    grid = Table.grid()
    grid.add_column(width=indent)
    grid.add_column(overflow="fold")
    grid.add_row("", text)
    return grid


def _print(stream: TextIO, what: Any) -> None:
    console = _console(stream)
    with console.capture() as capture:
        console.print(what)
    _write(stream, "\n".join(line.rstrip(" ") for line in capture.get().split("\n")))


def _console(stream: TextIO) -> Console:
    terminal = stream.isatty()
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() and int(columns) else None if terminal else WIDE
    plain = not terminal or bool(os.environ.get("NO_COLOR"))
    return Console(
        file=stream,
        width=width,
        color_system=None if plain else "auto",
        force_terminal=terminal,
        highlight=False,
        markup=False,
        emoji=False,
    )


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError as error:
        raise ReaderGone from error
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
