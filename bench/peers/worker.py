"""Time one candidate, again and again, as told: ``python worker.py NAME FOLDER``; one JSON line each way."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter_ns

import candidates  # type: ignore[import-not-found]

WARM = 3


def main(name: str, folder: Path) -> None:
    """Answer each ``{"rules": N, "times": N}`` with ``{"us": MEDIAN}``, or with what is wrong."""
    made: dict[int, Callable[[], object]] = {}
    out, sys.stdout = sys.stdout, sys.stderr  # whatever a candidate prints is not for the one who asks
    for line in sys.stdin:
        asked = json.loads(line)
        rules = asked["rules"]
        try:
            if rules not in made:
                place = folder / str(rules)
                place.mkdir(parents=True)
                made[rules] = getattr(candidates, name)(rules, place)
                timed(made[rules], WARM)
            answer: dict[str, float | str] = {"us": timed(made[rules], asked["times"])}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(answer), file=out, flush=True)


def timed(work: Callable[[], object], times: int) -> float:
    """Return the median of so many runs, in µs."""
    took = []
    for _ in range(times):
        start = perf_counter_ns()
        work()
        took.append((perf_counter_ns() - start) / 1000)
    return median(took)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
