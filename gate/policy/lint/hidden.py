"""Values that decide and that nobody may see."""

from __future__ import annotations

from collections.abc import Iterator

from gate.policy.clauses import Clause
from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.values import format_path


def find(view: View) -> Iterator[Finding]:
    """Yield every rule that reads a path which the policy redacts."""
    for rule in view.rules:
        seen: set[tuple[str, ...]] = set()
        for clause in rule.clauses:
            path = view.hides(rule, clause.keys)
            if path is not None and clause.keys not in seen:
                seen.add(clause.keys)
                yield _finding(view, rule, clause, path)


def _finding(view: View, rule: Written, clause: Clause, path: str) -> Finding:
    return view.finding(
        rule.file,
        clause.loc,
        "redacted_condition",
        what=f"{rule.id} reads {format_path(clause.keys)}, and redact hides {path}",
        why="Nobody who approves sees what decided, and a backtest cannot decide it either.",
        write=f"a narrower redact path, or a condition on a value that people may see instead of {path}",
    )
