"""Add up what calls use of a budget, and tell when the next one is over it: exact, whatever their order.

Amounts are kept by unit: a currency code, or ``""`` for calls, plain numbers and money in no declared
currency. The unit ``?`` counts amounts that could not be read; each of them weighs as the whole limit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from typing import Literal, Protocol

from gate.model import Ruling
from gate.values import limit_for

NO_UNIT = ""
UNREADABLE = "?"

ZERO = Decimal(0)
ONE = Decimal(1)
_EXACT = Context(prec=400, traps=[Inexact])
_LARGEST, _FINEST = 30, -30
_OVER = Fraction(2)

Amounts = Mapping[str, Decimal]


@dataclass(frozen=True, slots=True)
class Use:
    """What one call would add to one budget.

    Attributes:
        digest: Of what the budget counts; charges are kept under it.
        terms: Of that and its limit, window, answer and approvers; what people let pass is bound to it.
        bucket: Whose budget, folded; begins with ``?`` where it is missing, ``#`` where it is a mark.
        secret: Whether the bucket may only be kept as a fingerprint.
        per: Whose, in words; empty for everything.
        kind: What is added up.
        adds: What the call would add; never empty and never negative.
        limits: The most, by unit; ``*`` is every other unit.
        window: For how long a charge counts.
        ruling: What the budget says where it is over; its reason is empty where the numbers are to say it.
        unsure: Why it is over whatever the numbers are: what could not be read, and how to be decided.
        headroom: How many more calls its approvers may let pass; 0 for none.
        reads: Argument paths it read.
        hidden: Whether its numbers may not be shown.
        also: The bucket's other name, under which the same is counted while policies hide it, or do not;
            never stored. Empty where it has none.
    """

    digest: str
    terms: str
    bucket: str
    secret: bool
    per: str
    kind: Literal["calls", "money", "sum"]
    adds: Amounts
    limits: Amounts
    window: timedelta
    ruling: Ruling
    unsure: tuple[str, ...] = ()
    headroom: int = 0
    reads: tuple[str, ...] = ()
    hidden: bool = False
    also: str = ""

    @property
    def window_us(self) -> int:
        """Return the window in microseconds."""
        return self.window // timedelta(microseconds=1)


def readable(number: Decimal) -> bool:
    """Tell whether a number can be added up exactly: at most 10^30, at most 30 decimals."""
    exponent = number.as_tuple().exponent
    return isinstance(exponent, int) and exponent >= _FINEST and number.adjusted() <= _LARGEST


def plus(one: Decimal, two: Decimal) -> Decimal:
    """Return the exact sum of two numbers."""
    return _EXACT.add(one, two)


def minus(one: Decimal, two: Decimal) -> Decimal:
    """Return the exact difference of two numbers."""
    return _EXACT.subtract(one, two)


def total(numbers: Iterable[Decimal]) -> Decimal:
    """Return the exact sum of any numbers."""
    found = ZERO
    for each in numbers:
        found = plus(found, each)
    return found


def together(parts: Iterable[Amounts]) -> dict[str, Decimal]:
    """Return amounts added up unit by unit; units with nothing are left out."""
    found: dict[str, Decimal] = {}
    for part in parts:
        for unit, amount in part.items():
            found[unit] = plus(found.get(unit, ZERO), amount)
    return {unit: amount for unit, amount in found.items() if amount}


def is_over(charged: Amounts, adds: Amounts, limits: Amounts) -> bool:
    """Tell whether a call brings a budget strictly above its limit.

    Args:
        charged: What has run within the window.
        adds: What the call would add; a call that adds nothing is never over.
        limits: The most, by unit; shares of different units add up.
    """
    if not any(adds.values()):
        return False
    units = {*charged, *adds}
    if len(units) == 1 and UNREADABLE not in units:
        unit = units.pop()
        limit = limit_for(limits, unit or None)
        return limit is None or plus(charged.get(unit, ZERO), adds.get(unit, ZERO)) > limit
    return share(charged, limits) + share(adds, limits) > 1


def share(amounts: Amounts, limits: Amounts) -> Fraction:
    """Return which part of a budget some amounts are; an amount without a limit is all of it."""
    return sum((_share(unit, amount, limits) for unit, amount in amounts.items()), Fraction(0))


def _share(unit: str, amount: Decimal, limits: Amounts) -> Fraction:
    if unit == UNREADABLE:
        return Fraction(amount)
    limit = limit_for(limits, unit or None)
    if not amount or limit is None:
        return Fraction(1 if amount else 0)
    return Fraction(amount) / Fraction(limit) if limit else _OVER


class Books(Protocol):
    """Know what has been charged, and what people let pass."""

    def charged(self, use: Use) -> Amounts:
        """Return what has run within the use's window."""
        ...

    def let_pass(self, use: Use) -> bool:
        """Tell whether people have let this budget's next calls pass."""
        ...


@dataclass(frozen=True, slots=True)
class Judged:
    """How one use stands.

    Attributes:
        use: The use.
        charged: What has run within its window.
        over: Whether the budget holds or blocks the call.
        passes: Whether it would, but people let it pass.
    """

    use: Use
    charged: Amounts
    over: bool
    passes: bool = False


def judge(uses: Sequence[Use], books: Books) -> tuple[Judged, ...]:
    """Judge every use of one call.

    Args:
        uses: What the call would add.
        books: What has been charged.
    """
    return tuple(_judge(use, books) for use in uses)


def _judge(use: Use, books: Books) -> Judged:
    charged = books.charged(use)
    if use.unsure:
        return Judged(use, charged, True)
    if not is_over(charged, use.adds, use.limits):
        return Judged(use, charged, False)
    passes = use.headroom > 0 and books.let_pass(use)
    return Judged(use, charged, not passes, passes)


@dataclass(slots=True)
class _Series:
    """Running totals of one unit of one bucket."""

    at: list[int] = field(default_factory=list)
    totals: list[Decimal] = field(default_factory=list)

    def add(self, at: int, amount: Decimal) -> None:
        self.totals.append(plus(self.totals[-1] if self.totals else ZERO, amount))
        self.at.append(max(at, self.at[-1] if self.at else at))

    def since(self, cutoff: int) -> Decimal:
        """Return what was added after a time."""
        first = bisect_right(self.at, cutoff)
        if first == len(self.at):
            return ZERO
        return minus(self.totals[-1], self.totals[first - 1] if first else ZERO)


class MemoryLedger:
    """Keep charges in memory: for ``gate check``, test tables, and replays of the log.

    Attributes:
        now: Time of the call that is judged, in microseconds; set it before each.
    """

    def __init__(self) -> None:
        self.now = 0
        self._series: dict[tuple[str, str], dict[str, _Series]] = {}

    def charged(self, use: Use) -> Amounts:
        """Return what has run within the use's window."""
        units = self._series.get((use.digest, use.bucket))
        if not units:
            return {}
        cutoff = self.now - use.window_us
        return {unit: found for unit, series in units.items() if (found := series.since(cutoff))}

    def let_pass(self, use: Use) -> bool:
        """Return False: nobody lets anything pass in memory."""
        return False

    def charge(self, uses: Iterable[Use]) -> None:
        """Charge a call that runs now; budgets that count the same are charged once."""
        for use in {(use.digest, use.bucket): use for use in uses}.values():
            units = self._series.setdefault((use.digest, use.bucket), {})
            for unit, amount in use.adds.items():
                units.setdefault(unit, _Series()).add(self.now, amount)
