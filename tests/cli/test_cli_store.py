"""``gate db``, ``gate key`` and ``gate tools``."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from gate.catalogue import Tool
from gate.model import Effect, Parameters
from gate.store import files
from tests.cli.cli_kit import Filled, read, run, said
from tests.kit import act, service


def test_status_of_a_store(filled: Filled) -> None:
    """Place, schema, key, binding and counts are shown; nothing in the file changes."""
    before = filled.db.read_bytes()
    found = read("db", "status", *filled.words())
    assert (found["problem"], found["schema"], found["key"]) == ("", found["newest"], "present")
    assert found["rows"]["holds"] == 3
    log = filled.db.with_name(f"{filled.db.name}-wal").stat().st_size
    assert log > 0
    assert (found["bytes"], found["log_bytes"]) == (len(before) + log, log)
    assert f"{log:,} of them in its write-ahead log" in said("db", "status", *filled.words())
    assert str(filled.db) in said("db", "status", *filled.words())
    assert filled.db.read_bytes() == before


def test_status_where_no_store_is(db: Path) -> None:
    """It ends with 4, says how one is made, and makes none."""
    result = run("db", "status", "--db", db)
    assert result.exit_code == 4
    assert "there is no store here" in result.stdout
    assert not db.parent.exists()


def test_verbs_make_no_store(db: Path) -> None:
    """Reading verbs where no store is end with 4 and leave the place empty."""
    for words in (
        ["status"],
        ["holds", "list"],
        ["audit", "verify"],
        ["freeze"],
        ["key", "new"],
        ["db", "migrate"],
    ):
        result = run(*words, "--db", db)
        assert result.exit_code == 4, words
        assert str(db) in result.stderr
    assert not db.exists()


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    """A text file and another program's database end with 4 everywhere and keep every byte."""
    text, other = tmp_path / "notes.txt", tmp_path / "other.db"
    text.write_text("dear diary\n" * 100)
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE mine (x)")
    for path in (text, other):
        before = path.read_bytes()
        for words in (["status"], ["db", "status"], ["db", "migrate"], ["key", "new"]):
            assert run(*words, "--db", path).exit_code == 4, (path, words)
        assert path.read_bytes() == before


def test_a_newer_schema_is_refused(filled: Filled) -> None:
    """A store of a later version ends with 4 and says to update."""
    _set_schema(filled.db, 99)
    for words in (["status"], ["db", "migrate"]):
        result = run(*words, *filled.words())
        assert result.exit_code == 4
        assert "newer" in result.stderr
    assert "newer" in run("db", "status", *filled.words()).stdout
    _set_schema(filled.db, 1)


def test_migrate_of_a_current_store(filled: Filled) -> None:
    """A store of this version's schema stays as it is."""
    found = read("db", "migrate", *filled.words())
    assert found["before"] == found["after"]
    assert "Nothing to do." in said("db", "migrate", *filled.words())


def test_a_new_key_cancels_open_holds(filled: Filled) -> None:
    """The key file changes, the pending hold is cancelled as key_renewed, and live agents are counted."""
    key = files.key_path(filled.db)
    before = key.read_text()
    found = read("key", "new", *filled.words())
    assert found == {"cancelled": 1, "live_processes": 1}
    assert key.read_text() != before
    assert key.stat().st_mode & 0o777 == 0o600
    hold = read("holds", "show", filled.pending, *filled.words())
    assert (hold["state"], hold["code"]) == ("cancelled", "key_renewed")


def test_a_lost_key_can_be_renewed(db: Path) -> None:
    """Without its key a store does not open and says how to go on; 'gate key new' makes it usable again."""
    gate = service(db)
    hold = gate.submit(act(amount=50, to="bob")).record.id
    gate.close()
    files.key_path(db).unlink()
    refused = run("holds", "list", "--db", db)
    assert refused.exit_code == 4
    assert "gate key new" in refused.stderr
    assert run("db", "status", "--db", db).exit_code == 4
    assert "1 open hold was cancelled" in said("key", "new", "--db", db)
    assert read("holds", "show", hold, "--db", db)["code"] == "key_renewed"


def test_a_spoilt_key_is_as_good_as_lost(db: Path) -> None:
    """A key file that is cut or no text ends with 4, not with a traceback."""
    service(db).close()
    for content in (b"", b"abc", b"\xff\xfe\x00", b"zz" * 32):
        files.key_path(db).write_bytes(content)
        assert run("status", "--db", db).exit_code == 4
    said("key", "new", "--db", db)
    said("status", "--db", db)


def test_tools_are_listed_and_exported(db: Path) -> None:
    """Each registered tool stands with its parameters and what its code declares."""
    gate = service(db)
    schema = {"properties": {"to": {}, "amount": {}}}
    gate.register_tool(
        Tool(
            "desk.pay",
            Effect(risk="write", reversible=False),
            Parameters(frozenset({"amount", "to"})),
            schema,
            "Pay.",
        )
    )
    gate.register_tool(Tool("desk.any", None, Parameters(frozenset(), open=True), {}))
    gate.close()
    text = said("tools", "list", "--db", db)
    for part in ("desk.pay", "to, amount", "write, not reversible", "Pay.", "desk.any", "**"):
        assert part in text, part
    exported = json.loads(said("tools", "export", "--db", db))
    assert exported == read("tools", "export", "--db", db) == read("tools", "list", "--db", db)
    assert exported["tools"][1]["parameters"] == {"names": ["amount", "to"], "open": False}


def test_an_empty_catalogue_says_how_it_is_filled(db: Path) -> None:
    """Without tools the list is a sentence and the export is an empty list."""
    service(db).close()
    assert said("tools", "list", "--db", db).startswith("No tools")
    assert read("tools", "export", "--db", db) == {"tools": []}


def _set_schema(db: Path, number: int) -> None:
    with closing(sqlite3.connect(db)) as connection:
        connection.execute(f"PRAGMA user_version = {number}")
