"""What a budget stood at when it held a call: its numbers, the calls that used it, and the second button."""

from __future__ import annotations

from bot.views.text import Shown, apart, clip, one_line
from gate.model import BudgetState, HoldRecord, Ruling
from gate.policy.spending import amounts_words, numbers

CALLS = 5


def budget_lines(ruling: Ruling) -> list[Shown]:
    """Return the lines that tell a budget's numbers and what used it; none for anything else."""
    return [*numbers_lines(ruling), *used_by_lines(ruling)]


def numbers_lines(ruling: Ruling) -> list[Shown]:
    """Return the line that tells a budget's numbers; none where its reason tells them already."""
    state = ruling.budget
    if state is None or state.hidden:
        return []
    told = numbers(ruling.rule, state)
    return [] if told in ruling.reason else [one_line(told)]


def used_by_lines(ruling: Ruling) -> list[Shown]:
    """Return the line that tells which calls used a budget; none for anything else."""
    state = ruling.budget
    return [] if state is None or state.hidden else _used_by(state)


def _used_by(state: BudgetState) -> list[Shown]:
    calls = [
        f"{clip(apart(one_line(call.described)), 80)} ({amounts_words(call.used, state.kind)})"
        for call in state.calls
    ]
    if not calls:
        return []
    more = [f"and {len(calls) - CALLS} more"] if len(calls) > CALLS else []
    further = ["and earlier ones"] if state.more else []
    return [Shown(f"Used by: {'; '.join([*calls[:CALLS], *(further or more)])}")]


def lets_pass(record: HoldRecord) -> int:
    """Return how many more calls an approver may let pass beside this one; 0 for none.

    Where several budgets offer it, the most that one of them lets pass.
    """
    offered = [
        ruling.budget.headroom
        for ruling in record.rulings
        if ruling.budget is not None and ruling.answer == "require_approval"
    ]
    return max(offered, default=0)
