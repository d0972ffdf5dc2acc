"""Small exact values that every part shares: durations, globs, paths, numbers and money."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal, InvalidOperation

from gate.remembering import remembered

ACTION_NAME = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+")
"""Form of every action name: ``namespace.tool``, ASCII, at least one dot."""

IDENTIFIER = re.compile(r"[A-Za-z0-9_-]+")
"""Form of ids and names in policies."""

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(r"([0-9]{1,9})([smhd])")
_GLOB = re.compile(r"[A-Za-z0-9_.*-]+")
_SEGMENT = re.compile(r"""\.?([A-Za-z0-9_-]+)|\["((?:[^"\\]|\\.)*)"\]""")
_BARE = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
"""A path none of whose keys has to be quoted."""
_CODE = re.compile(r"[A-Z]{3}")
_LONGEST = 200


def is_action_name(name: object) -> bool:
    """Tell whether something has the form of an action name."""
    return isinstance(name, str) and len(name) <= 200 and ACTION_NAME.fullmatch(name) is not None


def parse_duration(text: str) -> timedelta:
    """Read a duration such as ``20s``, ``10m``, ``4h`` or ``7d``.

    Args:
        text: A whole number of at most nine digits and one unit.

    Returns:
        The duration.

    Raises:
        ValueError: The text has another form.
    """
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(f"{quoted(text)} is not a duration: write a number and s, m, h or d, such as 10m")
    return timedelta(seconds=int(found[1]) * _UNITS[found[2]])


def format_duration(duration: timedelta) -> str:
    """Write a duration in the largest unit that divides it; parts of a second are dropped."""
    seconds = int(duration.total_seconds())
    for unit in ("d", "h", "m"):
        if seconds and seconds % _UNITS[unit] == 0:
            return f"{seconds // _UNITS[unit]}{unit}"
    return f"{seconds}s"


def quoted(text: object, limit: int = 80) -> str:
    """Write a value for a message: JSON text, escaped, at most ``limit`` characters of it."""
    shown = text if isinstance(text, str) else str(text)
    return json.dumps(shown if len(shown) <= limit else shown[:limit] + "…", ensure_ascii=False)


def on_one_line(text: str) -> str:
    """Write line breaks as ``⏎``, so that no text of others looks like a line of the gate's own."""
    return text.replace("\n", " ⏎ ")


@dataclass(frozen=True, slots=True)
class Glob:
    """A pattern for whole action names: ``*`` is any run of characters, case is ignored.

    Attributes:
        pattern: The pattern as written.
    """

    pattern: str
    _parts: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.pattern) > 200 or _GLOB.fullmatch(self.pattern) is None:
            raise ValueError(
                f"{quoted(self.pattern)} is not a glob of action names: write letters, digits, _, -, . and *"
            )
        object.__setattr__(self, "_parts", tuple(self.pattern.lower().split("*")))

    @property
    def exact(self) -> bool:
        """Tell whether the pattern names one action."""
        return len(self._parts) == 1

    @property
    def specificity(self) -> tuple[bool, int]:
        """Return what orders globs: exact first, then the number of literal characters."""
        return (self.exact, sum(map(len, self._parts)))

    def matches(self, name: str) -> bool:
        """Tell whether the whole name fits, ignoring case."""
        text, parts = name.lower(), self._parts
        if self.exact:
            return text == parts[0]
        if not (text.startswith(parts[0]) and len(text) >= len(parts[0]) + len(parts[-1])):
            return False
        return text.endswith(parts[-1]) and _in_order(
            parts[1:-1], text[len(parts[0]) : len(text) - len(parts[-1])]
        )

    def overlaps(self, other: Glob) -> bool:
        """Tell whether some text fits both patterns."""
        (head, *_), (start, *_) = self._parts, other._parts
        if not (head.startswith(start) or start.startswith(head)):
            return False
        mine, theirs = _squeezed(self.pattern), _squeezed(other.pattern)
        row = [True] + [False] * len(theirs)
        for column, char in enumerate(theirs):
            row[column + 1] = row[column] and char == "*"
        for char in mine:
            row = _next_row(row, char, theirs)
        return row[-1]


def _in_order(parts: tuple[str, ...], text: str) -> bool:
    position = 0
    for part in parts:
        found = text.find(part, position)
        if found < 0:
            return False
        position = found + len(part)
    return True


