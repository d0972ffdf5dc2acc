"""``gate policy lint`` against tools and a log, ``explain`` and ``diff``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gate.catalogue import Tool
from gate.cli.exits import Exit
from gate.clock import SystemClock
from gate.model import Parameters
from gate.verbs.claim import End
from tests.cli.cli_kit import Filled, read, run, said
from tests.kit import POLICY, act, policy, service

OTHER = POLICY.replace("lte: 10}", "lte: 20}").replace("Above ten.", "More than ten.")
CALL = '{"action": "desk.pay", "args": {"amount": "50", "to": "bob"}}'


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Return a policy file in which the risk of one action is a guess."""
    path = tmp_path / "desk.yml"
    path.write_text(POLICY)
    return path


def test_a_finding_ends_with_1_and_says_what_why_and_what_to_write(desk: Path) -> None:
    """Each with its file, line and column."""
    result = run("policy", "lint", "--policy", desk)
    assert result.exit_code == Exit.FAILED
    line = next(n for n, text in enumerate(POLICY.splitlines(), 1) if "match: desk.fire" in text)
    assert f"{desk}:{line}:15: finding guessed_risk: that desk.fire is a write is guessed" in result.stdout
    assert "Write: under actions: desk.fire: {risk: write" in result.stdout
    assert "1 finding, 0 pieces of advice." in result.stdout
    found = json.loads(run("policy", "lint", "--policy", desk, "--json").stdout)
    assert found["ok"] is False
    assert set(found["findings"][0]) == {"file", "line", "column", "kind", "code", "what", "why", "write"}


def test_advice_changes_no_exit_code(tmp_path: Path) -> None:
    """It is shown and the command ends with 0."""
    path = tmp_path / "alone.yml"
    path.write_text("version: 1\ndefault: require_approval\napprovals: {channel: C0A, approvers: [U0ALICE]}\n"
                    "rules: [{id: r, match: 'a.*', then: require_approval, reason: Why.}]\n")  # fmt: skip
    found = read("policy", "lint", "--policy", path)
    assert [each["kind"] for each in found["findings"]] == ["advice"]
    assert found["ok"] is True


def test_tools_come_from_a_file_or_a_store(desk: Path, tmp_path: Path, filled: Filled) -> None:
    """A catalogue tells which matches fit no tool; a store also tells what was called."""
    tool = Tool("desk.pay", None, Parameters(frozenset({"amount", "to"})), {"required": ["to"]})
    with_tool = service(filled.db, text=None)
    with_tool.register_tool(tool)
    with_tool.close()
    exported = tmp_path / "tools.json"
    exported.write_text(said("tools", "export", *filled.words()))
    for words, place in (
        (["--tools", exported], f"the file {exported}"),
        (filled.words(), f"the store {filled.db}"),
    ):
        found = json.loads(run("policy", "lint", "--policy", desk, *words, "--json").stdout)
        assert (found["tools"], found["known_from"]) == (1, [place])
        (lost,) = [each["what"] for each in found["findings"] if each["code"] == "no_such_tool"][:1]
        assert f"fits none of the tools and calls known from {place}" in lost
        assert f"1 tool known from {place}." in run("policy", "lint", "--policy", desk, *words).stdout
        codes = [each["code"] for each in found["findings"]]
        assert "no_such_tool" in codes
        assert "may_be_left_out" in codes
    assert run("policy", "lint", "--policy", desk, "--tools", tmp_path / "none").exit_code == Exit.USAGE
    assert run("policy", "lint", "--policy", desk, "--db", tmp_path / "none").exit_code == Exit.STORE


def test_explain_shows_conditions_with_value_truth_and_why(desk: Path) -> None:
    """In words, and the same as JSON."""
    text = said("policy", "explain", "--policy", desk, "--call", CALL)
    assert "desk.pay: block, by desk/huge" in text
    assert '? args.amount: {gt: 1000} – the call has "50": unknown' in text
    assert "amount is text where a number is compared: give amount as a number" in text
    assert "not about this action (desk.fire)" in text
    found = read("policy", "explain", "--policy", desk, "--call", CALL)
    assert found["verdict"] == "block"
    assert {"key": "risk", "value": "write", "source": "desk.yml"} in found["effects"]
    assert [rule["truth"] for rule in found["files"][0]["rules"]][1:4] == ["unknown"] * 3


def test_explain_says_who_is_asked_reminded_and_asked_later(desk: Path) -> None:
    """With the spans as the policy has them; a call that runs or is blocked asks nobody."""
    keys = "expires_in: 1h, remind_before: [30m, 5m], hand_over: {after: 20m, approvers: [U0CAROL]},"
    desk.write_text(POLICY.replace("expires_in: 1h,", keys))
    held = CALL.replace('"50"', "50")
    text = " ".join(said("policy", "explain", "--policy", desk, "--call", held).split())
    assert "Asks one of U0ALICE, U0BOB, S0FINANCE in C0APPROVALS, for 1h; reminds them 30m and 5m" in text
    assert "before the end; after 20m, U0CAROL may answer as well." in text
    (need,) = read("policy", "explain", "--policy", desk, "--call", held)["requirements"]
    assert need["hand_over"] == {"after": "20m", "approvers": ["U0CAROL"]}
    assert (need["remind_before"], need["quorum"], need["rules"]) == (["30m", "5m"], 1, ["desk/large"])
    assert read("policy", "explain", "--policy", desk, "--call", CALL)["requirements"] == []


