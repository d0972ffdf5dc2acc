"""The twin of ``gate.preview`` beside an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gate import Gate
from gate.errors import GuardError, NoSession
from tests.gate_kit import gate_on


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """Return an open gate without a default session."""
    with gate_on(tmp_path, agent=None) as made:
        yield made


def test_it_says_what_preview_says_in_the_callers_session(gate: Gate) -> None:
    """Verdict for verdict; nothing runs, and facts are looked up off the loop."""
    seen: list[str] = []

    def facts(arguments: Any) -> dict[str, Any]:
        seen.append(threading.current_thread().name)
        return {}

    @gate.guard("desk.pay", facts=facts)
    async def pay(amount: int, to: str) -> None:
        raise AssertionError("a preview calls nothing")

    async def answers() -> list[str]:
        with gate.session("s1", agent="desk", on_behalf_of=None):
            found = [await gate.preview_async(pay, amount, to="bob") for amount in (5, 50, 5000)]
            assert found[1].rules == gate.preview(pay, 50, to="bob").rules
            return [each.answer for each in found]

    assert asyncio.run(answers()) == ["allow", "require_approval", "block"]
    assert threading.main_thread().name not in seen[:3]
    assert gate.service.records(action=None)[-1].body["kind"] == "session"


def test_it_belongs_to_the_session_that_it_was_called_in(gate: Gate) -> None:
    """Wherever it is awaited: it is judged with the facts of that session."""

    @gate.guard("desk.pay")
    async def pay(amount: int) -> None: ...

    with gate.session("s1", agent="desk", on_behalf_of=None):
        asked = gate.preview_async(pay, 5)

    async def main() -> str:
        with gate.session("s2", agent="desk", on_behalf_of=None):
            gate.service.freeze("session", "s1", by="cli:alice", reason="")
            return (await asked).answer

    assert asyncio.run(main()) == "block"


def test_it_refuses_what_preview_refuses(gate: Gate) -> None:
    """What is not guarded, and a call outside any session."""

    @gate.guard("desk.pay")
    def pay(amount: int) -> None: ...

    with pytest.raises(GuardError):
        asyncio.run(gate.preview_async(print))
    with pytest.raises(NoSession):
        asyncio.run(gate.preview_async(pay, 5))
