"""Build plain values from the events of a YAML parser, strictly, without recursion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from gate.policy.places import Loc, Places, Step, mark_of
from gate.policy.scalars import ambiguity, is_word, value_of
from gate.values import quoted

if TYPE_CHECKING:
    from gate.policy.source import Document

MAX_DEPTH = 64
MAX_NODES = 100_000


def quote_it(sign: str) -> str:
    """Say what to do about an alias (``*``) or an anchor (``&``)."""
    kind = "alias" if sign == "*" else "anchor"
    return f'a text that begins with {sign} is a YAML {kind}, which is not used here: quote it ("{sign}…")'


class _Stop(Exception):
    """Nothing more of this text is worth reading."""


class _List:
    """A list that is being read."""

    __slots__ = ("places", "step", "value")
    at_key = False

    def __init__(self, places: Places) -> None:
        self.step: Step | None = None
        self.places = places
        self.value: list[Any] = []

    @property
    def next(self) -> Loc:
        """Return the step to what is read next."""
        return (len(self.value),)

    def put(self, value: Any, spot: Any) -> Step:
        """Add a value and return the step to it."""
        step = len(self.value)
        self.value.append(value)
        self.places.values[step] = spot
        return step


class _Mapping:
    """A mapping that is being read; ``at_key`` tells whether a key comes next."""

    __slots__ = ("at_key", "key", "places", "step", "unread", "value")

    def __init__(self, places: Places) -> None:
        self.step: Step | None = None
        self.places = places
        self.value: dict[str, Any] = {}
        self.at_key, self.key, self.unread = True, "", 0

    @property
    def next(self) -> Loc:
        """Return the step to what is read next; none to a key."""
        return () if self.at_key else (self.key,)

    def put(self, value: Any, spot: Any) -> Step:
        """Add a value under the key that was read before it, and return the step to it."""
        step, self.at_key = self.key, True
        self.value[step] = value
        self.places.values[step] = spot
        return step


class Reader:
    """Build the values of one document.

    Args:
        document: What is read goes into it, and everything wrong into its problems.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._open: list[_List | _Mapping] = []
        self._nodes = self._documents = 0
        self._handlers = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._begin,
            yaml.SequenceStartEvent: self._begin,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document_begins,
        }

    def read(self, parser: Any) -> None:
        """Take every event that a parser gives.

        Raises:
            yaml.YAMLError: The text is no YAML.
        """
        try:
            for event in iter(parser.get_event, None):
                handle = self._handlers.get(type(event))
                if handle is not None:
                    handle(event)
        except _Stop:
            self._document.ok = False
        if not self._documents:
            self._document.ok = False
            self._document.add_at(None, (), "is empty")

    def _document_begins(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            self._fatal(event, "a second document starts here: write one document per file")

    def _alias(self, event: Any) -> None:
        self._problem(event, quote_it("*"))
        self._put(None, event)

    def _scalar(self, event: Any) -> None:
        self._node(event)
        text: str = event.value
        as_it_is = event.style or not event.implicit[0] or is_word(text)
        self._put(text if as_it_is else self._plain(text, event), event)

    def _plain(self, text: str, event: Any) -> Any:
        value = value_of(text)
        if value is text and (said := ambiguity(text)):
            self._problem(event, said)
        return value

    def _begin(self, event: Any) -> None:
        self._node(event)
        if len(self._open) >= MAX_DEPTH:
            self._fatal(event, f"is nested more than {MAX_DEPTH} levels deep")
        places = Places(event.start_mark)
        kind = _List if type(event) is yaml.SequenceStartEvent else _Mapping
        opened = kind(places)
        opened.step = self._put(opened.value, event, places)
        self._open.append(opened)

    def _end(self, event: Any) -> None:
        self._open.pop()

    def _node(self, event: Any) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self._fatal(event, f"the file has more than {MAX_NODES:,} values: split it into several files")
        if event.anchor is not None:
            self._problem(event, quote_it("&"))
        if event.tag is not None:
            self._problem(event, f"explicit tags such as {quoted(event.tag)} are not used: leave it out")

    def _put(self, value: Any, event: Any, inner: Places | None = None) -> Step | None:
        """Store a value in what is open; return the step to it from there, None for the document itself."""
        if not self._open:
            self._document.value, self._document.places = value, inner or Places(event.start_mark)
            return None
        around = self._open[-1]
        if around.at_key:
            assert isinstance(around, _Mapping)
            return self._key(around, value, event)
        step = around.put(value, event.start_mark)
        if inner is not None:
            around.places.inner[step] = inner
        return step

    def _key(self, around: _Mapping, value: Any, event: Any) -> str:
        keys = around.places.keys
        key = value if isinstance(value, str) else self._unreadable(around, event)
        if key in keys:
            first = keys[key].line + 1
            self._problem(event, f"{quoted(key)} is written twice, first in line {first}", self._way())
        else:
            keys[key] = event.start_mark
        around.key, around.at_key = key, False
        return key

    def _unreadable(self, around: _Mapping, event: Any) -> str:
        """Return a key that nobody can write, in the place of one that is no text."""
        way = self._way()
        self._problem(event, "a key is a text: quote it", way)
        around.unread += 1
        key = str(getattr(event, "value", "")) + "\0" * around.unread
        self._document.spoilt.add((*way, key))
        return key

    def _way(self) -> Loc:
        """Return the way to what is open."""
        return tuple(each.step for each in self._open if each.step is not None)

    def _problem(self, event: Any, message: str, loc: Loc | None = None) -> None:
        around = self._open[-1] if self._open else None
        where = (*self._way(), *(around.next if around else ())) if loc is None else loc
        self._document.add_at(mark_of(event.start_mark), where, message)
        if loc is None:
            at_key = around is not None and around.at_key
            self._document.spoilt.add((*where, getattr(event, "value", "")) if at_key else where)

    def _fatal(self, event: Any, message: str) -> None:
        self._problem(event, message)
        raise _Stop
