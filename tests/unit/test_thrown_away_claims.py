"""A coroutine of the primitive that is thrown away, or awaited without asyncio, keeps nothing in hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from gate import Gate
from gate.errors import GuardError
from gate.handles import Allowed, Held
from gate.lifecycle import State
from gate.model import Action
from tests.gate_kit import gate_on
from tests.kit import answer


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """Return an open gate with a session ``s1``."""
    with gate_on(tmp_path) as made:
        made.session("s1", on_behalf_of=None)
        yield made


def act(amount: int = 5) -> Action:
    """Return a payment in the session."""
    return Action("desk.pay", {"amount": amount}, "desk", "s1")


class Stop:
    """Something to wait for that never comes."""

    def __await__(self) -> Any:
        yield


def _thrown_away(make: Callable[[], Coroutine[Any, Any, Any]], *, at_once: bool) -> None:
    """Begin a coroutine in a loop and close it, at its first step or where it waits for what never comes."""

    async def main() -> None:
        call = make()
        waited = call.send(None)
        while waited is not None and not at_once:
            await asyncio.wait([waited])
            waited = call.send(None)
        call.close()

    asyncio.run(main())


def _ends(gate: Gate) -> list[tuple[State, str]]:
    with gate.service.store.reader() as reader:
        return [(State(row["state"]), row["error"]) for row in reader.all("SELECT * FROM actions")]


def test_a_submit_that_is_thrown_away_gives_back_what_it_took(gate: Gate) -> None:
    """What was allowed meanwhile never starts, and is told so at once."""
    _thrown_away(lambda: gate.submit_async(act()), at_once=True)
    assert _ends(gate) == [(State.FAILED, "never started")]


@pytest.mark.parametrize("amount", [5, 50])
def test_a_claim_that_is_thrown_away_gives_back_what_it_took(gate: Gate, amount: int) -> None:
    """An allowed and an approved action that were taken meanwhile never start, and are told so at once."""
    submitted = gate.submit(act(amount))
    assert isinstance(submitted, (Allowed, Held))
    if isinstance(submitted, Held):
        answer(gate.service, submitted.action_id)

    async def work() -> None:
        async with gate.claim_async(submitted):
            raise AssertionError("the block must not begin")

    _thrown_away(work, at_once=True)
    assert _ends(gate) == [(State.FAILED, "never started")]


def test_a_block_that_is_thrown_away_is_in_doubt(gate: Gate) -> None:
    """A block that began and is thrown away where it waits ends in doubt at once."""
    submitted = gate.submit(act())
    assert isinstance(submitted, Allowed)

    async def work() -> None:
        async with gate.claim_async(submitted):
            await Stop()

    _thrown_away(work, at_once=False)
    assert _ends(gate) == [(State.IN_DOUBT, "")]


@pytest.mark.parametrize("what", ["guard", "preview", "submit", "claim"])
def test_without_asyncio_nothing_is_begun(gate: Gate, what: str) -> None:
    """Another library's loop, or none, is refused in words before anything is written."""

    @gate.guard("desk.pay")
    async def pay(amount: int) -> None: ...

    submitted = gate.submit(act()) if what == "claim" else None
    assert submitted is None or isinstance(submitted, Allowed)

    async def claim() -> None:
        assert submitted is not None
        async with gate.claim_async(submitted):
            raise AssertionError("the block must not begin")

    asked: dict[str, Callable[[], Coroutine[Any, Any, Any]]] = {
        "guard": lambda: pay(5),
        "preview": lambda: gate.preview_async(pay, 5),
        "submit": lambda: gate.submit_async(act()),
        "claim": claim,
    }
    with pytest.raises(GuardError, match="asyncio"):
        asked[what]().send(None)
    assert _ends(gate) == [(State.RUNNING, "")] * (what == "claim")
    if submitted is not None:
        with gate.claim(submitted) as run:
            run.result = "paid"
