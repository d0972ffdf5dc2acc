"""Between which values people approved, changed and denied, by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, get_args

from gate.policy.reading import (
    Sign,
    Subject,
    amount_of,
    currency_of,
    elements,
    is_missing,
    label,
    reader,
    scalar,
)
from gate.values import decimal_of, format_number, format_path, parse_path

Said = Literal["approved", "changed", "denied"]
_SHOWN = 3


@dataclass(slots=True)
class Values:
    """What stood at one path in the calls that got one answer.

    Attributes:
        count: How many values.
        low: The smallest number; None where none is a number.
        high: The largest number.
        texts: How often each text stood there, at most a few thousand different ones.
    """

    count: int = 0
    low: Decimal | None = None
    high: Decimal | None = None
    texts: Counter[str] = field(default_factory=Counter)

    def add(self, value: Decimal | str) -> None:
        """Take one value along."""
        self.count += 1
        if isinstance(value, Decimal):
            self.low = value if self.low is None else min(self.low, value)
            self.high = value if self.high is None else max(self.high, value)
        elif value in self.texts or len(self.texts) < 5000:
            self.texts[value] += 1


@dataclass(frozen=True, slots=True)
class Range:
    """One decisive value of one rule, as people answered it.

    Attributes:
        rule: The rule that answers these calls.
        path: The value's path.
        currency: Currency of an amount; empty for none.
        approved: What was approved as it came.
        changed: What was submitted of calls that people changed before they approved.
        denied: What was denied.
    """

    rule: str
    path: str
    currency: str
    approved: Values
    changed: Values
    denied: Values

    def __str__(self) -> str:
        said = [(word, getattr(self, word)) for word in get_args(Said)]
        shown = [f"{word} {_in_words(values, self.currency)}" for word, values in said if values.count]
        return f"{label(parse_path(self.path))} {', '.join(shown)}"


def _in_words(values: Values, currency: str) -> str:
    if values.low is not None and values.high is not None:
        low, high = (
            f"{each:,.2f}" if currency else format_number(each) for each in (values.low, values.high)
        )
        unit = f" {currency}" if currency else ""
        return f"{low}{unit}" if low == high else f"{low}–{high}{unit}"
    named = [f"{text} ({count})" for text, count in values.texts.most_common(_SHOWN)]
    more = len(values.texts) - _SHOWN
    return ", ".join([*named, *([f"{more} others"] if more > 0 else [])])


_Key = tuple[str, str, str]


class Ranges:
    """Collect what people approved, changed and denied."""

    def __init__(self) -> None:
        self._open: dict[str, list[tuple[_Key, Decimal | str]]] = {}
        self._said: dict[str, Said] = {}

    def held(
        self,
        id_: str,
        subject: Subject,
        rules: Iterable[str],
        decisive: Iterable[str],
        hidden: Sequence[tuple[str, ...]],
    ) -> None:
        """Remember the decisive values of a call that people were asked about.

        Args:
            id_: Id of the call.
            subject: The call, with what is known of its tool.
            rules: The rules that answer it.
            decisive: Paths of its decisive values.
            hidden: Paths whose value is not known.
        """
        values = [each for path in decisive for each in _values(subject, parse_path(path), hidden)]
        self._open[id_] = [
            ((rule, path, currency), value) for rule in rules for path, currency, value in values
        ]

    def answered(self, id_: str, said: Said) -> None:
        """Take along how people answered; a later answer to the same call takes the place of the first."""
        if id_ in self._open:
            self._said[id_] = said

    def found(self) -> tuple[Range, ...]:
        """Return what was collected, by rule and path."""
        found: dict[_Key, dict[Said, Values]] = {}
        for id_, said in self._said.items():
            for key, value in self._open[id_]:
                found.setdefault(key, {word: Values() for word in get_args(Said)})[said].add(value)
        return tuple(
            Range(rule, path, currency, each["approved"], each["changed"], each["denied"])
            for (rule, path, currency), each in sorted(found.items())
        )


def _values(
    subject: Subject, keys: tuple[str, ...], hidden: Sequence[tuple[str, ...]]
) -> Iterable[tuple[str, str, Decimal | str]]:
    """Yield what stands at a decisive path: path, currency and single value."""
    if any(keys[: len(path)] == path or path[: len(keys)] == keys for path in hidden):
        return
    money = keys == subject.known.amount
    value: Any = amount_of(subject) if money else reader(keys)(subject)
    code = currency_of(subject) if money else None
    for each in elements(value):
        plain = scalar(each)
        if not (isinstance(plain, Sign) or is_missing(plain)):
            number = decimal_of(plain)
            currency = code if isinstance(code, str) else ""
            yield format_path(keys), currency, str(plain)[:80] if number is None else number
