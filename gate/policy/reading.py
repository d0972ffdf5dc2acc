"""Read the value at a path of the call that is judged; nothing here decides."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from gate.budget import readable, total
from gate.model import Action
from gate.policy.currencies import from_minor
from gate.policy.effects import Known, has_amount_like
from gate.secret_names import is_secret_name
from gate.shapes import model_parts
from gate.values import currency_code, decimal_of, format_path, parse_path


class Sign(Enum):
    """What may stand at a path instead of a value."""

    NO_SUCH = "the tool has no such argument"
    MISSING = "was not given"
    UNREADABLE = "cannot be read"
    UNDECLARED = "reads like an amount that nobody declared"


NO_SUCH: Final = Sign.NO_SUCH
MISSING: Final = Sign.MISSING
UNREADABLE: Final = Sign.UNREADABLE
UNDECLARED: Final = Sign.UNDECLARED


PLAIN = frozenset({str, int, float, bool, Decimal})
"""What is compared as it is; a call may hold thousands of them."""


WHOLE = PLAIN | {bytes, dict}
"""What is there, no list, and compared as it is."""


class Spread(tuple[Any, ...]):
    """The values of one path that leads through a list, one for each element."""

    __slots__ = ()


_LISTS = frozenset({list, tuple, Spread})


@dataclass(slots=True)
class Subject:
    """The call that is judged, with everything that is known of its tool.

    Attributes:
        action: The call.
        known: Effects, parameters and redaction of its tool.
    """

    action: Action
    known: Known

    def lacks(self, parameter: str) -> bool:
        """Tell whether the tool surely has no parameter of this name."""
        takes = self.action.parameters
        if takes is not None:
            return not takes.open and parameter not in takes.names
        return self.known.params is not None and parameter not in self.known.params

    def untold(self, keys: tuple[str, ...]) -> bool:
        """Tell whether an argument is not given and nobody says whether the tool takes it."""
        nobody_says = self.action.parameters is None and self.known.params is None
        return nobody_says and keys[0] == "args" and keys[1] not in self.action.arguments

    def may_show(self, keys: tuple[str, ...]) -> bool:
        """Tell whether a value at a path may stand in a reason."""
        hidden = (parse_path(path) for path in self.known.redact)
        return not any(map(is_secret_name, keys)) and not any(keys[: len(each)] == each for each in hidden)


Reader = Callable[[Subject], Any]


@lru_cache(maxsize=4096)
def reader(keys: tuple[str, ...]) -> Reader:
    """Return a function that reads one path of a call.

    Args:
        keys: The path's keys, root first; see ``gate.policy.paths`` for what may stand.

    Returns:
        A function that gives the value, a ``Spread`` of values, or a ``Sign``.
    """
    if keys[0] == "args":
        return _argument_reader(keys[1:])
    return _fact_reader(keys[1:]) if keys[0] == "facts" else _OTHERS[keys]


def operand_reader(keys: tuple[str, ...]) -> Reader:
    """Return a function that reads one path as an operand, where a negative amount cannot be read.

    Args:
        keys: The path's keys, root first.
    """
    read = reader(keys)
    if keys != ("effect", "amount"):
        return read

    def amount(subject: Subject) -> Any:
        value = read(subject)
        number = decimal_of(scalar(value))
        return UNREADABLE if number is not None and number < 0 else value

    return amount


def _argument_reader(keys: tuple[str, ...]) -> Reader:
    first, rest = keys[0], keys[1:]

    def read(subject: Subject) -> Any:
        value = subject.action.arguments.get(first, MISSING)
        if value is MISSING:
            return NO_SUCH if subject.lacks(first) else MISSING
        for key in rest:
            value = _step(value, key)
        return value

    return read


def _fact_reader(keys: tuple[str, ...]) -> Reader:
    def read(subject: Subject) -> Any:
        if subject.action.facts_lost:
            return UNREADABLE
        value: Any = subject.action.facts
        for key in keys:
            value = _step(value, key)
        return value

    return read


def _step(value: Any, key: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(key, MISSING)
    if value is None or isinstance(value, Sign):
        return MISSING if value is None else value
    parts = model_parts(value)
    if parts is not None:
        return {**parts["fields"], **parts.get("extra", {})}.get(key, MISSING)
    if isinstance(value, (list, tuple)):
        return Spread(_step(each, key) for each in value) if value else MISSING
    return UNREADABLE


def elements(value: Any) -> Iterator[Any]:
    """Yield the single values of a value that may be a list, lists within lists included."""
    if type(value) in _LISTS or (isinstance(value, (list, tuple)) and model_parts(value) is None):
        for each in value:
            if not isinstance(each, (list, tuple)):
                yield each
            elif each:
                yield from elements(each)
            else:
                yield MISSING
    else:
        yield value


def flat(value: Any) -> list[Any] | None:
    """Return the single values of a list that holds no other lists and nothing that is missing; else None."""
    return list(value) if type(value) in _LISTS and value and set(map(type, value)) <= WHOLE else None


def is_missing(value: Any) -> bool:
    """Tell whether there is nothing at a path: not given, null or an empty list."""
    return value is None or value is MISSING or (isinstance(value, (list, tuple)) and not value)


def scalar(value: Any) -> Any:
    """Return what a value is compared as: members of an enum by value, dates and UUIDs by their text."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, Enum) and not isinstance(value, Sign):
        return value.value
    if isinstance(value, (date, UUID)):
        return value.isoformat() if isinstance(value, date) else str(value)
    return value


