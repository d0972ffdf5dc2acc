"""Allow rules that rest on nothing but the model's own words."""

from __future__ import annotations

from collections.abc import Iterator

from gate.policy.clauses import Clause
from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.values import format_path, parse_path

_OF_THE_CALL = (("effect", "amount"), ("effect", "currency"), ("effect", "count"))


def find(view: View) -> Iterator[Finding]:
    """Yield advice for each allow whose condition only reads what the model writes.

    What the tool does with a value counts: an amount, and what is declared decisive, is the deed itself. What
    is left is a claim about it, such as a reason.
    """
    for rule in view.rules:
        if rule.then == "allow" and rule.clauses and all(map(_written_by_the_model, rule.clauses)):
            claim = next((each for each in rule.clauses if _is_claim(view, rule, each)), None)
            if claim is not None:
                yield _finding(view, rule, claim)


def _written_by_the_model(clause: Clause) -> bool:
    return clause.keys[0] == "args" or clause.keys in _OF_THE_CALL


def _is_claim(view: View, rule: Written, clause: Clause) -> bool:
    if clause.keys in _OF_THE_CALL or clause.word == "exists":
        return False
    return not any(clause.keys in _deed(view, name) for name in view.of_rule(rule))


def _deed(view: View, name: str) -> set[tuple[str, ...] | None]:
    known = view.known(name)
    return {known.amount, known.currency, known.count, *(parse_path(path) for path in known.effect.decisive)}


def _finding(view: View, rule: Written, claim: Clause) -> Finding:
    return view.finding(
        rule.file,
        claim.loc,
        "model_decides",
        what=f"{rule.id} depends only on values that the model writes, such as {format_path(claim.keys)}",
        why="A model that is wrong, or was talked into it, writes what the rule wants to read.",
        write="nothing where that is acceptable; else a condition on facts.… that your own systems give",
        advice=True,
    )
