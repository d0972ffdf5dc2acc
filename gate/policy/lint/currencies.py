"""Currencies that are named in one place and not in another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gate.policy.clauses import Clause
from gate.policy.currencies import CODES, like
from gate.policy.lint.amounts import by_currency
from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.policy.places import Loc
from gate.policy.policyset import PolicyFile


def find(view: View) -> Iterator[Finding]:
    """Yield codes that are none, limits for tools without a currency, and rules that name different ones."""
    yield from _unknown(view)
    for rule in view.rules:
        for clause in _by_currency(rule):
            yield from _undeclared(view, rule, clause)
    yield from _differing(view)


def _unknown(view: View) -> Iterator[Finding]:
    """Find codes that ISO 4217 does not have."""
    for rule in view.rules:
        for clause in _by_currency(rule):
            yield from (
                _code(view, rule.file, (*clause.loc, code), code) for code in _strange(clause.operand)
            )
    for budget in view.budgets:
        limit = budget.raw.get("limit")
        codes = _strange(limit) if isinstance(limit, Mapping) else []
        yield from (_code(view, budget.file, (*budget.loc, "limit", code), code) for code in codes)


def _strange(codes: Iterable[str]) -> list[str]:
    return [code for code in codes if code != "*" and code not in CODES]


def _code(view: View, file: PolicyFile, loc: Loc, code: str) -> Finding:
    return view.finding(
        file,
        loc,
        "unknown_currency",
        what=f"{code} is no currency of ISO 4217{like(code)}",
        why="A limit in a currency that no call is in is never used.",
        write="the code of three letters that calls say",
    )


def _by_currency(rule: Written) -> list[Clause]:
    return list(filter(by_currency, rule.clauses))


def _undeclared(view: View, rule: Written, clause: Clause) -> Iterator[Finding]:
    """Find named currencies that a tool whose currency nobody declares can never be in."""
    named = [code for code in clause.operand if code != "*"]
    known = {name: view.known(name) for name in view.of_rule(rule)}
    tools = [
        name for name, each in known.items() if each.amount and not (each.currency or each.currency_code)
    ]
    if named and tools:
        yield view.finding(
            rule.file,
            clause.loc,
            "currency_not_declared",
            what=f"{rule.id} names {', '.join(named)}, but {tools[0]} declares no currency",
            why='An amount without a currency falls under "*"; without that entry it cannot be decided.',
            write=f"actions: {{{tools[0]}: {{currency: args.currency}}}}, or its code where it has only one",
        )


def _differing(view: View) -> Iterator[Finding]:
    """Find an allow whose currencies a stricter rule about the same tool does not name."""
    for rule in view.rules:
        if rule.then != "allow":
            continue
        for other in view.of(rule.file):
            missing = _missing(view, rule, other)
            if missing:
                yield _differ_finding(view, rule, other, missing)
                break


def _missing(view: View, rule: Written, other: Written) -> list[str]:
    if not other.strictness or not set(view.of_rule(rule)) & set(view.of_rule(other)):
        return []
    mine, theirs = _codes(rule), _codes(other)
    return [code for code in mine if code not in theirs] if mine and theirs else []


def _codes(rule: Written) -> list[str]:
    return list(dict.fromkeys(code for clause in _by_currency(rule) for code in clause.operand))


def _differ_finding(view: View, rule: Written, other: Written, missing: list[str]) -> Finding:
    clause = _by_currency(other)[0]
    named = ", ".join(missing)
    return view.finding(
        other.file,
        clause.loc,
        "currencies_differ",
        what=f"{other.id} names no limit for {named}, which {rule.id} allows up to one",
        why='Without an entry "*" decides, or else nothing can and the stricter rule takes every amount.',
        write=f"{clause.word}: {{…, {missing[0]}: …}} in {other.id}, with the number that {rule.id} has",
    )
