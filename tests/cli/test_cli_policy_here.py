"""Without --policy and GATE_POLICY the verbs that only look take ./policies, where there is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.cli_kit import Filled, read, run, said

LOOK = (
    ["policy", "lint"],
    ["policy", "explain", "--call", '{"action": "desk.pay", "args": {"amount": 5}}'],
    ["check", "--calls", "calls.jsonl"],
    ["policy", "test", "desk.test.yml"],
)
looking = pytest.mark.parametrize("words", LOOK, ids=lambda words: " ".join(words[:2]))


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder to work in."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def ready(empty: Path) -> Path:
    """Return a folder to work in with a policy in ./policies and what the verbs read."""
    (empty / "policies").mkdir()
    (empty / "policies" / "desk.yml").write_text("version: 1\nname: desk\ndefault: allow\n")
    (empty / "calls.jsonl").write_text('{"action": "desk.pay", "args": {"amount": 5}}\n')
    (empty / "desk.test.yml").write_text("- {id: any, action: desk.pay, args: {amount: 5}, expect: allow}\n")
    return empty


@looking
def test_what_only_looks_takes_the_policies_here(ready: Path, words: list[str]) -> None:
    """In a folder with ./policies no option is needed, and the answer is the one that --policy gives."""
    assert said(*words) == said(*words, "--policy", "policies")


@looking
def test_where_there_is_none_it_says_what_to_do(empty: Path, words: list[str]) -> None:
    """Without a policy here the message names the option, the setting and the verb that writes one."""
    (empty / "policies").mkdir()
    (empty / "policies" / "desk.test.yml").write_text("[]\n")
    result = run(*words)
    assert result.exit_code == 2
    for piece in ("./policies", "--policy PATH", "GATE_POLICY", "gate init"):
        assert piece in result.stderr


def test_what_is_named_wins(ready: Path, tmp_path: Path) -> None:
    """GATE_POLICY and --policy are taken before ./policies."""
    other = tmp_path / "other.yml"
    other.write_text("version: 1\nname: other\ndefault: block\n")
    assert "other.yml" in run("policy", "lint", "--json", GATE_POLICY=str(other)).stdout
    assert "other.yml" in run("policy", "lint", "--json", "--policy", other).stdout


def test_applying_needs_a_name(ready: Path, filled: Filled) -> None:
    """What changes the policy in force is never picked up from where somebody happens to stand."""
    before = read("policy", "status", *filled.words())["in_force"]["revision"]
    result = run("policy", "apply", *filled.words())
    assert result.exit_code == 2
    assert "name the policy" in result.stderr
    assert read("policy", "status", *filled.words())["in_force"]["revision"] == before


def test_status_and_doctor_look_here_too(ready: Path, filled: Filled) -> None:
    """Both compare ./policies with what is in force."""
    assert read("policy", "status", *filled.words())["files"] == "differ"
    assert "policies loads" in run("doctor", "--json", *filled.words()).stdout
