"""The operators of conditions: each compares one value and answers true, false or unknown."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from gate.folding import fold
from gate.policy.reading import (
    MISSING,
    UNDECLARED,
    Reader,
    Subject,
    currency_of,
    is_missing,
    kind_of,
    label,
    scalar,
)
from gate.policy.texts import Texts
from gate.policy.truth import Truth, Unknown, negate, once
from gate.values import decimal_of, limit_for

Judge = Callable[[Any], Truth]
"""Compares one value that is there."""

Test = Callable[[Subject, str], Judge]
"""Makes ready to compare the values of one call, of which there may be thousands.

The second argument is how people call a value; what is the same for all is read once, and only if needed.
"""

COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
    "eq": operator.eq,
    "ne": operator.ne,
}
_EXACT = 10**18
"""Whole numbers below it are compared as they are."""


@dataclass(frozen=True, slots=True)
class PathOperand:
    """An operand that is read from the call.

    Attributes:
        keys: The path.
        read: Reads it.
    """

    keys: tuple[str, ...]
    read: Reader


def not_given(name: str, wanted: str) -> Unknown:
    """Say that a value is missing and how to be decided."""
    return Unknown((f"{name} was not given: give {name} as {wanted}",))


def other_kind(name: str, value: Any, wanted: str) -> Unknown:
    """Say that a value is of a kind that cannot be compared and how to be decided."""
    if value is UNDECLARED:
        return undeclared_amount()
    return _other_kind(name, kind_of(value), wanted)


@lru_cache(maxsize=1024)
def _other_kind(name: str, kind: str, wanted: str) -> Unknown:
    return Unknown((f"{name} is {kind} where {wanted} is compared: give {name} as {wanted}",))


def undeclared_amount() -> Unknown:
    """Say that a write seems to move an amount that nobody declared."""
    return Unknown(("the tool has an argument that reads like an amount, but no policy declares its amount",))


def nearly(name: str) -> Unknown:
    """Say that a text differs from the rule's in nothing that a reader would see as different."""
    return Unknown((f"{name} differs only in case, space or invisible characters: write {name} exactly",))


def kind_wanted(operand: Any) -> str:
    """Say in words what must be given to be compared with an operand."""
    if isinstance(operand, PathOperand):
        return "a value of the same kind"
    kinds = {kind_of(each) for each in (operand if isinstance(operand, (list, tuple)) else [operand])}
    return " or ".join(sorted(kinds))


def equal(value: Any, operand: Any, name: str) -> Truth:
    """Compare two single values of any kind."""
    if isinstance(operand, bool) or isinstance(value, bool):
        same_kind = isinstance(operand, bool) and isinstance(value, bool)
        return value is operand if same_kind else other_kind(name, value, kind_of(operand))
    if isinstance(operand, str) and isinstance(value, str):
        return True if value == operand else nearly(name) if fold(value) == fold(operand) else False
    one, two = decimal_of(value), decimal_of(operand)
    return one == two if one is not None and two is not None else other_kind(name, value, kind_of(operand))


def equals(operand: Any) -> Test:
    """Return the test ``eq`` for one value or path."""
    if isinstance(operand, PathOperand):
        return _with_operand(operand, equal)
    if not isinstance(operand, str):
        return lambda subject, name: lambda value: equal(value, operand, name)
    folded = fold(operand)

    def text(value: Any, name: str) -> Truth:
        if not isinstance(value, str):
            return other_kind(name, value, "text")
        return True if value == operand else nearly(name) if fold(value) == folded else False

    def texts(many: Texts, name: str) -> list[Truth]:
        almost = nearly(name)
        return [
            True if each == operand else almost if alike_ == folded else False
            for each, alike_ in zip(many.written, many.folded, strict=True)
        ]

    return of_text(text, texts)