def _squeezed(pattern: str) -> str:
    return re.sub(r"\*+", "*", pattern.lower())


def _next_row(row: list[bool], char: str, other: str) -> list[bool]:
    """Extend the table 'these two prefixes can be matched by one text' by one character of the first."""
    after = [row[0] and char == "*"] + [False] * len(other)
    for column, theirs in enumerate(other):
        if char == "*" or theirs == "*":
            after[column + 1] = after[column] or row[column + 1]
            if char == theirs:
                after[column + 1] = after[column + 1] or row[column]
        else:
            after[column + 1] = row[column] and char == theirs
    return after


@remembered
def parse_path(text: str) -> tuple[str, ...]:
    r"""Split a path such as ``args.card.number`` or ``args["a.b"].c`` into its keys.

    Args:
        text: The path; bare segments are ASCII letters, digits, ``_`` and ``-``; any other key is written
            ``["…"]`` as JSON text.

    Returns:
        The keys, root first.

    Raises:
        ValueError: The text has another form.
    """
    if _BARE.fullmatch(text):
        return tuple(text.split("."))
    keys: list[str] = []
    position = 0
    while position < len(text):
        found = _SEGMENT.match(text, position)
        if found is None or (found[1] is not None and text.startswith(".", position) != bool(keys)):
            break
        keys.append(found[1] if found[1] is not None else _quoted_key(found[2], text))
        position = found.end()
    if not keys or position < len(text) or text.startswith("["):
        raise ValueError(
            f'{quoted(text)} is not a path: write args.name, or args["a.b"] for a key with other characters'
        )
    return tuple(keys)


def _quoted_key(inside: str, text: str) -> str:
    try:
        key = str(json.loads(f'"{inside}"'))
        key.encode()  # half a character cannot be written down
        return key
    except ValueError:
        raise ValueError(f'{quoted(text)} is not a path: the key in ["…"] is not JSON text') from None


@remembered
def format_path(keys: tuple[str, ...]) -> str:
    """Write keys as a path that ``parse_path`` reads back."""
    joined = ".".join(keys)
    if joined.count(".") == len(keys) - 1 and _BARE.fullmatch(joined):
        return joined
    text = keys[0]
    for key in keys[1:]:
        text += f".{key}" if IDENTIFIER.fullmatch(key) else f"[{json.dumps(key, ensure_ascii=False)}]"
    return text


def decimal_of(value: object) -> Decimal | None:
    """Read a number exactly: a float is the decimal that its shortest form spells.

    Returns:
        The number, or None for anything that is no finite number; a bool is no number.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, float):
        return Decimal(repr(float(value))) if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    return None


def decimal_of_text(text: str) -> Decimal | None:
    """Read the spelling of a finite decimal number exactly; None for any other text."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def exact_text(number: Decimal) -> str:
    """Write a number in the one way that all equal numbers share, with all of its digits."""
    if not number:
        return "0"
    if abs(number.adjusted()) <= _LONGEST:
        text = f"{number:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    sign, digits, exponent = number.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    short = text.rstrip("0")
    return f"{'-' * sign}{short}e{int(exponent) + len(text) - len(short)}"


def format_number(number: Decimal) -> str:
    """Write a number without exponent and without trailing zeros, thousands separated by commas."""
    if number and abs(number.adjusted()) > 40:
        return str(number)
    text = f"{number:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def currency_code(value: object) -> str | None:
    """Read a currency code, trimmed and ignoring case; None where it is not three ASCII letters."""
    code = value.strip().upper() if isinstance(value, str) and value.isascii() else ""
    return code if _CODE.fullmatch(code) else None


@dataclass(frozen=True, slots=True)
class Money:
    """An exact amount in one currency.

    Attributes:
        amount: The amount in major units.
        currency: Upper-case code of three letters, or None where no currency is known.
    """

    amount: Decimal
    currency: str | None

    def __str__(self) -> str:
        number = format_number(self.amount)
        return f"{number} {self.currency}" if self.currency else number


def limit_for(limits: Mapping[str, Decimal], currency: str | None) -> Decimal | None:
    """Return the limit for a currency: its own entry, else that of ``*``; None where neither is there."""
    own = limits.get(currency) if currency is not None else None
    return limits.get("*") if own is None else own
