"""Amounts: bare numbers, limits without a lower end, currencies that do not go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from gate.policy.checks import AMOUNT
from gate.policy.clauses import Clause
from gate.policy.implies import thresholds
from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.policy.parsing import ORDERING
from gate.values import format_path


def find(view: View) -> Iterator[Finding]:
    """Yield what is wrong with comparisons of amounts."""
    for rule in view.rules:
        yield from _bare(view, rule)
        yield from _no_lower_bound(view, rule)


def paths(view: View, rule: Written) -> dict[tuple[str, ...], list[str]]:
    """Return where the amounts of a rule's known tools stand, with the tools."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name in view.of_rule(rule):
        amount = view.known(name).amount
        if amount is not None:
            found.setdefault(amount, []).append(name)
    return found


def _bare(view: View, rule: Written) -> Iterator[Finding]:
    """Find numbers that are compared with an amount whatever its currency."""
    amounts = paths(view, rule)
    if any(by_currency(clause) for clause in rule.clauses if clause.sure):
        return
    for clause in rule.clauses:
        tools = sorted({name for each in amounts.values() for name in each})
        tools = tools if clause.keys == AMOUNT else amounts.get(clause.keys, [])
        tools = [name for name in tools if view.known(name).currency is not None]
        if tools and _is_bare(clause):
            yield _bare_finding(view, rule, clause, tools)


def by_currency(clause: Clause) -> bool:
    """Tell whether a clause compares the amount with limits by currency, and not with a path."""
    return clause.keys == AMOUNT and isinstance(clause.operand, Mapping) and "path" not in clause.operand


def _is_bare(clause: Clause) -> bool:
    ordered = clause.word in (*ORDERING, "eq", "ne") and not isinstance(clause.operand, Mapping)
    limit = (thresholds(clause.operand) or {}).get("*") if ordered else None
    return limit is not None and limit != 0


def _bare_finding(view: View, rule: Written, clause: Clause, tools: list[str]) -> Finding:
    path, number = format_path(clause.keys), clause.operand
    return view.finding(
        rule.file,
        clause.loc,
        "bare_amount",
        what=f"{rule.id} compares {path} of {', '.join(tools[:3])} with {number} in any currency",
        why=f"{number} JPY is pocket money and {number} KWD is not; the call says its currency.",
        write=f"effect.amount: {{{clause.word}: {{EUR: {number}}}}}, one entry for each currency",
    )


def _no_lower_bound(view: View, rule: Written) -> Iterator[Finding]:
    """Find allow rules that take amounts of zero and below along with the small ones."""
    if rule.then != "allow":
        return
    low = {_family(view, rule, each) for each in rule.clauses if each.word in ("gt", "gte", "eq", "in")}
    for clause in rule.clauses:
        ours = clause.keys[0] == "args" or clause.keys == AMOUNT
        if clause.word in ("lt", "lte") and ours and _family(view, rule, clause) not in low:
            yield _low_finding(view, rule, clause)


def _family(view: View, rule: Written, clause: Clause) -> tuple[str, ...]:
    """Return one name for an amount and the argument it stands in."""
    return AMOUNT if clause.keys in paths(view, rule) else clause.keys


def _low_finding(view: View, rule: Written, clause: Clause) -> Finding:
    path = format_path(clause.keys)
    limits = thresholds(clause.operand)
    zero = _zeros(limits) if clause.keys == AMOUNT and limits and set(limits) != {"*"} else "0"
    below = "zero" if clause.keys == AMOUNT else "zero and every negative number"
    return view.finding(
        rule.file,
        clause.loc,
        "no_lower_bound",
        what=f"{rule.id} allows {path} up to a limit, and {below} with it",
        why="Some providers read zero as all of it, and a negative amount moves money the other way.",
        write=f"gt: {zero} beside {clause.word}",
    )


def _zeros(limits: Mapping[str, Decimal]) -> str:
    named = (f'"{code}": 0' if code == "*" else f"{code}: 0" for code in limits)
    return "{" + ", ".join(named) + "}"
