"""Stores, keys and policies that this user may not reach, and what is no file at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import Result

from gate.cli.exits import Exit
from gate.errors import StoreError
from gate.store.files import default_path
from tests.cli.cli_kit import run
from tests.kit import POLICY, service

NOBODY = 65534


@pytest.fixture
def place() -> Iterator[Path]:
    """Give a folder that every user may reach."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@contextmanager
def _nobody() -> Iterator[None]:
    """Be a user with no rights to what others closed; whoever is not root is one already."""
    if os.geteuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def _refused(*words: str | Path) -> Result:
    run(*words)  # loads everything that the command needs, which nobody may read where Python is root's own
    with _nobody():
        return run(*words)


def test_a_store_that_is_closed_is_a_store_that_cannot_be_reached(place: Path) -> None:
    """It ends with 4, whether the file or its folder is closed; nobody is sent to the wrong words."""
    db = place / "gate.db"
    service(db).close()
    db.chmod(0)
    for words in (["status"], ["holds", "list"], ["freeze"], ["policy", "show"]):
        result = _refused(*words, "--db", db)
        assert result.exit_code == Exit.STORE, words
        assert f"The store {db} cannot be " in result.stderr
        assert "Nothing ran." in result.stderr
    place.chmod(0o700 if os.geteuid() == 0 else 0)
    try:
        result = _refused("status", "--db", db)
    finally:
        place.chmod(0o755)
    assert result.exit_code == Exit.STORE
    assert "cannot be reached: Permission denied" in result.stderr


def test_a_key_that_is_closed_is_no_key_to_be_renewed(place: Path) -> None:
    """Whoever may not read it is told so, and not to make a new one, which would cancel every open hold."""
    db = place / "gate.db"
    service(db).close()
    db.chmod(0o666)
    db.with_name("gate.db.key").chmod(0)
    place.chmod(0o777)
    for words in (["status"], ["db", "status"], ["doctor"]):
        result = _refused(*words, "--db", db)
        assert result.exit_code != Exit.OK, words
        assert "the user that it belongs to" in result.output or "closed to this user" in result.output
        assert "key new" not in result.output


def test_the_doctor_says_what_cannot_be_reached(place: Path) -> None:
    """A closed policy and a closed store are findings to mend, not words that are wrong."""
    policy, db = place / "p.yml", place / "gate.db"
    policy.write_text(POLICY)
    service(db).close()
    for each in (policy, db):
        each.chmod(0)
    result = _refused("doctor", "--policy", policy, "--db", db)
    assert result.exit_code == Exit.FAILED
    assert "p.yml: cannot be read: Permission denied" in result.stdout
    assert result.stdout.count("MEND") >= 2


def test_a_policy_that_is_closed_does_not_load(place: Path) -> None:
    """It ends with 3, like any policy that does not load."""
    policy = place / "p.yml"
    policy.write_text(POLICY)
    policy.chmod(0)
    result = _refused("policy", "lint", "--policy", policy)
    assert result.exit_code == Exit.POLICY
    assert "p.yml: cannot be read: Permission denied" in result.stderr


def test_what_is_no_file_is_no_store(tmp_path: Path) -> None:
    """A pipe is never waited for; it and a device are named."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path(os.devnull)):
        result = run("status", "--db", path)
        assert result.exit_code == Exit.STORE
        assert f"{path} is no file, so no store" in result.stderr
        looked = run("db", "status", "--db", path)
        assert looked.exit_code == Exit.STORE
        assert "it is no file" in looked.stdout
        assert "MEND" in run("doctor", "--db", path).stdout


def test_a_user_without_a_home_is_told_to_name_a_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system knows no home folder, there is no default place, and the message says what to name."""

    def nowhere(kind: type[Path]) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("GATE_DB", raising=False)
    monkeypatch.setattr(Path, "home", classmethod(nowhere))
    with pytest.raises(StoreError, match="no home folder"):
        default_path()
    result = run("status")
    assert result.exit_code == Exit.STORE
    assert "Name a file with GATE_DB, --db or db=" in result.stderr
