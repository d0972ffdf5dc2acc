"""Build plain values from the events of a YAML parser, strictly, without recursion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from gate.policy.places import Loc, Places, Step, mark_of
from gate.policy.scalars import Unclear, value_of
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


class _Root:
    """What the document as a whole is put into."""

    __slots__ = ("places", "value")
    at_key, step, last = False, None, None
    next: Loc = ()

    def __init__(self) -> None:
        self.value: Any = None
        self.places: Places | None = None

    def put(self, value: Any, spot: Any) -> None:
        """Take the document's value."""
        self.value, self.places = value, spot if isinstance(spot, Places) else Places(spot)


class _List:
    """A list that is being read."""

    __slots__ = ("places", "step", "value")
    at_key = False

    def __init__(self, places: Places) -> None:
        self.places = places
        self.step: Step | None = None
        self.value: list[Any] = []

    @property
    def next(self) -> Loc:
        """Return the step to what is read next."""
        return (len(self.value),)

    @property
    def last(self) -> Step:
        """Return the step to what was put last."""
        return len(self.value) - 1

    def put(self, value: Any, spot: Any) -> None:
        """Add a value."""
        self.places.values[len(self.value)] = spot
        self.value.append(value)


class _Mapping:
    """A mapping that is being read; ``at_key`` tells whether a key comes next, ``last`` is the last key."""

    __slots__ = ("at_key", "last", "places", "step", "unread", "value")

    def __init__(self, places: Places) -> None:
        self.places = places
        self.step: Step | None = None
        self.value: dict[str, Any] = {}
        self.at_key, self.last, self.unread = True, "", 0

    @property
    def next(self) -> Loc:
        """Return the step to what is read next; none to a key."""
        return () if self.at_key else (self.last,)

    def put(self, value: Any, spot: Any) -> None:
        """Add a value under the key that was read before it."""
        self.value[self.last] = value
        self.places.values[self.last] = spot
        self.at_key = True


class _Meanings(dict[str, Any]):
    """What the plain scalars of a text mean: most of them stand there again and again."""

    def __missing__(self, text: str) -> Any:
        value = self[text] = value_of(text)
        return value


class Reader:
    """Build the values of one document.

    Args:
        document: What is read goes into it, and everything wrong into its problems.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._root = _Root()
        self._around: _Root | _List | _Mapping = self._root
        self._open: list[_Root | _List | _Mapping] = []
        self._meanings = _Meanings()
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
        handler = self._handlers.get
        try:
            for event in iter(parser.get_event, None):
                if (handle := handler(type(event))) is not None:
                    handle(event)
        except _Stop:
            self._document.ok = False
        finally:
            self._document.value, self._document.places = self._root.value, self._root.places
        if not self._documents:
            self._document.ok = False
            self._document.add_at(None, (), "is empty")

    def _document_begins(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            self._fatal(event, "a second document starts here: write one document per file")

    def _alias(self, event: Any) -> None:
        self._problem(event, quote_it("*"))
        self._put(None, event, event.start_mark)

    def _scalar(self, event: Any) -> None:
        """Store a scalar: the one kind of event that a text has thousands of."""
        self._nodes += 1
        value = event.value if event.style or not event.implicit[0] else self._meanings[event.value]
        if type(value) is Unclear or self._nodes > MAX_NODES or event.anchor or event.tag:
            value = self._unusual(value, event)
        self._put(value, event, event.start_mark)

    def _unusual(self, value: Any, event: Any) -> Any:
        """Say what is wrong with a scalar, and return what stands in its place."""
        self._check(event)
        if type(value) is not Unclear:
            return value
        self._problem(event, value.said)
        return event.value

    def _begin(self, event: Any) -> None:
        self._nodes += 1
        self._check(event)
        if len(self._open) >= MAX_DEPTH:
            self._fatal(event, f"is nested more than {MAX_DEPTH} levels deep")
        kind: type[_List | _Mapping] = _List if type(event) is yaml.SequenceStartEvent else _Mapping
        around, inside = self._around, kind(Places(event.start_mark))
        self._put(inside.value, event, inside.places)
        inside.step = around.last
        self._open.append(around)
        self._around = inside

    def _end(self, event: Any) -> None:
        self._around = self._open.pop()

    def _check(self, event: Any) -> None:
        """Refuse what may stand before any value, and more values than a file may have."""
        if self._nodes > MAX_NODES:
            self._fatal(event, f"the file has more than {MAX_NODES:,} values: split it into several files")
        if event.anchor is not None:
            self._problem(event, quote_it("&"))
        if event.tag is not None:
            self._problem(event, f"explicit tags such as {quoted(event.tag)} are not used: leave it out")

    def _put(self, value: Any, event: Any, spot: Any) -> None:
        """Store a key or value in what is open; its spot is a mark, or the places of what it holds."""
        around = self._around
        if around.at_key:
            self._key(around, value, event)
        else:
            around.put(value, spot)

    def _key(self, around: Any, value: Any, event: Any) -> None:
        """Keep a key of the mapping that is open."""
        keys = around.places.keys
        key = value if type(value) is str else self._unreadable(around, event)
        if key in keys:
            first = keys[key].line + 1
            self._problem(event, f"{quoted(key)} is written twice, first in line {first}", self._way())
        else:
            keys[key] = event.start_mark
        around.last, around.at_key = key, False

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
        return tuple(each.step for each in (*self._open, self._around) if each.step is not None)

    def _problem(self, event: Any, message: str, loc: Loc | None = None) -> None:
        around = self._around
        where = (*self._way(), *around.next) if loc is None else loc
        self._document.add_at(mark_of(event.start_mark), where, message)
        if loc is None:
            self._document.spoilt.add((*where, getattr(event, "value", "")) if around.at_key else where)

    def _fatal(self, event: Any, message: str) -> None:
        self._problem(event, message)
        raise _Stop
