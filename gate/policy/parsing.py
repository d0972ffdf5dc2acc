"""Read a written condition into nodes: leaves that say what must hold at one path, and groups of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gate.policy import checks, matching, membership, operators
from gate.policy.checks import AMOUNT, Check
from gate.policy.operands import Operands
from gate.policy.operators import COMPARISONS, PathOperand, Test
from gate.policy.paths import check_path, did_you_mean
from gate.policy.places import Loc
from gate.policy.source import Document
from gate.values import quoted

ORDERING = ("gt", "gte", "lt", "lte")
PATTERNS = ("glob", "not_glob", "regex", "not_regex")
WHOLES = ("contains", "exists", "length")
OPERATORS = ("eq", "ne", *ORDERING, "in", "not_in", *PATTERNS, *WHOLES)
_GROUPS = ("all", "any", "not")
_WHOM = ("on_behalf_of",)
_WRITTEN_WHOM = re.compile(r"person:[UW][A-Z0-9]{2,30}|(?:email|outside):.+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Leaf:
    """What must hold at one path."""

    keys: tuple[str, ...]
    checks: tuple[Check, ...]
    operands: tuple[PathOperand, ...]
    constants: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Parts joined by ``all`` or ``any``, or one part under ``not``."""

    word: str
    parts: tuple[Leaf | Group, ...]


Node = Leaf | Group


