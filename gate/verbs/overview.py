"""Read what people have answered and how far budgets are used; nothing here writes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

from gate.budget import share, together
from gate.model import BudgetState, Person
from gate.model.overview import Answered, Spent
from gate.policy.budgets import Budget, per_words
from gate.store import rows
from gate.store.port import Reader, Row
from gate.verbs import ledger, look

MOST = 50
"""How many of those whom one budget is counted for are looked at, the latest used first."""

_ANSWERS = (
    "SELECT d.*, d.at AS said_at FROM decisions d WHERE d.team = ? AND d.user = ? ORDER BY d.at DESC LIMIT ?"
)
_SERIES = (
    "SELECT s.bucket, max((SELECT max(c.at) FROM charges c WHERE c.series = s.id)) AS last "
    "FROM budgets b JOIN series s ON s.budget = b.id WHERE b.digest = ? AND b.active = 1 "
    "GROUP BY s.bucket HAVING last > ? ORDER BY last DESC LIMIT ?"
)
_HIDDEN = (
    "SELECT l.hidden FROM budgets b JOIN series s ON s.budget = b.id JOIN charges c ON c.series = s.id "
    "JOIN ledger l ON l.n = c.n WHERE b.digest = ? AND b.active = 1 AND s.bucket = ? "
    "ORDER BY c.at DESC, c.n DESC LIMIT 1"
)
_MARKS = (
    "SELECT (SELECT max(id) FROM notices) AS notice, (SELECT count(*) FROM freezes) AS freezes, "
    "(SELECT max(at) FROM freezes) AS frozen, (SELECT count(*) FROM policy) AS policy, "
    "(SELECT count(*) FROM actions WHERE state IN ('pending', 'approved')) AS open, "
    "(SELECT max(n) FROM ledger) AS charge"
)


def marks(reader: Reader) -> tuple[tuple[int, ...], int]:
    """Return numbers that change when a hold, a freeze or the policy does, and one for charges."""
    row = reader.one(_MARKS) or {}
    keys = ("notice", "freezes", "frozen", "policy", "open")
    return tuple(row[key] or 0 for key in keys), row["charge"] or 0


def answers(reader: Reader, person: Person, limit: int) -> list[Answered]:
    """Return somebody's newest answers, newest first, each with its call as it stands now."""
    found = reader.all(_ANSWERS, (person.team, person.user, limit))
    return [Answered(look.past(reader, row["action"]), rows.decision(row)) for row in found]


def spent(reader: Reader, budgets: Sequence[Budget], us: int) -> list[Spent]:
    """Return how far each budget is used by each of those it is counted for, the fullest first.

    Args:
        reader: Where to read.
        budgets: The budgets in force.
        us: The time, in microseconds.
    """
    found = [each for budget in budgets for each in _spent(reader, budget, us)]
    return sorted(found, key=lambda each: each.share, reverse=True)


def _spent(reader: Reader, budget: Budget, us: int) -> Iterator[Spent]:
    window = us - microseconds(budget.window)
    need = budget.ruling.requirement
    for row in reader.all(_SERIES, (budget.digest, window, MOST)):
        state = _state(reader, budget, row["bucket"], us)
        part = share(state.charged, state.limits)
        if part:
            yield Spent(
                budget.rule,
                _whose(row["bucket"]),
                state,
                _decimal(part),
                budget.ruling.answer,
                need.approvers if need else (),
            )


def microseconds(duration: timedelta) -> int:
    """Return a duration in microseconds."""
    return duration // timedelta(microseconds=1)


def _decimal(part: Fraction) -> Decimal:
    return Decimal(part.numerator) / Decimal(part.denominator)


def _state(reader: Reader, budget: Budget, bucket: str, us: int) -> BudgetState:
    charged = ledger.charged(reader, budget.digest, bucket, us - microseconds(budget.window))
    return BudgetState(
        digest=budget.digest,
        terms=budget.terms,
        bucket=bucket,
        per=per_words(budget.per),
        kind=budget.kind,
        limits=budget.limits,
        window=budget.window,
        charged=charged,
        waiting=_waiting(reader, budget.digest, bucket),
        adds={},
        headroom=budget.headroom,
        hidden=budget.kind != "calls" and _hides(reader.all(_HIDDEN, (budget.digest, bucket))),
    )


def _waiting(reader: Reader, digest: str, bucket: str) -> dict[str, Decimal]:
    waits = reader.all(
        "SELECT unit, amount FROM waiting_uses WHERE digest = ? AND bucket = ?", (digest, bucket)
    )
    return together({row["unit"]: Decimal(row["amount"])} for row in waits)


def _hides(found: Iterable[Row]) -> bool:
    """Tell whether the newest call kept anything hidden; its amount may be among it."""
    return any(json.loads(row["hidden"]) for row in found)


def _whose(bucket: str) -> str:
    """Return whom a bucket is for: the text after ``=``; a mark, and what was not told, say nothing."""
    return bucket[1:] if bucket.startswith("=") else ""
