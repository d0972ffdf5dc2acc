"""Globs that no action can ever fit, whatever tools there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View
from gate.policy.places import Loc
from gate.policy.policyset import PolicyFile
from gate.values import Glob, is_action_name, quoted


def find(view: View) -> Iterator[Finding]:
    """Yield every glob without a dot and a star, and every one outside of what its file covers."""
    for file in view.policy.files:
        for glob, loc in _globs(file.document):
            why = _why(file, glob, inside=loc[0] != "applies_to")
            if why:
                yield view.finding(
                    file,
                    loc,
                    "fits_nothing",
                    what=f"{quoted(glob.pattern)} fits no action: {why}",
                    why="What is about no action decides nothing; the action that was meant goes without it.",
                    write="the action's whole name, such as payments.refund, or a glob such as payments.*",
                )


def _why(file: PolicyFile, glob: Glob, *, inside: bool) -> str:
    if glob.exact and not is_action_name(glob.pattern):
        return "an action's name is namespace.tool"
    if inside and not any(glob.overlaps(each) for each in file.applies_to):
        return "applies_to covers none of its names"
    return ""


def _globs(document: Mapping[str, Any]) -> Iterator[tuple[Glob, Loc]]:
    yield from _listed(document.get("applies_to"), ("applies_to",))
    for pattern in document.get("actions") or ():
        yield Glob(pattern), ("actions", pattern)
    for key in ("rules", "budgets"):
        for index, each in enumerate(document.get(key) or ()):
            yield from _listed(each.get("match"), (key, index, "match"))


def _listed(written: Any, loc: Loc) -> Iterator[tuple[Glob, Loc]]:
    if isinstance(written, list):
        yield from ((Glob(each), (*loc, index)) for index, each in enumerate(written))
    elif written is not None:
        yield Glob(written), loc
