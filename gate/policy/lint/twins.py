"""Rules and budgets that are written twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.policy.words import written

_WORDS = ("id", "reason")


def find(view: View) -> Iterator[Finding]:
    """Yield every rule or budget that says what another one of its file says already."""
    for file in view.policy.files:
        for kind in (view.rules, view.budgets):
            for one, two in combinations((each for each in kind if each.file is file), 2):
                if _same(one, two):
                    yield _finding(view, one, two)


def _same(one: Written, two: Written) -> bool:
    return _rest(one) == _rest(two) and {glob.pattern.lower() for glob in one.match} == {
        glob.pattern.lower() for glob in two.match
    }


def _rest(rule: Written) -> str:
    return written({key: value for key, value in rule.raw.items() if key not in (*_WORDS, "match")})


def _finding(view: View, one: Written, two: Written) -> Finding:
    return view.finding(
        two.file,
        two.loc,
        "duplicate",
        what=f"{two.id} says the same as {one.id}",
        why="Whoever changes one of them later leaves the other as it is, and it goes on deciding.",
        write=f"take {two.id} away",
    )
