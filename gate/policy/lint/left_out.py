"""Restrictive rules about arguments that a call may leave out."""

from __future__ import annotations

from collections.abc import Iterator

from gate.policy.clauses import Clause
from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.policy.parsing import ORDERING
from gate.values import format_path, parse_path


def find(view: View) -> Iterator[Finding]:
    """Yield each restrictive rule that applies, being unknown, where a call leaves an argument out."""
    for rule in view.rules:
        if rule.strictness:
            for clause in _deciding(rule):
                tools = _may_leave_out(view, rule, clause)
                if tools:
                    yield _finding(view, rule, clause, tools)


def _deciding(rule: Written) -> Iterator[Clause]:
    """Yield one clause for each path that is unknown where it is missing."""
    asked = {each.keys for each in rule.clauses if each.word == "exists"}
    seen: set[tuple[str, ...]] = set()
    for clause in rule.clauses:
        if not (clause.missing is not None or clause.keys in asked or clause.keys in seen):
            seen.add(clause.keys)
            yield clause


def _may_leave_out(view: View, rule: Written, clause: Clause) -> list[str]:
    return [
        name
        for name in view.of_rule(rule)
        if (parameter := _parameter(view, name, clause)) is not None
        and (required := _required(view, name)) is not None
        and view.takes(name, parameter)
        and parameter not in required
        and not _answered(view, name, clause, parameter)
    ]


def _required(view: View, name: str) -> frozenset[str] | None:
    tool = view.tools.get(name)
    return tool.required if tool else None


def _parameter(view: View, name: str, clause: Clause) -> str | None:
    """Return the parameter that a clause reads of one tool, also by way of its declared amount."""
    keys: tuple[str, ...] | None = clause.keys
    if clause.keys[0] == "effect":
        known = view.known(name)
        keys = {"amount": known.amount, "currency": known.currency, "count": known.count}.get(clause.keys[1])
    return keys[1] if keys and keys[0] == "args" and len(keys) > 1 else None


def _answered(view: View, name: str, clause: Clause, parameter: str) -> bool:
    """Tell whether some other restrictive rule says openly what becomes of a missing value."""
    return any(
        each.word == "exists" and each.operand is False and _parameter(view, name, each) == parameter
        for rule in view.rules
        if rule.strictness and rule.about(name)
        for each in rule.clauses
    )


def _finding(view: View, rule: Written, clause: Clause, tools: list[str]) -> Finding:
    path = format_path(clause.keys)
    return view.finding(
        rule.file,
        clause.loc,
        "may_be_left_out",
        what=f"{rule.id} reads {path}, which {_named(tools)} may leave out",
        why=f"A call without it cannot be decided, so the rule applies to it ({rule.then}), mostly unawares.",
        write=_write(view, rule, clause, tools),
    )


def _write(view: View, rule: Written, clause: Clause, tools: list[str]) -> str:
    path = format_path(clause.keys)
    if _needs_a_rule(view, clause, tools):
        return (
            f"a rule for the missing value, such as: when: {{{path}: {{exists: false}}}}, then: {rule.then}"
        )
    return f"optional: true beside {clause.word} where a call without it is harmless, or a rule for it"


def _needs_a_rule(view: View, clause: Clause, tools: list[str]) -> bool:
    """Tell whether a missing value must not be waved through: numbers, effects and what decides."""
    if clause.keys[0] == "effect" or clause.word in ORDERING:
        return True
    decisive = {parse_path(path) for name in tools for path in view.known(name).effect.decisive}
    return clause.keys in decisive


def _named(tools: list[str]) -> str:
    more = f" and {len(tools) - 3} more" if len(tools) > 3 else ""
    return ", ".join(tools[:3]) + more
