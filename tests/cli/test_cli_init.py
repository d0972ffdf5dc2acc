"""``gate init``: the first policy."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.catalogue import Tool
from gate.model import Action, Parameters
from gate.policy.evaluate import evaluate
from gate.policy.load import load_path
from tests.cli.cli_kit import read, run, said
from tests.kit import act, service


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_init_writes_a_policy_and_its_table() -> None:
    """All files are written and named, and the next three commands are printed."""
    found = read("init")
    assert found["written"] == [
        "policies/approvals.yml",
        "policies/approvals.test.yml",
        "policies/policy.schema.json",
    ]
    assert len(found["next"]) == 3
    assert all(Path(name).is_file() for name in found["written"])


def test_what_init_writes_passes_its_own_test() -> None:
    """The first command that it prints runs as printed and ends well."""
    command = read("init")["next"][0].split()
    assert command[0] == "gate"
    assert "All 2 rows came out as written." in said(*command[1:])


def test_the_first_lint_after_a_first_call_has_no_finding(db: Path) -> None:
    """A tool that the README's lines guard is no mistake of a policy that nobody has changed."""
    said("init")
    gate = service(db, text=Path("policies/approvals.yml").read_text())
    gate.register_tool(Tool("helpdesk.send_email", None, Parameters(frozenset({"to", "text"})), {}))
    gate.submit(act("helpdesk.send_email", to="customer@example.com", text="On its way."))
    gate.close()
    lines = said("policy", "lint", "--db", db).splitlines()
    assert "0 findings, 0 pieces of advice." in lines
    assert f"1 tool known from the store {db}." in lines


def test_people_read_what_the_first_call_would_do() -> None:
    """The line over the first card is a sentence about the call, and not the name of a function."""
    said("init")
    gate = service(text=Path("policies/approvals.yml").read_text())
    held = gate.submit(act("helpdesk.send_email", to="customer@example.com", text="On its way."))
    assert gate.hold(held.record.id).described == "Send an email to customer@example.com"


def test_everything_is_held_by_one_person_in_one_channel() -> None:
    """Reads, deletions and names nobody has thought of are all held, for one approver and one channel."""
    said("init")
    policy = load_path("policies")
    for name in ("orders.get_order", "orders.delete_order", "a.b"):
        verdict = evaluate(policy, Action(name, {}, "any", "s1"))
        assert (verdict.answer, len(verdict.requirements)) == ("require_approval", 1)
    assert [str(each) for each in policy.approvers()] == ["U0ALICE"]
    assert policy.channels() == ("C0APPROVALS",)


def test_the_file_says_what_to_put_for_the_two_ids() -> None:
    """Whoever opens the file finds both placeholders explained beside where they stand."""
    said("init")
    comments = [line for line in Path("policies/approvals.yml").read_text().splitlines() if "# " in line]
    assert any("U0ALICE" in line and "user id" in line for line in comments)
    assert any("C0APPROVALS" in line and "channel" in line for line in comments)


def test_the_example_rules_work_without_their_marks() -> None:
    """Taking the # away gives a set that loads, runs look-ups and refuses deletions."""
    said("init")
    path = Path("policies/approvals.yml")
    head, _, rules = path.read_text().partition("#rules:")
    path.write_text(head + "rules:" + rules.replace("\n#", "\n"))
    policy = load_path("policies")
    found = [
        evaluate(policy, Action(name, {}, "a", "s")).answer for name in ("o.get_it", "o.delete_it", "o.x")
    ]
    assert found == ["allow", "block", "require_approval"]


def test_init_never_overwrites() -> None:
    """A second run ends with 5 and leaves every file as it was changed meanwhile."""
    written = read("init")["written"]
    for name in written:
        Path(name).write_text("mine")
    result = run("init")
    assert result.exit_code == 5
    assert "nothing was written" in result.stderr
    assert [Path(name).read_text() for name in written] == ["mine"] * 3


def test_init_leaves_a_set_alone_that_it_would_change() -> None:
    """A folder with another policy gets no second one that holds everything."""
    Path("policies").mkdir()
    Path("policies/mine.yml").write_text("default: allow\n")
    assert run("init").exit_code == 5
    assert sorted(path.name for path in Path("policies").iterdir()) == ["mine.yml"]


def test_init_writes_all_of_its_files_or_none() -> None:
    """Where only the schema is there, the policy is not written beside it."""
    Path("policies").mkdir()
    Path("policies/policy.schema.json").write_text("mine")
    result = run("init")
    assert (result.exit_code, "nothing was written" in result.stderr) == (5, True)
    assert [path.name for path in Path("policies").iterdir()] == ["policy.schema.json"]
    assert Path("policies/policy.schema.json").read_text() == "mine"


def test_init_into_another_folder() -> None:
    """The folder may be named; the printed commands name it too."""
    found = read("init", "set/of/mine")
    assert found["written"][0] == "set/of/mine/approvals.yml"
    assert found["next"][0] == "gate policy test --policy set/of/mine"


def test_the_next_commands_can_be_copied() -> None:
    """A folder with a space in its name stands in quotes, so that a shell takes it for one word."""
    assert read("init", "my policies")["next"][0] == "gate policy test --policy 'my policies'"


def test_a_place_that_cannot_be_written_is_a_usage_error() -> None:
    """A file where the folder should be ends with 2, without a traceback."""
    Path("taken").write_text("")
    for folder in ("taken", "taken/below"):
        assert run("init", folder).exit_code == 2
