"""Measure what the gate costs: ``python -m bench [--quick] [--only GROUP] [--json] [--save FILE]``."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench import suite

CORES = 2


def main() -> None:
    """Print every figure beside its target and the floors of the same run."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke test: every row, with few rounds")
    parser.add_argument("--only", default="", help=f"one group: {', '.join(suite.GROUPS)}")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--save", type=Path, help="also write the JSON into this file")
    parser.add_argument("--folder", type=Path, help="where stores are made; default is the temporary folder")
    options = parser.parse_args()
    logging.getLogger("gate").setLevel(logging.ERROR)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    with tempfile.TemporaryDirectory(dir=options.folder, ignore_cleanup_errors=True) as folder:
        found = suite.run(Path(folder), quick=options.quick, only=options.only, said=_say)
    if options.save:
        options.save.write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2) if options.json else table(found))


def _say(name: str) -> None:
    print(f"{name} …", file=sys.stderr, flush=True)


def table(found: dict[str, Any]) -> str:
    """Return the figures as a table; what misses its target here is marked."""
    machine = " · ".join(f"{key} {value}" for key, value in found["machine"].items())
    lines = [machine, f"{'':64}{'figure':>15}{'target':>15}{'commit µs':>11}{'commits':>9}{'lookups':>12}"]
    lines += [_line(row) for row in found["rows"]]
    return "\n".join([*lines, "* misses its target; targets in µs grow with a commit that takes over 100 µs"])


def _line(row: dict[str, Any]) -> str:
    sign, unit = "≥" if row["at_least"] else "≤", row["unit"]
    figure, target = f"{_number(row['value'])} {unit}", f"{sign} {_number(row['target_here'])} {unit}"
    beside = f"{'–':>9}{'–':>12}"
    if row["commits"] is not None:
        beside = f"{row['commits']:>9.2f}{row['lookups']:>12,.0f}"
    missed = "" if row["met"] else "  *"
    return f"{row['what']:64}{figure:>15}{target:>15}{row['commit_us']:>11.1f}{beside}{missed}"


def _number(value: float) -> str:
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


if __name__ == "__main__":
    main()
