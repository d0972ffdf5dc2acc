"""What the calls of a burst add up to: how many of which, sums per currency, how many recipients."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gate.folding import fold
from gate.model import BurstHold
from gate.policy.currencies import from_minor
from gate.recorded import read_back
from gate.values import currency_code, decimal_of, parse_path

RECIPIENT = frozenset(
    {
        "to", "cc", "bcc", "recipient", "recipients", "email", "emails", "address", "addresses", "payee",
        "payees", "beneficiary", "iban", "destination", "customer", "customers", "phone", "user", "users",
    }
)  # fmt: skip
"""Last words of parameters that name whom a call reaches."""

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True, slots=True)
class Totals:
    """What some calls add up to.

    Attributes:
        names: How many calls of each action, the most first.
        sums: Money by currency code; an empty code is money in no currency that could be read.
        unread: How many calls declare an amount that could not be read.
        recipients: How many different recipients their arguments name.
        hidden: Whether a recipient is hidden from people, so that there may be more.
    """

    names: tuple[tuple[str, int], ...]
    sums: Mapping[str, Decimal]
    unread: int
    recipients: int
    hidden: bool


def totals(holds: Sequence[BurstHold]) -> Totals:
    """Add up the calls of a burst."""
    sums: dict[str, Decimal] = {}
    unread = 0
    for hold in holds:
        if hold.effect.amount is None:
            continue
        found = _money(hold)
        if found is None:
            unread += 1
        else:
            sums[found[1]] = sums.get(found[1], Decimal(0)) + found[0]
    seen = {each for hold in holds for each in _recipients(hold)}
    names = Counter(hold.name for hold in holds).most_common()
    return Totals(tuple(names), dict(sorted(sums.items())), unread, len(seen - {""}), "" in seen)


def _money(hold: BurstHold) -> tuple[Decimal, str] | None:
    """Return amount and currency of a call; None where the amount cannot be read."""
    effect = hold.effect
    if effect.amount is None or effect.amount in hold.hidden:
        return None
    amount = decimal_of(_at(hold, effect.amount))
    code = _currency(hold)
    if amount is None or effect.unit == "major":
        return None if amount is None else (amount, code)
    whole = from_minor(amount, code)
    return None if whole is None else (whole, code)


def _currency(hold: BurstHold) -> str:
    given = hold.effect.currency
    if given is None:
        return ""
    return currency_code(_at(hold, given) if given.startswith("args") else given) or ""


def _at(hold: BurstHold, path: str) -> Any:
    """Return the value at a path into the arguments; None where there is none."""
    value: Any = hold.arguments
    for key in parse_path(path)[1:]:
        value = read_back(value.get(key)) if isinstance(value, Mapping) else None
    return value


def _recipients(hold: BurstHold) -> Iterator[str]:
    """Yield whom a call reaches, folded; an empty text for what is hidden."""
    for name, value in hold.arguments.items():
        words = _PARTS.findall(name)
        if not words or words[-1].lower() not in RECIPIENT:
            continue
        if any(path == f"args.{name}" or path.startswith(f"args.{name}[") for path in hold.hidden):
            yield ""
            continue
        listed = value if isinstance(value, list) else [value]
        yield from (fold(each) for each in listed if isinstance(each, str) and each.strip())
