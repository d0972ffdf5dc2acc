"""``gate check``: written calls and their verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.cli_kit import run, said
from tests.kit import POLICY, policy, service


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Return a policy file."""
    path = tmp_path / "desk.yml"
    path.write_text(POLICY)
    return path


def _calls(tmp_path: Path, *lines: str, name: str = "calls.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n")
    return path


def _pay(amount: str, **more: Any) -> str:
    extra = "".join(f", {json.dumps(key)}: {json.dumps(value)}" for key, value in more.items())
    return f'{{"action": "desk.pay", "args": {{"amount": {amount}, "to": "bob"}}{extra}}}'


def _judged(desk: Path, calls: Path, code: int = 0) -> list[dict[str, Any]]:
    result = run("check", "--policy", desk, "--calls", calls, "--json")
    assert result.exit_code == code, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_one_line_for_each_call_in_order(desk: Path, tmp_path: Path) -> None:
    """Each call gives one JSON line with exactly the documented keys; verdicts leave the exit code at 0."""
    found = _judged(desk, _calls(tmp_path, _pay("5"), _pay("50", id="mine"), _pay("5000")))
    assert [(one["id"], one["verdict"], one["rules"]) for one in found] == [
        ("1", "allow", ["desk/small"]),
        ("mine", "require_approval", ["desk/large"]),
        ("3", "block", ["desk/huge"]),
    ]
    keys = ["id", "verdict", "rules", "reason", "reasons", "requirements", "revision"]
    assert all(list(one) == keys for one in found)
    assert found[1]["requirements"] == [
        {"approvers": ["U0ALICE", "U0BOB", "S0FINANCE"], "quorum": 1, "rules": ["desk/large"]}
    ]
    assert found[0]["revision"] == policy(POLICY).revision


def test_numbers_keep_all_their_digits(desk: Path, tmp_path: Path) -> None:
    """A limit of 10 is not passed by a number that a float would round to 10."""
    found = _judged(desk, _calls(tmp_path, _pay("10"), _pay("10.000000000000000000000001")))
    assert [one["verdict"] for one in found] == ["allow", "require_approval"]


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ('{"action": "desk.pay", "args": {"amount": NaN, "to": "bob"}}', "NaN"),
        ('{"action": "desk.pay", "args": {"amount": -Infinity, "to": "bob"}}', "Infinity"),
        ('{"action": "desk.pay", "args": {"amount": 1, "amount": 500, "to": "bob"}}', "twice"),
        ('{"action": "desk.pay", "action": "desk.get_it"}', "twice"),
        ("not json", "not JSON"),
        ('{"args": {}}', "action"),
        ('{"action": "desk.pay", "args": {"to": "\\ud800"}}', "surrogate"),
        ('{"action": "desk.pay", "argz": {}}', "argz"),
    ],
)
def test_a_line_that_cannot_be_judged_is_an_error_of_that_line(
    desk: Path, tmp_path: Path, line: str, part: str
) -> None:
    """It gives id, line and error; the others are judged; the command ends with 1."""
    first, bad, last = _judged(desk, _calls(tmp_path, _pay("5"), line, _pay("50")), code=1)
    assert (first["verdict"], last["verdict"]) == ("allow", "require_approval")
    assert list(bad) == ["id", "line", "error"]
    assert (bad["id"], bad["line"]) == ("2", 2)
    assert bad["error"]["code"]
    assert part in bad["error"]["message"]


def test_time_may_not_go_back_within_a_session(desk: Path, tmp_path: Path) -> None:
    """An earlier ``at`` in the same session is an error of its line; in another session it is not."""
    late, early = "2026-11-20T10:00:00Z", "2026-11-20T09:00:00Z"
    lines = [_pay("5", at=late), _pay("5", at=early), _pay("5", at=early, session="other")]
    found = _judged(desk, _calls(tmp_path, *lines), code=1)
    assert ["error" in one for one in found] == [False, True, False]


def test_yaml_reads_as_json_does(desk: Path, tmp_path: Path) -> None:
    """The same calls in YAML get the same verdicts; the id defaults to the line."""
    calls = _calls(tmp_path, "# calls", "- {action: desk.pay, args: {amount: 5, to: bob}}", name="calls.yml")
    (found,) = _judged(desk, calls)
    assert (found["id"], found["verdict"]) == ("2", "allow")


def test_calls_come_from_standard_input_too(desk: Path) -> None:
    """``--calls -`` reads standard input."""
    result = run("check", "--policy", desk, "--calls", "-", "--json", given=_pay("5000"))
    assert json.loads(result.stdout)["verdict"] == "block"


