"""``gate policy import``: who approves must be said, and nothing is written where anything is wrong."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from gate.policy.load import load_path
from tests.cli.cli_kit import run, said

KORTIX = "policies:\n  - {match: shop.*, action: require_approval}\n"
PHRONY = """\
kind: Policy
metadata: {name: limit}
spec:
  conditions: {field: amount, op: gt, value: 250}
  decision: {type: deny}
"""
WHO = ("--approvers", "U0ALICE,S0FINANCE", "--approvers", "members_of:C0PRIVATE", "--channel", "C0APPROVALS")
SOURCES = [("kortix", KORTIX), ("phrony", PHRONY)]


@pytest.fixture(params=SOURCES, ids=lambda each: each[0])
def words(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """Return the words that import one source, without who approves."""
    system, text = request.param
    (tmp_path / "source.yaml").write_text(text, encoding="utf-8")
    return ["policy", "import", system, str(tmp_path / "source.yaml")]


def test_what_is_written_loads(words: list[str], tmp_path: Path) -> None:
    """Standard output, --out and --json give the same policy, and it loads with the approvers named."""
    text = said(*words, *WHO)
    out = tmp_path / "ours.yml"
    assert f"gate policy lint --policy {shlex.quote(str(out))}" in said(*words, *WHO, "--out", out).replace(
        "\n", " "
    )
    assert out.read_text(encoding="utf-8") == text
    assert json.loads(said(*words, *WHO, "--json")) == {"out": None, "policy": text}
    assert "approvers: [U0ALICE, S0FINANCE, {members_of: C0PRIVATE}]" in text
    assert load_path(out).texts == {"ours.yml": text}


@pytest.mark.parametrize("missing", ["--approvers", "--channel"])
def test_who_approves_must_be_said(words: list[str], missing: str) -> None:
    """Neither system's files name approvers or a channel, so both options are required."""
    rest = WHO[4:] if missing == "--approvers" else WHO[:4]
    result = run(*words, *rest)
    assert result.exit_code == 2
    assert missing in result.stderr


@pytest.mark.parametrize(
    ("option", "value"), [("--approvers", "alice"), ("--approvers", ","), ("--channel", "#approvals")]
)
def test_approvers_and_channel_are_ids(words: list[str], option: str, value: str) -> None:
    """A name or nothing where a Slack id belongs is a usage error that says which option."""
    given = {"--approvers": "U0ALICE", "--channel": "C0APPROVALS"} | {option: value}
    result = run(*words, *(word for pair in given.items() for word in pair))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"gate: {option}: ")


def test_escalations_go_to_who_is_named_for_them(tmp_path: Path) -> None:
    """--hand-over names people for all escalations, or for a role; never those who are asked at first."""
    hold = "{type: require_approval, timeout: {after_minutes: 5, default: escalate}}"
    (tmp_path / "source.yaml").write_text(PHRONY.replace("{type: deny}", hold), encoding="utf-8")
    words = ["policy", "import", "phrony", str(tmp_path / "source.yaml"), *WHO]
    written = "hand_over: {after: 5m, approvers: [S0MANAGERS, U0BOSS]}"
    assert written in said(*words, "--hand-over", "S0MANAGERS,U0BOSS", "--hand-over", "clerk=U0CLERK")
    assert "hand_over:" not in said(*words, "--hand-over", "clerk=U0CLERK")
    for wrong in ("U0ALICE", "boss=alice", "boss="):
        result = run(*words, "--hand-over", wrong)
        assert result.exit_code == 2
        assert result.stderr.startswith("gate: --hand-over: ")


def test_a_file_that_is_there_is_not_overwritten(words: list[str], tmp_path: Path) -> None:
    """--out names a new file; one that stands there keeps its text."""
    out = tmp_path / "ours.yml"
    out.write_text("mine", encoding="utf-8")
    result = run(*words, *WHO, "--out", out)
    assert result.exit_code == 2
    assert "is there already" in result.stderr
    assert out.read_text(encoding="utf-8") == "mine"


def test_nothing_is_written_where_anything_is_wrong(tmp_path: Path) -> None:
    """Errors stand on standard error with their places, exit 3, and there is neither output nor a file."""
    source, out = tmp_path / "kortix.yaml", tmp_path / "ours.yml"
    source.write_text("policies: [{match: a.b, action: blok}, {match: c.d, action: block}]", encoding="utf-8")
    result = run("policy", "import", "kortix", source, *WHO, "--out", out)
    assert result.exit_code == 3
    assert result.stdout == ""
    assert f"{source}:1:33: policies[0].action:" in result.stderr
    assert not out.exists()
    problems = json.loads(run("policy", "import", "kortix", source, *WHO, "--json").stderr)["error"][
        "problems"
    ]
    assert [(each["line"], each["column"]) for each in problems] == [(1, 33)]
