"""Allow rules that a stricter rule always beats."""

from __future__ import annotations

from collections.abc import Iterator

from gate.policy.implies import all_covered, implies
from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.policy.words import flow, written


def find(view: View) -> Iterator[Finding]:
    """Yield every allow that can never win under ``strictest``, with the condition to write instead."""
    for rule in view.rules:
        if rule.then == "allow" and not rule.file.first_match:
            beater = next((other for other in view.of(rule.file) if _beats(other, rule)), None)
            if beater is not None:
                yield _finding(view, rule, beater)


def _beats(other: Written, rule: Written) -> bool:
    """Tell whether another rule applies wherever this allow does, and answers stricter."""
    return other.strictness > 0 and all_covered(other.match, rule.match) and implies(rule.when, other.when)


def _finding(view: View, rule: Written, beater: Written) -> Finding:
    return view.finding(
        rule.file,
        rule.loc,
        "never_wins",
        what=f"{rule.id} can never allow anything: {beater.id} ({beater.then}) applies wherever it does",
        why="Under resolve: strictest the stricter answer wins, whatever the order of the rules.",
        write=_write(rule, beater),
    )


def _write(rule: Written, beater: Written) -> str:
    if rule.when is None or (beater.when is not None and written(rule.when) == written(beater.when)):
        return f"take one of the two away, or give {rule.id} a match or when that {beater.id} leaves out"
    but = {"not": rule.when}
    when = but if beater.when is None else {"all": [beater.when, but]}
    return f"in {beater.id}: when: {flow(when)}"
