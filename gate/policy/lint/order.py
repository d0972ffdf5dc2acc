"""Rules of a ``first_match`` file that stand in each other's way."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from gate.policy.implies import all_covered
from gate.policy.lint.finding import Finding
from gate.policy.lint.view import View, Written


def find(view: View) -> Iterator[Finding]:
    """Yield every rule that an unconditional one above it keeps from deciding."""
    for file in view.policy.files:
        if file.first_match:
            for above, below in combinations(view.of(file), 2):
                found = _between(view, above, below)
                if found is not None:
                    yield found


def _between(view: View, above: Written, below: Written) -> Finding | None:
    if above.when is not None or above.raw == below.raw:
        return None
    whole = all_covered(above.match, below.match)
    if above.then == "allow" and below.strictness:
        return _shadowed(view, above, below) if whole else _exception(view, above, below)
    return _unreached(view, above, below) if whole and above.then != below.then else None


def _shadowed(view: View, above: Written, below: Written) -> Finding:
    return view.finding(
        above.file,
        above.loc,
        "allow_above_stricter",
        what=f"{above.id} allows every call that {below.id} ({below.then}) below it could decide",
        why="The first rule that applies decides, so the stricter rule never does.",
        write=f"move {above.id} below {below.id}, or give it a when: that says which calls are harmless",
    )


def _exception(view: View, above: Written, below: Written) -> Finding | None:
    if not any(one.overlaps(two) for one in above.match for two in below.match):
        return None
    globs = ", ".join(glob.pattern for glob in above.match)
    return view.finding(
        above.file,
        above.loc,
        "exception_above_stricter",
        what=f"{above.id} allows {globs} without a condition, above {below.id} ({below.then})",
        why="What both are about runs without a person, which is right only as a meant exception.",
        write=f"nothing where it is meant so; else move {above.id} below {below.id}",
        advice=True,
    )


def _unreached(view: View, above: Written, below: Written) -> Finding:
    return view.finding(
        below.file,
        below.loc,
        "never_reached",
        what=f"{below.id} never decides: {above.id} ({above.then}) above it takes every call it is about",
        why="The first rule that applies decides.",
        write=f"move {below.id} above {above.id}, or take one of the two away",
    )