BUDGET = """
budgets:
  - {id: run, match: desk.pay, sum: effect.amount, limit: {EUR: 6}, per: session, window: 1h}
"""


def test_explain_shows_what_is_used_of_a_budget(desk: Path, db: Path) -> None:
    """Of a store where one is named; a budget that was never in force there has nothing used."""
    desk.write_text(POLICY + BUDGET)
    gate = service(db, text=POLICY + BUDGET, clock=SystemClock())
    gate.settle(gate.submit(act(amount=5, to="bob")).record.id, End(True))
    call = '{"action": "desk.pay", "args": {"amount": 2, "to": "bob"}, "session": "s1"}'
    words = ("policy", "explain", "--policy", desk, "--call", call)
    assert "desk/run (require_approval, desk.yml:" in said(*words)
    assert "at most 6 EUR in 1h in this session; nothing used, this call adds 2 EUR" in said(*words)
    text = said(*words, "--db", db)
    assert "desk.pay: require_approval, by desk/run" in text
    assert "5 EUR used, this call adds 2 EUR" in text
    desk.write_text(POLICY + BUDGET.replace("session", "agent"))
    assert "nothing used" in said(*words, "--db", db)
    gate.close()


def test_explain_takes_yaml_and_says_what_is_unknown_of_the_tool(desk: Path) -> None:
    """A tool without a schema is named once on standard error."""
    result = run("policy", "explain", "--policy", desk, "--call", "{action: desk.pay, args: {amount: 5}}")
    assert result.exit_code == 0
    assert "desk.pay: allow" in result.stdout
    assert "the parameters of desk.pay are not known here" in result.stderr
    assert (
        "give --db FILE or --tools FILE (from 'gate tools export'), or list them in the policy, under "
        "actions, as params: [NAME, …].\n" in result.stderr
    )


@pytest.mark.parametrize(
    "wrong", ["", "[]", "{}", "{action: 1}", '{"action": "a.b", "x": 1}', "a: [", '{"a": NaN}']
)
def test_a_call_that_cannot_be_judged_is_a_usage_error(desk: Path, wrong: str) -> None:
    """It says what is wrong, never a traceback."""
    result = run("policy", "explain", "--policy", desk, "--call", wrong)
    assert result.exit_code == Exit.USAGE
    assert "--call" in result.stderr


def test_diff_of_two_files_says_which_way(desk: Path, tmp_path: Path) -> None:
    """Each difference in words, with a closing count."""
    other = tmp_path / "other" / "desk.yml"
    other.parent.mkdir()
    other.write_text(OTHER)
    text = said("policy", "diff", desk, other)
    assert "- Loosened: desk/small: when from {args.amount: {gt: 0, lte: 10}} to" in text
    assert '- Changed: desk/large: reason from "Above ten." to "More than ten."' in text
    assert "1 loosened, 1 changed." in text
    assert read("policy", "diff", desk, desk)["differences"] == []
    assert "Nothing differs" in said("policy", "diff", desk, desk.parent / "desk.yml")


def test_diff_compares_files_by_name_where_their_files_are_called_otherwise(
    desk: Path, tmp_path: Path
) -> None:
    """A policy tried under another file name differs in what was changed, not in everything."""
    other = tmp_path / "next.yml"
    other.write_text(OTHER)
    text = said("policy", "diff", desk, other)
    assert "- Changed: next.yml: was the file desk.yml" in text
    assert "1 loosened, 2 changed." in text
    two = tmp_path / "two"
    two.mkdir()
    (two / "renamed.yml").write_text(POLICY)
    (two / "more.yml").write_text("default: abstain\n")
    kinds = [each["kind"] for each in read("policy", "diff", desk, two)["differences"]]
    assert kinds == ["added", "changed"]


def test_diff_takes_revisions_of_the_store(desk: Path, db: Path) -> None:
    """A prefix of six characters names one, beside a path or another revision."""
    for text in (POLICY, OTHER):
        desk.write_text(text)
        read("policy", "apply", "--policy", desk, "--db", db)
    old, new = policy(POLICY).revision, policy(OTHER).revision
    found = read("policy", "diff", old[:8], new, "--db", db)
    assert (found["old"], found["new"]) == (old, new)
    assert {each["kind"] for each in found["differences"]} == {"loosened", "changed"}
    assert read("policy", "diff", old, desk, "--db", db)["differences"] == found["differences"]


def test_diff_of_what_is_not_there(desk: Path, db: Path) -> None:
    """A missing path ends with 2, an unknown revision with 5, a policy that does not load with 3."""
    read("policy", "apply", "--policy", desk, "--db", db)
    assert run("policy", "diff", desk, "nothing.yml", "--db", db).exit_code == Exit.USAGE
    assert run("policy", "diff", desk, "abcdef", "--db", db).exit_code == Exit.NOT_FOUND
    bad = desk.with_name("bad.yml")
    bad.write_text("default: maybe\n")
    assert run("policy", "diff", desk, bad).exit_code == Exit.POLICY
