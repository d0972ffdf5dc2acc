"""What a written condition says, clause by clause, for those who explain or compare conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gate.policy.places import Loc
from gate.values import parse_path

_OPPOSITES = {
    "eq": "ne", "in": "not_in", "gt": "lte", "gte": "lt", "glob": "not_glob", "regex": "not_regex",
}  # fmt: skip
OPPOSITE = _OPPOSITES | {two: one for one, two in _OPPOSITES.items()}


@dataclass(frozen=True, slots=True)
class Clause:
    """What a condition says of one path with one operator, any ``not`` around it worked in.

    Attributes:
        keys: The path.
        word: The operator that must hold.
        operand: What stands behind it, as written.
        missing: Whether it holds where the value is missing; None where that is unknown.
        sure: Whether it holds wherever the whole condition does: it stands under no ``any``.
        negated: Whether it must not hold; only for operators without an opposite.
        loc: Way to it in the document.
        leaf: Way to its path; what stands under one path is asked of each element of a list together.
    """

    keys: tuple[str, ...]
    word: str
    operand: Any
    missing: bool | None
    sure: bool
    negated: bool
    loc: Loc
    leaf: Loc


def clauses(when: Any, loc: Loc = ()) -> tuple[Clause, ...]:
    """Return every clause of a ``when`` that loads, in order; none for a rule without one.

    Args:
        when: The written value, or None.
        loc: Way to it.
    """
    return tuple(_mapping(when, loc, True, False)) if when is not None else ()


def _mapping(raw: Mapping[str, Any], loc: Loc, sure: bool, negated: bool) -> Iterator[Clause]:
    """Yield the clauses of a mapping, all of whose entries must hold."""
    sure = sure and (not negated or len(raw) == 1)
    for key, value in raw.items():
        yield from _entry(key, value, (*loc, key), sure, negated)


def _entry(key: str, raw: Any, loc: Loc, sure: bool, negated: bool) -> Iterator[Clause]:
    if key == "not":
        yield from _mapping(raw, loc, sure, not negated)
    elif key in ("all", "any"):
        joined = (key == "all") is not negated or len(raw) == 1
        for index, each in enumerate(raw):
            yield from _mapping(each, (*loc, index), sure and joined, negated)
    else:
        yield from _leaf(parse_path(key), raw, loc, sure, negated)


def _leaf(keys: tuple[str, ...], raw: Any, loc: Loc, sure: bool, negated: bool) -> Iterator[Clause]:
    written = raw if isinstance(raw, Mapping) else {"eq": raw}
    words = [word for word in written if word != "optional"]
    sure = sure and (not negated or len(words) == 1)
    for word in words:
        way = (*loc, word) if isinstance(raw, Mapping) else loc
        clause = Clause(keys, word, written[word], _missing(word, written, negated), sure, negated, way, loc)
        yield _turned(clause) if negated else clause


def _missing(word: str, written: Mapping[str, Any], negated: bool) -> bool | None:
    """Tell whether an operator holds where nothing stands at its path; None where that is unknown."""
    if word == "exists":
        return written[word] is negated
    return negated if written.get("optional") is True else None


def _turned(clause: Clause) -> Clause:
    """Write a clause that must not hold as the opposite that must, where there is one."""
    if clause.word == "exists":
        return replace(clause, operand=not clause.operand, negated=False)
    word = OPPOSITE.get(clause.word)
    return clause if word is None else replace(clause, word=word, negated=False)


def plain(clauses_: tuple[Clause, ...]) -> bool:
    """Tell whether a condition is nothing but clauses that must all hold."""
    return all(clause.sure for clause in clauses_)
