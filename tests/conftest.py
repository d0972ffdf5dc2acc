"""What all tests share: stores in new folders, cheap sweeps, and the last line about skipped tests."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

SKIPPED: dict[str, int] = {}
MEMORY = Path("/dev/shm")
ROOM = 2 * 1024**3
"""Free bytes that the folder in memory must have to be used."""

settings.register_profile(
    "patient", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)  # no test is about time
settings.load_profile("patient")


def pytest_configure(config: pytest.Config) -> None:
    """Put the tests' files into memory where there is room: thousands of stores sync at each commit.

    A file there is a file like any other; tests of full, slow and lost disks make disks of their own.
    """
    if not hasattr(config, "workerinput") and _has_room(MEMORY):
        folder = MEMORY / f"gate-tests-{os.getuid()}"
        folder.mkdir(exist_ok=True)
        for name in ("PYTEST_DEBUG_TEMPROOT", "TMPDIR"):
            os.environ.setdefault(name, str(folder))
        tempfile.tempdir = None  # it was looked up before


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[Any]:
    """Sweep nothing while tests are collected: all of it stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Leave what stays anyway, thousands of tests and what they import, out of every later sweep."""
    _keep_out_of_sweeps()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Leave out, module by module, what came since: reports, and what was imported late.

    Tests that sweep hundreds of times would look through all of it each time.
    """
    if nextitem is None or nextitem.path != item.path:
        _keep_out_of_sweeps()


def _keep_out_of_sweeps() -> None:
    gc.collect()
    gc.freeze()


def _has_room(folder: Path) -> bool:
    if not os.access(folder, os.W_OK):
        return False
    found = os.statvfs(folder)
    return not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize >= ROOM


@pytest.fixture(autouse=True)
def _own_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep every test away from the settings and the state folder of whoever runs it."""
    for name in [name for name in os.environ if name.startswith(("GATE_", "SLACK_"))]:
        if name != "GATE_TEST_SKIPS":
            monkeypatch.delenv(name)
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Return where a new store may be made."""
    return tmp_path / "store" / "gate.db"


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count what was skipped, by reason."""
    if report.skipped and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        SKIPPED[reason] = SKIPPED.get(reason, 0) + 1


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail a run that skipped anything where no skip is allowed."""
    if SKIPPED and os.environ.get("GATE_TEST_SKIPS") == "fail" and exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say in the last line how many tests were skipped and why."""
    if SKIPPED and not hasattr(config, "workerinput"):
        why = "; ".join(f"{count} × {reason}" for reason, count in SKIPPED.items())
        print(f"\nSkipped: {sum(SKIPPED.values())} ({why})")
