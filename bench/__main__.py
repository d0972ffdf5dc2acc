"""Time the gate: ``python -m bench [--rounds N] [--json]``."""

from __future__ import annotations

import argparse
import json
import logging
import tempfile
from pathlib import Path
from statistics import median, quantiles

from bench.floors import commit_us, lookup_us
from bench.roads import Desk, approver


def main() -> None:
    """Print what each road takes beside the floor of the same run."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=300, help="allowed calls; a tenth as many held ones")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    logging.getLogger("gate").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), options.rounds)
    print(json.dumps(found, indent=2) if options.json else table(found))


def measure(folder: Path, rounds: int) -> dict[str, dict[str, float]]:
    """Return p50, p99 (µs) and the ratio to the floor of each road, floors taken in between."""
    desk = Desk(folder, "bench")
    floors = [commit_us(folder / _new(folder, 0), rounds)]
    allowed = [desk.allowed() for _ in range(rounds)]
    floors.append(commit_us(folder / _new(folder, 1), rounds))
    held = max(rounds // 10, 10)
    here = [desk.decided_here(number) for number in range(held)]
    process, pipe = approver(desk.db)
    there = [desk.decided_elsewhere(10_000 + number, pipe) for number in range(held)]
    pipe.send("stop")  # type: ignore[attr-defined]
    process.join()
    floor = median(floors)
    desk.gate.close()
    named = {
        "allowed call": allowed,
        "decide -> runs, in-process": here,
        "decide -> runs, across processes": there,
    }
    rows = {name: _row([each * 1e6 for each in took], floor) for name, took in named.items()}
    lookup = lookup_us(rounds)
    return {
        "dict lookup": {"p50_us": lookup, "p99_us": lookup, "commits": lookup / floor},
        "durable commit": {"p50_us": floor, "p99_us": floor, "commits": 1.0},
    } | rows


def table(found: dict[str, dict[str, float]]) -> str:
    """Return the figures as a table; the last column counts bare durable commits."""
    lines = [f"{'':34}{'p50 µs':>12}{'p99 µs':>12}{'commits':>10}"]
    for name, row in found.items():
        lines.append(f"{name:34}{row['p50_us']:>12,.1f}{row['p99_us']:>12,.1f}{row['commits']:>10.2f}")
    return "\n".join(lines)


def _new(folder: Path, number: int) -> str:
    (folder / f"floor-{number}").mkdir()
    return f"floor-{number}"


def _row(took: list[float], floor: float) -> dict[str, float]:
    return {"p50_us": median(took), "p99_us": quantiles(took, n=100)[98], "commits": median(took) / floor}


if __name__ == "__main__":
    main()
