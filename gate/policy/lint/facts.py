"""Facts that no call ever had."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.policy.places import Loc
from gate.values import format_path, parse_path


def find(view: View) -> Iterator[Finding]:
    """Yield every fact that a rule or budget reads and that the log has never seen."""
    if view.seen is None or not view.seen.actions:
        return
    for rule in [*view.rules, *view.budgets]:
        for keys, loc in _read(rule):
            if not _seen(keys, view.seen.facts):
                yield _finding(view, rule, keys, loc, view.seen.facts)


def _read(rule: Written) -> Iterator[tuple[tuple[str, ...], Loc]]:
    """Yield each fact that a rule or budget reads, and where that stands."""
    for clause in rule.clauses:
        if clause.keys[0] == "facts":
            yield clause.keys, clause.loc
        operand = clause.operand.get("path") if isinstance(clause.operand, Mapping) else None
        if isinstance(operand, str) and operand.startswith("facts"):
            yield parse_path(operand), clause.loc
    for key in ("sum", "per"):
        if str(rule.raw.get(key, "")).startswith("facts"):
            yield parse_path(rule.raw[key]), (*rule.loc, key)


def _seen(keys: tuple[str, ...], seen: frozenset[str]) -> bool:
    """Tell whether the log has seen a fact at a path, or something inside it."""
    known = {parse_path(path) for path in seen}
    return any(one[: len(keys)] == keys or keys[: len(one)] == one for one in known)


def _finding(view: View, rule: Written, keys: tuple[str, ...], loc: Loc, seen: frozenset[str]) -> Finding:
    path = format_path(keys)
    near = difflib.get_close_matches(path, seen, n=1, cutoff=0.7)
    return view.finding(
        rule.file,
        loc,
        "unseen_fact",
        what=f"{rule.id} reads {path}, which no call in the log ever had",
        why="Without it nothing is decided: an allow never applies then, and a stricter rule always does.",
        write=f"{near[0]}" if near else f"the fact in gate.session(facts={{…}}) or guard(facts=…): {path}",
    )
