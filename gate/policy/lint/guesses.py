"""Actions whose risk is guessed from their name."""

from __future__ import annotations

from collections.abc import Iterator

from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View
from gate.policy.policyset import PolicyFile


def find(view: View) -> Iterator[Finding]:
    """Yield every known action whose risk nobody declares, with the line to write."""
    for name in view.names():
        covering = view.policy.covering(name)
        if covering and view.known(name).effect.guessed:
            yield _finding(view, covering[0].file, name)


def _finding(view: View, file: PolicyFile, name: str) -> Finding:
    effect = view.known(name).effect
    line = f"{name}: {{risk: {effect.risk}}}"
    if effect.risk != "read":
        line = f"{name}: {{risk: {effect.risk}, reversible: false, outbound: true}}"
    return view.finding(
        file,
        _place(file, name),
        "guessed_risk",
        what=f"that {name} is a {effect.risk} is guessed from its name",
        why="A guess decides by_risk, is never a read while the gate is frozen, and exempts from no budget.",
        write=f"under actions: {line} (check each word)",
    )


def _place(file: PolicyFile, name: str) -> tuple[str | int, ...]:
    """Return where the name stands: its entry, else the first rule about it, else the file."""
    entry = next((each for each in file.entries if each.glob.matches(name)), None)
    if entry is not None:
        return ("actions", entry.glob.pattern)
    for index, rule in enumerate(file.rules):
        if any(glob.exact and glob.matches(name) for glob in rule.match):
            return ("rules", index, "match")
    return ("actions",) if file.entries else ("default",)
