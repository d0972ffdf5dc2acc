"""Globs that no known tool fits."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written
from gate.policy.places import Loc
from gate.policy.policyset import PolicyFile
from gate.values import Glob, quoted

_INSTEAD = "the tool's name as 'gate tools list' shows it, or nothing where its program has yet to start"


def find(view: View) -> Iterator[Finding]:
    """Yield every glob that no known tool fits; without a catalogue or a log, only what looks misspelt."""
    for rule in [*view.rules, *view.budgets]:
        for glob, loc in _globs(rule):
            yield from _judge(view, rule.file, glob, loc, rule.id)
    for file in view.policy.files:
        for entry in file.entries:
            if view.called():
                loc = ("actions", entry.glob.pattern)
                yield from _judge(view, file, entry.glob, loc, f"actions of {file.name}")


def _globs(rule: Written) -> list[tuple[Glob, Loc]]:
    match = rule.raw.get("match")
    if match is None:
        return []
    listed = match if isinstance(match, list) else [match]
    ways = [("match", index) if isinstance(match, list) else ("match",) for index in range(len(listed))]
    return [(Glob(each), (*rule.loc, *way)) for each, way in zip(listed, ways, strict=True)]


def _judge(view: View, file: PolicyFile, glob: Glob, loc: Loc, where: str) -> Iterator[Finding]:
    known = view.called() or view.declared()
    if not known or any(glob.matches(name) for name in known):
        return
    near = _near(glob, known)
    if near or view.called():
        yield _finding(view, file, glob, loc, where, near)


def _near(glob: Glob, known: set[str]) -> str:
    """Return the known name that a glob was most likely meant for; empty for none."""
    folded = {name.lower(): name for name in sorted(known)}
    found = difflib.get_close_matches(glob.pattern.lower(), folded, n=1, cutoff=0.85)
    return folded[found[0]] if found else ""


def _finding(view: View, file: PolicyFile, glob: Glob, loc: Loc, where: str, near: str) -> Finding:
    hint = f" (did you mean {quoted(near)}?)" if near else ""
    return view.finding(
        file,
        loc,
        "no_such_tool",
        what=f"{quoted(glob.pattern)} in {where} fits none of {_known(view)}{hint}",
        why="It decides nothing for any of them; a tool that it misspells goes without it.",
        write=f"{quoted(near)}" if near else _INSTEAD,
    )


def _known(view: View) -> str:
    """Say what a glob was held against, and where that is known from."""
    if not view.called():
        return "the actions that the policy declares"
    return "the tools and calls known" + (f" from {' and '.join(view.places)}" if view.places else "")
