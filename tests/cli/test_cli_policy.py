"""``gate policy``: lint, test, apply, show and status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gate.cli.exits import Exit
from tests.cli.cli_kit import read, run, said
from tests.kit import POLICY, policy, service

OTHER = POLICY.replace("Above ten.", "More than ten.")
TABLE = """
- {id: small, action: desk.pay, args: {amount: 5, to: bob}, expect: allow, rules: [desk/small]}
- {id: large, action: desk.pay, args: {amount: 50, to: bob}, expect: require_approval}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with one policy and its table."""
    path = tmp_path / "policies"
    path.mkdir()
    (path / "desk.yml").write_text(POLICY)
    (path / "desk.test.yml").write_text(TABLE)
    return path


def test_lint_of_a_sound_set(folder: Path) -> None:
    """A set without findings is described and ends with 0."""
    text = POLICY.replace("actions:\n", "actions:\n  desk.fire: {risk: destructive}\n")
    (folder / "desk.yml").write_text(text)
    assert read("policy", "lint", "--policy", folder) == {
        "ok": True,
        "files": ["desk.yml"],
        "rules": 6,
        "revision": policy(text).revision,
        "tools": 0,
        "known_from": [],
        "findings": [],
    }
    assert "1 file, 6 rules" in said("policy", "lint", "--policy", folder)


def test_lint_comes_before_the_first_start(folder: Path, tmp_path: Path) -> None:
    """A store that GATE_DB names and nobody has made yet is no error; one that --db names is."""
    store = tmp_path / "later.db"
    words = ("policy", "lint", "--policy", folder)
    assert "No tools are known" in run(*words, GATE_DB=str(store)).output
    assert not store.exists()
    ended = run(*words, "--db", store)
    assert (ended.exit_code, "There is no store" in ended.output) == (Exit.STORE, True)


def test_lint_says_everything_with_its_place(folder: Path) -> None:
    """Two faults in two files are both said on standard error, located, and end with 3."""
    (folder / "desk.yml").write_text(POLICY.replace("then: allow", "then: hodl", 1))
    (folder / "more.yml").write_text("default: maybe\n")
    result = run("policy", "lint", "--policy", folder)
    assert result.exit_code == 3
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[0].startswith(f"{folder}/desk.yml:")
    assert "hodl" in lines[0]
    assert lines[1].startswith(f"{folder}/more.yml:1:10: default:")
    problems = json.loads(run("policy", "lint", "--policy", folder, "--json").stderr)["error"]["problems"]
    assert [(one["file"], one["line"] > 0) for one in problems] == [
        (f"{folder}/desk.yml", True),
        (f"{folder}/more.yml", True),
    ]


@pytest.mark.parametrize("content", [b"\xff\xfe", b"", b"[]", b"default: allow\n---\n"])
def test_what_is_no_policy_is_a_located_error(tmp_path: Path, content: bytes) -> None:
    """Bytes that are no UTF-8, an empty file, a list and two documents end with 3 and name the file."""
    path = tmp_path / "odd.yml"
    path.write_bytes(content)
    result = run("policy", "lint", "--policy", path)
    assert result.exit_code == 3
    assert "odd.yml" in result.stderr


def test_a_missing_policy_and_an_empty_folder_do_not_load(tmp_path: Path) -> None:
    """Both end with 3 and say what is missing."""
    for path in (tmp_path / "nothing.yml", tmp_path):
        result = run("policy", "lint", "--policy", path)
        assert result.exit_code == 3
        assert str(path) in result.stderr


def test_test_runs_the_tables_beside_the_policy(folder: Path) -> None:
    """By default every table of the folder runs; of a file, only its own."""
    (folder / "more.test.yml").write_text("- {action: desk.get_it, expect: allow}\n")
    assert len(read("policy", "test", "--policy", folder)["tables"]) == 2
    assert len(read("policy", "test", "--policy", folder / "desk.yml")["tables"]) == 1
    assert "All 3 rows came out as written." in said("policy", "test", "--policy", folder)


def test_a_row_that_differs_ends_with_1(folder: Path) -> None:
    """The row's place, what was expected and what came are said."""
    table = folder / "wrong.test.yml"
    table.write_text("- {id: odd, action: desk.pay, args: {amount: 5, to: bob}, expect: block}\n")
    result = run("policy", "test", "--policy", folder, table)
    assert result.exit_code == 1
    assert f"{table}:1: odd: expected block, got allow by desk/small" in result.stdout
    failed = run("policy", "test", "--policy", folder, table, "--json")
    assert failed.exit_code == 1
    assert json.loads(failed.stdout)["ok"] is False


