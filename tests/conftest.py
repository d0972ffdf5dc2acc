"""What all tests share: stores in new folders, and the last line about skipped tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SKIPPED: dict[str, int] = {}


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
