"""Which test of ours answers which case about holds, people, cards and processes."""

from __future__ import annotations

from tests.cases.case_kit import HERE


def answered() -> dict[str, list[str]]:
    """Return the cases that each named test answers."""
    found: dict[str, list[str]] = {}
    for line in (HERE / "answered.txt").read_text(encoding="utf-8").split("\n"):
        if line.startswith("tests/"):
            found[line] = []
            last = line
        elif line.startswith("  "):
            found[last] += line.split()
    return found


ANSWERED = answered()
CASES = [case for cases in ANSWERED.values() for case in cases]
