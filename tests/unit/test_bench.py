"""The suite that measures what the gate costs runs, and measures everything that it has a target for."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import bench
from bench import suite, targets
from bench.__main__ import table
from bench.targets import COMMIT_US, Target

FOLDER = Path(bench.__file__).parent
NAMES = {name: each for name, each in vars(targets).items() if isinstance(each, Target)}


def test_everything_that_has_a_target_is_measured_once() -> None:
    """Each target is the key of one figure of one group, and the groups are all of the suite's modules."""
    used = Counter[str]()
    for path in {FOLDER / f"{group.__module__.rpartition('.')[2]}.py" for group in suite.GROUPS.values()}:
        used.update(set(re.findall(r"targets\.([A-Z_0-9]+)", path.read_text())))
    assert used == Counter(list(NAMES))
    assert len({each.name for each in NAMES.values()}) == len(NAMES)


def test_the_quick_suite_puts_each_figure_beside_the_floors(tmp_path: Path) -> None:
    """A group's rows carry target, figure and both floors of the run, and the table names each."""
    found = suite.run(tmp_path, quick=True, only="judged", said=lambda name: None)
    shown = table(found)
    assert [row["what"] for row in found["rows"]] == [
        each.name for each in (targets.JUDGE_10, targets.JUDGE_1000, targets.JUDGE_SAME, targets.DIGEST)
    ]
    for row in found["rows"]:
        assert row["value"] > 0
        assert row["commit_us"] > row["lookup_us"] > 0
        assert row["what"] in shown
        assert row["unit"] != "µs" or row["commits"] == pytest.approx(row["value"] / row["commit_us"])


def test_targets_in_microseconds_grow_with_a_slower_commit() -> None:
    """Where a commit takes three times as long, so may they; everything else stays."""
    assert targets.NORMAL.here(3 * COMMIT_US) == 3 * targets.NORMAL.bound
    assert targets.NORMAL.here(COMMIT_US / 2) == targets.NORMAL.bound
    assert targets.ALLOWED.here(3 * COMMIT_US) == targets.ALLOWED.bound
    assert targets.VERIFY.met(100_000, COMMIT_US)
    assert not targets.VERIFY.met(99_999, COMMIT_US)
    assert not targets.LOAD.met(150.1, COMMIT_US)


def test_an_old_store_is_one_that_the_gate_itself_could_have_written(tmp_path: Path) -> None:
    """What is written again and again is a whole log, and budgets stand at what it charged."""
    from bench.growing import _desk, _in_session
    from bench.longer import lengthen

    desk = _desk(tmp_path)
    work = _in_session(desk, desk.allowed)
    work()
    desk.close()
    lengthen(desk.db, calls=50, entries=20)
    work()
    assert desk.gate.service.verify().ok
    with desk.gate.service.store.reader() as reader:
        counted = reader.all(
            "SELECT c.total FROM charges c WHERE c.n = (SELECT max(n) FROM ledger) ORDER BY c.series"
        )
    desk.close()
    assert [row["total"] for row in counted] == ["22", "110"]