def test_the_table_counts_what_it_shows(desk: Path, tmp_path: Path) -> None:
    """Without --json there is one row for each call and a closing count."""
    result = run("check", "--policy", desk, "--calls", _calls(tmp_path, _pay("5"), _pay("50"), "oops"))
    assert result.exit_code == 1
    assert "desk/large: Above ten." in result.stdout
    assert result.stdout.endswith("3 calls: 1 allow, 1 require_approval, 0 block, 1 that cannot be judged.\n")


def test_a_catalogue_closes_the_list_of_parameters(desk: Path, tmp_path: Path, db: Path) -> None:
    """With --tools an argument that the tool does not take makes a condition false; the note is gone."""
    from gate.catalogue import Tool
    from gate.model import Effect, Parameters

    gate = service(db)
    gate.register_tool(Tool("desk.pay", None, Parameters(frozenset({"to"})), {}))
    gate.register_tool(Tool("desk.look", Effect(risk="read"), Parameters(frozenset()), {}))
    gate.close()
    tools = tmp_path / "tools.json"
    tools.write_text(said("tools", "export", "--db", db))
    calls = _calls(tmp_path, '{"action": "desk.pay", "args": {"to": "bob"}}')
    open_, closed = (
        run("check", "--policy", desk, "--calls", calls, "--json", *more) for more in ([], ["--tools", tools])
    )
    assert json.loads(open_.stdout)["verdict"] == "block"
    assert "desk.pay" in open_.stderr
    assert json.loads(closed.stdout)["rules"] == ["desk/default"]
    assert closed.stderr == ""


def test_a_catalogue_brings_what_the_code_declares(tmp_path: Path, db: Path) -> None:
    """A tool that its code declares a read runs under by_risk once the catalogue says so."""
    from gate.catalogue import Tool
    from gate.model import Effect, Parameters

    path = tmp_path / "risk.yml"
    path.write_text("default: by_risk\napprovals: {channel: C0APPROVALS, approvers: [U0ALICE]}\n")
    gate = service(db)
    gate.register_tool(Tool("desk.audit", Effect(risk="read"), Parameters(frozenset()), {}))
    gate.close()
    tools = tmp_path / "tools.json"
    tools.write_text(said("tools", "export", "--db", db))
    calls = _calls(tmp_path, '{"action": "desk.audit"}')
    found = [
        json.loads(run("check", "--policy", path, "--calls", calls, "--json", *more).stdout)["verdict"]
        for more in ([], ["--tools", tools])
    ]
    assert found == ["require_approval", "allow"]


def test_files_that_cannot_be_read_are_usage_errors(desk: Path, tmp_path: Path) -> None:
    """A missing file, a folder, no UTF-8 and a catalogue that is none end with 2 and say which."""
    latin = tmp_path / "latin.jsonl"
    latin.write_bytes(b'{"action": "desk.pay", "args": {"to": "\xe9"}}')
    for wanted, words in [
        ("nothing.jsonl", ["--calls", tmp_path / "nothing.jsonl"]),
        (tmp_path.name, ["--calls", tmp_path]),
        ("latin.jsonl", ["--calls", latin]),
        ("desk.yml", ["--calls", _calls(tmp_path, _pay("1")), "--tools", desk]),
    ]:
        result = run("check", "--policy", desk, *words)
        assert result.exit_code == 2, result.output
        assert wanted in result.stderr


@pytest.mark.parametrize(
    "written",
    ["7", '{"tools": "x"}', '{"tools": [{"name": 1}]}', '{"tools": [{"name": "a", "parameters": 3}]}'],
)
def test_a_catalogue_of_another_shape_is_named(desk: Path, tmp_path: Path, written: str) -> None:
    """JSON that is no catalogue is the file's fault, and nothing is said of the store."""
    odd = tmp_path / "odd.json"
    odd.write_text(written)
    result = run("check", "--policy", desk, "--calls", _calls(tmp_path, _pay("1")), "--tools", odd)
    assert (result.exit_code, "odd.json is no catalogue" in result.stderr) == (2, True), result.stderr


def test_a_policy_must_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --policy and GATE_POLICY the message names both; GATE_POLICY is enough."""
    monkeypatch.chdir(tmp_path)
    calls = _calls(tmp_path, _pay("5"))
    result = run("check", "--calls", calls)
    assert result.exit_code == 2
    assert "--policy" in result.stderr
    assert "GATE_POLICY" in result.stderr
    path = tmp_path / "set" / "desk.yml"
    path.parent.mkdir()
    path.write_text(POLICY)
    assert run("check", "--calls", calls, GATE_POLICY=str(path.parent)).exit_code == 0
