"""Values that decide and that nobody may see."""

from __future__ import annotations

from collections.abc import Iterator

from gate.policy.clauses import Clause
from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.values import format_path, parse_path


def find(view: View) -> Iterator[Finding]:
    """Yield every rule that reads a path which the policy redacts."""
    for rule in view.rules:
        seen: set[tuple[str, ...]] = set()
        for clause in rule.clauses:
            path = _redacted(view, rule, clause)
            if path is not None and clause.keys not in seen:
                seen.add(clause.keys)
                yield _finding(view, rule, clause, path)


def _redacted(view: View, rule: Written, clause: Clause) -> str | None:
    """Return the redacted path that covers what a clause reads, or lies in it."""
    entries = (
        path
        for file in view.policy.files
        for entry in file.entries
        if any(entry.glob.overlaps(glob) for glob in rule.match)
        for path in entry.values.get("redact") or ()
    )
    hidden: dict[str, None] = dict.fromkeys((*view.policy.redactions(), *entries))
    for path in hidden:
        keys = parse_path(path)
        shorter = min(len(keys), len(clause.keys))
        if clause.keys[0] == "args" and keys[:shorter] == clause.keys[:shorter]:
            return path
    return None


def _finding(view: View, rule: Written, clause: Clause, path: str) -> Finding:
    return view.finding(
        rule.file,
        clause.loc,
        "redacted_condition",
        what=f"{rule.id} reads {format_path(clause.keys)}, and redact hides {path}",
        why="Nobody who approves sees what decided, and a backtest cannot decide it either.",
        write=f"a narrower redact path, or a condition on a value that people may see instead of {path}",
    )
