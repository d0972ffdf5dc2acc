"""Read one strict YAML text into plain values and remember where each of them stands."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from gate.errors import Problem
from gate.policy.events import MAX_DEPTH, Reader, quote_it
from gate.policy.places import Loc, Mark, Places, mark_of
from gate.values import IDENTIFIER, quoted

MAX_BYTES = 1_000_000

_PARSER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_STRANGE = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What YAML forbids, and the line breaks of YAML 1.1 alone, where a comment ends and people see it go on."""


@dataclass(slots=True)
class Document:
    """One YAML text as plain values.

    Attributes:
        file: Name of the file, for messages.
        value: The values: dict, list, str, int, Decimal, bool or None; None where nothing could be read.
        problems: Everything wrong so far.
        places: Where each value stands; None where none could be read.
        spoilt: Ways to values that could not be read; nothing more is said about them.
        ok: False where the text is no YAML document at all, so that ``value`` says nothing.
    """

    file: str
    value: Any = None
    problems: list[Problem] = field(default_factory=list)
    places: Places | None = None
    spoilt: set[Loc] = field(default_factory=set)
    ok: bool = True
    _short: str = field(init=False, repr=False)
    _said: set[Problem] = field(default_factory=set, repr=False)

    def __post_init__(self) -> None:
        self._short = os.path.basename(self.file)

    def add(self, loc: Loc, message: str, *, key: bool = False) -> None:
        """Add a problem about a value, or about the key of an entry.

        Args:
            loc: Way from the root; a missing one is placed at its nearest parent.
            message: What is wrong and what to write instead.
            key: Whether the key is meant.
        """
        if self.spoilt and any(loc[:length] in self.spoilt for length in range(len(loc) + 1)):
            return
        mark = self.places.key(loc) if key and self.places else None
        self.add_at(mark or self.mark(loc), loc, message)

    def add_at(self, mark: Mark | None, loc: Loc, message: str) -> None:
        """Add a problem at a mark; None places it on the file as a whole."""
        line, column = (mark.line, mark.column) if mark else (0, 0)
        problem = Problem(self.file, line, column, format_loc(loc), message)
        if problem not in self._said:
            self._said.add(problem)
            self.problems.append(problem)

    def mark(self, loc: Loc) -> Mark | None:
        """Return where a value stands; one that is not there is placed at its nearest parent."""
        return self.places.value(loc) if self.places else None

    def entry(self, loc: Loc) -> Mark:
        """Return where an entry begins: at its key, where it has one; placed as by ``mark``."""
        assert self.places is not None, "what is asked for was read"
        return self.places.key(self.places.nearest(loc)) or self.places.value(loc)

    def line(self, loc: Loc) -> int:
        """Return the line of a value; 0 where nothing could be read."""
        mark = self.mark(loc)
        return mark.line if mark else 0

    def place(self, loc: Loc) -> str:
        """Return ``file:line`` of a value, with the file as the user gave it."""
        line = self.line(loc)
        return f"{self.file}:{line}" if line else self.file

    def short_place(self, loc: Loc) -> str:
        """Return ``file:line`` of a value, with the bare file name, which is all that a stored set knows."""
        return f"{self._short}:{self.line(loc)}"


def format_loc(loc: Loc) -> str:
    """Write the way to a value as ``rules[2].when["args.amount"]``."""
    text = ""
    for step in loc:
        if isinstance(step, int):
            text += f"[{step}]"
        elif IDENTIFIER.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{quoted(step)}]"
    return text


def read_bytes(data: bytes, file: str) -> Document:
    """Read UTF-8 bytes; see ``read_text``."""
    if len(data) > MAX_BYTES:
        return _hopeless(file, f"is larger than {MAX_BYTES:,} bytes: split it into several files")
    try:
        return read_text(data.decode("utf-8"), file)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte {error.start + 1} is not UTF-8: save the file as UTF-8"
        return _hopeless(file, message, Mark(line, error.start - data.rfind(b"\n", 0, error.start)))


def read_text(text: str, file: str) -> Document:
    """Read one YAML text strictly.

    Args:
        text: The text; one byte order mark at its start is passed over.
        file: Name for messages.

    Returns:
        The document; its ``problems`` hold everything wrong with the text as YAML.
    """
    text = text.removeprefix("\ufeff")
    if strange := _STRANGE.search(text):
        code = f"U+{ord(strange[0]):04X}"
        return _hopeless(
            file, f"the character {code} may not stand in YAML: take it out", _mark_of(text, strange)
        )
    if len(text) > MAX_BYTES:
        return _hopeless(file, f"is larger than {MAX_BYTES:,} bytes: split it into several files")
    document = Document(file)
    try:
        Reader(document).read(_PARSER(text))
    except yaml.YAMLError as error:
        _syntax_problem(document, error, text)
    return document


def _mark_of(text: str, found: re.Match[str]) -> Mark:
    start = found.start()
    return Mark(text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start))


def _hopeless(file: str, message: str, mark: Mark | None = None) -> Document:
    document = Document(file, ok=False)
    document.add_at(mark, (), message)
    return document


def _syntax_problem(document: Document, error: yaml.YAMLError, text: str) -> None:
    document.ok = False
    context = str(getattr(error, "context", "") or "")
    spot = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    mark = mark_of(spot) if spot else None
    if "alias" in context or "anchor" in context:
        start = getattr(error, "context_mark", None) or spot
        mark = mark_of(start) if start else mark
        document.add_at(mark, (), quote_it("*" if "alias" in context else "&"))
        return
    if "nesting depth" in str(getattr(error, "problem", "")):
        document.add_at(mark, (), f"is nested more than {MAX_DEPTH} levels deep")
        return
    if spot is not None and text[spot.index : spot.index + 1] == "\t":
        document.add_at(mark, (), "is not YAML: a tab stands here, write spaces in its place")
        return
    said = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
    document.add_at(mark, (), f"is not YAML: {f'{context}, {said}' if context else said}")