class Parser:
    """Read one condition and add what is wrong to the document."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def mapping(self, raw: Any, loc: Loc) -> Node | None:
        """Read a mapping: all of its entries must hold."""
        if not isinstance(raw, Mapping) or not raw:
            self.document.add(loc, "must be a mapping of paths to conditions, with at least one")
            return None
        parts = [self._entry(str(key), value, (*loc, str(key))) for key, value in raw.items()]
        good = tuple(part for part in parts if part is not None)
        return Group("all", good) if len(good) == len(parts) else None

    def _entry(self, key: str, raw: Any, loc: Loc) -> Node | None:
        if key in ("all", "any"):
            return self._group(key, raw, loc)
        if key == "not":
            inner = self.mapping(raw, loc)
            return None if inner is None else Group("not", (inner,))
        keys = self._path(key, loc)
        return _LeafParser(self.document, keys).leaf(raw, loc) if keys else None

    def _group(self, word: str, raw: Any, loc: Loc) -> Node | None:
        if not isinstance(raw, list) or not raw:
            self.document.add(loc, f"must be a list of conditions, with at least one: {word}: [{{…}}, {{…}}]")
            return None
        parts = [self.mapping(each, (*loc, index)) for index, each in enumerate(raw)]
        good = tuple(part for part in parts if part is not None)
        return Group(word, good) if len(good) == len(parts) else None

    def _path(self, key: str, loc: Loc) -> tuple[str, ...] | None:
        try:
            return check_path(key)
        except ValueError as error:
            hint = did_you_mean(key, _GROUPS) if "." not in key else ""
            self.document.add(loc, f"{error}{hint}", key=True)
            return None


class _LeafParser:
    """Read what must hold at one path."""

    def __init__(self, document: Document, keys: tuple[str, ...]) -> None:
        self.document = document
        self.keys = keys
        self.operands = Operands(document, keys)
        self.is_amount, self.is_whom = keys == AMOUNT, keys == _WHOM
        self.optional = False
        self.constants: dict[str, Any] = {}

    def leaf(self, raw: Any, loc: Loc) -> Leaf | None:
        before = len(self.document.problems)
        written = raw if isinstance(raw, Mapping) else {"eq": raw}
        if isinstance(raw, list):
            self._bad(
                loc,
                "a bare list is unclear: {in: [...]} is one of these, {eq: [...]} exactly this list",
            )
        else:
            self._optional(written, loc)
            parts = self._parts(written, loc, bare=not isinstance(raw, Mapping))
        if len(self.document.problems) > before:
            return None
        return Leaf(self.keys, parts, tuple(self.operands.paths), self._constants(written))

    def _constants(self, written: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return what is compared with constants; patterns may fail on a text before anything is compared."""
        plain = not self.operands.paths and written.keys().isdisjoint(PATTERNS)
        return self.constants if plain and self.constants else None

    def _optional(self, written: Mapping[str, Any], loc: Loc) -> None:
        optional = written.get("optional", False)
        if not isinstance(optional, bool):
            self._bad((*loc, "optional"), "must be true or false")
        self.optional = optional is True
        if written.keys() <= {"optional"}:
            self._bad(loc, f"needs an operator, one of {', '.join(OPERATORS)}")

    def _parts(self, written: Mapping[str, Any], loc: Loc, *, bare: bool) -> tuple[Check, ...]:
        """Return the checks of every operator; those of single values are one check together."""
        tests: list[Test] = []
        wanted: list[str] = []
        wholes: list[Check] = []
        for word, operand in written.items():
            where = loc if bare else (*loc, word)
            if word == "optional" or not self._known(word, operand, where):
                continue
            if self.is_whom and word in ("eq", "ne", "in", "not_in"):
                self._whom(operand, where)
            if self._is_whole(word, operand):
                wholes.extend(self._whole(word, operand, where))
                continue
            test = self._test(word, operand, where)
            if test is not None:
                tests.append(test)
                wanted.append(self._wanted(word, operand))
        if tests:
            said = " or ".join(dict.fromkeys(wanted))
            wholes.insert(0, checks.single_values(self.keys, tests, said, optional=self.optional))
        return tuple(wholes)

    def _is_whole(self, word: str, operand: Any) -> bool:
        """Tell whether an operator judges a list as a whole instead of its elements."""
        listed = isinstance(operand, list) and word in ("eq", "ne") and not self.is_amount
        return listed or word in WHOLES

    def _known(self, word: str, operand: Any, loc: Loc) -> bool:
        if word not in OPERATORS:
            self._bad(
                loc,
                f"{quoted(word)} is not an operator{did_you_mean(word, OPERATORS)}: {', '.join(OPERATORS)}",
                key=True,
            )
            return False
        if operand is None:
            self._bad(loc, "null is nothing to compare with: write {exists: false} for a missing value")
            return False
        if self.is_amount and word not in (*COMPARISONS, "exists"):
            self._bad(
                loc, f"does not go with effect.amount: {', '.join(COMPARISONS)} and exists do", key=True
            )
            return False
        return True

    def _test(self, word: str, raw: Any, loc: Loc) -> Test | None:
        if self.is_amount and word in COMPARISONS:
            limit = self.constants[word] = self.operands.money(raw, loc)
            return None if limit is None else operators.money(word, limit)
        if word in PATTERNS:
            return self._pattern(word, raw, loc)
        if word in ("in", "not_in"):
            return self._in(word, raw, loc)
        operand = self.operands.number(raw, loc) if word in ORDERING else self.operands.single(raw, loc)
        self.constants[word] = operand
        if operand is None:
            return None
        if word in ORDERING:
            return operators.compares(word, operand)
        test = operators.equals(operand)
        return test if word == "eq" else operators.opposite(test)

    def _whom(self, raw: Any, loc: Loc) -> None:
        """Refuse a person written in a way that fits nobody, such as by a name of the file."""
        for each in raw if isinstance(raw, list) else [raw]:
            if isinstance(each, str) and not _WRITTEN_WHOM.fullmatch(each.strip()):
                self._bad(
                    loc,
                    f"{quoted(each)} is nobody: write person:U… (a Slack user id), email:… or outside:…",
                )

    def _pattern(self, word: str, raw: Any, loc: Loc) -> Test | None:
        if not isinstance(raw, str) or not raw:
            self._bad(loc, "must be a text that is not empty")
            return None
        make = matching.matches_glob if word.endswith("glob") else matching.matches_regex
        try:
            test = make(raw, ignore_case=self.operands.ignore_case)
        except ValueError as error:
            self._bad(loc, f"{quoted(raw)} {error}")
            return None
        return operators.opposite(test) if word.startswith("not_") else test

    def _in(self, word: str, raw: Any, loc: Loc) -> Test | None:
        operand: Any = (
            self.operands.path_operand(raw, loc)
            if isinstance(raw, Mapping)
            else self.operands.members(raw, loc)
        )
        self.constants[word] = operand
        if operand is None:
            return None
        test = membership.is_in(operand)
        return test if word == "in" else operators.opposite(test)

    def _whole(self, word: str, raw: Any, loc: Loc) -> list[Check]:
        if word == "exists":
            return self._exists(raw, loc)
        if word == "length":
            bounds = self.operands.bounds(raw, loc)
            return [checks.length(self.keys, bounds, optional=self.optional)]
        if word == "contains":
            operand = self.operands.single(raw, loc)
            return [checks.contains(self.keys, operand, optional=self.optional)]
        members = self.operands.members(raw, loc) or []
        return [checks.whole_list(self.keys, members, same=word == "eq", optional=self.optional)]

    def _exists(self, raw: Any, loc: Loc) -> list[Check]:
        if not isinstance(raw, bool):
            self._bad(loc, "must be true or false")
        return [checks.exists(self.keys, raw is True)]

    def _wanted(self, word: str, raw: Any) -> str:
        if self.is_amount or word in ORDERING:
            return "a number"
        if word in PATTERNS:
            return "text"
        if isinstance(raw, Mapping):
            return "a value"
        return operators.kind_wanted(raw)

    def _bad(self, loc: Loc, message: str, *, key: bool = False) -> None:
        self.document.add(loc, message, key=key)