def kind_of(value: Any) -> str:
    """Say in words what a value is."""
    known = _KINDS.get(type(value))
    if known is not None:
        return known
    if value is UNREADABLE:
        return "unreadable"
    if is_missing(value):
        return "missing"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float, Decimal)):
        finite = math.isfinite(value) if isinstance(value, float) else decimal_of(value) is not None
        return "a number" if finite else "no finite number"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, (list, tuple)) else "an object"


_KINDS: dict[type, str] = {
    str: "text", int: "a number", bool: "true or false", bytes: "an object", dict: "an object"
}  # fmt: skip
"""What values of one type are called, whatever they are."""


@lru_cache(maxsize=4096)
def label(keys: tuple[str, ...]) -> str:
    """Write a path as people read it: arguments by their name alone."""
    return format_path(keys[1:]) if keys[0] == "args" and len(keys) > 1 else format_path(keys)


def amount_of(subject: Subject) -> Any:
    """Return the declared amount of a call: a number, a ``Spread`` or list of them, or a ``Sign``.

    A tool that declares none has no such effect, unless it is a write with an argument that reads like
    an amount: then nobody knows what it moves.
    """
    known = subject.known
    if known.amount_unclear:
        return UNREADABLE
    if known.amount is None:
        silent = known.moves_none or known.effect.risk == "read"
        return NO_SUCH if silent or not has_amount_like(subject.action.arguments) else UNDECLARED
    value = (
        reader(known.amount)(subject) if known.amount[0] == "args" and len(known.amount) > 1 else UNREADABLE
    )
    if known.minor and not isinstance(value, Sign):
        value = _majors(value, currency_of(subject))
    return MISSING if value is NO_SUCH else value


def _majors(value: Any, currency: Any) -> Any:
    """Return what is given in cents in whole units; where nobody can tell how many, it cannot be read."""
    if is_missing(value):
        return value
    if isinstance(value, (list, tuple)) and model_parts(value) is None:
        return Spread(_majors(each, currency) for each in value)
    number = decimal_of(scalar(value))
    if number is None:
        return value
    found = from_minor(number, currency) if isinstance(currency, str) else None
    return UNREADABLE if found is None else found


def count_of(subject: Subject) -> Any:
    """Return how many things a call touches, a whole number: one where nobody declares it, or a ``Sign``."""
    known = subject.known
    if known.count_unclear:
        return UNREADABLE
    if known.count is None:
        return 1
    value = reader(known.count)(subject)
    if value is NO_SUCH or is_missing(value):
        return MISSING
    number = counted(value)
    return UNREADABLE if isinstance(number, Decimal) and number != number.to_integral_value() else number


def counted(value: Any) -> Any:
    """Return the number at a path, or how many elements a list has, those of lists in it included."""
    if isinstance(value, Spread):
        parts = [MISSING if is_missing(each) else counted(each) for each in value]
        wrong = next((each for each in parts if isinstance(each, Sign)), None)
        return total(each for each in parts if isinstance(each, Decimal)) if wrong is None else wrong
    if isinstance(value, (list, tuple)) and model_parts(value) is None:
        return Decimal(sum(1 for _ in elements(value)))
    number = decimal_of(scalar(value))
    return UNREADABLE if number is None or number < 0 or not readable(number) else number


def currency_of(subject: Subject) -> Any:
    """Return the declared currency of a call as a code, None where none is declared, or a ``Sign``."""
    known = subject.known
    if known.currency is None:
        return known.currency_code
    if known.currency[0] != "args" or len(known.currency) < 2:
        return UNREADABLE
    value = reader(known.currency)(subject)
    if isinstance(value, str):
        return currency_code(value) or UNREADABLE
    if is_missing(value) or value is NO_SUCH:
        return MISSING
    codes = {currency_code(scalar(each)) for each in elements(value)}
    return codes.pop() or UNREADABLE if len(codes) == 1 else UNREADABLE


def _currency_or_no_such(subject: Subject) -> Any:
    code = currency_of(subject)
    if code is None:
        return UNDECLARED if amount_of(subject) is UNDECLARED else NO_SUCH
    return code


def _on_behalf_of(subject: Subject) -> Any:
    principal = subject.action.on_behalf_of
    return MISSING if principal is None else str(principal)


_OTHERS: dict[tuple[str, ...], Reader] = {
    ("action",): lambda subject: subject.action.name.lower(),
    ("agent",): lambda subject: subject.action.agent,
    ("session", "id"): lambda subject: subject.action.session,
    ("on_behalf_of",): _on_behalf_of,
    ("effect", "risk"): lambda subject: subject.known.effect.risk,
    ("effect", "reversible"): lambda subject: subject.known.effect.reversible,
    ("effect", "outbound"): lambda subject: subject.known.effect.outbound,
    ("effect", "amount"): amount_of,
    ("effect", "currency"): _currency_or_no_such,
    ("effect", "count"): count_of,
}

KNOWN_PATHS = frozenset(_OTHERS)
"""Every path outside ``args`` and ``facts`` that can be read."""
