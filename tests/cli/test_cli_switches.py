"""``gate freeze``, ``unfreeze`` and ``status``."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from gate.clock import SystemClock
from tests.cli.cli_kit import Filled, read, run, said
from tests.kit import act, service


def test_freeze_blocks_the_next_call(db: Path) -> None:
    """After 'gate freeze' a call of a live agent is blocked, with the reason; after 'unfreeze' it runs."""
    gate = service(db, clock=SystemClock())
    assert "Frozen: everything" in said("freeze", "--reason", "Something is odd.", "--db", db)
    blocked = gate.submit(act(amount=5, to="bob")).record
    assert (blocked.code, "Something is odd." in blocked.reason) == ("frozen", True)
    assert "Lifted: everything." in said("unfreeze", "--reason", "It was nothing.", "--db", db)
    assert gate.submit(act(amount=5, to="bob")).kind == "run"
    gate.close()


@pytest.mark.parametrize(("option", "scope"), [("--agent", "agent"), ("--session", "session")])
def test_a_freeze_of_one_agent_or_session(filled: Filled, option: str, scope: str) -> None:
    """It freezes that one and no other, and is lifted by the same words."""
    read("freeze", option, "other", "--reason", "x", *filled.words())
    gate = service(filled.db, text=None, clock=SystemClock())
    assert gate.submit(act(amount=5, to="bob")).kind == "run"
    gate.close()
    (freeze,) = read("status", *filled.words())["freezes"]
    assert (freeze["scope"], freeze["id"], freeze["reason"]) == (scope, "other", "x")
    assert run("unfreeze", option, "else", "--reason", "x", *filled.words()).exit_code == 5
    assert read("unfreeze", option, "other", "--reason", "x", *filled.words())["left"] == 0


def test_a_second_freeze_replaces_the_reason(filled: Filled) -> None:
    """It stays frozen since the first; a newer reason takes the place of the older, no reason does not."""
    said("freeze", "--reason", "first", *filled.words())
    (before,) = read("status", *filled.words())["freezes"]
    assert "new reason" in said("freeze", "--reason", "second", *filled.words())
    assert "keeps its reason" in said("freeze", *filled.words())
    (freeze,) = read("status", *filled.words())["freezes"]
    assert freeze["reason"] == "second"
    assert freeze["at"] == before["at"]


def test_lifting_needs_a_reason_and_one_scope(filled: Filled) -> None:
    """Without --reason nothing is lifted; two scopes and an empty name are usage errors."""
    said("freeze", *filled.words())
    assert run("unfreeze", *filled.words()).exit_code == 2
    assert run("freeze", "--agent", "a", "--session", "b", *filled.words()).exit_code == 2
    assert run("freeze", "--agent", "", *filled.words()).exit_code == 2
    assert len(read("status", *filled.words())["freezes"]) == 1


@pytest.mark.parametrize("words", [[], ["--session", "chat 7's"]])
def test_the_offered_command_lifts_the_freeze(tmp_path: Path, words: list[str]) -> None:
    """It names the same store, and works as it is printed; a store from the environment is left out."""
    db = tmp_path / "my stores" / "gate.db"
    service(db).close()
    offered = said("freeze", *words, "--db", db).split("Lift it with: ")[1].strip()
    assert read("status", "--db", db)["freezes"]
    assert "Lifted" in said(*shlex.split(offered)[1:])
    assert read("status", "--db", db)["freezes"] == []
    assert "--db" not in said("freeze", *words, GATE_DB=str(db))


def test_status_shows_what_lives_and_waits(filled: Filled) -> None:
    """Freezes, revision, live agents, the lack of a bot, and open holds are all there."""
    said("freeze", "--agent", "desk", "--reason", "Odd calls.", *filled.words())
    text = said("status", *filled.words())
    parts = [str(filled.db), "The agent desk is frozen", "Odd calls.", "revision ", "process ", "gate-bot"]
    for part in [*parts, "1 pending, 0 approved", filled.pending]:
        assert part in text, part
    found = read("status", *filled.words())
    assert [one["kind"] for one in found["processes"]] == ["agent"]
    assert [hold["id"] for hold in found["holds"]] == [filled.pending]


def test_status_sees_a_live_bot(db: Path) -> None:
    """A bot that heartbeats is shown, and the warning that nobody is asked is gone."""
    bot = service(db, clock=SystemClock(), kind="bot")
    text = said("status", "--db", db)
    bot.close()
    assert "nobody is asked" not in text
    assert "nobody is asked" in said("status", "--db", db)


@pytest.mark.parametrize(
    ("option", "typed", "meant"), [("--agent", "dsk", "desk"), ("--session", "s-2", "s-1")]
)
def test_a_name_that_was_never_seen(db: Path, option: str, typed: str, meant: str) -> None:
    """The freeze is made all the same, and the first thing said is that it was never seen."""
    gate = service(db, clock=SystemClock())
    gate.open_session("s-1", agent="desk", on_behalf_of=None)
    kind = option.removeprefix("--")
    for _ in range(2):
        first, second, *_ = said("freeze", option, typed, "--db", db).splitlines()
        assert first.startswith(f"No {kind} named {typed} was ever seen here")
        assert f"did you mean {meant}" in first
        assert typed in second
    assert [(each.scope, each.id) for each in gate.freezes()] == [(kind, typed)]
    found = read("freeze", option, typed, "--db", db)
    assert (found["frozen"], found["seen"], meant in found["near"]) == (True, False, True)
    assert "ever seen" not in said("freeze", option, meant, "--db", db)
    found = read("freeze", option, meant, "--db", db)
    assert (found["seen"], found["near"]) == (True, [])
    assert "ever seen" not in said("freeze", "--db", db)
    assert "(did" not in said("freeze", option, "zzzzzz", "--db", db)
    gate.close()
