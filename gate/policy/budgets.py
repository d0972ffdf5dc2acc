"""Budgets: read them, and say what one call would add to each of them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal, cast

from gate.model import Answer, Requirement, Ruling
from gate.policy.approvals import Shared, requirement
from gate.policy.conditions import Compiled, compile_condition
from gate.policy.operands import Operands
from gate.policy.paths import check_path
from gate.policy.places import Loc
from gate.policy.schema import BudgetKeys, read_keys
from gate.policy.source import Document
from gate.policy.words import written
from gate.values import Glob, decimal_of, format_path

MONEY = ("effect", "amount")
COUNT = ("effect", "count")
PER: Mapping[str, tuple[str, ...]] = {
    "session": ("session", "id"),
    "agent": ("agent",),
    "on_behalf_of": ("on_behalf_of",),
    "everything": (),
}
"""Paths behind the words that ``per`` knows."""

Kind = Literal["calls", "money", "sum"]


@dataclass(frozen=True, slots=True)
class Budget:
    """One budget, compiled.

    Attributes:
        ruling: What it says where it is over; an empty reason is written from its numbers.
        match: Globs of the actions it is about.
        condition: Its ``when``; None for always.
        sum: Path of what it adds up; None for calls.
        limits: The most, by unit; ``*`` is every other unit.
        per: Path of whose it is; empty for everything.
        window: For how long a call counts.
        reads: Whether declared reads count too.
        headroom: How many more calls its approvers may let pass; 0 for none.
        digest: Of what it counts, the effects declared for that included, whatever its id and limit.
        terms: Of that and its limit, window, answer, headroom and who approves.
    """

    ruling: Ruling
    match: tuple[Glob, ...]
    condition: Compiled | None
    sum: tuple[str, ...] | None
    limits: Mapping[str, Decimal]
    per: tuple[str, ...]
    window: timedelta
    reads: bool
    headroom: int
    digest: str
    terms: str

    @property
    def rule(self) -> str:
        """Return its id, ``NAME/budget``."""
        return self.ruling.rule

    @property
    def kind(self) -> Kind:
        """Return what it adds up."""
        if self.sum is None:
            return "calls"
        return "money" if self.sum == MONEY else "sum"

    def counting(self, declared: Sequence[Any]) -> Budget:
        """Return it as one that counts by these effects, as they are declared for what it is about."""
        if not declared:
            return self
        return replace(self, digest=_digest(self.digest, declared), terms=_digest(self.terms, declared))

    @property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """Return every path it reads."""
        own = [keys for keys in (self.sum, self.per) if keys]
        return (*own, *(self.condition.reads if self.condition else ()))


def compile_budget(
    raw: Any, file: str, applies_to: Any, shared: Shared, document: Document, loc: Loc
) -> Budget | None:
    """Compile one budget.

    Args:
        raw: The written keys.
        file: Name of its file, as it stands in ids.
        applies_to: What its file covers, as written.
        shared: The file's ``approvals``.
        document: Where it stands; everything wrong is added to its problems.
        loc: Way to it.

    Returns:
        The budget, or None where something is wrong with it.
    """
    before = len(document.problems)
    keys = read_keys(BudgetKeys, raw, document, loc)
    when = raw.get("when") if isinstance(raw, Mapping) else None
    condition = None if when is None else compile_condition(when, document, (*loc, "when"))
    if keys is None:
        _check_written(raw, document, loc)
        return None
    summed = None if keys.sum is None else _summed(keys.sum, document, (*loc, "sum"))
    limits = _limits(keys, summed, document, (*loc, "limit"))
    per = _per(keys.per, document, (*loc, "per"))
    rule = f"{file}/{keys.id}"
    holds = keys.then == "require_approval"
    needs = requirement(rule, keys, shared, document, loc) if holds else None
    if not holds and keys.headroom is not None:
        document.add((*loc, "headroom"), "goes with require_approval only: nobody lets a blocked call pass")
    if len(document.problems) > before:
        return None
    place = document.short_place(loc)
    counts = _digest("counts", applies_to, {key: raw.get(key) for key in _COUNTS}, keys.reads)
    return Budget(
        ruling=Ruling(rule, cast(Answer, keys.then), keys.reason or "", place, (), needs),
        match=keys.match,
        condition=condition,
        sum=summed,
        limits=limits,
        per=per,
        window=keys.window,
        reads=keys.reads,
        headroom=keys.headroom or 0,
        digest=counts,
        terms=_digest(counts, raw.get("limit"), str(keys.window), keys.then, keys.headroom, _who(needs)),
    )


def _who(needs: Requirement | None) -> list[Any]:
    """Return who may let its calls pass: budgets that differ in this alone lend each other nothing."""
    if needs is None:
        return []
    handed = needs.hand_over.approvers if needs.hand_over else ()
    return [sorted(map(str, needs.approvers)), needs.quorum, sorted(map(str, handed))]


def _check_written(raw: Any, document: Document, loc: Loc) -> None:
    """Say also what is wrong with the paths of a budget that does not load for other reasons."""
    for key, check in (("sum", _summed), ("per", _per)):
        if isinstance(raw, Mapping) and isinstance(raw.get(key), str) and raw[key].strip():
            check(raw[key], document, (*loc, key))


_COUNTS = ("match", "when", "sum", "per")


def _digest(*parts: Any) -> str:
    return hashlib.sha256(written(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _summed(text: str, document: Document, loc: Loc) -> tuple[str, ...] | None:
    try:
        keys = check_path(text)
    except ValueError as error:
        document.add(loc, str(error))
        return None
    if keys[0] not in ("args", "facts") and keys not in (MONEY, COUNT):
        document.add(loc, "cannot be added up: write effect.amount, effect.count, args.… or facts.…")
    return keys


def _per(text: str, document: Document, loc: Loc) -> tuple[str, ...]:
    if text in PER:
        return PER[text]
    try:
        return check_path(text)
    except ValueError as error:
        document.add(loc, f"{error}; or write {', '.join(PER)}")
        return ()


def _limits(
    keys: BudgetKeys, summed: tuple[str, ...] | None, document: Document, loc: Loc
) -> Mapping[str, Decimal]:
    """Return the limits by unit; money has its own by currency, everything else one number."""
    limits: Mapping[str, Any] = {}
    if summed != MONEY:
        limits = {"*": _number(keys.limit, summed, document, loc)}
    elif not isinstance(keys.limit, Mapping):
        document.add(loc, 'must name the most by currency: {EUR: 5000, "*": 5000}')
    else:
        found = Operands(document, MONEY).money(keys.limit, loc)
        limits = found if isinstance(found, Mapping) else {}
        if "path" in keys.limit:
            document.add(loc, "must be numbers by currency")
    for unit, limit in limits.items():
        if limit is not None and limit < 0:
            document.add((*loc, unit) if summed == MONEY else loc, "must be zero or more")
    return limits


def _number(raw: Any, summed: tuple[str, ...] | None, document: Document, loc: Loc) -> Decimal | None:
    number = decimal_of(raw)
    if number is None:
        said = "; limits by currency go with sum: effect.amount" if isinstance(raw, Mapping) else ""
        document.add(loc, f"must be a number{said}")
    elif summed is None and number != number.to_integral_value():
        document.add(loc, "must be a whole number of calls")
    return number


@lru_cache(maxsize=1024)
def per_words(per: tuple[str, ...]) -> str:
    """Say whose a budget is."""
    known = {
        (): "",
        PER["session"]: "in this session",
        PER["agent"]: "by this agent",
        PER["on_behalf_of"]: "for whom the agent acts",
    }
    path = format_path(per[1:] if per[:1] == ("args",) else per) if per else ""
    return known.get(per, f"for this {path}")
