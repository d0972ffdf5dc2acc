"""Paths that approvers may change, and that nobody will ever be offered."""

from __future__ import annotations

from collections.abc import Iterator

from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.values import parse_path


def find(view: View) -> Iterator[Finding]:
    """Yield every editable path that has no effect: on a rule that asks nobody, hidden, or no parameter."""
    for rule in view.rules:
        for index, path in enumerate(rule.raw.get("editable") or ()):
            found = _in_vain(view, rule, path)
            if found is not None:
                what, why, write = found
                yield view.finding(
                    rule.file,
                    view.loc_of(rule, "editable", index),
                    "editable_in_vain",
                    what=what,
                    why=why,
                    write=write,
                )


def _in_vain(view: View, rule: Written, path: str) -> tuple[str, str, str] | None:
    if rule.then != "require_approval":
        why = f"It answers {rule.then}, so nobody approves its calls and nobody changes them."
        return f"{rule.id} lets people change {path}", why, "it on a rule that requires approval"
    keys = parse_path(path)
    hidden = view.hides(rule, keys)
    if hidden is not None:
        why = "What is hidden from approvers cannot be changed by them."
        return f"{rule.id} lets people change {path}, and redact hides {hidden}", why, "another path"
    takes = {view.takes(each, keys[1]) for each in view.of_rule(rule)}
    if takes == {False}:
        why = "None of the tools that the rule is about has such a parameter."
        return f"{rule.id} lets people change {path}", why, "the name of a parameter"
    return None
