"""``gate audit verify|export|archive``, ``gate db backup|adopt`` and ``gate clock accept``."""

from __future__ import annotations

import json
import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from gate import audit_export
from gate.clock import FakeClock, SystemClock
from gate.store import files
from tests.cli.cli_kit import Filled, read, run, said
from tests.kit import act, answer, post, service


def test_verify_takes_published_heads_from_any_text(filled: Filled, tmp_path: Path) -> None:
    """Heads in a file or on standard input are compared; a wrong one ends with 1 and names its record."""
    third = read("audit", "verify", *filled.words())
    thread = tmp_path / "thread.txt"
    thread.write_text(f"Denied.\nLog #{third['records']} {third['head']}\n")
    assert "all of them right" in said("audit", "verify", "--anchors", thread, *filled.words())
    wrong = run("audit", "verify", "--anchors", "-", *filled.words(), given="Log #2 0123456789ab")
    assert wrong.exit_code == 1
    assert "The first bad record is #2: it was published as 0123456789ab" in wrong.stdout


def test_verify_refuses_texts_without_heads(filled: Filled, tmp_path: Path) -> None:
    """A file without any head, or none at all, is a mistake to be told, not a success."""
    empty = tmp_path / "thread.txt"
    empty.write_text("nothing of the kind")
    for file, word in ((empty, "has no head"), (tmp_path / "nothing", "cannot be read")):
        result = run("audit", "verify", "--anchors", file, *filled.words())
        assert result.exit_code == 2
        assert word in result.stderr


def test_export_to_a_file_and_to_standard_output(filled: Filled, tmp_path: Path) -> None:
    """Both have the same whole log; --json tells of the file; one that is there is left alone."""
    out = tmp_path / "log.jsonl"
    found = read("audit", "export", "--out", out, *filled.words())
    assert audit_export.check(out.read_text().splitlines()).last == found["last"]
    shown = said("audit", "export", *filled.words())
    assert shown == out.read_text()
    assert shown.isascii()
    assert run("audit", "export", "--out", out, *filled.words()).exit_code == 5


def test_archive_moves_records(filled: Filled, tmp_path: Path) -> None:
    """Records from before a time go into a file; verify says how many, and checks the file too."""
    out, tomorrow = tmp_path / "old.jsonl", (SystemClock().now() + timedelta(days=1)).isoformat()
    found = read("audit", "archive", "--before", tomorrow, "--out", out, *filled.words())
    assert (found["first"], found["file"]) == (1, str(out))
    assert f"The first {found['last']:,} records are archived" in said("audit", "verify", *filled.words())
    whole = read("audit", "verify", "--archive", out, *filled.words())
    assert (whole["ok"], whole["records"]) == (True, found["last"] + 1)
    out.write_text(out.read_text().replace("dora", "eve"))
    assert run("audit", "verify", "--archive", out, *filled.words()).exit_code == 1
    nothing = run("audit", "archive", "--before", "30d", *filled.words())
    assert nothing.exit_code == 5


def test_an_archive_lies_beside_the_store(filled: Filled) -> None:
    """Without a name the file lies beside the store."""
    tomorrow = (SystemClock().now() + timedelta(days=1)).isoformat()
    found = read("audit", "archive", "--before", tomorrow, *filled.words())
    assert Path(found["file"]).parent == filled.db.parent
    assert audit_export.check(Path(found["file"]).read_text().splitlines()).problem == ""


def test_backup_restore_and_adopt(db: Path, tmp_path: Path) -> None:
    """A restored backup is refused by every verb but those that look into it, until it is adopted."""
    gate, copy = service(db, clock=SystemClock()), tmp_path / "copy.db"
    hold = gate.submit(act()).record.id
    assert "copy.db.key" in said("db", "backup", copy, "--db", db)
    post(gate)
    answer(gate, hold)
    post(gate)
    gate.close()
    for path in db.parent.glob("gate.db-*"):
        path.unlink()
    for source, target in ((copy, db), (files.key_path(copy), files.key_path(db))):
        shutil.copy(source, target)
    for words in (["status"], ["holds", "list"], ["db", "backup", tmp_path / "more.db"]):
        refused = run(*words, "--db", db)
        assert refused.exit_code == 4
        assert "gate db adopt" in refused.stderr
    assert run("audit", "verify", "--db", db).exit_code == 1
    assert "older copy" in run("db", "status", "--db", db).stdout
    assert "1 open hold was cancelled" in said("db", "adopt", "--db", db)
    assert read("holds", "show", hold, "--db", db)["code"] == "store_adopted"
    assert read("audit", "verify", "--db", db)["ok"]


def test_adopt_needs_a_reason(filled: Filled) -> None:
    """A store that is no older copy is not adopted by mistake, but where somebody says so."""
    refused = run("db", "adopt", *filled.words())
    assert refused.exit_code == 5
    assert "Nothing was changed" in refused.stderr
    assert read("holds", "show", filled.pending, *filled.words())["state"] == "pending"
    assert read("db", "adopt", "--anyway", *filled.words())["cancelled"] == 1


def test_clock_accept_lets_agents_go_on(db: Path) -> None:
    """Accepting sets the newest time, cancels what was asked at the wrong one, and names who still has it."""
    wrong = FakeClock(SystemClock().now() + timedelta(days=3))
    ahead = service(db, clock=wrong)
    hold = ahead.submit(act()).record.id
    found = read("clock", "accept", "--db", db)
    before, now = (datetime.fromisoformat(found[key]) for key in ("before", "now"))
    assert before - now > timedelta(days=2)
    assert now < SystemClock().now()
    assert found["cancelled"] == 1
    assert len(found["ahead"]) == 1
    assert read("holds", "show", hold, "--db", db)["state"] == "cancelled"
    assert read("audit", "verify", "--db", db)["ok"]


@pytest.mark.parametrize(
    "verb", [["audit", "export"], ["audit", "verify"], ["clock", "accept"], ["db", "adopt"]]
)
def test_no_store_is_made(verb: list[str], db: Path) -> None:
    """Where no store is, none is made, and the verb ends with 4."""
    result = run(*verb, "--db", db, "--json")
    assert result.exit_code == 4
    assert json.loads(result.stderr)["error"]["code"] == "store_error"
    assert not db.exists()