@dataclass(frozen=True, slots=True)
class Alike:
    """A test that needs nothing of the call but the value.

    Attributes:
        compare: Compares a value that is there; the second argument is how people call it.
        texts: Says of each of many texts at once what ``compare`` says; None where that is no shorter way.
        reads: Exact types of which it reads the value itself; of each other it says the same whatever stands
            there. None for every type.
    """

    compare: Callable[[Any, str], Truth]
    texts: Callable[[Texts, str], list[Truth]] | None = None
    reads: frozenset[type] | None = None

    def __call__(self, subject: Subject, name: str) -> Judge:
        """Make ready to compare the values of one call."""
        compare = self.compare
        return lambda value: compare(value, name)


def of_text(
    compare: Callable[[Any, str], Truth], texts: Callable[[Texts, str], list[Truth]] | None = None
) -> Test:
    """Return a test that reads nothing but texts."""
    return Alike(compare, texts, frozenset({str}))


def compares(word: str, operand: Any) -> Test:
    """Return the test of an ordering operator for a number or path."""
    order = COMPARISONS[word]
    if isinstance(operand, PathOperand):
        return _with_operand(operand, lambda value, other, name: _ordered(order, value, other, name))

    whole = int(operand) if abs(operand) < _EXACT else None
    if whole != operand:
        whole = None

    def number(value: Any, name: str) -> Truth:
        if whole is not None and type(value) is int:
            return order(value, whole)
        found = decimal_of(value)
        return other_kind(name, value, "a number") if found is None else order(found, operand)

    return Alike(number, reads=frozenset({int, float, Decimal}))


def _ordered(order: Callable[[Any, Any], bool], value: Any, other: Any, name: str) -> Truth:
    one, two = decimal_of(value), decimal_of(other)
    if one is None:
        return other_kind(name, value, "a number")
    return other_kind(f"what {name} is compared with", other, "a number") if two is None else order(one, two)


def _with_operand(operand: PathOperand, compare: Callable[[Any, Any, str], Truth]) -> Test:
    def test(subject: Subject, name: str) -> Judge:
        read = once(lambda: scalar(operand.read(subject)))

        def judge(value: Any) -> Truth:
            other = read()
            if is_missing(other):
                return not_given(label(operand.keys), kind_of(value))
            return compare(value, other, name)

        return judge

    return test


def money(word: str, operand: Any) -> Test:
    """Return a comparison of the declared amount.

    Args:
        word: One of ``COMPARISONS``.
        operand: Limits by currency, or a path.
    """
    order = COMPARISONS[word]

    def test(subject: Subject, name: str) -> Judge:
        read = once(lambda: _limit(operand, subject))

        def judge(value: Any) -> Truth:
            amount = decimal_of(value)
            if amount is None:
                return other_kind(name, value, "a number")
            if amount < 0:
                return Unknown((f"{name} is negative: give {name} as a number of zero or more",))
            limit = read()
            return limit if isinstance(limit, Unknown) else order(amount, limit)

        return judge

    return test


def _limit(operand: Any, subject: Subject) -> Decimal | Unknown:
    currency = currency_of(subject)
    codes = [] if isinstance(operand, PathOperand) else [code for code in operand if code != "*"]
    if currency is not None and not isinstance(currency, str):
        name = label(subject.known.currency or ("currency",))
        said = "was not given" if currency is MISSING else "is no code of three letters"
        return Unknown((f"{name} {said}: give {name} as the code of the currency that the amount is in",))
    if isinstance(operand, PathOperand):
        other = scalar(operand.read(subject))
        found = decimal_of(other)
        return not_given(label(operand.keys), "a number") if found is None else found
    limit = limit_for(operand, currency)
    return (
        Unknown((f"the amount is in a currency without a limit here: there is one in {' and '.join(codes)}",))
        if limit is None
        else limit
    )


def opposite(test: Test) -> Test:
    """Return the test that is true where another is false; unknown stays unknown."""
    if isinstance(test, Alike):
        compare, texts = test.compare, test.texts
        return Alike(
            lambda value, name: negate(compare(value, name)),
            None if texts is None else lambda many, name: list(map(negate, texts(many, name))),
            test.reads,
        )

    def other(subject: Subject, name: str) -> Judge:
        judge = test(subject, name)
        return lambda value: negate(judge(value))

    return other
