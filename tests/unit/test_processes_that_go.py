"""What the store remembers of processes that are gone, and of those that never came to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.errors import PolicyError
from gate.service import Service
from tests.cli.cli_kit import run
from tests.kit import service


def _rows(gate: Service) -> list[tuple[str, bool]]:
    with gate.store.reader() as reader:
        found = reader.all("SELECT kind, closed_at IS NULL AS open FROM processes ORDER BY id")
    return [(row["kind"], bool(row["open"])) for row in found]


def test_commands_leave_no_trace(db: Path) -> None:
    """However often somebody looks at a store, it does not grow by that."""
    gate = service(db)
    for words in (["status"], ["holds", "list"], ["freeze"], ["unfreeze", "--reason", "over"]):
        assert run(*words, "--db", db).exit_code == 0
    assert _rows(gate) == [("agent", True)]
    gate.close()


def test_what_cannot_start_is_nobodys_bot(db: Path) -> None:
    """A bot that found no policy is not alive, and the next command does not say so."""
    with pytest.raises(PolicyError):
        Service(db, kind="bot")
    looked = Service(db, kind="cli", create=False)
    assert looked.living() == [each for each in looked.living() if each.kind == "cli"]
    assert _rows(looked) == [("bot", False), ("cli", True)]
    looked.close()
