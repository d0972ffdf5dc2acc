"""Tell whether one condition, or one list of globs, takes everything that another takes; never a guess.

Each function answers true only where that is sure; a false says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from gate.policy.clauses import Clause, clauses, plain
from gate.policy.membership import Members
from gate.policy.reading import kind_of
from gate.policy.words import written
from gate.values import Glob, decimal_of, limit_for

_UPPER, _LOWER = ("lt", "lte"), ("gt", "gte")
_WANTED, _REFUSED = ("eq", "in"), ("ne", "not_in")


def covers(outer: Glob, inner: Glob) -> bool:
    """Tell whether every name that fits one glob fits another."""
    return _absorbs(outer.pattern.lower(), inner.pattern.lower())


def _absorbs(outer: str, inner: str) -> bool:
    """Match a pattern against another one, whose ``*`` only a ``*`` takes."""
    row = [True] + [False] * len(inner)
    for char in outer:
        after = [row[0] and char == "*"]
        for column, theirs in enumerate(inner):
            taken = after[column] or row[column + 1] if char == "*" else row[column] and char == theirs
            after.append(taken)
        row = after
    return row[-1]


def all_covered(outer: Sequence[Glob], inner: Sequence[Glob]) -> bool:
    """Tell whether every name that fits some of the inner globs fits some of the outer ones."""
    return all(any(covers(one, two) for one in outer) for two in inner)


def within(match: Sequence[Glob], applies_to: Sequence[Glob]) -> tuple[Glob, ...]:
    """Return globs that fit what both lists let through, as narrow as is sure."""
    return tuple(
        dict.fromkeys(_narrower(one, two) for one in match for two in applies_to if one.overlaps(two))
    )


def _narrower(one: Glob, two: Glob) -> Glob:
    return two if covers(one, two) else one


def implies(one: Any, two: Any) -> bool:
    """Tell whether wherever one condition is true the other is true as well.

    Args:
        one: A written ``when``; None for always.
        two: The other.
    """
    if two is None or written(one) == written(two):
        return True
    given, wanted = clauses(one), clauses(two)
    sure = [clause for clause in given if clause.sure]
    return plain(wanted) and all(any(_makes_true(mine, theirs) for mine in sure) for theirs in wanted)


def reaches(one: Any, two: Any) -> bool:
    """Tell whether wherever one condition is true or unknown the other is so as well: never surely false.

    That is where rules apply that hold or block.

    Args:
        one: A written ``when``; None for always.
        two: The other.
    """
    if two is None or written(one) == written(two):
        return True
    given, wanted = clauses(one), clauses(two)
    leaves = _leaves(clause for clause in given if clause.sure)
    return plain(wanted) and all(
        any(all(any(_makes_false(theirs, mine) for mine in leaf) for theirs in each) for leaf in leaves)
        for each in _leaves(wanted)
    )


def _leaves(many: Iterable[Clause]) -> list[list[Clause]]:
    """Put together what stands under one path: of a list, each element may fail another operator."""
    found: dict[Any, list[Clause]] = {}
    for clause in many:
        found.setdefault(clause.leaf, []).append(clause)
    return list(found.values())


def _makes_true(one: Clause, two: Clause) -> bool:
    """Tell whether one clause being true makes another true."""
    known = _by_form(one, two, asked=two, missing=True)
    if known is not None:
        return known
    if two.word == "exists":
        return one.missing is not True and one.word != "length"
    return _bounded(one, two, within=True) if _compares(one, two) else _listed(one, two)


def _makes_false(one: Clause, two: Clause) -> bool:
    """Tell whether one clause being false makes another false."""
    known = _by_form(one, two, asked=one, missing=False)
    if known is not None:
        return known
    if one.word == "exists":
        return two.word != "length"
    return _bounded(two, one, within=False) if _compares(two, one) else _unlisted(one, two)


def _by_form(one: Clause, two: Clause, *, asked: Clause, missing: bool) -> bool | None:
    """Tell what is plain before any values are compared; None where that has to be done.

    Args:
        one: The clause of which something is known.
        two: The clause that should follow.
        asked: Which of the two, asking whether its path is there, must ask so positively.
        missing: What a missing value may not make of the first without making it of the second.
    """
    if one.keys != two.keys or (one.missing is missing and two.missing is not missing):
        return False
    if _same(one, two):
        return True
    unsure = one.negated or two.negated or (asked.word == "exists" and not asked.operand)
    return False if unsure else None


def _same(one: Clause, two: Clause) -> bool:
    return (one.word, one.negated) == (two.word, two.negated) and written(one.operand) == written(two.operand)


def _compares(one: Clause, two: Clause) -> bool:
    return one.word in (*_UPPER, *_LOWER, "eq") and two.word in (*_UPPER, *_LOWER)


def _listed(one: Clause, two: Clause) -> bool:
    """Tell by two lists of values whether one clause being true makes the other true."""
    mine, theirs = _members(one), _members(two)
    if mine is None or theirs is None:
        return False
    if one.word in _WANTED:
        return _within(mine, theirs) if two.word in _WANTED else _apart(mine, theirs)
    return two.word in _REFUSED and _within(theirs, mine) and _kinds(mine) <= _kinds(theirs)


def _unlisted(one: Clause, two: Clause) -> bool:
    """Tell by two lists of values whether one clause being false makes the other false."""
    mine, theirs = _members(one), _members(two)
    if mine is None or theirs is None:
        return False
    if one.word in _REFUSED:
        return _apart(mine, theirs) if two.word in _WANTED else _within(mine, theirs)
    return two.word in _WANTED and _within(theirs, mine) and _kinds(mine) <= _kinds(theirs)


def _members(clause: Clause) -> Sequence[Any] | None:
    if clause.word in ("in", "not_in") and isinstance(clause.operand, (list, tuple)):
        return clause.operand
    single = clause.word in ("eq", "ne") and not isinstance(clause.operand, (list, tuple, Mapping))
    return [clause.operand] if single else None


def _within(some: Sequence[Any], many: Sequence[Any]) -> bool:
    return set(map(written, some)) <= set(map(written, many))


def _apart(values: Sequence[Any], members: Sequence[Any]) -> bool:
    """Tell whether each value is surely none of some members, nor taken for one."""
    listed = Members(list(members), "")
    return all(listed.has(value, "") is False for value in values)


def _kinds(values: Sequence[Any]) -> set[str]:
    return set(map(kind_of, values))


def _bounded(one: Clause, two: Clause, *, within: bool) -> bool:
    """Compare thresholds, currency by currency.

    Args:
        one: What must be the tighter one.
        two: What must be the wider one.
        within: Whether being within the first must mean being within the second; else being surely outside
            the second must mean being surely outside the first. In a currency without a threshold nothing
            is sure.
    """
    mine, theirs = thresholds(one.operand), thresholds(two.operand)
    if mine is None or theirs is None:
        return False
    for code in {*mine, *theirs, "*"}:
        inner, outer = limit_for(mine, code), limit_for(theirs, code)
        if inner is None or outer is None:
            if (inner if within else outer) is not None:
                return False
        elif not _tighter(one.word, inner, two.word, outer):
            return False
    return True


def thresholds(operand: Any) -> Mapping[str, Decimal] | None:
    """Return a written threshold by currency, a bare number under ``*``; None for a path."""
    number = decimal_of(operand)
    if number is not None:
        return {"*": number}
    if not isinstance(operand, Mapping) or "path" in operand:
        return None
    limits = {code: decimal_of(each) for code, each in operand.items()}
    return {code: limit for code, limit in limits.items() if limit is not None}


def _tighter(word: str, mine: Decimal, other: str, theirs: Decimal) -> bool:
    if other in _LOWER:
        strict = word == "gte" or word == "eq"
        return word not in _UPPER and (mine > theirs or (mine == theirs and not (strict and other == "gt")))
    strict = word == "lte" or word == "eq"
    return word not in _LOWER and (mine < theirs or (mine == theirs and not (strict and other == "lt")))
