"""Keys of approval on rules and budgets that ask nobody."""

from __future__ import annotations

from collections.abc import Iterator

from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.policy.schema import ApprovalKeys


def find(view: View) -> Iterator[Finding]:
    """Yield every rule and budget that says who approves, or how, and answers without asking."""
    for written in (*view.rules, *view.budgets):
        keys = [key for key in written.raw if key in ApprovalKeys.model_fields]
        if keys and written.then != "require_approval":
            yield _finding(view, written, keys)


def _finding(view: View, written: Written, keys: list[str]) -> Finding:
    return view.finding(
        written.file,
        view.loc_of(written, keys[0]),
        "asks_nobody",
        what=f"{written.id} has {', '.join(keys)} and answers {written.then}",
        why="Nobody is asked, so nobody has to approve: what stands there changes nothing.",
        write=f"then: require_approval, or no {' and no '.join(keys)}",
    )
