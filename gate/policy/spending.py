"""Put what budgets say into a verdict, with the numbers that made them say it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

from gate.budget import NO_UNIT, UNREADABLE, Amounts, Judged, MemoryLedger, Use, judge
from gate.clock import to_us
from gate.model import Action, BudgetState, Ruling, Verdict
from gate.policy.evaluate import STRICTNESS, evaluate, ordered
from gate.policy.policyset import PolicySet
from gate.policy.truth import undecided
from gate.policy.uses import uses_of
from gate.requirements import merge
from gate.values import format_duration, format_number, limit_for

State = Callable[[Judged], BudgetState]


def state_of(judged: Judged) -> BudgetState:
    """Return what a budget stood at as far as one use and its charges tell."""
    use = judged.use
    return BudgetState(
        digest=use.digest,
        terms=use.terms,
        bucket=use.bucket,
        per=use.per,
        kind=use.kind,
        limits=use.limits,
        window=use.window,
        charged=judged.charged,
        waiting={},
        adds=use.adds,
        headroom=use.headroom,
        hidden=use.hidden,
    )


def with_budgets(verdict: Verdict, judged: Sequence[Judged], state: State = state_of) -> Verdict:
    """Return a verdict with what the budgets say that are over.

    Args:
        verdict: What the rules say.
        judged: How each budget stands.
        state: Looks up what one stood at; asked only where it is over.

    Returns:
        The strictest answer of both; requirements merged, with what the budgets read among the decisive.
    """
    over = [each for each in judged if each.over]
    if not over or verdict.answer == "block":
        return verdict
    found = [ruling_of(each.use, state(each)) for each in over]
    answer = max((verdict.answer, *(each.answer for each in found)), key=STRICTNESS.__getitem__)
    rules = verdict.rulings if verdict.answer == answer else ()
    rulings = ordered((*rules, *(each for each in found if each.answer == answer)))
    reads = [path for each in over if each.use.ruling.answer == answer for path in each.use.reads]
    all_of_them = bool(rules) and not verdict.decisive
    return replace(
        verdict,
        answer=answer,
        rulings=rulings,
        requirements=merge([each.requirement for each in rulings if each.requirement is not None]),
        decisive=() if all_of_them else tuple(dict.fromkeys((*verdict.decisive, *reads))),
    )


def ruling_of(use: Use, state: BudgetState) -> Ruling:
    """Return what a budget says where it is over, with its numbers where its reason is not written."""
    reason = use.ruling.reason or numbers(use.ruling.rule, state)
    if use.unsure:
        case = "If it is over: " if use.ruling.reason else ""
        reason = f"{undecided(use.unsure)} {case}{reason}"
    return replace(use.ruling, reason=reason, missing=use.unsure, budget=state)


def numbers(rule: str, state: BudgetState) -> str:
    """Say what a budget stands at, in one sentence."""
    whose = f" {state.per}" if state.per else ""
    window = format_duration(state.window)
    if state.hidden:
        return f"The budget {rule} is used up{whose} (its numbers are hidden)."
    used = amounts_words(state.charged, state.kind) or "nothing"
    waits = amounts_words(state.waiting, state.kind)
    waiting = f", {waits} waiting" if waits else ""
    adds = amounts_words(state.adds, state.kind)
    most = limit_words(state)
    return f"The budget {rule} allows {most} in {window}{whose}: {used} used{waiting}, this call adds {adds}."


def limit_words(state: BudgetState) -> str:
    """Write the limits that matter for what a budget stands at."""
    units = dict.fromkeys((*state.charged, *state.waiting, *state.adds))
    named = [unit for unit in units if unit != UNREADABLE] or [*state.limits][:1]
    shown = [(unit, limit_for(state.limits, unit or None)) for unit in named]
    said = [_amount(limit, unit, state.kind) for unit, limit in shown if limit is not None]
    return " or ".join(said) or "nothing in this currency"


def amounts_words(amounts: Amounts, kind: str) -> str:
    """Write amounts by unit; empty for nothing."""
    said = [_amount(number, unit, kind) for unit, number in amounts.items() if number and unit != UNREADABLE]
    lost = amounts.get(UNREADABLE)
    return " and ".join([*said, *([f"{format_number(lost)} that could not be read"] if lost else [])])


def _amount(number: Decimal, unit: str, kind: str) -> str:
    if kind == "calls":
        return f"{format_number(number)} call{'s' * (number != 1)}"
    return format_number(number) + (f" {unit}" if unit not in (NO_UNIT, "*") else "")


class Rehearsal:
    """Judge calls one after the other with budgets in memory, as if each allowed one ran at once.

    Held and blocked calls are not charged.

    Args:
        policy: The set that judges them.
    """

    def __init__(self, policy: PolicySet) -> None:
        self._policy = policy
        self._ledger = MemoryLedger()

    def judge(self, action: Action, at: datetime | None = None) -> Verdict:
        """Judge the next call.

        Args:
            action: The call.
            at: When it happens; None: when the call before it did.
        """
        verdict = evaluate(self._policy, action)
        if at is not None:
            self._ledger.now = to_us(at)
        uses = uses_of(self._policy, action) if verdict.answer != "block" else ()
        if not uses:
            return verdict
        found = with_budgets(verdict, judge(uses, self._ledger))
        if found.answer == "allow":
            self._ledger.charge(uses)
        return found
