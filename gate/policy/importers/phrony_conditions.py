"""Carry the condition trees of Phrony policies over."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from gate.policy.effects import reads_like_amount
from gate.policy.importers import patterns
from gate.policy.importers.reading import Place
from gate.values import format_path, quoted

_SIGNS = {"==": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
_WORDS = {"eq": "eq", "neq": "ne", "gt": "gt", "gte": "gte", "lt": "lt", "lte": "lte", "in": "in"}
OPERATORS = {**_WORDS, **_SIGNS, "matches": "regex"}
TRIGGERS = ("phrony.dispatch.trigger", "dispatch.outcome")
_GROUPS = ("all", "any", "not")

Tree = Mapping[str, Any] | bool
"""A condition as it stands under ``when``, or a truth value where it is decided before any call."""


class Conditions:
    """Read the condition tree of one policy.

    Attributes:
        notes: What is decided more strictly, to be said above the rule.
    """

    def __init__(self) -> None:
        self.notes: list[str] = []

    def read(self, place: Place, *, negated: bool = False) -> Tree:
        """Return one node of the tree; what cannot be carried over is added to its problems."""
        groups = [word for word in _GROUPS if word in place.raw]
        if groups:
            place.only(groups[0])
            return self._group(groups[0], place, negated)
        place.only("field", "op", "value", *_GROUPS)
        if "field" not in place.raw:
            place.bad("must be a condition: write field, op and value, or all, any or not")
            return False
        return self._leaf(place, negated)

    def _group(self, word: str, place: Place, negated: bool) -> Tree:
        if word == "not":
            if not isinstance(place.raw["not"], Mapping) or not place.raw["not"]:
                place.bad("must be one condition, not a list", "not")
                return False
            found = self.read(place.under("not"), negated=not negated)
            return not found if isinstance(found, bool) else {"not": found}
        if not isinstance(place.raw[word], list) or not place.raw[word]:
            place.bad("must be a list of conditions, with at least one", word)
            return False
        parts = [self.read(each, negated=negated) for each in place.each(word)]
        return joined(word, parts)

    def _leaf(self, place: Place, negated: bool) -> Tree:
        field = place.text("field", required=True)
        word = place.word("op", OPERATORS, "eq")
        if not field or not word:
            return False
        if field in TRIGGERS:
            return self._trigger()
        keys = tuple(part.strip() for part in field.split(".") if part.strip())
        if not keys:
            place.bad("must name an argument", "field")
            return False
        path = format_path(("args", *keys))
        if OPERATORS[word] in ("eq", "ne") and place.raw.get("value") is None:
            return self._null(path, OPERATORS[word], negated)
        test = self._test(place, OPERATORS[word])
        if test is None:
            return False
        if negated or OPERATORS[word] == "ne":
            self.notes.append(
                "Under not or neq: a list is compared element by element; there it never equals anything, so "
                "the rule applies."
            )
        return joined_test(path, test) if negated else self._both_ends(path, keys[-1], test)

    def _null(self, path: str, word: str, negated: bool) -> Tree:
        """Compare with null; an argument that is missing cannot be told from one that is null."""
        if word == "ne":
            return {"any": [{path: {"exists": True}}, {path: {"length": 0, "optional": True}}]}
        self.notes.append("A missing argument counts as null.")
        return {path: {"exists": False}} if not negated else False

    def _trigger(self) -> bool:
        self.notes.append(
            "A condition on what happens after a call was sent is false before it: it is about no call here."
        )
        return False

    def _both_ends(self, path: str, name: str, test: Mapping[str, Any]) -> Tree:
        """Let an upper limit on an amount catch negative amounts too."""
        opposite = {"gt": "lte", "gte": "lt"}
        word = next(iter(test))
        if word not in opposite or not reads_like_amount(name):
            return joined_test(path, test)
        if test[word] < 0:
            return joined_test(path, test)
        self.notes.append(f"Stricter than there, where a negative {name} passes.")
        return {"not": {path: {"gte": 0, opposite[word]: test[word]}}}

    def _test(self, place: Place, word: str) -> Mapping[str, Any] | None:
        if word in ("eq", "ne"):
            return self._equal(place, word)
        if word == "in":
            return self._member(place)
        return _regex(place) if word == "regex" else _ordered(place, word)

    def _equal(self, place: Place, word: str) -> Mapping[str, Any] | None:
        value = place.raw.get("value")
        if isinstance(value, (list, Mapping)):
            place.bad("must be a text, a number, true or false: lists and mappings are not compared", "value")
            return None
        number = _number(value)
        if isinstance(value, str) and number is not None:
            self.notes.append(f"Compares with the number {number}; a text there cannot be decided.")
        return {word: value if number is None else number}

    def _member(self, place: Place) -> Mapping[str, Any] | None:
        values = place.raw.get("value")
        if not isinstance(values, list) or not values:
            place.bad("must be a list with at least one value", "value")
            return None
        if any(each is None or isinstance(each, (list, Mapping)) for each in values):
            place.bad("must be a list of texts, numbers, true and false", "value")
            return None
        numbers = [number for each in values if (number := _number(each)) is not None]
        texts = [each for each in values if _number(each) is None]
        return {"in": numbers or texts} if not (numbers and texts) else {"either": [numbers, texts]}


def joined_test(path: str, test: Mapping[str, Any]) -> Tree:
    """Return the condition that a test holds at a path."""
    if "either" in test:
        return {"any": [{path: {"in": part}} for part in test["either"]]}
    return {path: test}


def joined(word: str, parts: list[Tree]) -> Tree:
    """Join conditions by ``all`` or ``any``; parts that are decided fall away."""
    decider = word == "any"
    if any(part is decider for part in parts):
        return decider
    left = [part for part in parts if not isinstance(part, bool)]
    if not left:
        return not decider
    return left[0] if len(left) == 1 else {word: left}


def _number(value: Any) -> Any:
    """Return the number that a value is or spells, or None."""
    if isinstance(value, bool):
        return None
    if not isinstance(value, str):
        return value
    try:
        number = Decimal(value.strip().replace("_", "x"))
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < 30 else None


def _ordered(place: Place, word: str) -> Mapping[str, Any] | None:
    number = _number(place.raw.get("value"))
    if number is None or not Decimal(number).is_finite():
        place.bad("must be a number", "value")
        return None
    return {word: number}


def _regex(place: Place) -> Mapping[str, Any] | None:
    pattern = place.raw.get("value")
    if not isinstance(pattern, str) or not pattern:
        place.bad("must be a text: quote it", "value")
        return None
    try:
        return {"regex": patterns.whole(pattern)}
    except ValueError as error:
        place.bad(f"{quoted(pattern)} {error}", "value")
        return None
