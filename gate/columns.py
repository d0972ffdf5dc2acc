"""Copy a call and write it in its tagged form, thousands of values at once: those of one type in one pass.

The elements of all lists of one level are judged together, and so are the entries of its dicts and the fields
of its models. What is refused, and whatever else is out of the ordinary, is left to the walk value by value,
which names its place; both give the same form.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from enum import Enum
from itertools import chain
from typing import Any, NamedTuple

from gate.apart import by_kind, cut, merged
from gate.copies import copied_value
from gate.plain_models import Parts, plain_model
from gate.shapes import copy_model, model_parts
from gate.tagging import (
    ENCODER,
    HANDLERS,
    MANY_KEYS,
    MAX_BYTES,
    MAX_DEPTH,
    MAX_INT_BITS,
    MAX_VALUES,
    SAFE_INT,
    SMALLEST_PLAIN,
    Walk,
    in_order,
    name_of_class,
    utf8_size,
)

_RAW = "\ud800"
"""Begins and ends a text in a form that stands for itself in JSON; no other text holds it."""

_SORTED_BEFORE = re.compile("[\ue000-\uffff]")
"""Characters that ``json`` sorts before those above U+FFFF; as UTF-16 units they stand behind them."""

_TEXTS = {str}
_SINGLE = {str, int, float, bool, type(None)}

Both = tuple[list[Any], list[Any]]
"""Copies of values, and their tagged forms; the same list where nothing has to be copied, or tagged."""


class UnusualError(Exception):
    """Something must be looked at by itself: it is refused, or nobody knows how to judge many of it."""


class Taken(NamedTuple):
    """A value as it was judged.

    Attributes:
        copy: A copy that nobody else changes.
        written: RFC 8785 bytes of its tagged form.
        plain: Whether people are shown that very form where nothing is hidden: the only tags in it are those
            of whole numbers and decimals.
    """

    copy: Any
    written: bytes
    plain: bool = False


def taken(value: Any) -> Taken:
    """Return a value as it is judged.

    Raises:
        UnusualError: It has to be walked through.
    """
    columns = Columns()
    copies, forms = columns.of(type(value), [value])
    text = ENCODER.encode(forms[0])
    return Taken(copies[0], (_bare(text) if _RAW in text else text).encode(), columns.plain)


def _bare(text: str) -> str:
    """Return JSON with what the raw texts in it stand for."""
    return text.replace(f'"{_RAW}', "").replace(f'{_RAW}"', "")


class Columns:
    """One pass over one value, level by level, counting what it has seen.

    Attributes:
        plain: Whether people are shown the forms of all values so far where nothing is hidden.
    """

    __slots__ = ("_bytes", "_depth", "_in_odd", "_values", "plain")

    def __init__(self) -> None:
        self._values, self._bytes, self._depth, self._in_odd, self.plain = 1, 0, 0, False, True

    def _column(self, values: list[Any]) -> Both:
        """Judge values of any types."""
        kinds = set(map(type, values))
        if len(kinds) == 1:
            return self.of(kinds.pop(), values)
        if kinds <= _SINGLE and self._are_plain(values):
            return values, values
        found: dict[type, Both] = {}
        copied = tagged = False
        for kind, given in by_kind(values).items():
            copies, forms = found[kind] = self.of(kind, given)
            copied, tagged = copied or copies is not given, tagged or forms is not copies
        made = merged(values, {kind: iter(both[0]) for kind, both in found.items()}) if copied else values
        return made, merged(values, {kind: iter(both[1]) for kind, both in found.items()}) if tagged else made

    def of(self, kind: type, values: list[Any]) -> Both:
        """Judge values of one type.

        Raises:
            UnusualError: One of them has to be looked at by itself.
        """
        judge = _JUDGES.get(kind)
        if judge is not None:
            return judge(self, values)
        self.plain = False
        if kind in HANDLERS or issubclass(kind, Enum):
            return values, self._singly(values)
        return self._models(kind, values)

    def _are_plain(self, values: Iterable[Any]) -> bool:
        """Tell whether values need no tag, and count their texts; others have to be judged by their types."""
        size = 0
        for each in values:
            kind = type(each)
            if kind is str and each.isascii():
                size += len(each)
            elif kind is float:
                if each.is_integer() or not SMALLEST_PLAIN <= abs(each) < math.inf:
                    return False
            elif kind is str or (kind is int and not -SAFE_INT < each < SAFE_INT):
                return False
        self._spend(size)
        return True

    def _singly(self, values: list[Any]) -> list[Any]:
        """Return the forms of single values that are rarely many."""
        walk = Walk()
        forms = [walk.value(each, "") for each in values]
        self._spend(walk.bytes)
        return forms

    def _spend(self, count: int) -> None:
        self._bytes += count
        if self._bytes > MAX_BYTES:
            raise UnusualError

    def _enter(self, values: Sequence[Any]) -> None:
        """Go into all containers of a level; one that holds itself has too many."""
        self._values += sum(map(len, values))
        self._depth += 1
        if self._values > MAX_VALUES or self._depth > MAX_DEPTH:
            raise UnusualError

    def _texts(self, values: list[str]) -> Both:
        self._text("".join(values))
        return values, values

    def _text(self, joined: str) -> None:
        size = len(joined) if joined.isascii() else utf8_size(joined)
        if size is None:
            raise UnusualError
        self._spend(size)

    def _integers(self, values: list[int]) -> Both:
        if min(values) > -SAFE_INT and max(values) < SAFE_INT:
            return values, values
        if max(map(int.bit_length, values)) > MAX_INT_BITS:
            raise UnusualError
        texts = [str(each) for each in values if not -SAFE_INT < each < SAFE_INT]
        self._spend(sum(map(len, texts)))
        left = iter(texts)
        return values, [each if -SAFE_INT < each < SAFE_INT else {"$int": next(left)} for each in values]

    def _reals(self, values: list[float]) -> Both:
        if not all(map(math.isfinite, values)):
            raise UnusualError
        if min(map(abs, values)) >= SMALLEST_PLAIN and not any(map(float.is_integer, values)):
            return values, values
        self.plain = False
        return values, list(map(_real, values))

    def _decimals(self, values: list[Decimal]) -> Both:
        if not all(map(Decimal.is_finite, values)):
            raise UnusualError
        texts = list(map(str, values))
        self._spend(sum(map(len, texts)))
        return values, [{"$decimal": each} for each in texts]

    def _data(self, values: list[bytes]) -> Both:
        self.plain = False
        self._spend(sum(map(len, values)))
        return values, [{"$bytes": [hashlib.sha256(each).hexdigest(), len(each)]} for each in values]

    def _lists(self, values: list[list[Any]]) -> Both:
        self._enter(values)
        taken = list(map(list, values))  # looked at once: another thread may change the caller's lists
        sizes, inner = list(map(len, taken)), list(chain.from_iterable(taken))
        copies, forms = self._column(inner) if inner else (inner, inner)
        self._depth -= 1
        made = taken if copies is inner else cut(copies, sizes)
        return made, made if forms is copies else cut(forms, sizes)

    def _tuples(self, values: list[tuple[Any, ...]]) -> Both:
        self.plain = False
        copies, forms = self._lists(values)  # type: ignore[arg-type]
        return list(map(tuple, copies)), [{"$tuple": each} for each in forms]

    def _dicts(self, values: list[dict[Any, Any]]) -> Both:
        self._enter(values)
        found = self._entries(list(map(dict, values)))
        self._depth -= 1
        return found

    def _entries(self, taken: list[dict[Any, Any]]) -> Both:
        """Judge dicts that nobody else can change; one of which a key looks like a tag is wrapped."""
        keys = list(chain.from_iterable(taken))
        if keys and set(map(type, keys)) != _TEXTS:
            raise UnusualError
        joined = "".join(keys)
        self._text(joined)
        if not joined.isascii() and _has_pairs(joined) and _SORTED_BEFORE.search(joined):
            raise UnusualError
        inner = list(chain.from_iterable(map(dict.values, taken)))
        copies, forms = self._column(inner) if inner else (inner, inner)
        made = taken if copies is inner else _filled(taken, copies)
        written = made if forms is copies else _filled(map(dict, taken), forms)
        if len(keys) >= MANY_KEYS and max(map(len, written)) >= MANY_KEYS:
            written = list(map(in_order, written))
        if "$" in joined:
            written = [{"$dict": each} if any(key[:1] == "$" for key in each) else each for each in written]
        return made, written

    def _models(self, kind: type, values: list[Any]) -> Both:
        plain = plain_model(kind)
        parts = plain.parts(values) if plain else None
        if plain is None or parts is None:
            return self._odd(kind, values)
        held, forms = self._held(kind, parts)
        return plain.made(held), forms

    def _odd(self, kind: type, values: list[Any]) -> Both:
        """Judge models that may hold more than their fields: at last their copies, which are what runs.

        One that lies in another of these is copied with that: judged twice at each level it would be so 2**64
        times at the last.
        """
        if self._in_odd:
            return values, self._forms(kind, values)
        self._in_odd, before = True, (self._values, self._bytes)
        self._forms(kind, values)
        self._values, self._bytes = before
        copies = [copy_model(each, copied_value) for each in values]
        forms, self._in_odd = self._forms(kind, copies), False
        return copies, forms

    def _forms(self, kind: type, values: list[Any]) -> list[Any]:
        parts = list(map(model_parts, values))
        if None in parts:
            raise UnusualError
        own = [{name: dict(part) for name, part in each.items()} for each in parts if each is not None]
        return self._held(kind, own)[1]

    def _held(self, kind: type, parts: Sequence[Parts]) -> tuple[Sequence[Parts], list[Any]]:
        """Return copies of what each of many models of a class holds, and the forms of the models.

        Args:
            kind: The class.
            parts: What they hold, in dicts that nobody else has.
        """
        held = [part for each in parts for part in each.values()]
        self._enter(held)
        copies, forms = self._entries(held)
        self._depth -= 1
        name = name_of_class(kind, "")
        made = parts if copies is held else _filled(parts, copies)
        written = made if forms is copies else _filled(map(dict, parts), forms)
        return made, [{"$model": [name, each]} for each in written]


_JUDGES: dict[type, Callable[[Columns, list[Any]], Both]] = {
    str: Columns._texts,
    int: Columns._integers,
    bool: lambda _, values: (values, values),
    type(None): lambda _, values: (values, values),
    float: Columns._reals,
    list: Columns._lists,
    dict: Columns._dicts,
    tuple: Columns._tuples,
    Decimal: Columns._decimals,
    bytes: Columns._data,
}
"""How many values of one exact type are judged; of the others each is judged by itself."""


def _has_pairs(text: str) -> bool:
    """Tell whether a text has characters above U+FFFF, which UTF-16 writes in pairs."""
    return len(text.encode("utf-16-le")) > 2 * len(text)


def _filled(dicts: Iterable[dict[str, Any]], values: Iterable[Any]) -> list[dict[str, Any]]:
    """Return dicts that nobody else has with other values put into them."""
    filled, left = list(dicts), iter(values)
    for each in filled:
        for key in each:
            each[key] = next(left)
    return filled


def _real(value: float) -> Any:
    """Return the form of a float; small fractions as RFC 8785 writes them, which ``json`` does not."""
    if value.is_integer():
        return {"$float": repr(value)}
    return value if abs(value) >= SMALLEST_PLAIN else f"{_RAW}{_small(repr(value))}{_RAW}"


def _small(text: str) -> str:
    """Return how RFC 8785 writes a fraction that Python writes with an exponent."""
    number, exponent = text.split("e-")
    if int(exponent) > _LEAST_WRITTEN_OUT:
        return f"{number}e-{int(exponent)}"
    sign, digits = ("-", number[1:]) if number[0] == "-" else ("", number)
    return f"{sign}0.{'0' * (int(exponent) - 1)}{digits.replace('.', '')}"


_LEAST_WRITTEN_OUT = 6
