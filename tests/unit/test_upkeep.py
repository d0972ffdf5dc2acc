"""The one sweep, the heartbeat, and the watch on the policy files."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

import pytest

from gate.clock import Clock, SystemClock
from gate.errors import StoreError
from gate.expiry import Expiry, _logged
from gate.policy.policyset import PolicySet
from gate.reload import PolicyWatch
from tests.gate_kit import PATIENCE, gate_on, until
from tests.kit import POLICY


class Kept:
    """A service of which only the upkeep is seen."""

    def __init__(self) -> None:
        self.clock: Clock = SystemClock()
        self.deadline: datetime | None = None
        self.swept = 0
        self.beats = 0
        self.broken = False
        self.swept_now = threading.Event()

    def sweep(self) -> int:
        self.swept += 1
        if self.broken:
            raise StoreError("gone")
        if self.deadline is not None and self.clock.now() >= self.deadline:
            self.deadline = None
            self.swept_now.set()
        return 0

    def next_deadline(self) -> datetime | None:
        return self.deadline

    def heartbeat(self) -> None:
        self.beats += 1


def test_the_sweep_runs_at_start_and_at_the_nearest_deadline() -> None:
    """A deadline before the next regular sweep moves the sweep to it."""
    kept = Kept()
    upkeep = Expiry(kept)
    upkeep.start()
    try:
        assert kept.swept == 1
        kept.deadline = kept.clock.now() + timedelta(milliseconds=50)
        upkeep.rearm()
        assert kept.swept_now.wait(PATIENCE)
    finally:
        upkeep.stop()


def test_a_store_that_fails_does_not_end_the_upkeep() -> None:
    """A sweep that fails is tried again."""
    kept = Kept()
    kept.broken = True
    upkeep = Expiry(kept)
    upkeep.start()
    try:
        kept.deadline = kept.clock.now()
        upkeep.rearm()
        until(lambda: kept.swept >= 2)
        kept.broken = False
        kept.deadline = kept.clock.now()
        upkeep.rearm()
        assert kept.swept_now.wait(PATIENCE)
    finally:
        upkeep.stop()


def test_stopping_is_safe_at_any_time() -> None:
    """Upkeep may be stopped before it starts and twice, and a rearm after that does nothing."""
    kept = Kept()
    upkeep = Expiry(kept)
    upkeep.stop()
    upkeep.start()
    upkeep.stop()
    upkeep.stop()
    kept.deadline = datetime(2020, 1, 1, tzinfo=UTC)
    upkeep.rearm()
    assert kept.swept == 1


def test_an_open_gate_says_that_it_lives_and_goes(tmp_path: Path) -> None:
    """Opening a gate records its process, closing it takes it away, and both are safe twice."""
    gate = gate_on(tmp_path)
    with gate:
        assert [each.kind for each in gate.service.living()] == ["agent"]
        assert gate.open() is gate
        assert gate.sweep() == 0
    gate.close()
    with gate_on(tmp_path) as other:
        assert [each.identity.pid for each in other.service.living()] == [os.getpid()]


class Taken(list[PolicySet]):
    """Policies that were brought into force."""

    def take(self, policy: PolicySet) -> None:
        self.append(policy)


def _files(folder: Path, text: str) -> None:
    (folder / "desk.yml").write_text(text, "utf-8")
    stamp = getattr(_files, "stamp", 1_000_000_000) + 1
    _files.stamp = stamp  # type: ignore[attr-defined]
    os.utime(folder / "desk.yml", (stamp, stamp))


def test_a_change_is_taken_after_two_equal_looks(tmp_path: Path) -> None:
    """A change is taken at the second look that sees it, once; a file still being written is not."""
    _files(tmp_path, POLICY)
    taken = Taken()
    watch = PolicyWatch(tmp_path, taken.take)
    watch.look()
    _files(tmp_path, POLICY.replace("lte: 10}", "lte: 20}"))
    watch.look()
    _files(tmp_path, POLICY.replace("lte: 10}", "lte: 30}"))
    watch.look()
    assert taken == []
    watch.look()
    watch.look()
    assert len(taken) == 1
    assert "lte: 30}" in taken[0].texts["desk.yml"]


def test_a_file_in_capitals_and_one_that_cannot_be_read_are_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Each change that does not load is told, also where the one before it did not either."""
    _files(tmp_path, POLICY)
    taken = Taken()
    watch = PolicyWatch(tmp_path, taken.take)
    (tmp_path / "never.YML").write_text(POLICY)
    watch.look(), watch.look()
    assert "never.YML: would be passed over" in caplog.text
    (tmp_path / "never.YML").unlink()
    (tmp_path / "gone.yml").symlink_to(tmp_path / "nowhere")
    for text in (POLICY.replace("lte: 10}", "lte: 20}"), POLICY.replace("lte: 10}", "lte: 30}")):
        caplog.clear()
        _files(tmp_path, text)
        watch.look(), watch.look()
        assert "gone.yml: does not exist" in caplog.text
    (tmp_path / ".#gone.yml").symlink_to(tmp_path / "nowhere")
    (tmp_path / "gone.yml").unlink()
    _files(tmp_path, text)
    watch.look(), watch.look()
    assert ["lte: 30}" in each.texts["desk.yml"] for each in taken] == [True]


