"""Agent and bot killed with -9 at every named point of the road: nothing is lost or runs twice."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.invariants import broken
from tests.faults.kill_road import Answer, Run, Who

POOL = 2
ANSWERS: tuple[Answer, ...] = ("approve", "deny", "edit")
WHO: tuple[Who, ...] = ("agent", "bot")
RUNS = int(os.environ.get("GATE_SOAK_KILLS", "4"))
SEED = int(os.environ.get("GATE_SOAK_SEED", "1"))


@dataclass(frozen=True, slots=True)
class Kills:
    """One run, and where its processes die: one point for each life that does not last."""

    folder: Path
    answer: Answer
    kills: Mapping[Who, Sequence[str]]
    all_reached: bool = True

    def problems(self) -> list[str]:
        """Take the road with these kills, and return what is wrong after it."""
        run = Run(self.folder, self.answer, self.kills)
        try:
            found = broken(run.go())
        except AssertionError as error:
            found = [str(error)]
        missed = [who for who in self.kills if self.all_reached and who not in run.killed]
        found += [f"{who} did not come to the point" for who in missed]
        return [f"{self.answer} {self.kills}: {each}" for each in found]


def _together(runs: Iterable[Kills]) -> list[str]:
    with ThreadPoolExecutor(POOL) as pool:
        return [problem for found in pool.map(Kills.problems, runs) for problem in found]


@pytest.mark.timeout(600)
def test_killed_at_every_point(tmp_path: Path) -> None:
    """Whichever point an agent or a bot dies at, the next one brings the road to a true end."""
    plan = list(_plan(tmp_path))
    points = {point for each in plan for orders in each.kills.values() for point in orders}
    assert {
        "step submit: before#1",
        "slack chat.postMessage (card): after#1",
        "commit edit: after#1",
    } <= points
    assert _together(plan) == []
    print(f"{len(plan)} kill points, one run each")


def _plan(folder: Path) -> Iterator[Kills]:
    """Yield one kill for each point: on the road to an approval, and for what only others pass by."""
    known: set[str] = set()
    for answer in ANSWERS:
        first = _calm(folder / f"first-{answer}", answer)
        for who in WHO:
            for point in first.points(who):
                if point not in known:
                    yield Kills(folder / f"{answer}{len(known)}", answer, {who: [f"{point}#1"]})
                known.add(point)


@pytest.mark.timeout(3600)
def test_killed_again_and_again(tmp_path: Path) -> None:
    """Agent and bot die at random points, in several lives one after the other: still one true end."""
    points = {
        (answer, who): first.counts(who)
        for answer in ANSWERS
        for first in [_calm(tmp_path / f"first-{answer}", answer)]
        for who in WHO
    }
    print(f"{RUNS} random runs, seed {SEED}")
    assert _together(_random(tmp_path, points)) == []


def _calm(folder: Path, answer: Answer) -> Run:
    run = Run(folder, answer, {})
    assert broken(run.go()) == []
    return run


def _random(folder: Path, points: Mapping[tuple[Answer, Who], Counter[str]]) -> Iterator[Kills]:
    chance = random.Random(SEED)
    for number in range(RUNS):
        answer = chance.choice(ANSWERS)
        kills = {
            who: [_order(chance, points[answer, who]) for _ in range(chance.randint(0, 3))] for who in WHO
        }
        yield Kills(folder / str(number), answer, kills, all_reached=False)


def _order(chance: random.Random, counts: Counter[str]) -> str:
    name = chance.choice(sorted(counts))
    return f"{name}#{chance.randint(1, counts[name])}"