def test_tables_that_cannot_be_read_or_are_not_there(folder: Path) -> None:
    """A missing table and a policy without any end with 2, never with 'all rows came out'."""
    assert run("policy", "test", "--policy", folder, folder / "none.test.yml").exit_code == 2
    (folder / "desk.test.yml").unlink()
    assert run("policy", "test", "--policy", folder).exit_code == 2


def test_an_empty_table_fails(folder: Path) -> None:
    """A table without rows checks nothing, so it does not pass."""
    (folder / "desk.test.yml").write_text("")
    assert run("policy", "test", "--policy", folder).exit_code == 1


def test_apply_makes_a_store_and_brings_it_into_force(folder: Path, db: Path) -> None:
    """The first apply makes the store; the second changes nothing; a change is said in words."""
    first = read("policy", "apply", "--policy", folder, "--db", db)
    assert first["revision"] == policy(POLICY).revision
    assert first["changes"]
    assert read("policy", "apply", "--policy", folder, "--db", db)["changes"] == []
    (folder / "desk.yml").write_text(OTHER)
    text = said("policy", "apply", "--policy", folder, "--db", db)
    assert "desk/large: reason" in text
    assert policy(OTHER).revision[:12] in text
    gate = service(db, text=None)
    assert gate.policy().revision == policy(OTHER).revision
    gate.close()


def test_apply_goes_back_to_an_older_revision(folder: Path, db: Path) -> None:
    """Going back is explicit: applying an older revision again puts it in force."""
    for text in (POLICY, OTHER, POLICY):
        (folder / "desk.yml").write_text(text)
        read("policy", "apply", "--policy", folder, "--db", db)
    status = read("policy", "status", "--db", db)
    assert status["in_force"]["revision"] == policy(POLICY).revision
    assert status["before"] == 2


def test_a_set_that_does_not_load_is_not_applied(folder: Path, db: Path) -> None:
    """One bad file keeps the old revision in force, and no store is made for nothing."""
    (folder / "bad.yml").write_text("default: maybe\n")
    assert run("policy", "apply", "--policy", folder, "--db", db).exit_code == 3
    assert not db.exists()


def test_show_writes_the_files_byte_for_byte(folder: Path, db: Path) -> None:
    """What show writes holds the text that was applied, unwrapped, also at 40 columns."""
    (folder / "desk.yml").write_text(POLICY + "# \ttab, ünïcode, " + "long " * 60 + "\n")
    read("policy", "apply", "--policy", folder, "--db", db)
    texts = read("policy", "show", "--db", db)
    assert texts["files"] == {"desk.yml": (folder / "desk.yml").read_text()}
    assert said("policy", "show", "--db", db, COLUMNS="40") == (folder / "desk.yml").read_text()
    (folder / "more.yml").write_text("default: abstain")
    revision = read("policy", "apply", "--policy", folder, "--db", db)["revision"][:12]
    shown = said("policy", "show", "--db", db)
    one = f"# desk.yml, revision {revision}\n{(folder / 'desk.yml').read_text()}"
    assert shown == f"{one}# more.yml, revision {revision}\ndefault: abstain\n"


def test_show_an_older_revision(folder: Path, db: Path) -> None:
    """A revision is named by six characters; an unknown or shorter one ends with 5."""
    old = read("policy", "apply", "--policy", folder, "--db", db)["revision"]
    (folder / "desk.yml").write_text(OTHER)
    read("policy", "apply", "--policy", folder, "--db", db)
    assert "Above ten." in said("policy", "show", old[:6], "--db", db)
    for wrong in (old[:5], "zzzzzz"):
        assert run("policy", "show", wrong, "--db", db).exit_code == 5


def test_status_compares_the_files(folder: Path, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Status tells whether the named files are in force, differ, or do not load."""
    monkeypatch.chdir(folder)
    read("policy", "apply", "--policy", folder, "--db", db)
    assert read("policy", "status", "--db", db)["files"] == "not_named"
    assert read("policy", "status", "--db", db, "--policy", folder)["files"] == "same"
    (folder / "desk.yml").write_text(OTHER)
    assert read("policy", "status", "--db", db, "--policy", folder)["files"] == "differ"
    assert "differs" in said("policy", "status", "--db", db, "--policy", folder)
    (folder / "desk.yml").write_text("default: maybe\n")
    assert read("policy", "status", "--db", db, "--policy", folder)["files"] == "do_not_load"


def test_a_store_without_any_policy(db: Path) -> None:
    """Show ends with 5 and says how one comes into force; status says that there is none."""
    service_without_policy(db)
    assert run("policy", "show", "--db", db).exit_code == 5
    assert read("policy", "status", "--db", db)["in_force"] is None


def service_without_policy(db: Path) -> None:
    """Make a store in which no policy was ever in force."""
    from gate.service import Service

    Service(db, kind="cli").close()
