"""What a running process says when the policy of another place comes into force on its store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gate import Gate
from tests.kit import POLICY, policy


def _said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if "no longer that of" in each.getMessage()]


def _project(folder: Path, extra: str, store: Path) -> Gate:
    folder.mkdir(exist_ok=True)
    (folder / "policies").mkdir(exist_ok=True)
    (folder / "policies" / "desk.yml").write_text(POLICY + extra, "utf-8")
    return Gate(folder / "policies", db=store, agent="desk")


def _paying(gate: Gate) -> Callable[[int], str]:
    @gate.guard("desk.pay")
    def pay(amount: int) -> str:
        return f"paid {amount}"

    return pay


def test_another_projects_policy_is_told_once_at_the_next_call(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A process whose policy another project's start replaced says so at its next call, once."""
    store = tmp_path / "store" / "gate.db"
    with _project(tmp_path / "ours", "", store) as ours:
        pay = _paying(ours)
        pay(5)
        with _project(tmp_path / "theirs", "\n# theirs\n", store) as theirs:
            assert _said(caplog) == []
            pay(5)
            pay(5)
            (line,) = _said(caplog)
            for part in (tmp_path / "ours", tmp_path / "theirs", store, "GATE_DB"):
                assert str(part) in line
            _paying(theirs)(5)
    with _project(tmp_path / "ours", "", store) as again:
        _paying(again)(5)
    assert len(_said(caplog)) == 2, "it was not brought back, and what holds is still theirs"


def test_a_change_of_the_same_files_is_nobody_elses(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Another start of the same project, also by another way to its folder, is no other project."""
    store = tmp_path / "store" / "gate.db"
    (tmp_path / "link").symlink_to(tmp_path / "ours")
    with _project(tmp_path / "ours", "", store) as first:
        pay = _paying(first)
        with _project(tmp_path / "link", "\n# newer\n", store) as newer:
            pay(5)
            assert first.service.policy().revision == newer.service.policy().revision
    assert _said(caplog) == []


def test_where_no_place_is_known_nothing_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A process that was started with no files misses none; a policy that came from none is nobody's."""
    store = tmp_path / "store" / "gate.db"
    with _project(tmp_path / "ours", "", store) as ours, Gate(db=store, agent="desk") as plain:
        calls = [_paying(ours), _paying(plain)]
        ours.service.apply(policy(POLICY + "\n# from a text\n"), by="cli:x")
        for pay in calls:
            pay(5)
        with _project(tmp_path / "theirs", "\n# theirs\n", store):
            calls[1](5)
    assert _said(caplog) == []
