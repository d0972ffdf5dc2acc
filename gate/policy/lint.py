"""Find what is wrong with a policy without using it; in this version that is what keeps it from loading."""

from __future__ import annotations

from pathlib import Path

from gate.errors import PolicyError, Problem
from gate.policy.load import load_path


def lint(path: str | Path) -> tuple[Problem, ...]:
    """Return every problem that keeps a set from loading, in order of file and line.

    Args:
        path: File or folder, as for ``load_path``.

    Returns:
        The problems; empty where the set loads.
    """
    try:
        load_path(path)
    except PolicyError as error:
        return error.problems
    return ()
