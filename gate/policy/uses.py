"""Say what one call would add to each budget that covers it: pure, and never less than it may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Any

from gate.budget import NO_UNIT, ONE, UNREADABLE, Use, readable, total
from gate.folding import fold
from gate.model import Action
from gate.policy.budgets import MONEY, Budget, per_words
from gate.policy.effects import has_amount_like
from gate.policy.hidden import Hidden
from gate.policy.policyset import PolicySet, Tool
from gate.policy.reading import (
    MISSING,
    NO_SUCH,
    UNDECLARED,
    Sign,
    Subject,
    amount_of,
    counted,
    currency_of,
    elements,
    is_missing,
    label,
    reader,
    scalar,
)
from gate.redact import hide
from gate.remembering import remembered
from gate.values import decimal_of, exact_text, format_path, limit_for

SHARED = "?"
"""The one bucket of every call that does not say whose it is."""

_LONGEST = 200
_NOTHING: Mapping[str, Decimal] = {}
_LOST: Mapping[str, Decimal] = {UNREADABLE: ONE}


@dataclass(frozen=True, slots=True)
class _Added:
    """What a call adds, and why that is not sure."""

    amounts: Mapping[str, Decimal]
    whys: tuple[str, ...] = ()


def uses_of(policy: PolicySet, action: Action) -> tuple[Use, ...]:
    """Return what a call adds to each budget if it runs.

    Args:
        policy: The set in force.
        action: The call.

    Returns:
        One use for each budget that the call adds to, files in order.
    """
    tool = policy.tool(action)
    if tool is None:
        return ()
    subject = Subject(action, tool.known)
    found = [_use(budget, subject, tool) for each in tool.files for budget in each.budgets]
    return tuple([use for use in found if use is not None])


def _use(budget: Budget, subject: Subject, tool: Tool) -> Use | None:
    if subject.known.effect.declared_read and not budget.reads:
        return None
    if _surely_not(budget, subject):
        return None
    reads, hidden, open_ = _standing(budget, subject, tool)
    bucket = _bucket(budget.per, subject, open_=open_)
    added = _added(budget, subject)
    if bucket is None or not added.amounts:
        return None
    whose, secret, why = bucket
    return Use(
        digest=budget.digest,
        terms=budget.terms,
        bucket=whose,
        secret=secret,
        per=per_words(budget.per),
        kind=budget.kind,
        adds=added.amounts,
        limits=budget.limits,
        window=budget.window,
        ruling=budget.ruling,
        unsure=(*added.whys, *why),
        headroom=budget.headroom,
        reads=reads,
        hidden=hidden,
    )


def _standing(budget: Budget, subject: Subject, tool: Tool) -> tuple[tuple[str, ...], bool, bool]:
    """Return what a budget reads of a tool, whether its numbers are hidden, and whether its owner is not."""
    found = tool.spending.get(budget.rule)
    if found is None:
        found = (_reads(budget, subject), _hides(budget, subject), subject.may_show(budget.per))
        tool.spending[budget.rule] = found
    return found


def _surely_not(budget: Budget, subject: Subject) -> bool:
    if budget.condition is None:
        return False
    try:
        return budget.condition.holds(subject) is False
    except Exception:  # whatever arguments do, they do not keep a call out of a budget
        return False


def _reads(budget: Budget, subject: Subject) -> tuple[str, ...]:
    known = subject.known
    effects = [keys for keys in (known.amount, known.currency) if keys] if budget.sum == MONEY else []
    counts = [known.count] if known.count and ("effect", "count") in budget.paths else []
    paths = [keys for keys in (*budget.paths, *effects, *counts) if keys[0] == "args" and len(keys) > 1]
    return tuple(dict.fromkeys(format_path(keys) for keys in paths if not subject.lacks(keys[1])))


def _hides(budget: Budget, subject: Subject) -> bool:
    known = subject.known
    summed = [known.amount, known.currency] if budget.sum == MONEY else [budget.sum]
    return not all(subject.may_show(keys) for keys in summed if keys)


# ---- whose budget it is -----------------------------------------------------------------------------------


def _bucket(
    per: tuple[str, ...], subject: Subject, *, open_: bool
) -> tuple[str, bool, tuple[str, ...]] | None:
    """Return the bucket, whether it is secret, and why it is not sure; None where no such thing is had."""
    if not per:
        return "*", False, ()
    try:
        value = scalar(reader(per)(subject))
        if value is NO_SUCH:
            return None
        text = _text(value)
    except Exception:  # arguments are arbitrary objects
        text = None
    if text is None:
        name = label(per)
        return SHARED, False, (f"{name} does not say whose budget it is: give {name} as a text or number",)
    if isinstance(value, Hidden):
        return f"#{text}", False, ()
    return f"={_folded(text)}", not open_ or _is_secret(text), ()


@remembered
def _is_secret(text: str) -> bool:
    """Tell whether a text has a secret in it; the same ones come again and again."""
    return hide(text) != text


def key_of(value: Any) -> str | None:
    """Return the folded text by which a value tells whose a budget is; None where it does not."""
    text = None if isinstance(value, (Sign, Hidden)) else _text(scalar(value))
    return None if text is None else _folded(text)


def _folded(text: str) -> str:
    folded = fold(text)
    return folded if len(folded) <= _LONGEST else sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()


def _text(value: Any) -> str | None:
    if isinstance(value, Hidden):
        return value.mark or None
    if isinstance(value, bool):
        return str(value).lower()
    number = decimal_of(value)
    if number is not None:
        return exact_text(number)
    return value if isinstance(value, str) and fold(value) else None


# ---- how much it adds -------------------------------------------------------------------------------------


def _added(budget: Budget, subject: Subject) -> _Added:
    try:
        if budget.sum is None:
            return _Added({NO_UNIT: ONE})
        return _money(budget, subject) if budget.sum == MONEY else _sum(budget.sum, subject)
    except Exception:  # arguments are arbitrary objects; what cannot be read weighs most
        return _lost(label(budget.sum or ("calls",)), "cannot be read")


def _lost(name: str, said: str) -> _Added:
    return _Added(_LOST, (f"{name} {said}: give {name} as a number of zero or more",))


def _money(budget: Budget, subject: Subject) -> _Added:
    value = amount_of(subject)
    if value is NO_SUCH and not _may_move(subject):
        return _Added(_NOTHING)
    name = label(subject.known.amount or MONEY)
    if value is NO_SUCH or value is UNDECLARED:
        return _Added(_LOST, ("an argument reads like an amount, but no policy declares the tool's amount",))
    if isinstance(value, Sign) or is_missing(value):
        return _lost(name, "was not given" if value is MISSING or is_missing(value) else "cannot be read")
    amount = _total([decimal_of(scalar(each)) for each in elements(value)])
    if amount is None:
        return _lost(name, "is no number of zero or more that can be added up")
    currency = currency_of(subject)
    if isinstance(currency, Sign):
        code = label(subject.known.currency or ("currency",))
        return _Added(_LOST, (f"{code} is no currency: give {code} as a code such as EUR",))
    if not amount:
        return _Added(_NOTHING)
    whys = () if limit_for(budget.limits, currency) is not None else (_no_limit(budget, currency),)
    return _Added({currency or NO_UNIT: amount}, whys)


def _may_move(subject: Subject) -> bool:
    """Tell whether a tool that is only guessed to read has an argument that reads like an amount."""
    known = subject.known
    guess = known.effect.guessed and known.effect.risk == "read" and not known.moves_none
    return guess and has_amount_like(subject.action.arguments)


def _no_limit(budget: Budget, currency: str | None) -> str:
    named = " or ".join(code for code in budget.limits if code != "*")
    return f"the budget has no limit in {currency or 'an undeclared currency'}: give the amount in {named}"


def _total(numbers: Sequence[Decimal | None]) -> Decimal | None:
    good = [each for each in numbers if each is not None and each >= 0 and readable(each)]
    return total(good) if len(good) == len(numbers) else None


def _sum(path: tuple[str, ...], subject: Subject) -> _Added:
    value = reader(path)(subject)
    if value is NO_SUCH:
        return _Added(_NOTHING)
    name = label(subject.known.count or path) if path == ("effect", "count") else label(path)
    if value is MISSING or is_missing(value):
        return _lost(name, "was not given")
    number = value if isinstance(value, Sign) else counted(value)
    if isinstance(number, Sign):
        return _lost(name, "is no number of zero or more that can be added up")
    return _Added({NO_UNIT: number} if number else _NOTHING)
