"""Write the arguments of one call as JSON without its secrets.

Most calls hold none, so the whole call is written once as it is, and all of its texts are searched as one.
Only where one of them holds a secret is the call written again, now knowing which; and once more for what
had another place then, below a key that is itself secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import chain, repeat
from types import NoneType
from typing import Any
from uuid import UUID

from gate.apart import by_kind, cut, merged
from gate.remembering import remembered
from gate.secret_checks import cards
from gate.secret_names import is_secret_name, secret_names
from gate.secret_shapes import SHORTEST, UNTOLD, mark, unmarked
from gate.shapes import is_secret
from gate.shown_values import (
    CARD_NUMBERS,
    HIDDEN,
    SMALL_INT,
    WRITERS,
    exact,
    fields_of_each,
    scalar,
    texts_in,
)
from gate.values import format_path

_LEAVES = frozenset({int, float, Decimal, date, datetime, UUID, bytes})
"""Exact types of single values: what is of one of these is no model and no secret by its type."""

_HARMLESS = frozenset({str, int, float, bool, NoneType})
"""Exact types of values of which most are written as they are."""

Keys = tuple[str, ...]
Found = tuple[str, list[str]]
"""What stands for a text that holds secrets, and those secrets."""


_UNKNOWN: Found = "", []
"""Stands for what is known of a text that was not yet searched."""


class Withheld:
    """Stands for a value that was hidden before it was stored; no condition can read it.

    Attributes:
        text: What people see instead.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Rules:
    """What is hidden and shown beside what is secret by its shape.

    Attributes:
        paths: Hidden whole.
        show: Where nothing is hidden by the name of its key or by its shape.
        names: Whether what a key names as secret is hidden at all.
        most: How many paths are hidden one by one; an argument with more of them is hidden whole.
    """

    paths: frozenset[Keys]
    show: frozenset[Keys]
    names: bool
    most: int


class _TooManyError(Exception):
    """More paths are hidden than are told apart."""


class _Place:
    """What holds for every value at one path: the elements of a list share the place of the list."""

    __slots__ = ("_over", "_path", "hidden", "inside", "name", "secret", "shown")

    def __init__(self, over: _Place | str, name: str, rules: Rules, *, secret: bool) -> None:
        self._over, self.name, self.secret = over, name, secret
        self._path = ""
        self.inside: dict[str, _Place] = {}
        self.hidden = bool(rules.paths) and self.keys in rules.paths
        self.shown = bool(rules.show) and self.keys in rules.show

    @property
    def keys(self) -> Keys:
        """The path from the root."""
        over = self._over
        return (over, self.name) if isinstance(over, str) else (*over.keys, self.name)

    @property
    def path(self) -> str:
        """The path as people write it."""
        self._path = self._path or format_path(self.keys)
        return self._path


