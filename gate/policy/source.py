"""Read one strict YAML text into plain values and remember where each of them stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

import yaml

from gate.errors import Problem
from gate.values import IDENTIFIER, quoted

MAX_BYTES = 1_000_000
MAX_DEPTH = 64
MAX_NODES = 100_000

Loc = tuple[str | int, ...]
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_CORE_NULL = re.compile(r"|~|null|Null|NULL")
_CORE_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_CORE_INT = re.compile(r"[-+]?[0-9]+")
_CORE_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL_FLOAT = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_OLD_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_OLD_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?")
_AMBIGUOUS = re.compile(
    r"""y|Y|n|N|(?i:yes|no|on|off)                         # booleans of YAML 1.1
      | [-+]?0b[01_]+ | [-+]?0[0-7_]+ | 0o[0-7]+           # octal and binary
      | [-+]?0x[0-9a-fA-F_]+
      | [-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?  # underscores, leading zeros, exponents
      | [-+]?\.[0-9_]+(?:[eE][-+]?[0-9]+)?
      | [-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?   # base 60
      | [-+]?0[0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
      | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:.*)?   # dates
      | << | =""",
    re.VERBOSE,
)
_WORDS = frozenset(["null", "true", "false", "y", "n", "yes", "no", "on", "off"])
"""Words that are no texts in YAML 1.1 or in the core schema of 1.2, in lower case."""
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Mark(NamedTuple):
    """A place in a text: line and column, both from 1."""

    line: int
    column: int


@dataclass(slots=True)
class Document:
    """One YAML text as plain values.

    Attributes:
        file: Name of the file, for messages.
        value: The values: dict, list, str, int, Decimal, bool or None; None where nothing could be read.
        problems: Everything wrong so far.
        marks: Where each value stands, by its way from the root.
        keys: Where the key of each mapping entry stands, by the same way.
        spoilt: Ways to values that could not be read; nothing more is said about them.
        ok: False where the text is no YAML document at all, so that ``value`` says nothing.
    """

    file: str
    value: Any = None
    problems: list[Problem] = field(default_factory=list)
    marks: dict[Loc, Mark] = field(default_factory=dict)
    keys: dict[Loc, Mark] = field(default_factory=dict)
    spoilt: set[Loc] = field(default_factory=set)
    ok: bool = True
    _said: set[Problem] = field(default_factory=set, repr=False)

    def add(self, loc: Loc, message: str, *, key: bool = False) -> None:
        """Add a problem about a value, or about the key of an entry.

        Args:
            loc: Way from the root; a missing one is placed at its nearest parent.
            message: What is wrong and what to write instead.
            key: Whether the key is meant.
        """
        if self.spoilt and any(loc[:length] in self.spoilt for length in range(len(loc) + 1)):
            return
        mark = self.keys.get(loc) if key else None
        self.add_at(mark or self._nearest(loc), loc, message)

    def add_at(self, mark: Mark | None, loc: Loc, message: str) -> None:
        """Add a problem at a mark; None places it on the file as a whole."""
        line, column = (mark.line, mark.column) if mark else (0, 0)
        problem = Problem(self.file, line, column, format_loc(loc), message)
        if problem not in self._said:
            self._said.add(problem)
            self.problems.append(problem)

    def place(self, loc: Loc) -> str:
        """Return ``file:line`` of a value."""
        mark = self._nearest(loc)
        return f"{self.file}:{mark.line}" if mark else self.file

    def _nearest(self, loc: Loc) -> Mark | None:
        while loc and loc not in self.marks:
            loc = loc[:-1]
        return self.marks.get(loc)


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
    if strange := _UNPRINTABLE.search(text):
        code = f"U+{ord(strange[0]):04X}"
        return _hopeless(
            file, f"the character {code} may not stand in YAML: take it out", _mark_of(text, strange)
        )
    if len(text) > MAX_BYTES:
        return _hopeless(file, f"is larger than {MAX_BYTES:,} bytes: split it into several files")
    document = Document(file)
    try:
        _Reader(document).read(yaml.parse(text, Loader=_LOADER))
    except yaml.YAMLError as error:
        _syntax_problem(document, error)
    return document


def _mark_of(text: str, found: re.Match[str]) -> Mark:
    start = found.start()
    return Mark(text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start))


def _hopeless(file: str, message: str, mark: Mark | None = None) -> Document:
    document = Document(file, ok=False)
    document.add_at(mark, (), message)
    return document


def _syntax_problem(document: Document, error: yaml.YAMLError) -> None:
    document.ok = False
    context = str(getattr(error, "context", "") or "")
    spot = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    mark = Mark(spot.line + 1, spot.column + 1) if spot else None
    if "alias" in context or "anchor" in context:
        start = getattr(error, "context_mark", None) or spot
        mark = Mark(start.line + 1, start.column + 1) if start else mark
        document.add_at(mark, (), _quote_it("*" if "alias" in context else "&"))
        return
    if "nesting depth" in str(getattr(error, "problem", "")):
        document.add_at(mark, (), f"is nested more than {MAX_DEPTH} levels deep")
        return
    said = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
    document.add_at(mark, (), f"is not YAML: {f'{context}, {said}' if context else said}")


def _quote_it(sign: str) -> str:
    kind = "alias" if sign == "*" else "anchor"
    return f'a text that begins with {sign} is a YAML {kind}, which is not used here: quote it ("{sign}…")'


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being read."""

    loc: Loc
    value: dict[str, Any] | list[Any]
    key: str | None = None
    skipping: int = 0
    firsts: dict[str, int] = field(default_factory=dict)


class _Stop(Exception):
    """Nothing more of this text is worth reading."""


class _Reader:
    """Build plain values from the parser's events, without recursion."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.stack: list[_Open] = []
        self.nodes = 0
        self.documents = 0

    def read(self, events: Iterator[Any]) -> None:
        try:
            for event in events:
                self._event(event)
        except _Stop:
            self.document.ok = False
        if not self.documents:
            self.document.ok = False
            self.document.add_at(None, (), "is empty")

    def _event(self, event: Any) -> None:
        if type(event) is yaml.ScalarEvent:  # most are; the rest of the order does not matter
            self._node(event)
        elif isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                self._fatal(event, "a second document starts here: write one document per file")
        elif isinstance(event, yaml.AliasEvent):
            self._problem(event, _quote_it("*"))
            self._put(event, None)
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            self.stack.pop()
        elif isinstance(event, yaml.NodeEvent):
            self._node(event)

    def _node(self, event: Any) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            self._fatal(event, f"the file has more than {MAX_NODES:,} values: split it into several files")
        if event.anchor is not None:
            self._problem(event, _quote_it("&"))
        if event.tag is not None:
            self._problem(event, f"explicit tags such as {quoted(event.tag)} are not used: leave it out")
        if isinstance(event, yaml.ScalarEvent):
            self._put(event, self._scalar(event))
        else:
            self._open(event, [] if isinstance(event, yaml.SequenceStartEvent) else {})

    def _open(self, event: Any, value: dict[str, Any] | list[Any]) -> None:
        if len(self.stack) >= MAX_DEPTH:
            self._fatal(event, f"is nested more than {MAX_DEPTH} levels deep")
        loc = self._put(event, value)
        self.stack.append(_Open(loc, value))

    def _put(self, event: Any, value: Any) -> Loc:
        """Store a value in what is open; return its way from the root."""
        if not self.stack:
            self.document.value = value
            return self._mark((), event)
        parent = self.stack[-1]
        if isinstance(parent.value, list):
            parent.value.append(value)
            return self._mark((*parent.loc, len(parent.value) - 1), event)
        if parent.key is None:
            return self._key(parent, event, value)
        loc, parent.key = (*parent.loc, parent.key), None
        parent.value[str(loc[-1])] = value
        return self._mark(loc, event)

    def _key(self, parent: _Open, event: Any, value: Any) -> Loc:
        key = value if isinstance(value, str) else None
        if key is None:
            self._problem(event, "a key is a text: quote it", parent.loc)
            key = str(getattr(event, "value", "")) + "\0" * (1 + parent.skipping)
            parent.skipping += 1
            self.document.spoilt.add((*parent.loc, key))
        elif key in parent.firsts:
            first = parent.firsts[key]
            self._problem(event, f"{quoted(key)} is written twice, first in line {first}", parent.loc)
        parent.firsts.setdefault(key, event.start_mark.line + 1)
        parent.key = key
        self.document.keys.setdefault((*parent.loc, key), self._spot(event))
        return (*parent.loc, key)

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        if event.style or not event.implicit[0]:
            return text
        if text[:1].isalpha() and text.lower() not in _WORDS:
            return text  # everything that means something else begins with another character
        if _CORE_NULL.fullmatch(text):
            return None
        if _CORE_BOOL.fullmatch(text):
            return text.lower() == "true"
        if _OLD_INT.fullmatch(text) and _CORE_INT.fullmatch(text):
            return int(text) if len(text) < 1000 else Decimal(text)
        if _OLD_FLOAT.fullmatch(text) and _CORE_FLOAT.fullmatch(text):
            return Decimal(text)
        return self._other_plain(event, text)

    def _other_plain(self, event: Any, text: str) -> Any:
        if _HEX.fullmatch(text):
            return int(text, 16)
        if _SPECIAL_FLOAT.fullmatch(text):
            return Decimal(text.replace(".", ""))
        if _AMBIGUOUS.fullmatch(text):
            self._problem(
                event,
                f"{quoted(text)} means different things in YAML 1.1 and 1.2: quote it{_or_number(text)}",
            )
        return text

    def _mark(self, loc: Loc, event: Any) -> Loc:
        self.document.marks[loc] = self._spot(event)
        return loc

    def _spot(self, event: Any) -> Mark:
        return Mark(event.start_mark.line + 1, event.start_mark.column + 1)

    def _where(self) -> Loc:
        if not self.stack:
            return ()
        parent = self.stack[-1]
        if isinstance(parent.value, list):
            return (*parent.loc, len(parent.value))
        return parent.loc if parent.key is None else (*parent.loc, parent.key)

    def _at_key(self) -> bool:
        return bool(self.stack) and isinstance(self.stack[-1].value, dict) and self.stack[-1].key is None

    def _problem(self, event: Any, message: str, loc: Loc | None = None) -> None:
        where = self._where() if loc is None else loc
        self.document.add_at(self._spot(event), where, message)
        if loc is None:
            self.document.spoilt.add((*where, getattr(event, "value", "")) if self._at_key() else where)

    def _fatal(self, event: Any, message: str) -> None:
        self._problem(event, message)
        raise _Stop


def _or_number(text: str) -> str:
    looks = text.lstrip("+-")
    return (
        ", or write the number in full"
        if looks[:1].isdigit() and ":" not in looks and "-" not in looks
        else ""
    )
