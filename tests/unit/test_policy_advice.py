"""A policy that does not load: what a user's own program shows of it."""

from __future__ import annotations

import shlex
import traceback
from pathlib import Path

import pytest

from gate import Gate, PolicyError


def shown(policy: Path | None, db: Path) -> str:
    """Return the end of what Python prints when a program's first call finds no policy."""
    gate = Gate(policy=policy, db=db, agent="desk")
    with pytest.raises(PolicyError) as caught:
        gate.guard("desk.pay")(lambda: None)()
    gate.close()
    return "".join(traceback.format_exception(caught.value))


def test_problems_come_with_their_places_and_what_to_do(tmp_path: Path) -> None:
    """Each problem is located; below them stands that nothing ran, and the verb that checks again."""
    (tmp_path / "desk.yml").write_text("version: 1\nname: desk\ndefault: hodl\nrulse: []\n")
    said = shown(tmp_path / "desk.yml", tmp_path / "gate.db")
    assert "desk.yml:3:10: default:" in said
    assert "desk.yml:4:1: rulse:" in said
    assert said.endswith(
        f"To check it again: gate policy lint --policy {shlex.quote(str(tmp_path / 'desk.yml'))}\n"
    )
    assert "Nothing ran" in said


def test_the_command_that_checks_again_can_be_copied(tmp_path: Path) -> None:
    """A path with a space in it stands in quotes, so that a shell takes it for one word."""
    path = tmp_path / "my policy.yml"
    path.write_text("version: 1\n")
    assert shown(path, tmp_path / "gate.db").endswith(f" --policy '{path}'\n")


def test_it_is_one_traceback_that_ends_where_the_gate_opens(tmp_path: Path) -> None:
    """No other exception hangs on it, and none of its frames lies in the reading of policies."""
    said = shown(tmp_path / "nowhere.yml", tmp_path / "gate.db")
    assert said.count("Traceback") == 1
    assert "gate/policy/" not in said


def test_where_there_is_none_gate_init_is_named(tmp_path: Path) -> None:
    """A path with nothing there is said in full; with no path at all the setting is named."""
    missing = tmp_path / "nowhere.yml"
    said = shown(missing, tmp_path / "gate.db")
    assert f"there is no policy at {missing}" in said
    assert "gate init" in said
    assert "policy= or GATE_POLICY" in shown(None, tmp_path / "other.db")
