"""Tell whether one condition, or one list of globs, takes everything that another takes; never a guess.

Each function answers true only where that is sure; a false says nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from gate.policy.clauses import Clause, clauses, plain
from gate.values import Glob, decimal_of, limit_for

_UPPER, _LOWER = ("lt", "lte"), ("gt", "gte")


def written(value: Any) -> str:
    """Write a value of a policy so that equal values are equal texts: numbers by their value."""
    return json.dumps(_plain(value), ensure_ascii=False, sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    number = decimal_of(value)
    return {"number": f"{number.normalize():f}"} if number is not None else value


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
    return plain(wanted) and all(any(_clause(mine, theirs) for mine in sure) for theirs in wanted)


def _clause(one: Clause, two: Clause) -> bool:
    """Tell whether one clause being true makes another true."""
    if one.keys != two.keys or one.negated or two.negated:
        return _same(one, two)
    if two.word == "exists":
        return _present(one) if two.operand else _same(one, two)
    if one.word in (*_UPPER, *_LOWER, "eq") and two.word in (*_UPPER, *_LOWER):
        return _bounded(one, two)
    return _same(one, two) or _listed(one, two)


def _same(one: Clause, two: Clause) -> bool:
    return (one.keys, one.word, one.negated) == (two.keys, two.word, two.negated) and written(
        one.operand
    ) == written(two.operand)


def _present(clause: Clause) -> bool:
    return bool(clause.operand) if clause.word == "exists" else clause.word != "length"


def _listed(one: Clause, two: Clause) -> bool:
    """Compare lists of values: a smaller list of what may be, a larger list of what may not."""
    mine, theirs = _members(one), _members(two)
    if mine is None or theirs is None:
        return False
    wanted, refused = {"eq", "in"}, {"ne", "not_in"}
    if one.word in wanted and two.word in wanted:
        return mine <= theirs
    if one.word in wanted and two.word in refused:
        return not mine & theirs
    return one.word in refused and two.word in refused and theirs <= mine


def _members(clause: Clause) -> frozenset[str] | None:
    if clause.word in ("in", "not_in") and isinstance(clause.operand, (list, tuple)):
        return frozenset(map(written, clause.operand))
    single = clause.word in ("eq", "ne") and not isinstance(clause.operand, (list, tuple, Mapping))
    return frozenset({written(clause.operand)}) if single else None


def _bounded(one: Clause, two: Clause) -> bool:
    """Compare thresholds, currency by currency; a currency without one is never surely true."""
    mine, theirs = thresholds(one.operand), thresholds(two.operand)
    if mine is None or theirs is None:
        return False
    codes = {*mine, *theirs, "*"}
    return all(_tighter(one.word, limit_for(mine, code), two.word, limit_for(theirs, code)) for code in codes)


def thresholds(operand: Any) -> Mapping[str, Decimal] | None:
    """Return a written threshold by currency, a bare number under ``*``; None for a path."""
    number = decimal_of(operand)
    if number is not None:
        return {"*": number}
    if not isinstance(operand, Mapping) or "path" in operand:
        return None
    limits = {code: decimal_of(each) for code, each in operand.items()}
    return {code: limit for code, limit in limits.items() if limit is not None}


def _tighter(word: str, mine: Decimal | None, other: str, theirs: Decimal | None) -> bool:
    if mine is None:
        return True
    if theirs is None:
        return False
    if other in _LOWER:
        strict = word == "gte" or word == "eq"
        return word not in _UPPER and (mine > theirs or (mine == theirs and not (strict and other == "gt")))
    strict = word == "lte" or word == "eq"
    return word not in _LOWER and (mine < theirs or (mine == theirs and not (strict and other == "lt")))
