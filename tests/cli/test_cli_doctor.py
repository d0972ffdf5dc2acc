"""``gate doctor``: what it finds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gate.clock import SystemClock
from gate.store import files
from tests.cli.cli_kit import run
from tests.kit import POLICY, service


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir(mode=0o755)
    monkeypatch.chdir(tmp_path / "here")


def _findings(*words: str | Path, code: int = 0, **environment: str) -> list[tuple[str, str, str]]:
    result = run("doctor", "--json", *words, **environment)
    assert result.exit_code == code, result.output
    return [(one["area"], one["state"], one["text"]) for one in json.loads(result.stdout)["findings"]]


def _policy(mode: int = 0o644) -> Path:
    path = Path("policies")
    path.mkdir(mode=0o755)
    (path / "desk.yml").write_text(POLICY)
    (path / "desk.yml").chmod(mode)
    return path


def test_a_machine_with_nothing_on_it(db: Path) -> None:
    """Everything is missing, nothing is bad, nothing is made."""
    found = _findings("--db", db)
    states = {(area, state) for area, state, _ in found}
    assert {("policy", "missing"), ("store", "missing"), ("slack", "missing")} <= states
    assert "bad" not in {state for _, state in states}
    assert not db.parent.exists()


def test_a_sound_installation(db: Path) -> None:
    """With policy, store and a live bot nothing is to be mended, and the text says so."""
    policy = _policy()
    bot = service(db, clock=SystemClock(), kind="bot")
    found = _findings("--db", db, "--policy", policy)
    text = run("doctor", "--db", db, "--policy", policy).stdout
    bot.close()
    assert [one for one in found if one[1] == "bad"] == []
    assert any("a bot is alive" in text for _, _, text in found)
    assert text.endswith("only where you need it.\n")


def test_what_others_may_write_or_read(db: Path) -> None:
    """A policy file, a policy folder, a store and a key open to others are each named, with the command."""
    policy = _policy(0o666)
    policy.chmod(0o777)
    service(db).close()
    db.chmod(0o644)
    files.key_path(db).chmod(0o640)
    bad = [text for _, state, text in _findings("--db", db, "--policy", policy, code=1) if state == "bad"]
    assert any("others may write policies/desk.yml: run: chmod go-w" in text for text in bad)
    assert any("others may write policies: run" in text for text in bad)
    assert any(f"others may read or write {db}: run: chmod 600" in text for text in bad)
    assert any(f"others may read or write {files.key_path(db)}" in text for text in bad)
    assert len(bad) == 4


def test_policy_that_does_not_load_or_is_not_in_force(db: Path) -> None:
    """Both are bad, and the first says where."""
    policy = _policy()
    service(db).close()
    (policy / "desk.yml").write_text(POLICY.replace("Above ten.", "Changed."))
    assert any(
        "not what is in force" in text for _, _, text in _findings("--db", db, "--policy", policy, code=1)
    )
    (policy / "desk.yml").write_text("default: maybe\n")
    found = _findings("--db", db, "--policy", policy, code=1)
    assert any("policies/desk.yml:1:10" in text for _, state, text in found if state == "bad")


def test_a_store_that_cannot_be_used(tmp_path: Path, db: Path) -> None:
    """A file that is no store, and a store without its key, are bad; the doctor goes on to the end."""
    other = tmp_path / "other.db"
    other.write_text("no database, " * 100)
    service(db).close()
    files.key_path(db).unlink()
    for path in (other, db):
        found = _findings("--db", path, code=1)
        assert ("store", "bad") in {(area, state) for area, state, _ in found}
        assert found[-1][0] == "slack"


def test_tokens_are_named_but_never_shown(db: Path) -> None:
    """A token of the wrong form is bad; no value of a token is ever written."""
    secret = "xoxp-1234-never-show"
    found = _findings("--db", db, code=1, SLACK_BOT_TOKEN=secret, SLACK_APP_TOKEN="xapp-1-A0-never-show")
    texts = [text for _, _, text in found]
    assert not any("never-show" in text for text in texts)
    assert any("SLACK_BOT_TOKEN is set, but a real one begins with xoxb-" in text for text in texts)
    assert "SLACK_APP_TOKEN is set" in texts


def test_settings_that_no_agent_could_use(db: Path) -> None:
    """Each is named once with what to write; other verbs, which do not use them, go on."""
    service(db).close()
    agents = {"GATE_DURABILITY": "fast", "GATE_RELOAD": "on", "GATE_WAIT": "soon", "GATE_NAMESPACE": "a b"}
    found = _findings("--db", db, code=1, **agents, GATE_ALLOW_LOCAL_WORKSPACE="perhaps")
    said = [text for area, state, text in found if (area, state) == ("settings", "bad")]
    assert sorted(text.split(" ")[0] for text in said) == sorted([*agents, "GATE_ALLOW_LOCAL_WORKSPACE"])
    assert "GATE_DURABILITY (durability=): write 'full' or 'normal'" in said
    assert run("status", "--db", db, **agents).exit_code == 0


@pytest.mark.parametrize(
    ("said", "missing"), [("1", False), ("on", False), ("TRUE", False), ("0", True), ("no", True)]
)
def test_a_local_workspace_is_allowed_as_the_bot_reads_it(db: Path, said: str, missing: bool) -> None:
    """What the bot takes for a no is none for the doctor: the token is missing then."""
    found = _findings("--db", db, GATE_ALLOW_LOCAL_WORKSPACE=said, SLACK_BOT_TOKEN="")
    assert any("SLACK_BOT_TOKEN is not set" in text for _, _, text in found) is missing


def test_a_bot_module_of_the_users_own(db: Path) -> None:
    """A bot.py in this folder is reported, since it hides ours from 'python -m bot'."""
    Path("bot.py").write_text("")
    assert any("hides our bot" in text for _, _, text in _findings("--db", db, code=1))