class Writer:
    """One pass over the arguments of one call.

    Args:
        rules: What is hidden and shown.
        known: What stands for each text that was searched before, None where it holds nothing secret.

    Attributes:
        texts: Every other text that may hold a secret by its shape; this pass writes them as they are.
        hidden: Paths of what was hidden, in order.
        secrets: Texts that were hidden, and those that are secret but shown, in order.
    """

    def __init__(self, rules: Rules, known: Mapping[str, Found | None]) -> None:
        self._rules, self._known = rules, known
        self.texts: dict[str, None] = {}
        self.hidden: dict[str, None] = {}
        self.secrets: dict[str, None] = {}

    def arguments(self, arguments: Mapping[str, Any], root: str) -> dict[str, Any]:
        """Return arguments as JSON; their names are those of parameters and stay as they are."""
        secret = _secret_parameters(tuple(arguments)) if self._rules.names else ()
        places = [_Place(root, name, self._rules, secret=name in secret) for name in arguments]
        return {each.name: self._argument(arguments[each.name], each) for each in places}

    def _argument(self, value: Any, place: _Place) -> Any:
        before = len(self.hidden)
        try:
            return self._one(value, place)
        except _TooManyError:
            while len(self.hidden) > before:
                self.hidden.popitem()
            return self._untold(place)

    def _one(self, value: Any, place: _Place) -> Any:
        return self._hide(value, place) if place.hidden else self._of(type(value), [value], place)[0]

    def _values(self, values: Sequence[Any], place: _Place) -> Sequence[Any]:
        """Return what is written of the values at one place: those of one type at once."""
        if place.hidden:
            return [self._hide(each, place) for each in values]
        kinds = set(map(type, values))
        if len(kinds) == 1:
            return self._of(kinds.pop(), values, place)
        given = by_kind(values)
        written = {kind: self._of(kind, each, place) for kind, each in given.items()}
        if _are_same(written, given):
            return values
        return merged(values, {kind: iter(each) for kind, each in written.items()})

    def _of(self, kind: type, values: Sequence[Any], place: _Place) -> Sequence[Any]:
        """Return what is written of values of one type; the very same where they are written as they are."""
        if kind is str:
            return self._texts(values, place)
        if kind is list or kind is tuple:
            inner = list(chain.from_iterable(values))
            written = self._values(inner, place) if inner else inner
            return values if written is inner and kind is list else cut(written, map(len, values))
        if kind is dict:
            return self._rows(values, place)
        if kind is bool or kind is NoneType:
            return values
        if kind in _LEAVES:
            return self._leaves(kind, values, place)
        fields = fields_of_each(kind, values)
        if all(each is not None for each in fields):
            return list(map(dict, self._rows(fields, place)))
        return [self._single(each, place) for each in values]

    def _rows(self, rows: Sequence[Mapping[str, Any]], place: _Place) -> Sequence[Any]:
        """Return dicts, or the fields of models, as JSON; what all of them have at one key has one place."""
        keys = list(rows[0]) if len(rows) == 1 else list(dict.fromkeys(chain.from_iterable(rows)))
        if self._search(keys):
            secret = self._secret([self._name(key) for key in keys])
            inside = self._inside(keys, place, secret)
            return [self._row(each, inside, place) for each in rows]
        secret = self._secret(keys)
        if self._rules.paths or not self._is_harmless(_beside(rows, secret)):
            written = self._columns(rows, self._inside(keys, place, secret))
        elif secret:
            inside = self._inside([key for key in keys if key in secret], place, secret)
            written = [
                {key: self._one(each, inside[key]) if key in secret else each for key, each in row.items()}
                for row in rows
            ]
        else:
            written = rows
        return list(map(_wrapped, written)) if "$" in "".join(keys) else written

    def _secret(self, names: Sequence[str]) -> Set[str]:
        """Return the names that tell a value to be secret, judged without the marks in them."""
        rules = self._rules
        bare = list(map(unmarked, names)) if "(hidden" in "\n".join(names) else names
        found = secret_names(bare, rules.most) if rules.names else frozenset()
        if len(found) > rules.most:
            raise _TooManyError
        return {name for name, each in zip(names, bare, strict=True) if each in found} if found else found

    def _columns(
        self, rows: Sequence[Mapping[str, Any]], inside: Mapping[str, _Place]
    ) -> Sequence[Mapping[str, Any]]:
        columns: dict[str, list[Any]] = {key: [] for key in inside}
        for row in rows:
            for key, value in row.items():
                columns[key].append(value)
        written = {key: self._values(each, inside[key]) for key, each in columns.items()}
        if _are_same(written, columns):
            return rows
        left = {key: iter(each) for key, each in written.items()}
        return [{key: next(left[key]) for key in row} for row in rows]

    def _row(self, row: Mapping[str, Any], inside: Mapping[str, _Place], place: _Place) -> Any:
        """Return one dict of which a key holds a secret; two that look alike without it stay two."""
        known, alike = self._known, dict[str, str]()
        if any(UNTOLD in found[1] for key in row if (found := known.get(key))):
            return self._untold(place)
        written: dict[str, Any] = {}
        for key, value in row.items():
            child = inside[key]
            name = child.name
            if name in written:
                name = alike[child.name] = _apart(alike.get(child.name, name), written)
                child = _Place(place, name, self._rules, secret=child.secret)
            written[name] = self._one(value, child)
        return _wrapped(written)

    def _inside(self, keys: Iterable[str], place: _Place, secret: Set[str]) -> dict[str, _Place]:
        """Return the places at some keys, which are told without secrets of a known shape."""
        return {key: place.inside.get(key) or self._child(key, place, secret) for key in keys}

    def _child(self, key: str, place: _Place, secret: Set[str]) -> _Place:
        name, found = self._name(key), self._known.get(key)
        child = place.inside[key] = _Place(place, name, self._rules, secret=name in secret)
        if found:
            self._note(child, found[1])
        return child

    def _name(self, key: str) -> str:
        """Return a key as it is told, without secrets of a known shape."""
        found = self._known.get(key)
        return found[0] if found else key

    def _is_harmless(self, values: Sequence[Any]) -> bool:
        """Tell whether values are written as they are, wherever they stand, and have their texts searched."""
        kinds = set(map(type, values))
        if not kinds <= _HARMLESS:
            return False
        if int in kinds:
            numbers = [each for each in values if type(each) is int]
            if not -SMALL_INT < min(numbers) <= max(numbers) < CARD_NUMBERS.start:
                return False
        return str not in kinds or not self._search([each for each in values if type(each) is str])

    def _search(self, texts: Sequence[str]) -> Sequence[Found | None]:
        """Return what stands for each of the texts, nothing where none is known to hold a secret.

        Those not yet searched are to be.
        """
        if not self._known:
            self._ask(texts)
            return ()
        found = list(map(self._known.get, texts, repeat(_UNKNOWN)))
        if _UNKNOWN in found:
            self._ask([text for text, pair in zip(texts, found, strict=True) if pair is _UNKNOWN])
            found = [None if pair is _UNKNOWN else pair for pair in found]
        return found if any(found) else ()

    def _ask(self, texts: Iterable[str]) -> None:
        asked = dict.fromkeys([each for each in texts if len(each) >= SHORTEST])
        if self.texts:
            self.texts.update(asked)
        else:
            self.texts = asked

    def _texts(self, texts: Sequence[str], place: _Place) -> Sequence[str]:
        if place.secret:
            return [str(self._named(each, place)) for each in texts]
        return self._told(texts, place)

    def _told(self, texts: Sequence[str], place: _Place) -> Sequence[str]:
        """Return texts without secrets of a known shape."""
        found = self._search(texts)
        if not found:
            return texts
        secrets = dict.fromkeys(chain.from_iterable([pair[1] for pair in found if pair]))
        if place.shown:
            self.secrets.update(secrets)
            return texts
        self._note(place, secrets)
        return [pair[0] if pair else each for each, pair in zip(texts, found, strict=True)]

    def _leaves(self, kind: type, values: Sequence[Any], place: _Place) -> Sequence[Any]:
        """Return single values of one type; only a number may be a secret by its shape, a card's."""
        if place.secret:
            return [self._named(each, place) for each in values]
        if kind is int and not -SMALL_INT < min(values) <= max(values) < CARD_NUMBERS.start:
            return self._numbers(values, place)
        return values if kind in (int, float) else list(map(WRITERS.get(kind, scalar), values))

    def _numbers(self, values: Sequence[int], place: _Place) -> Sequence[Any]:
        """Return whole numbers of which some are as long as a card's."""
        secrets = dict.fromkeys(cards(str(each) for each in values if each in CARD_NUMBERS))
        if secrets and place.shown:
            self.secrets.update(secrets)
        elif secrets:
            self._note(place, secrets)
        marks = {} if place.shown else {int(each): mark("card number", each) for each in secrets}
        if not marks:
            return list(map(exact, values))
        return [marks[each] if each in marks else exact(each) for each in values]

    def _single(self, value: Any, place: _Place) -> Any:
        if isinstance(value, (list, tuple)):
            return [self._one(each, place) for each in value]
        if isinstance(value, Withheld):
            return self._told([value.text], place)[0]
        if place.secret or is_secret(value):
            return self._named(value, place)
        return self._leaf(value, place)

    def _leaf(self, value: Any, place: _Place) -> Any:
        """Return a single value of no exact type that no key or type tells to be secret."""
        written = scalar(value)
        if not isinstance(written, str) or isinstance(value, (date, UUID)):
            return written
        return self._told([written], place)[0]

    def _named(self, value: Any, place: _Place) -> Any:
        """Hide what its key or type tells to be secret, where the policy does not show it."""
        if not place.shown:
            return self._hide(value, place)
        self.secrets.update(dict.fromkeys(texts_in(value)))
        return scalar(value)

    def _note(self, place: _Place, secrets: Iterable[str]) -> None:
        self.hidden[place.path] = None
        self.secrets.update(dict.fromkeys(secrets))
        if len(self.hidden) > self._rules.most:
            raise _TooManyError

    def _untold(self, place: _Place) -> str:
        """Hide everything at a place, of which nobody knows what is secret."""
        self.hidden[place.path] = None
        self.secrets[UNTOLD] = None
        return UNTOLD

    def _hide(self, value: Any, place: _Place) -> str:
        self._note(place, texts_in(value))
        return HIDDEN


@remembered
def _secret_parameters(names: tuple[str, ...]) -> Set[str]:
    return {name for name in names if is_secret_name(unmarked(name))}


def _beside(rows: Iterable[Mapping[str, Any]], secret: Set[str]) -> list[Any]:
    """Return what stands in dicts, but for what its key tells to be secret."""
    if not secret:
        return list(chain.from_iterable(row.values() for row in rows))
    return [each for row in rows for key, each in row.items() if key not in secret]


def _are_same(written: Mapping[Any, Any], given: Mapping[Any, Any]) -> bool:
    """Tell whether everything is written as it was given."""
    return all(written[key] is each for key, each in given.items())


def _wrapped(written: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a dict that no reader takes for a tag."""
    return {"$dict": written} if any(name[:1] == "$" for name in written) else written


def _apart(name: str, taken: Mapping[str, Any]) -> str:
    """Return another name, for two keys that look alike without their secrets."""
    while name in taken:
        name += "+"
    return name
