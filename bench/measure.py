"""How everything is measured: work in turns with its floors, medians over rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter_ns

from bench.floors import Commits, Lookups

Work = Callable[[], object]


@dataclass(slots=True)
class Plan:
    """One run of the suite.

    Attributes:
        folder: Where its stores lie.
        quick: Whether it only has to show that everything can be measured.
        commits: The bare durable commit of this run.
        lookups: The plain dict lookup of this run.
    """

    folder: Path
    quick: bool
    commits: Commits
    lookups: Lookups
    _made: int = field(default=0, repr=False)

    def size(self, full: int, quick: int) -> int:
        """Return how much is done."""
        return quick if self.quick else full

    def place(self, name: str) -> Path:
        """Return a new folder on the file system of the floors."""
        self._made += 1
        made = self.folder / f"{self._made:02d}-{name}"
        made.mkdir()
        return made

    def floor(self, times: int = 1) -> None:
        """Take the floors once more, between what is measured."""
        for _ in range(times):
            self.commits.take()
            self.lookups.take()


def each(work: Work, times: int) -> list[float]:
    """Return how long each of so many runs took, in µs."""
    took = []
    for _ in range(times):
        start = perf_counter_ns()
        work()
        took.append((perf_counter_ns() - start) / 1000)
    return took


def alternating(plan: Plan, works: Mapping[str, Work], *, rounds: int, times: int) -> dict[str, list[float]]:
    """Return for each work the median of each round, in µs; the works and the floors take turns."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        plan.floor()
        for name, work in works.items():
            found[name].append(median(each(work, times)))
    return found


def ratio(ones: Iterable[float], twos: Iterable[float]) -> float:
    """Return the median over rounds of how many times the second the first took."""
    return median(one / two for one, two in zip(ones, twos, strict=True))


def p99(took: Iterable[float]) -> float:
    """Return the time that 99 of 100 do not pass."""
    ordered = sorted(took)
    return ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
