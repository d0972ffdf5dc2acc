"""Run every measurement and put each figure beside the floors of the same run."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bench import calls, deciding, ending, growing, judging, posting, starting
from bench.floors import Commits, Lookups
from bench.measure import Plan
from bench.targets import TIMES, Target

Group = Callable[[Plan], Mapping[Target, float]]
GROUPS: Mapping[str, Group] = {
    "judged": judging.judged,
    "allowed": calls.allowed,
    "decided": deciding.decided,
    "threads": calls.threads,
    "history": growing.history,
    "swept": ending.swept,
    "waiting": deciding.waiting,
    "memory": growing.memory,
    "imported": starting.imported,
    "loaded": judging.loaded,
    "revised": starting.revised,
    "sizes": calls.sizes,
    "posted": posting.posted,
}
FLOORS = 20
"""How often the floors are taken before and after each group, beside those in between."""

Row = dict[str, Any]


def run(folder: Path, *, quick: bool, only: str, said: Callable[[str], None]) -> dict[str, Any]:
    """Measure everything, or the groups whose name holds a text.

    Args:
        folder: Where stores are made; the disk that is meant.
        quick: Whether it only has to show that everything can be measured.
        only: Part of the names of the groups that are wanted.
        said: Told which group begins.

    Returns:
        The machine and the rows, fit for JSON.
    """
    plan = Plan(folder, quick, Commits(folder), Lookups())
    rows: list[Row] = []
    for name, group in GROUPS.items():
        if only in name:
            said(name)
            rows += _group(plan, group)
    floors = {"commit_us": plan.commits.median_us(), "lookup_us": plan.lookups.median_us()} if rows else {}
    plan.commits.close()
    return {"machine": machine(), "quick": quick, **floors, "rows": rows}


def _group(plan: Plan, group: Group) -> list[Row]:
    commits, lookups = len(plan.commits.took), len(plan.lookups.took)
    plan.floor(FLOORS)
    found = group(plan)
    plan.floor(FLOORS)
    commit, lookup = plan.commits.median_us(commits), plan.lookups.median_us(lookups)
    return [_row(target, value, commit, lookup) for target, value in found.items()]


def _row(target: Target, value: float, commit: float, lookup: float) -> Row:
    us = value * TIMES[target.unit] if target.unit in TIMES else None
    return {
        "what": target.name,
        "value": value,
        "unit": target.unit,
        "target": target.bound,
        "at_least": target.least,
        "target_here": target.here(commit),
        "met": target.met(value, commit),
        "commit_us": commit,
        "lookup_us": lookup,
        "commits": us and us / commit,
        "lookups": us and us / lookup,
    }


def machine() -> dict[str, Any]:
    """Return where it was measured."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "cores": usable,
        "load": os.getloadavg()[0],
        "system": platform.platform(terse=True),
        "python": sys.version.split()[0],
        "sqlite": sqlite3.sqlite_version,
    }
