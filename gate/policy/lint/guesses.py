"""Actions whose risk is guessed from their name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.policy.policyset import PolicyFile

_DECLARED = ("effect.risk", "effect.reversible", "effect.outbound")
"""Paths whose value is another one as soon as the risk is declared."""

_NAMED = 3


def find(view: View) -> Iterator[Finding]:
    """Yield every known action whose risk nobody declares, with the line to write."""
    for name in view.names():
        covering = view.policy.covering(name)
        if covering and view.known(name).effect.guessed:
            yield _finding(view, covering[0].file, name)


def _finding(view: View, file: PolicyFile, name: str) -> Finding:
    effect = view.known(name).effect
    return view.finding(
        file,
        _place(file, name),
        "guessed_risk",
        what=f"that {name} is a {effect.risk} is guessed from its name",
        why=_why(list(_using(view, name))),
        write=f"{_line(file, name, effect.risk)} (check each word)",
    )


def _line(file: PolicyFile, name: str, risk: str) -> str:
    """Return what to write: a line of its own, or what the entry that the name has there lacks."""
    words = {"risk": risk} | ({} if risk == "read" else {"reversible": "false", "outbound": "true"})
    entry = next((each for each in file.entries if each.glob.pattern == name), None)
    lacks = ", ".join(f"{key}: {word}" for key, word in words.items() if not entry or key not in entry.values)
    return f"there: {lacks}" if entry else f"under actions: {name}: {{{lacks}}}"


def _why(using: list[str]) -> str:
    if not using:
        return (
            "Nothing in this policy goes by it. Cards call it a guess, and a freeze stops the call "
            "even if it only reads."
        )
    named = ", ".join(using[:_NAMED]) + (f" and {len(using) - _NAMED} more" if len(using) > _NAMED else "")
    return f"Until it is declared, the guess decides in {named}. No guess spares a call a budget or a freeze."


def _using(view: View, name: str) -> Iterator[str]:
    """Yield what may answer otherwise as soon as the risk of an action is declared."""
    for covering in view.policy.covering(name):
        if covering.file.default == "by_risk":
            yield f"{covering.file.name}/default (by_risk)"
    yield from (rule.id for rule in view.rules if rule.about(name) and _reads_effect(rule))
    yield from (each.id for each in view.budgets if each.about(name) and _leaves_reads_out(each))


def _leaves_reads_out(budget: Written) -> bool:
    return not budget.raw.get("reads", False) or _reads_effect(budget)


def _reads_effect(written: Written) -> bool:
    return any(
        ".".join(clause.keys) in _DECLARED or _operand(clause.operand) in _DECLARED
        for clause in written.clauses
    )


def _operand(value: object) -> object:
    """Return the path that a value is compared with; None for none."""
    return value.get("path") if isinstance(value, Mapping) else None


def _place(file: PolicyFile, name: str) -> tuple[str | int, ...]:
    """Return where the name stands: its entry, else the first rule about it, else the file."""
    entry = next((each for each in file.entries if each.glob.matches(name)), None)
    if entry is not None:
        return ("actions", entry.glob.pattern)
    for index, rule in enumerate(file.rules):
        if any(glob.exact and glob.matches(name) for glob in rule.match):
            return ("rules", index, "match")
    return ("actions",) if file.entries else ("default",)
