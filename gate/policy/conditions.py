"""Turn a written ``when`` into one function from a call to true, false or unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gate.policy import checks, operators
from gate.policy.checks import Check
from gate.policy.operators import COMPARISONS, PathOperand, Test
from gate.policy.paths import check_path, did_you_mean
from gate.policy.reading import NO_SUCH, Reader, Subject, reader
from gate.policy.source import Document, Loc
from gate.policy.truth import Truth, all_of, conjunction, disjunction, negate
from gate.values import decimal_of, quoted

Condition = Callable[[Subject], Truth]

ORDERING = ("gt", "gte", "lt", "lte")
PATTERNS = ("glob", "not_glob", "regex", "not_regex")
OPERATORS = ("eq", "ne", *ORDERING, "in", "not_in", *PATTERNS, "contains", "exists", "length")
_GROUPS = ("all", "any", "not")
_RISKS = ("read", "write", "destructive")
_AMOUNT = ("effect", "amount")


@dataclass(frozen=True, slots=True)
class Compiled:
    """A condition that is ready to be asked.

    Attributes:
        holds: The condition itself.
        reads: Paths it reads, operands included, in order.
    """

    holds: Condition
    reads: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class _Leaf:
    """What must hold at one path."""

    keys: tuple[str, ...]
    checks: tuple[Check, ...]
    operands: tuple[PathOperand, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    """Parts joined by ``all`` or ``any``, or one part under ``not``."""

    word: str
    parts: tuple[_Leaf | _Group, ...]


_Node = _Leaf | _Group


def compile_condition(raw: Any, document: Document, loc: Loc) -> Compiled | None:
    """Compile a ``when``.

    Args:
        raw: The written value.
        document: Where it stands; everything wrong is added to its problems.
        loc: Way to it.

    Returns:
        The condition, or None where something is wrong with it.
    """
    before = len(document.problems)
    node = _Parser(document).mapping(raw, loc)
    if len(document.problems) > before or node is None:
        return None
    return Compiled(_build(node, negated=False), tuple(dict.fromkeys(_reads(node))))


def _build(node: _Node, *, negated: bool) -> Condition:
    """Build the function of a node; negation is taken down to the paths first."""
    if isinstance(node, _Leaf):
        return _build_leaf(node, negated=negated)
    if node.word == "not":
        return _build(node.parts[0], negated=not negated)
    parts = tuple(_build(part, negated=negated) for part in node.parts)
    return conjunction(parts) if (node.word == "all") is not negated else disjunction(parts)


def _build_leaf(leaf: _Leaf, *, negated: bool) -> Condition:
    read, tests = reader(leaf.keys), leaf.checks
    operands = tuple(operand.read for operand in leaf.operands)

    def holds(subject: Subject) -> Truth:
        value = read(subject)
        if value is NO_SUCH or (operands and _some_no_such(operands, subject)):
            return False
        answer = (
            tests[0](value, subject) if len(tests) == 1 else all_of(test(value, subject) for test in tests)
        )
        return negate(answer) if negated else answer

    return holds


def _some_no_such(operands: tuple[Reader, ...], subject: Subject) -> bool:
    return any(read(subject) is NO_SUCH for read in operands)


def _reads(node: _Node) -> list[tuple[str, ...]]:
    if isinstance(node, _Leaf):
        return [node.keys, *(operand.keys for operand in node.operands)]
    return [keys for part in node.parts for keys in _reads(part)]


class _Parser:
    """Read one condition and add what is wrong to the document."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def mapping(self, raw: Any, loc: Loc) -> _Node | None:
        """Read a mapping: all of its entries must hold."""
        if not isinstance(raw, Mapping) or not raw:
            self.document.add(loc, "must be a mapping of paths to conditions, with at least one")
            return None
        parts = [self._entry(str(key), value, (*loc, str(key))) for key, value in raw.items()]
        good = tuple(part for part in parts if part is not None)
        return _Group("all", good) if len(good) == len(parts) else None

    def _entry(self, key: str, raw: Any, loc: Loc) -> _Node | None:
        if key in ("all", "any"):
            return self._group(key, raw, loc)
        if key == "not":
            inner = self.mapping(raw, loc)
            return None if inner is None else _Group("not", (inner,))
        keys = self._path(key, loc)
        return _LeafParser(self.document, keys).leaf(raw, loc) if keys else None

    def _group(self, word: str, raw: Any, loc: Loc) -> _Node | None:
        if not isinstance(raw, list) or not raw:
            self.document.add(loc, f"must be a list of conditions, with at least one: {word}: [{{…}}, {{…}}]")
            return None
        parts = [self.mapping(each, (*loc, index)) for index, each in enumerate(raw)]
        good = tuple(part for part in parts if part is not None)
        return _Group(word, good) if len(good) == len(parts) else None

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
        self.operands: list[PathOperand] = []
        self.optional = False
        self.ignore_case = keys == ("action",)

    def leaf(self, raw: Any, loc: Loc) -> _Leaf | None:
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
        return _Leaf(self.keys, parts, tuple(self.operands))

    def _optional(self, written: Mapping[str, Any], loc: Loc) -> None:
        if not isinstance(written.get("optional", True), bool):
            self._bad((*loc, "optional"), "must be true or false")
        self.optional = written.get("optional") is True
        if not set(written) - {"optional"}:
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
            if word in ("exists", "contains", "length") or (
                word in ("eq", "ne") and isinstance(operand, list)
            ):
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
        return True

    def _test(self, word: str, raw: Any, loc: Loc) -> Test | None:
        if self.keys == _AMOUNT and word in COMPARISONS:
            limit = self._money(raw, loc)
            return None if limit is None else operators.money(word, limit)
        if word in PATTERNS:
            return self._pattern(word, raw, loc)
        if word in ("in", "not_in"):
            return self._in(word, raw, loc)
        operand = self._number(raw, loc) if word in ORDERING else self._single(raw, loc)
        if operand is None:
            return None
        if word in ORDERING:
            return operators.compares(word, operand)
        test = operators.equals(operand)
        return test if word == "eq" else operators.opposite(test)

    def _pattern(self, word: str, raw: Any, loc: Loc) -> Test | None:
        if not isinstance(raw, str) or not raw:
            self._bad(loc, "must be a text that is not empty")
            return None
        make = operators.matches_glob if word.endswith("glob") else operators.matches_regex
        try:
            test = make(raw, ignore_case=self.ignore_case)
        except ValueError as error:
            self._bad(loc, f"{quoted(raw)} {error}")
            return None
        return operators.opposite(test) if word.startswith("not_") else test

    def _in(self, word: str, raw: Any, loc: Loc) -> Test | None:
        operand: Any = self._path_operand(raw, loc) if isinstance(raw, Mapping) else self._list(raw, loc)
        if operand is None:
            return None
        test = operators.is_in(operand)
        return test if word == "in" else operators.opposite(test)

    def _list(self, raw: Any, loc: Loc) -> list[Any] | None:
        if not isinstance(raw, list) or not raw:
            self._bad(loc, "must be a list of single values, with at least one")
            return None
        members = [self._constant(each, (*loc, index)) for index, each in enumerate(raw)]
        return None if None in members else members

    def _single(self, raw: Any, loc: Loc) -> Any:
        if isinstance(raw, Mapping):
            return self._path_operand(raw, loc)
        return self._constant(raw, loc)

    def _constant(self, raw: Any, loc: Loc) -> Any:
        """Read one text, number or bool; exact, and fit for the path."""
        if raw is None or isinstance(raw, (Mapping, list)):
            self._bad(loc, "must be a text, a number, true or false")
            return None
        if not isinstance(raw, (str, bool)) and decimal_of(raw) is None:
            self._bad(loc, "must be a finite number")
            return None
        self._fits(raw, loc)
        if isinstance(raw, str):
            return raw.lower() if self.ignore_case else raw
        return raw if isinstance(raw, bool) else decimal_of(raw)

    def _fits(self, raw: Any, loc: Loc) -> None:
        """Refuse constants that the path can never hold, such as a misspelt risk."""
        if self.keys == ("effect", "risk") and raw not in _RISKS:
            self._bad(loc, f"{quoted(raw)} is not one of {', '.join(_RISKS)}{did_you_mean(str(raw), _RISKS)}")
        elif self.keys in (("effect", "reversible"), ("effect", "outbound")) and not isinstance(raw, bool):
            self._bad(loc, "must be true or false")
        elif self.keys[0] != "args" and self.keys[0] != "effect" and not isinstance(raw, str):
            self._bad(loc, "must be a text: quote it")

    def _number(self, raw: Any, loc: Loc) -> Decimal | PathOperand | None:
        if isinstance(raw, Mapping) and "path" in raw:
            return self._path_operand(raw, loc)
        if isinstance(raw, Mapping):
            self._bad(loc, "limits by currency go with effect.amount only: write a number or {path: …}")
            return None
        number = decimal_of(raw)
        if number is None:
            self._bad(loc, "must be a number or {path: …}")
        return number

    def _money(self, raw: Any, loc: Loc) -> Mapping[str, Decimal] | PathOperand | None:
        """Read limits by currency; one bare number holds for every currency."""
        if isinstance(raw, Mapping) and "path" in raw:
            return self._path_operand(raw, loc)
        if not isinstance(raw, Mapping):
            number = self._number(raw, loc)
            return {"*": number} if isinstance(number, Decimal) else number
        if not raw:
            self._bad(loc, "must name at least one currency")
        return {
            str(code): limit
            for code, each in raw.items()
            if (limit := self._limit(str(code), each, (*loc, str(code)))) is not None
        }

    def _limit(self, code: str, raw: Any, loc: Loc) -> Decimal | None:
        if code != "*" and not (len(code) == 3 and code.isascii() and code.isalpha() and code.isupper()):
            self._bad(
                loc,
                f'{quoted(code)} is no currency: write three capital letters, such as EUR, or "*"',
                key=True,
            )
        number = decimal_of(raw)
        if number is None:
            self._bad(loc, "must be a number")
        return number

    def _path_operand(self, raw: Mapping[str, Any], loc: Loc) -> PathOperand | None:
        path = raw.get("path")
        if set(raw) != {"path"} or not isinstance(path, str):
            self._bad(loc, "must be a single value or {path: …}, such as {path: args.limit}")
            return None
        try:
            keys = check_path(path)
        except ValueError as error:
            self._bad((*loc, "path"), str(error))
            return None
        self.operands.append(PathOperand(keys, reader(keys)))
        return self.operands[-1]

    def _whole(self, word: str, raw: Any, loc: Loc) -> list[Check]:
        if word == "exists":
            return self._exists(raw, loc)
        if word == "length":
            bounds = self._bounds(raw, loc)
            return [checks.length(self.keys, bounds, optional=self.optional)]
        if word == "contains":
            operand = self._single(raw, loc)
            return [checks.contains(self.keys, operand, optional=self.optional)]
        members = self._list(raw, loc) or []
        check = checks.whole_list(self.keys, members, optional=self.optional)
        return [check if word == "eq" else checks.opposite(check)]

    def _exists(self, raw: Any, loc: Loc) -> list[Check]:
        if not isinstance(raw, bool):
            self._bad(loc, "must be true or false")
        return [checks.exists(raw is True)]

    def _bounds(self, raw: Any, loc: Loc) -> list[tuple[str, Any]]:
        if not isinstance(raw, Mapping) or "path" in raw:
            return [("eq", self._length(raw, loc))]
        for word in raw:
            if word not in COMPARISONS:
                self._bad((*loc, str(word)), f"is not one of {', '.join(COMPARISONS)}", key=True)
        if not raw:
            self._bad(loc, "must name at least one comparison, such as {lte: 10}")
        return [(str(word), self._length(each, (*loc, str(word)))) for word, each in raw.items()]

    def _length(self, raw: Any, loc: Loc) -> Any:
        if isinstance(raw, Mapping):
            return self._path_operand(raw, loc)
        if isinstance(raw, bool) or not isinstance(raw, int) or raw < 0:
            self._bad(loc, "must be a whole number of zero or more")
        return raw

    def _wanted(self, word: str, raw: Any) -> str:
        if self.keys == _AMOUNT or word in ORDERING:
            return "a number"
        if word in PATTERNS:
            return "text"
        if isinstance(raw, Mapping):
            return "a value"
        return operators.kind_wanted(raw)

    def _bad(self, loc: Loc, message: str, *, key: bool = False) -> None:
        self.document.add(loc, message, key=key)