def test_a_file_that_is_only_written_again_is_no_change(tmp_path: Path) -> None:
    """A policy that a start left out of force does not come back because its file has another time."""
    _files(tmp_path, POLICY)
    taken = Taken()
    watch = PolicyWatch(tmp_path, taken.take)
    for text in (POLICY, POLICY.replace("lte: 10}", "lte: 20}"), POLICY):
        _files(tmp_path, text)
        watch.look()
        watch.look()
    assert ["lte: 20}" in each.texts["desk.yml"] for each in taken] == [True, False]


def test_a_change_that_does_not_load_changes_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A broken file is told in the log with its place, and the policy in force stays."""
    _files(tmp_path, POLICY)
    taken = Taken()
    watch = PolicyWatch(tmp_path, taken.take)
    _files(tmp_path, POLICY.replace("require_approval", "hodl", 1))
    watch.look()
    watch.look()
    assert taken == []
    assert "desk.yml:4" in caplog.text


def test_a_change_that_the_store_cannot_take_now_is_tried_again(tmp_path: Path) -> None:
    """A store that is busy for a moment does not leave an older policy in force for good."""
    _files(tmp_path, POLICY)
    taken, busy = Taken(), [StoreError("busy"), StoreError("busy")]

    def apply(policy: PolicySet) -> None:
        if busy:
            raise busy.pop()
        taken.take(policy)

    watch = PolicyWatch(tmp_path, apply)
    _files(tmp_path, POLICY.replace("lte: 10}", "lte: 20}"))
    watch.look()
    for _ in list(busy):
        with pytest.raises(StoreError):
            watch.look()
    watch.look(), watch.look()
    assert ["lte: 20}" in each.texts["desk.yml"] for each in taken] == [True]


def test_a_folder_that_cannot_be_read_changes_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told in the log once, and once it can be read again its policy is taken."""
    _files(tmp_path, POLICY)
    taken, closed, real = Taken(), [True], Path.iterdir

    def iterdir(self: Path) -> object:
        if closed and self == tmp_path:
            raise PermissionError(13, "Permission denied")
        return real(self)

    watch = PolicyWatch(tmp_path, taken.take)
    _files(tmp_path, POLICY.replace("lte: 10}", "lte: 20}"))
    monkeypatch.setattr(Path, "iterdir", iterdir)
    for _ in range(4):
        watch.look()
    assert taken == []
    assert len(caplog.records) == 1
    assert "Permission denied" in caplog.text
    closed.clear()
    watch.look()
    watch.look()
    assert len(taken) == 1


def test_a_watching_gate_brings_its_files_into_force(tmp_path: Path) -> None:
    """With reload="watch" a settled change is the policy in force; without it nothing is watched."""
    with gate_on(tmp_path, reload="watch") as gate:
        before = gate.service.policy().revision
        _files(tmp_path / "policies", POLICY.replace("lte: 10}", "lte: 20}"))
        watch = gate._opened()._watch
        assert watch is not None
        watch.look()
        assert gate.service.policy().revision == before
        watch.look()
        assert "lte: 20}" in gate.service.policy().texts["desk.yml"]
    with gate_on(tmp_path) as gate:
        assert gate._opened()._watch is None


def test_upkeep_that_keeps_failing_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    """Work that fails every time fills no log; another fault, and the same after a success, is told anew."""
    faults: list[Exception | None] = [
        StoreError("gone"),
        StoreError("gone"),
        ValueError("odd"),
        ValueError("odd"),
    ]
    faults += [None, ValueError("odd")]

    def work() -> None:
        fault = faults.pop(0)
        if fault is not None:
            raise fault

    job = _logged(work)
    with caplog.at_level("WARNING", "gate"):
        for _ in range(6):
            job()
    assert ["gone" in each.getMessage() for each in caplog.records] == [True, False, False]


class Wall(datetime):
    """A wall clock that may be set."""

    ahead = timedelta(0)

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Wall:
        return cls.fromtimestamp((datetime.now(UTC) + cls.ahead).timestamp(), tz)


@pytest.mark.parametrize("ahead", [timedelta(days=-1), timedelta(days=20_000)], ids=["back", "forth"])
def test_upkeep_goes_on_when_the_wall_clock_is_set(monkeypatch: pytest.MonkeyPatch, ahead: timedelta) -> None:
    """However far the wall clock is set, the process goes on to say that it lives, and to sweep."""
    monkeypatch.setattr("apscheduler.schedulers.base.datetime", Wall)
    monkeypatch.setattr("gate.expiry.datetime", Wall)
    monkeypatch.setattr("gate.expiry.SWEEP_EVERY", timedelta(milliseconds=40))
    monkeypatch.setattr(Wall, "ahead", timedelta(0))
    kept = Kept()
    upkeep = Expiry(kept, beat=timedelta(milliseconds=20))
    upkeep.start()
    try:
        until(lambda: kept.beats)
        monkeypatch.setattr(Wall, "ahead", ahead)
        beats, swept = kept.beats, kept.swept
        until(lambda: kept.beats > beats + 3 and kept.swept > swept + 3)
    finally:
        upkeep.stop()
