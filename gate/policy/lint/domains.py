"""Allow rules on any address that ends in a domain."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gate.policy.clauses import Clause
from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.values import format_path

_OPEN_REGEX = re.compile(r"\^?(?:\.\*|\.\+)@(.+?)\$?")


def find(view: View) -> Iterator[Finding]:
    """Yield every allow on ``*@domain``, with the regex that keeps out separators."""
    for rule in view.rules:
        if rule.then == "allow":
            for clause in rule.clauses:
                domain = _domain(clause)
                if domain is not None:
                    yield _finding(view, rule, clause, domain)


def _domain(clause: Clause) -> str | None:
    """Return the regex of the domain after an open local part; None where there is none."""
    if not isinstance(clause.operand, str):
        return None
    if clause.word == "glob" and clause.operand.startswith("*@"):
        return "[^@,;<>\\s]*".join(map(re.escape, clause.operand[2:].split("*")))
    found = _OPEN_REGEX.fullmatch(clause.operand) if clause.word == "regex" else None
    return found[1] if found else None


def _finding(view: View, rule: Written, clause: Clause, domain: str) -> Finding:
    end = clause.operand[clause.operand.index("@") :]
    return view.finding(
        rule.file,
        clause.loc,
        "open_address",
        what=f"{rule.id} allows {format_path(clause.keys)} where it ends in {end}",
        why='Whatever stands before the @ goes: "x@rival.example, y@…" in one text ends the same way.',
        write=f"regex: '[^@,;<>\\s]+@{domain}'",
    )
