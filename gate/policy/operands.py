"""Read the operands of conditions: constants, limits by currency and paths into the call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gate.policy.effects import RISKS
from gate.policy.operators import COMPARISONS, PathOperand
from gate.policy.paths import check_path, did_you_mean
from gate.policy.places import Loc
from gate.policy.reading import operand_reader
from gate.policy.source import Document
from gate.values import decimal_of, quoted

_PRICE = re.compile(
    r"(?P<number>\d+(\.\d+)?) ?(?P<code>[A-Z]{3})|(?P<before>[A-Z]{3}) ?(?P<after>\d+(\.\d+)?)"
)
"""A number with the code of its currency."""


class Operands:
    """Read the operands of one path; add what is wrong to the document, and then give None.

    Args:
        document: Where they stand.
        keys: The path they are compared with.
    """

    def __init__(self, document: Document, keys: tuple[str, ...]) -> None:
        self.document = document
        self.keys = keys
        self.paths: list[PathOperand] = []
        self.ignore_case = keys == ("action",)

    def members(self, raw: Any, loc: Loc) -> list[Any] | None:
        """Read a list of single values."""
        if not isinstance(raw, list) or not raw:
            self._bad(loc, "must be a list of single values, with at least one")
            return None
        members = [self.constant(each, (*loc, index)) for index, each in enumerate(raw)]
        return None if None in members else members

    def single(self, raw: Any, loc: Loc) -> Any:
        """Read a single value or ``{path: …}``."""
        return self.path_operand(raw, loc) if isinstance(raw, Mapping) else self.constant(raw, loc)

    def constant(self, raw: Any, loc: Loc) -> Any:
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
        if self.keys == ("effect", "risk") and raw not in RISKS:
            self._bad(loc, f"{quoted(raw)} is not one of {', '.join(RISKS)}{did_you_mean(str(raw), RISKS)}")
        elif self.keys in (("effect", "reversible"), ("effect", "outbound")) and not isinstance(raw, bool):
            self._bad(loc, "must be true or false")
        elif self.keys == ("effect", "count") and decimal_of(raw) is None:
            self._bad(loc, "must be a number")
        elif self.keys[0] not in ("args", "facts", "effect") and not isinstance(raw, str):
            self._bad(loc, "must be a text: quote it")

    def number(self, raw: Any, loc: Loc) -> Decimal | PathOperand | None:
        """Read a number or ``{path: …}``."""
        number = decimal_of(raw)
        if number is not None:
            return number
        if not isinstance(raw, Mapping):
            self._bad(loc, f"must be a number or {{path: …}}{self._priced(raw)}")
            return None
        if "path" in raw:
            return self.path_operand(raw, loc)
        self._bad(loc, "limits by currency go with effect.amount only: write a number or {path: …}")
        return None

    def _priced(self, raw: Any) -> str:
        """Say how a number with its currency, such as ``250 EUR``, is written."""
        found = _PRICE.fullmatch(raw) if isinstance(raw, str) else None
        if found is None:
            return ""
        number, code = found["number"] or found["after"], found["code"] or found["before"]
        return f": write {{{code}: {number}}}" if self.keys == ("effect", "amount") else f": write {number}"

    def money(self, raw: Any, loc: Loc) -> Mapping[str, Decimal] | PathOperand | None:
        """Read limits by currency; one bare number holds for every currency."""
        if isinstance(raw, Mapping) and "path" in raw:
            return self.path_operand(raw, loc)
        if not isinstance(raw, Mapping):
            number = self.number(raw, loc)
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

    def path_operand(self, raw: Mapping[str, Any], loc: Loc) -> PathOperand | None:
        """Read ``{path: …}``."""
        path = raw.get("path")
        if set(raw) != {"path"} or not isinstance(path, str):
            self._bad(loc, "must be a single value or {path: …}, such as {path: args.limit}")
            return None
        try:
            keys = check_path(path)
        except ValueError as error:
            self._bad((*loc, "path"), str(error))
            return None
        self.paths.append(PathOperand(keys, operand_reader(keys)))
        return self.paths[-1]

    def bounds(self, raw: Any, loc: Loc) -> list[tuple[str, Any]]:
        """Read what a length is compared with: a number, a path, or comparisons."""
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
            return self.path_operand(raw, loc)
        if isinstance(raw, bool) or not isinstance(raw, int) or raw < 0:
            self._bad(loc, "must be a whole number of zero or more")
        return raw

    def _bad(self, loc: Loc, message: str, *, key: bool = False) -> None:
        self.document.add(loc, message, key=key)
