"""A set in which one rule answers otherwise, to be tried on recorded calls and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from gate.policy.budgets import Budget
from gate.policy.policyset import PolicyFile, PolicySet, Rule

Other = Literal["allow", "block"]


def with_answer(policy: PolicySet, rule: str, answer: Other) -> PolicySet:
    """Return a set in which one rule, budget or default answers otherwise.

    A budget that allows is one that is left out.

    Args:
        policy: The set.
        rule: ``NAME/rule``, ``NAME/budget`` or ``NAME/default``.
        answer: What it answers instead.

    Raises:
        ValueError: The set has no such rule.
    """
    name, _, own = rule.partition("/")
    file = next((each for each in policy.files if each.name == name), None)
    changed = None if file is None else _changed(file, rule, own, answer)
    if file is None or changed is None:
        raise ValueError(f"{rule} is no rule, budget or default of this policy")
    files = tuple(changed if each is file else each for each in policy.files)
    return PolicySet(files, policy.texts, policy.revision)


def _changed(file: PolicyFile, rule: str, own: str, answer: Other) -> PolicyFile | None:
    if own == "default":
        return replace(file, default=answer, requirement=None)
    if any(each.ruling.rule == rule for each in file.rules):
        return replace(file, rules=tuple(_rule(each, rule, answer) for each in file.rules))
    if any(each.rule == rule for each in file.budgets):
        kept = [each for each in file.budgets if answer == "block" or each.rule != rule]
        return replace(file, budgets=tuple(_budget(each, rule) for each in kept))
    return None


def _rule(each: Rule, rule: str, answer: Other) -> Rule:
    if each.ruling.rule != rule:
        return each
    return replace(each, ruling=replace(each.ruling, answer=answer, requirement=None))


def _budget(each: Budget, rule: str) -> Budget:
    if each.rule != rule:
        return each
    return replace(each, ruling=replace(each.ruling, answer="block", requirement=None), headroom=0)
