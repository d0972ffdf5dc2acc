"""Values that decide and that nobody may see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gate.policy.clauses import Clause
from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.values import format_path, parse_path


def find(view: View) -> Iterator[Finding]:
    """Yield every rule that reads a path which the policy redacts."""
    for rule in view.rules:
        seen: set[tuple[str, ...]] = set()
        for clause in rule.clauses:
            hidden = (view.hides(rule, keys) for keys in _read(view, rule, clause))
            path = next((each for each in hidden if each is not None), None)
            if path is not None and clause.keys not in seen:
                seen.add(clause.keys)
                yield _finding(view, rule, clause, path)


def _read(view: View, rule: Written, clause: Clause) -> Iterator[tuple[str, ...]]:
    """Yield what a clause reads: its path, that of its operand, and where known tools have such an effect."""
    yield clause.keys
    operand = clause.operand.get("path") if isinstance(clause.operand, Mapping) else None
    if isinstance(operand, str):
        yield parse_path(operand)
    for name in view.of_rule(rule) if clause.keys[0] == "effect" else ():
        known = view.known(name)
        paths = {
            "amount": (known.amount, known.currency),
            "currency": (known.currency,),
            "count": (known.count,),
        }
        yield from (keys for keys in paths.get(clause.keys[1], ()) if keys is not None)


def _finding(view: View, rule: Written, clause: Clause, path: str) -> Finding:
    return view.finding(
        rule.file,
        clause.loc,
        "redacted_condition",
        what=f"{rule.id} reads {format_path(clause.keys)}, and redact hides {path}",
        why="Nobody who approves sees what decided, and a backtest cannot decide it either.",
        write=f"a narrower redact path, or a condition on a value that people may see instead of {path}",
    )
