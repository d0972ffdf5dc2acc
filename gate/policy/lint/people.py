"""Approvers who can never be enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from gate.model import Requirement
from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.requirements import first_unmeetable, merge


def find(view: View) -> Iterator[Finding]:
    """Yield rules and budgets whose listed people can never meet what they ask, alone or together."""
    holding = [
        (rule, held) for rule in [*view.rules, *view.budgets] if (held := _held(view, rule)) is not None
    ]
    for (one, mine), (two, theirs) in combinations(holding, 2):
        together = any(a.overlaps(b) for a in one.match for b in two.match)
        if together and not _can_meet(merge((mine, theirs))):
            yield _together(view, one, two)
    for rule, held in holding:
        if _counts_on_all(held):
            yield _alone(view, rule, held)


def _held(view: View, rule: Written) -> Requirement | None:
    return view.policy.requirement_of(rule.id)


def _can_meet(needs: Sequence[Requirement]) -> bool:
    """Tell whether the listed users can meet requirements; groups may have any number of members."""
    if any(each.kind != "user" for need in needs for each in need.approvers):
        return True
    users = {each.id for need in needs for each in need.approvers}
    counts = [
        frozenset(
            index for index, need in enumerate(needs) if any(each.id == user for each in need.approvers)
        )
        for user in sorted(users)
    ]
    return first_unmeetable(needs, counts) is None


def _together(view: View, one: Written, two: Written) -> Finding:
    return view.finding(
        two.file,
        two.loc,
        "quorum_out_of_reach",
        what=f"where {one.id} and {two.id} both hold a call, the people they list can never be enough",
        why="distinct: true lets nobody count in two requirements, so such a call always expires.",
        write="more approvers, a user group, or no distinct",
    )


def _counts_on_all(held: Requirement) -> bool:
    users = all(each.kind == "user" for each in held.approvers)
    return users and held.quorum == len(held.approvers) and not held.on_behalf_of_may_approve


def _alone(view: View, rule: Written, held: Requirement) -> Finding:
    who = ", ".join(map(str, held.approvers))
    return view.finding(
        rule.file,
        rule.loc,
        "needs_everybody",
        what=f"{rule.id} needs every one of its approvers: {who}",
        why="When one is away, or the agent acts for one of them, nobody else can answer.",
        write="one more approver or a user group",
        advice=True,
    )
