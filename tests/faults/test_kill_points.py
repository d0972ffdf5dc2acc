"""Agent and bot killed with -9 at every named point of the road: nothing is lost or runs twice."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

import pytest

from tests.faults.invariants import broken
from tests.faults.kill_road import Answer, Run, Who

POOL = 2
ANSWERS: tuple[Answer, ...] = ("approve", "deny", "edit")
WHO: tuple[Who, ...] = ("agent", "bot")
RUNS = int(os.environ.get("GATE_SOAK_KILLS", "4"))
ALONE = "GATE_SOAK_KILLS" in os.environ
"""Whether each point has a run of its own; else an agent and a bot die in one run, each at a point."""
SEED = int(os.environ.get("GATE_SOAK_SEED", "1"))


BEATS = ("commit heartbeat: before", "commit heartbeat: after")
"""Points that come with time: a short road may end before them."""
LEARNT = ("commit learn_card: before", "commit learn_card: after")
"""Points that are come by for certain only after a bot has died with its card posted, and by chance else."""


@dataclass(frozen=True, slots=True)
class Kills:
    """One run, and where its processes die: one point for each life that does not last."""

    folder: Path
    answer: Answer
    kills: Mapping[Who, Sequence[str]]
    all_reached: bool = True

    def problems(self) -> list[str]:
        """Take the road with these kills, and return what is wrong after it.

        One of two that does not come to its point, since the other died first, takes the road again alone.
        """
        run = Run(self.folder, self.answer, self.kills)
        try:
            found = broken(run.go())
        except AssertionError as error:
            found = [str(error)]
        missed = [
            who
            for who, orders in self.kills.items()
            if self.all_reached and run.killed.count(who) < len(orders)
        ]
        found = [f"{self.answer} {self.kills}: {each}" for each in found]
        if len(self.kills) == 1:
            return found + [f"{self.answer} {self.kills}: {who} did not come to the point" for who in missed]
        return found + [problem for who in missed for problem in self._alone(who).problems()]

    def _alone(self, who: Who) -> Kills:
        folder = self.folder.with_name(f"{self.folder.name}-{who}")
        return replace(self, folder=folder, kills={who: self.kills[who]})


def _together(runs: Iterable[Kills]) -> list[str]:
    with ThreadPoolExecutor(POOL) as pool:
        return [problem for found in pool.map(Kills.problems, runs) for problem in found]


@pytest.mark.timeout(600)
def test_killed_at_every_point(tmp_path: Path) -> None:
    """Whichever point an agent or a bot dies at, the next one brings the road to a true end."""
    plan = list(_plan(tmp_path))
    points = {(who, order) for each in plan for who, orders in each.kills.items() for order in orders}
    assert {
        ("agent", "step submit: before#1"),
        ("agent", "commit open: after#1"),
        ("bot", "commit open: after#1"),
        ("bot", "slack chat.postMessage (card): after#1"),
        ("bot", "commit edit: after#1"),
    } <= points
    assert _together(plan) == []
    print(f"{len(points)} kill points in {len(plan)} runs")


def _plan(folder: Path) -> Iterator[Kills]:
    """Yield kills for all points: on the road to an approval, and for what only others pass by."""
    known: dict[Who, set[str]] = {who: set(LEARNT) for who in WHO}
    for point in LEARNT:
        orders = ["slack chat.postMessage (card): after#1", f"{point}#1"]
        yield Kills(folder / point.replace(":", ""), "approve", {"bot": orders})
    for answer in ANSWERS:
        first = _calm(folder / f"first-{answer}", answer)
        fresh: dict[Who, list[str]] = {}
        for who in WHO:
            passed = dict.fromkeys([*BEATS, *first.points(who)])
            fresh[who] = [point for point in passed if point not in known[who]]
            known[who].update(fresh[who])
        for number, kills in enumerate(_runs(fresh)):
            yield Kills(folder / f"{answer}{number}", answer, kills)


def _runs(fresh: Mapping[Who, Sequence[str]]) -> Iterator[Mapping[Who, Sequence[str]]]:
    """Yield who dies where in each run."""
    rows = zip_longest(*([(who, [f"{point}#1"]) for point in fresh[who]] for who in WHO))
    for row in rows:
        both = [each for each in row if each is not None]
        yield from [dict([each]) for each in both] if ALONE else [dict(both)]


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
