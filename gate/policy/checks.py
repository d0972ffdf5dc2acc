"""Checks of the value at one path: single values one by one, lists as wholes, presence, length."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from gate.apart import by_kind, merged
from gate.budget import readable, total
from gate.folding import fold
from gate.policy.operators import (
    COMPARISONS,
    Alike,
    Judge,
    PathOperand,
    Test,
    equal,
    nearly,
    not_given,
    other_kind,
    undeclared_amount,
)
from gate.policy.reading import (
    PLAIN,
    UNDECLARED,
    UNREADABLE,
    Spread,
    Subject,
    elements,
    flat,
    is_missing,
    label,
    scalar,
)
from gate.policy.texts import Texts
from gate.policy.truth import Truth, Unknown, agreed, all_of, any_of, negate
from gate.redact import hide
from gate.values import decimal_of

Check = Callable[[Any, Subject], Truth]
"""Decides about whatever stands at a path, missing values included."""

AMOUNT = ("effect", "amount")
_UNSHOWN = re.compile(r"[^\w .,:@/-]")


def name_of(keys: tuple[str, ...], subject: Subject) -> str:
    """Return how people call the value at a path; amount, currency and count by their argument."""
    known = subject.known
    declared = {"amount": known.amount, "currency": known.currency, "count": known.count}
    return label(declared.get(keys[1]) or keys) if keys[0] == "effect" else label(keys)


def single_values(keys: tuple[str, ...], tests: Sequence[Test], wanted: str, *, optional: bool) -> Check:
    """Return a check that every test holds, for each element where the value is a list.

    Args:
        keys: The path.
        tests: What must hold together.
        wanted: What to give to be decided, in words.
        optional: Whether a missing value is false instead of unknown.
    """
    alikes = [test for test in tests if isinstance(test, Alike)]
    if len(alikes) < len(tests):
        alikes = []  # more of the call is compared than the value
    compares = [test.compare for test in alikes]
    named = None if keys[0] == "effect" else label(keys)

    def each_of(subject: Subject, name: str) -> Judge:
        judges = [test(subject, name) for test in tests]
        only = judges[0] if len(judges) == 1 else None

        def one(value: Any) -> Truth:
            if is_missing(value):
                return False if optional else not_given(name, wanted)
            plain = scalar(value)
            return all_of(judge(plain) for judge in judges) if only is None else only(plain)

        return one

    def check(value: Any, subject: Subject) -> Truth:
        name = named or name_of(keys, subject)
        if compares and type(value) in PLAIN:
            return _plainly(compares, value, name)
        one = each_of(subject, name)
        if is_missing(value) or not isinstance(value, (list, tuple)):
            return one(value)
        items = flat(value)
        answers = _at_once(alikes, items, name) if items and alikes else []
        items = items or list(elements(value))
        answers = answers or list(map(one, items))
        return _together(keys, items, answers, one, subject)

    return check


def _together(
    keys: tuple[str, ...], items: list[Any], answers: list[Truth], judge: Judge, subject: Subject
) -> Truth:
    """Return what is so of every element; of amounts, where it is so of their sum too."""
    found = agreed(answers)
    if found is None:
        return _disagree(keys, items, answers, subject)
    return _with_total(found, judge, items, name_of(keys, subject)) if keys == AMOUNT else found


def _with_total(each: Truth, judge: Judge, items: Sequence[Any], name: str) -> Truth:
    """Return what is so of every amount of a call where it is so of their sum too, which is what moves."""
    if isinstance(each, Unknown) or judge(_sum(items)) is each:
        return each
    return Unknown((f"the sum of {name} differs from each of its values: call once for each to be decided",))


def _sum(items: Sequence[Any]) -> Decimal:
    if set(map(type, items)) == {int} and -_SUMMED < min(items) <= max(items) < _SUMMED:
        return Decimal(sum(items))
    return total(number for number in map(decimal_of, map(scalar, items)) if number and readable(number))


_SUMMED = 10**18
"""Whole numbers below it are added up as they are."""


def _plainly(compares: Sequence[Callable[[Any, str], Truth]], value: Any, name: str) -> Truth:
    """Return what ``all_of`` says of one value that is compared as it is."""
    whys: tuple[str, ...] = ()
    for compare in compares:
        truth = compare(value, name)
        if truth is False:
            return False
        if isinstance(truth, Unknown):
            whys += truth.whys
    return Unknown(tuple(dict.fromkeys(whys))) if whys else True


def _at_once(tests: Sequence[Alike], values: list[Any], name: str) -> list[Truth]:
    """Return what the tests together say of each of many values that are compared as they are."""
    kinds = set(map(type, values))
    if len(kinds) == 1:
        return _of_one_kind(kinds.pop(), tests, values, name)
    answers = {kind: iter(_of_one_kind(kind, tests, each, name)) for kind, each in by_kind(values).items()}
    return merged(values, answers)


def _of_one_kind(kind: type, tests: Sequence[Alike], values: list[Any], name: str) -> list[Truth]:
    compares = [test.compare for test in tests]
    if not any(test.reads is None or kind in test.reads for test in tests) and _is_called_alike(kind, values):
        return [_plainly(compares, values[0], name)] * len(values)
    if kind is not str or any(test.texts is None for test in tests):
        return [_plainly(compares, value, name) for value in values]
    many = Texts(values)
    columns = [test.texts(many, name) for test in tests if test.texts is not None]
    return columns[0] if len(columns) == 1 else list(map(all_of, zip(*columns, strict=True)))


def _is_called_alike(kind: type, values: list[Any]) -> bool:
    """Tell whether people call values of one type the same: of numbers those that are finite."""
    return kind not in _MAY_BE_INFINITE or all(map(_MAY_BE_INFINITE[kind], values))


_MAY_BE_INFINITE: Mapping[type, Callable[[Any], bool]] = {float: math.isfinite, Decimal: Decimal.is_finite}


def _disagree(keys: tuple[str, ...], items: list[Any], answers: list[Truth], subject: Subject) -> Unknown:
    matching = [item for item, answer in zip(items, answers, strict=True) if answer is True]
    verb = "matches" if len(matching) == 1 else "match"
    shown = ", ".join(_shown(item) for item in matching[:3]) if subject.may_show(keys) else ""
    more = f" and {len(matching) - 3} more" if shown and len(matching) > 3 else ""
    said = f"{len(matching)} of {len(items)} {name_of(keys, subject)} {verb}{': ' * bool(shown)}{shown}{more}"
    return Unknown((f"{said}; call once for each to be decided",))


def _shown(value: Any) -> str:
    text = _UNSHOWN.sub("…", hide(str(scalar(value))))
    return text if len(text) <= 60 else text[:60] + "…"


def spread(check: Check) -> Check:
    """Return a check of wholes that also judges each whole that a list on the way leads to."""

    def each(value: Any, subject: Subject) -> Truth:
        if not isinstance(value, Spread) or not value:
            return check(value, subject)
        together = agreed(each(one, subject) for one in value)
        return (
            Unknown(("the elements of a list differ: call once for each to be decided",))
            if together is None
            else together
        )

    return each


def exists(keys: tuple[str, ...], wanted: bool) -> Check:
    """Return the check ``exists``: null and empty lists count as missing.

    What is there and cannot be read is not missing: it is unknown, like an amount that nobody declared.
    """

    def check(value: Any, subject: Subject) -> Truth:
        if value is UNDECLARED:
            return undeclared_amount()
        if value is UNREADABLE:
            name = name_of(keys, subject)
            return Unknown((f"{name} cannot be read: give {name} so that it can, or leave it out",))
        return is_missing(value) is not wanted

    return spread(check)


def contains(keys: tuple[str, ...], operand: Any, *, optional: bool) -> Check:
    """Return the check ``contains``: some element of a list equals, or a text holds the text."""

    def check(value: Any, subject: Subject) -> Truth:
        name, wanted = name_of(keys, subject), operand
        if is_missing(value):
            return False if optional else not_given(name, "a list or text")
        if isinstance(operand, PathOperand):
            wanted = scalar(operand.read(subject))
            if is_missing(wanted):
                return not_given(label(operand.keys), "a value")
        return _holds(scalar(value), wanted, name)

    return spread(check)


def _holds(value: Any, wanted: Any, name: str) -> Truth:
    if isinstance(value, (list, tuple)):
        return any_of(equal(scalar(each), wanted, name) for each in elements(value))
    if isinstance(value, str) and isinstance(wanted, str):
        return _text_holds(value, wanted, name)
    return other_kind(name, value, "a list or text")


def _text_holds(value: str, wanted: str, name: str) -> Truth:
    if wanted in value:
        return True
    return nearly(name) if fold(wanted) in fold(value) else False


def length(keys: tuple[str, ...], bounds: Sequence[tuple[str, Any]], *, optional: bool) -> Check:
    """Return the check ``length``: characters of a text, elements of a list; that of ``[]`` is 0.

    Args:
        keys: The path.
        bounds: Comparisons and their operands, a number or a path each.
        optional: Whether a missing value is false instead of unknown.
    """

    def check(value: Any, subject: Subject) -> Truth:
        name, plain = name_of(keys, subject), scalar(value)
        if is_missing(plain) and not isinstance(plain, (list, tuple)):
            return False if optional else not_given(name, "a list or text")
        if not isinstance(plain, (str, list, tuple)):
            return other_kind(name, plain, "a list or text")
        return all_of(_bounded(len(plain), word, operand, subject) for word, operand in bounds)

    return spread(check)


def _bounded(size: int, word: str, operand: Any, subject: Subject) -> Truth:
    bound = operand.read(subject) if isinstance(operand, PathOperand) else operand
    number = decimal_of(scalar(bound))
    if number is None:
        return not_given(label(operand.keys), "a number")
    return COMPARISONS[word](size, number)


def whole_list(keys: tuple[str, ...], operand: Sequence[Any], *, same: bool, optional: bool) -> Check:
    """Return the check ``eq`` or ``ne`` with a list: as many elements, each equal to its counterpart.

    Args:
        keys: The path.
        operand: The list.
        same: Whether the lists must be equal; else they must differ.
        optional: Whether a missing value is false instead of unknown.
    """

    def check(value: Any, subject: Subject) -> Truth:
        name = name_of(keys, subject)
        if is_missing(value):
            return False if optional else not_given(name, "a list")
        equal_lists = _equal_lists(value, operand, name)
        return equal_lists if same else negate(equal_lists)

    return spread(check)


def _equal_lists(value: Any, operand: Sequence[Any], name: str) -> Truth:
    if not isinstance(value, (list, tuple)):
        return other_kind(name, value, "a list")
    if len(value) != len(operand):
        return False
    return all_of(equal(scalar(one), two, name) for one, two in zip(value, operand, strict=True))
