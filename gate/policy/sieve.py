"""Find the rules whose first clause one call does not surely fail, without asking all of them.

A condition is false as soon as its first clause is, whatever stands behind it. Where that clause compares one
plain text or number with what is written, it is looked up: texts by their folded form, numbers by the bounds
they must lie within. What is not surely ruled out so is asked as every other rule is, so a sieve changes no
answer; a value of any other kind rules nothing out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Generic, Protocol, TypeVar

from gate.folding import fold
from gate.policy.reading import Subject, currency_of, reader
from gate.values import decimal_of

LEAST = 8
"""How many rules must share a path before looking them up pays."""

_TABLES = 64
_NUMBERS = frozenset({int, float, Decimal})
_LOWEST, _HIGHEST = Decimal("-Infinity"), Decimal("Infinity")
_ANY = "*"

_Pair = tuple[Decimal | None, Decimal | None]
Written = Mapping[str, Any]
"""Operands of a clause by their operator."""


@dataclass(frozen=True, slots=True)
class Need:
    """What a value must be like for a clause not to be surely false.

    Attributes:
        keys: Path of the value.
        texts: Folded texts it must be one of; None where it must be a number.
        bounds: Lowest and highest number by currency, each None for no bound; ``*`` for other currencies.
    """

    keys: tuple[str, ...]
    texts: frozenset[str] | None = None
    bounds: Mapping[str, _Pair] | None = None


def need_of(keys: tuple[str, ...], written: Written) -> Need | None:
    """Return what a clause needs of a plain value; None where it can be true of any.

    Args:
        keys: Path of the value.
        written: The clause's operands that are constants, by operator.
    """
    texts = _texts(written)
    if texts is not None:
        return Need(keys, texts)
    bounds = [each for word, operand in written.items() if (each := _bounds(word, operand)) is not None]
    if not bounds:
        return None
    codes = {code for each in bounds for code in each}
    return Need(keys, None, {code: _narrowest(code, bounds) for code in codes})


def _texts(written: Written) -> frozenset[str] | None:
    one, many = written.get("eq"), written.get("in")
    if isinstance(one, str):
        return frozenset((fold(one),))
    if isinstance(many, list) and all(isinstance(each, str) for each in many):
        return frozenset(map(fold, many))
    return None


def _bounds(word: str, operand: Any) -> Mapping[str, _Pair] | None:
    """Return the bounds that one operator sets, by currency."""
    if isinstance(operand, Mapping):
        by_code = {code: _bounds(word, limit) for code, limit in operand.items()}
        return {code: each[_ANY] for code, each in by_code.items() if each is not None} or None
    if isinstance(operand, Decimal):
        low = operand if word in ("gt", "gte", "eq") else None
        high = operand if word in ("lt", "lte", "eq") else None
        return {_ANY: (low, high)} if low is not None or high is not None else None
    if word == "in" and isinstance(operand, list) and all(isinstance(each, Decimal) for each in operand):
        return {_ANY: (min(operand), max(operand))}
    return None


def _narrowest(code: str, many: Sequence[Mapping[str, Any]]) -> _Pair:
    pairs = [pair for each in many if (pair := each.get(code, each.get(_ANY))) is not None]
    lows, highs = (
        [low for low, _ in pairs if low is not None],
        [high for _, high in pairs if high is not None],
    )
    return max(lows, default=None), min(highs, default=None)


def _bounds_for(by_code: Mapping[str, _Pair], code: str | None) -> _Pair | None:
    """Return the bounds in a currency: its own, else those of ``*``, as limits are found."""
    own = by_code.get(code) if code is not None else None
    return by_code.get(_ANY) if own is None else own


class _Conditional(Protocol):
    """Something with a condition that may have a need."""

    @property
    def need(self) -> Need | None: ...


R = TypeVar("R", bound=_Conditional)


class Sieve(Generic[R]):
    """The rules of one file for one tool, sorted by what their first clause needs.

    Args:
        rules: The rules in order.
    """

    __slots__ = ("_always", "_groups", "_rules")

    def __init__(self, rules: Sequence[R]) -> None:
        self._rules = tuple(rules)
        shared: dict[tuple[tuple[str, ...], bool], list[tuple[int, Need]]] = {}
        for place, rule in enumerate(rules):
            need = rule.need
            if need is not None:
                shared.setdefault((need.keys, need.texts is None), []).append((place, need))
        many = [found for found in shared.values() if len(found) >= LEAST]
        self._groups: list[_Group] = [
            _Texts(each) if each[0][1].bounds is None else _Numbers(each) for each in many
        ]
        sorted_in = {place for found in many for place, _ in found}
        self._always = [place for place in range(len(rules)) if place not in sorted_in]

    def rules(self, subject: Subject) -> Sequence[R]:
        """Return the rules that have to be asked about a call, in order."""
        if not self._groups:
            return self._rules
        places = [*self._always]
        for group in self._groups:
            places += group.left(subject)
        places.sort()
        rules = self._rules
        return [rules[place] for place in places]


class _Group(ABC):
    """Rules whose first clause is about one path."""

    __slots__ = ("_all", "_read")

    def __init__(self, found: Sequence[tuple[int, Need]]) -> None:
        self._read: Callable[[Subject], Any] = reader(found[0][1].keys)
        self._all = [place for place, _ in found]

    def left(self, subject: Subject) -> Iterable[int]:
        """Return the places of those that a call does not surely fail."""
        try:
            value = self._read(subject)
            return self._left(value, subject)
        except Exception:  # arguments are arbitrary objects; whatever they do, each rule is asked itself
            return self._all

    @abstractmethod
    def _left(self, value: Any, subject: Subject) -> Iterable[int]:
        """Return them for the value that was read."""


class _Texts(_Group):
    __slots__ = ("_places",)

    def __init__(self, found: Sequence[tuple[int, Need]]) -> None:
        super().__init__(found)
        self._places: dict[str, list[int]] = {}
        for place, need in found:
            for text in need.texts or ():
                self._places.setdefault(text, []).append(place)

    def _left(self, value: Any, subject: Subject) -> Iterable[int]:
        return self._places.get(fold(value), ()) if type(value) is str else self._all


class _Numbers(_Group):
    __slots__ = ("_found", "_money", "_tables")

    def __init__(self, found: Sequence[tuple[int, Need]]) -> None:
        super().__init__(found)
        self._found = found
        self._money = found[0][1].keys == ("effect", "amount")
        self._tables: dict[str | None, _Table] = {}

    def _left(self, value: Any, subject: Subject) -> Iterable[int]:
        number = decimal_of(value) if type(value) in _NUMBERS else None
        if number is None or (self._money and number < 0):
            return self._all
        code = currency_of(subject) if self._money else None
        if code is not None and not isinstance(code, str):
            return self._all
        return self._table(code).left(number)

    def _table(self, code: str | None) -> _Table:
        table = self._tables.get(code)
        if table is None:
            if len(self._tables) >= _TABLES:
                self._tables.clear()
            table = self._tables[code] = _Table(self._found, code)
        return table


class _Table:
    """Bounds in order, so that half of the rules at most are looked at."""

    __slots__ = ("_by_high", "_by_low", "_highs", "_lows", "_unclear")

    def __init__(self, found: Sequence[tuple[int, Need]], code: str | None) -> None:
        bounds: list[tuple[Decimal, Decimal, int]] = []
        self._unclear: list[int] = []
        for place, need in found:
            pair = _bounds_for(need.bounds or {}, code)
            if pair is None:
                self._unclear.append(place)
            else:
                low, high = pair
                bounds.append((_LOWEST if low is None else low, _HIGHEST if high is None else high, place))
        self._by_low = sorted(bounds, key=lambda each: each[0])
        self._by_high = sorted(bounds, key=lambda each: each[1])
        self._lows, self._highs = [each[0] for each in self._by_low], [each[1] for each in self._by_high]

    def left(self, number: Decimal) -> Iterable[int]:
        """Return the places of the rules whose bounds hold a number, and of those that nobody can tell."""
        upto, since = bisect_right(self._lows, number), bisect_left(self._highs, number)
        if upto <= len(self._highs) - since:
            inside = [place for _, high, place in self._by_low[:upto] if high >= number]
        else:
            inside = [place for low, _, place in self._by_high[since:] if low <= number]
        return [*self._unclear, *inside] if self._unclear else inside
