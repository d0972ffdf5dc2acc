"""The operator ``in``: whether a value is one of a list, which the policy or the call gives."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from typing import Any

from gate.folding import fold
from gate.policy.operators import (
    Alike,
    Judge,
    PathOperand,
    Test,
    equal,
    kind_wanted,
    nearly,
    not_given,
    other_kind,
)
from gate.policy.reading import Subject, elements, is_missing, kind_of, label, scalar
from gate.policy.texts import Texts
from gate.policy.truth import Truth, Unknown, once
from gate.values import decimal_of, decimal_of_text


def is_in(operand: Any) -> Test:
    """Return the test ``in`` for a list of single values or a path to one."""
    if isinstance(operand, PathOperand):
        return _in_path(operand)
    texts = frozenset(each for each in operand if isinstance(each, str))
    folded = frozenset(map(fold, texts))
    others = [each for each in operand if not isinstance(each, str)]
    members = Members(operand, kind_wanted(operand))

    def compare(value: Any, name: str) -> Truth:
        if isinstance(value, str) and texts:
            if value in texts or fold(value) in folded:
                return True if value in texts else nearly(name)
            spelt = any(_spells(value, each) for each in others)
            return other_kind(name, value, kind_wanted(others)) if spelt else False
        return members.has(value, name)

    def many_texts(many: Texts, name: str) -> list[Truth]:
        if others or not texts:
            return [compare(each, name) for each in many.written]
        almost = nearly(name)
        return [
            True if each in texts else almost if alike_ in folded else False
            for each, alike_ in zip(many.written, many.folded, strict=True)
        ]

    return Alike(compare, many_texts)


def _in_any(value: Any, members: Collection[Any], name: str, wanted: str) -> Truth:
    """Compare a value with the members of its own kind; one that spells a member of another is unknown."""
    answers = [equal(value, each, name) for each in members if kind_of(each) == kind_of(value)]
    if any(answer is True for answer in answers):
        return True
    if not answers or any(_spells(value, each) for each in members):
        return other_kind(name, value, wanted)
    return next((answer for answer in answers if isinstance(answer, Unknown)), False)


def _spells(one: Any, two: Any) -> bool:
    """Tell whether two values of different kinds may stand for the same: 5 and "5", true and "true" or 1."""
    return kind_of(one) != kind_of(two) and not _readings(one).isdisjoint(_readings(two))


def _readings(value: Any) -> frozenset[str | Decimal]:
    """Return everything that a single value may stand for: its folded text, and the number it reads as."""
    if isinstance(value, bool):
        return frozenset((str(value).lower(), Decimal(value)))
    folded = fold(value) if isinstance(value, str) else None
    number = decimal_of(value) if folded is None else decimal_of_text(folded.replace(",", ""))
    return frozenset(each for each in (folded, number) if each is not None)


class Members:
    """The single values of a list that is read from the call, sorted so that each is found at once.

    Args:
        members: The values.
        wanted: What to give to be decided, in words.
    """

    __slots__ = (
        "_folded",
        "_known",
        "_members",
        "_numbers",
        "_others",
        "_readings",
        "_texts",
        "_wanted",
        "comparable",
    )

    def __init__(self, members: list[Any], wanted: str) -> None:
        self._members, self._wanted = members, wanted
        others = [each for each in members if not isinstance(each, str)]
        self._texts = frozenset(each for each in members if isinstance(each, str))
        self._folded = frozenset(map(fold, self._texts))
        self._numbers = frozenset(each for each in map(decimal_of, members) if each is not None)
        self._others = frozenset(reading for each in others for reading in _readings(each))
        self._readings = self._others.union(*map(_readings, self._texts))
        self.comparable = all(map(_readings, others))
        self._known: dict[tuple[str, bool | str], Truth] = {}

    def has(self, value: Any, name: str) -> Truth:
        """Tell whether a value is one of them, as comparing it with each would tell."""
        if isinstance(value, str):
            return self._has_text(value, name)
        number = decimal_of(value)
        if number is None:
            return self._has_other(value, name)
        if number in self._numbers:
            return True
        likely = not self._numbers or number in self._readings
        return other_kind(name, value, self._wanted) if likely else False

    def _has_text(self, text: str, name: str) -> Truth:
        if text in self._texts:
            return True
        if not self._texts or (self._others and not self._others.isdisjoint(_readings(text))):
            return other_kind(name, text, self._wanted)
        return nearly(name) if fold(text) in self._folded else False

    def _has_other(self, value: Any, name: str) -> Truth:
        """Compare true, false, or a value that is nothing but of its kind, which is said once for all."""
        key = name, value if isinstance(value, bool) else kind_of(value)
        if key not in self._known:
            self._known[key] = _in_any(value, self._members, name, self._wanted)
        return self._known[key]


def _in_path(operand: PathOperand) -> Test:
    def test(subject: Subject, name: str) -> Judge:
        read = once(lambda: _listed(operand, subject))

        def judge(value: Any) -> Truth:
            members = read()
            if isinstance(members, Unknown):
                return members
            found = members.has(value, name)
            return found if found is True or members.comparable else _not_all_read(label(operand.keys))

        return judge

    return test


def _not_all_read(name: str) -> Unknown:
    return Unknown((f"not all of {name} can be compared: give {name} as a list of texts or numbers",))


def _listed(operand: PathOperand, subject: Subject) -> Members | Unknown:
    listed = operand.read(subject)
    if is_missing(listed):
        return not_given(label(operand.keys), "a list")
    if not isinstance(listed, (list, tuple)):
        return other_kind(label(operand.keys), listed, "a list")
    return Members([scalar(each) for each in elements(listed)], "a value of the same kind")
