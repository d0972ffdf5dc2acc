"""Write the arguments of one call as JSON without its secrets.

Most calls hold none, so the whole call is written once as it is, and all of its texts are searched as one.
Only where one of them holds a secret is the call written again, now knowing which; and once more for what
had another place then, below a key that is itself secret.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from gate.secret_names import is_secret_name
from gate.secret_shapes import SHORTEST, UNTOLD, unmarked
from gate.shapes import is_secret, model_parts
from gate.values import format_path

HIDDEN = "(hidden)"
SHORTEST_SECRET = 4
"""Shortest text that is looked for in later texts."""

_SMALL_INT = 2**53
_CARD_DIGITS = range(10**12, 10**19)

_LEAVES = frozenset({int, float, Decimal, date, datetime, UUID, bytes})
"""Exact types of single values: what is of one of these is no model and no secret by its type."""

_EXACT = frozenset({int, Decimal})

Keys = tuple[str, ...]
Found = tuple[str, list[str]]
"""What stands for a text that holds secrets, and those secrets."""


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

    __slots__ = ("_over", "hidden", "inner", "inside", "name", "secret", "shown")

    def __init__(self, over: _Place | str, name: str, rules: Rules) -> None:
        self._over, self.name = over, name
        self.inner: dict[str, _Place] = {}
        self.inside: dict[Keys, _Inside] = {}
        self.hidden = bool(rules.paths) and self.keys in rules.paths
        self.shown = bool(rules.show) and self.keys in rules.show
        self.secret = rules.names and is_secret_name(unmarked(name))

    @property
    def keys(self) -> Keys:
        """The path from the root."""
        over = self._over
        return (over, self.name) if isinstance(over, str) else (*over.keys, self.name)


_Inside = tuple[Mapping[str, _Place], bool | None]
"""The places inside a dict by the names that are written, and whether one of those looks like a tag; None for
that where nobody can tell whether a name is secret."""


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
        return {
            name: self._argument(each, _Place(root, name, self._rules)) for name, each in arguments.items()
        }

    def _argument(self, value: Any, place: _Place) -> Any:
        before = len(self.hidden)
        try:
            return self._value(value, place)
        except _TooManyError:
            while len(self.hidden) > before:
                self.hidden.popitem()
            return self._untold(place)

    def _value(self, value: Any, place: _Place) -> Any:
        if place.hidden:
            return self._hide(value, place)
        kind = type(value)
        if kind is str:
            return self._text(value, place)
        if kind is list or kind is tuple:
            return self._items(value, place)
        if kind is dict:
            return self._mapping(value, place)
        if value is None or kind is bool:
            return value
        if kind in _LEAVES:
            return self._named(value, place) if place.secret else self._leaf(value, place)
        inner = _fields(value)
        return self._single(value, place) if inner is None else self._mapping(inner, place)

    def _items(self, value: Sequence[Any], place: _Place) -> list[Any]:
        """Return the elements of a list; thousands of texts or small numbers are gathered at once."""
        if not place.secret and len(value) > 1:
            kinds = set(map(type, value))
            if kinds == {str}:
                return self._many(value, place)
            if kinds == {int} and min(value) > -_SMALL_INT and max(value) < _CARD_DIGITS.start:
                return list(value)
        return [self._value(each, place) for each in value]

    def _many(self, texts: Sequence[str], place: _Place) -> list[str]:
        """Return the texts of a list; what ``_text`` says of each, for all at once."""
        known = self._known
        self.texts.update(
            dict.fromkeys(texts if not known else (each for each in texts if each not in known))
        )
        found = [known.get(text) for text in texts] if known else []
        secrets = dict.fromkeys(each for pair in found if pair for each in pair[1])
        self.secrets.update(secrets)
        if secrets and not place.shown:
            self._note(place, ())
            return [pair[0] if pair else text for text, pair in zip(texts, found, strict=True)]
        return list(texts)

    def _mapping(self, inner: Mapping[str, Any], place: _Place) -> dict[str, Any] | str:
        keys = tuple(inner)
        inside, wrapped = place.inside.get(keys) or self._inside(keys, place)
        if wrapped is None:
            return self._untold(place)
        values = zip(inside.items(), inner.values(), strict=True)
        written = {name: self._value(each, child) for (name, child), each in values}
        return {"$dict": written} if wrapped else written

    def _inside(self, keys: Keys, place: _Place) -> _Inside:
        """Return what lies at some keys, which the rows of one table share."""
        known = self._known
        if known and any(UNTOLD in pair[1] for key in keys if (pair := known.get(key))):
            inside: _Inside = {}, None
        else:
            found = self._children(keys, place)
            inside = found, any(name[:1] == "$" for name in found)
        place.inside[keys] = inside
        return inside

    def _children(self, keys: Keys, place: _Place) -> dict[str, _Place]:
        found: dict[str, _Place] = {}
        alike: dict[str, str] = {}
        for key in keys:
            child = place.inner.get(key) or self._child(key, place)
            name = child.name
            if name in found:
                alike[name] = _apart(alike.get(name, name), found)
                child = _Place(place, alike[name], self._rules)
            found[child.name] = child
        return found

    def _child(self, key: str, place: _Place) -> _Place:
        """Return the place at a key, which is told without secrets of a known shape."""
        name, secrets = self._searched(key)
        child = place.inner[key] = _Place(place, name, self._rules)
        if secrets:
            self._note(child, secrets)
        return child

    def _single(self, value: Any, place: _Place) -> Any:
        if isinstance(value, (list, tuple)):
            return [self._value(each, place) for each in value]
        if isinstance(value, Withheld):
            return self._text(value.text, place, secret=False)
        if place.secret or is_secret(value):
            return self._named(value, place)
        return self._leaf(value, place)

    def _leaf(self, value: Any, place: _Place) -> Any:
        """Return a single value that no key or type tells to be secret."""
        if type(value) is float or (type(value) is int and -_SMALL_INT < value < _CARD_DIGITS.start):
            return value
        written = _scalar(value)
        text = written if isinstance(written, str) else _digits(value)
        if text is None or isinstance(value, (date, UUID)):
            return written
        shown = self._text(text, place)
        return written if shown == text else shown

    def _named(self, value: Any, place: _Place) -> Any:
        """Hide what its key or type tells to be secret, where the policy does not show it."""
        if not place.shown:
            return self._hide(value, place)
        self.secrets.update(dict.fromkeys(_texts(value)))
        return _scalar(value)

    def _text(self, text: str, place: _Place, *, secret: bool = True) -> str:
        if secret and place.secret:
            return str(self._named(text, place))
        told, found = self._searched(text)
        if not found:
            return text
        if place.shown:
            self.secrets.update(dict.fromkeys(found))
            return text
        self._note(place, found)
        return told

    def _searched(self, text: str) -> Found:
        """Return a text without secrets of a known shape, and those secrets; none of one not yet searched."""
        if len(text) < SHORTEST:
            return text, []
        if text not in self._known:
            self.texts[text] = None
        return self._known.get(text) or (text, [])

    def _note(self, place: _Place, secrets: Sequence[str]) -> None:
        self.hidden[format_path(place.keys)] = None
        self.secrets.update(dict.fromkeys(secrets))
        if len(self.hidden) > self._rules.most:
            raise _TooManyError

    def _untold(self, place: _Place) -> str:
        """Hide everything at a place, of which nobody knows what is secret."""
        self.hidden[format_path(place.keys)] = None
        self.secrets[UNTOLD] = None
        return UNTOLD

    def _hide(self, value: Any, place: _Place) -> str:
        self._note(place, _texts(value))
        return HIDDEN


def _apart(name: str, taken: Mapping[str, Any]) -> str:
    """Return another name, for two keys that look alike without their secrets."""
    while name in taken:
        name += "+"
    return name


def _fields(value: Any) -> Mapping[str, Any] | None:
    """Return what lies inside a dict or model; secrets are closed."""
    if isinstance(value, Mapping):
        return value
    parts = None if is_secret(value) or isinstance(value, Enum) else model_parts(value)
    return None if parts is None else {**parts["fields"], **parts.get("extra", {}), **parts.get("held", {})}


def _scalar(value: Any) -> Any:
    if type(value) in _EXACT:
        return _exact(value)
    if isinstance(value, Enum):
        return value.value if isinstance(value.value, (str, int)) else value.name
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return _exact(value)
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, bytes):
        return f"({len(value)} bytes)"
    return HIDDEN if is_secret(value) else value


def _exact(value: int | Decimal) -> Any:
    if isinstance(value, Decimal):
        return {"$decimal": str(value)}
    return value if -_SMALL_INT < value < _SMALL_INT else {"$int": str(value)}


def _digits(value: Any) -> str | None:
    """Return the digits of a whole number that is as long as a card's, else None."""
    return str(value) if type(value) is int and value in _CARD_DIGITS else None


def _texts(value: Any) -> list[str]:
    """Return every text inside a hidden value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, bytes):
        return [value.decode("utf-8", "replace"), repr(value)[2:-1], value.hex()]
    if isinstance(value, (int, float, Decimal, UUID)) and not isinstance(value, bool):
        return [text for text in (str(value),) if len(text) >= SHORTEST_SECRET]
    if is_secret(value):
        return _texts(value.get_secret_value())
    inner = _fields(value)
    each = inner.values() if inner is not None else value if isinstance(value, (list, tuple)) else ()
    return [text for item in each for text in _texts(item)]
