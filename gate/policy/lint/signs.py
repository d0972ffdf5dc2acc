"""Signs of comparison inside a text: ``"< 250"`` is compared as a text, letter by letter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gate.policy.clauses import Clause
from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.values import format_path, quoted

_SIGN = re.compile(r"\s*(<=|>=|==|!=|<|>)\s*(\d+(?:\.\d+)?)\s*")
_WORDS = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte", "==": "eq", "!=": "ne"}
_EXACT = ("eq", "ne", "in", "not_in")
"""Operators that take a text as it stands."""


def find(view: View) -> Iterator[Finding]:
    """Yield conditions of rules and budgets that only a text with a sign in it would meet."""
    for each in (*view.rules, *view.budgets):
        for clause in each.clauses:
            yield from _in_clause(view, each, clause)


def _in_clause(view: View, rule: Written, clause: Clause) -> Iterator[Finding]:
    values = clause.operand if isinstance(clause.operand, list) else [clause.operand]
    for value in values:
        found = _SIGN.fullmatch(value) if isinstance(value, str) and clause.word in _EXACT else None
        if found is not None:
            path = format_path(clause.keys)
            yield view.finding(
                rule.file,
                clause.loc,
                "sign_in_text",
                what=f"{rule.id} compares {path} with the text {quoted(value)}",
                why="A sign inside a text is no operator: no number is ever equal to that text.",
                write=f"{path}: {{{_WORDS[found[1]]}: {found[2]}}}",
            )
