"""Tasks that begin at once, as Python 3.12 lets a loop make them, are in no other session than others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from gate import Gate
from gate.session import Session
from tests.session_places import Here, gate, here

__all__ = ["gate", "here"]

FACTORIES = [None, *filter(None, [getattr(asyncio, "eager_task_factory", None)])]
"""How a loop makes tasks: as it does by itself and, from Python 3.12, at once up to their first wait."""


async def a_turn() -> None:
    """Let the loop turn to others once."""
    turn = asyncio.Event()
    asyncio.get_running_loop().call_soon(turn.set)
    await turn.wait()


@pytest.mark.parametrize("factory", FACTORIES)
def test_a_task_is_in_the_session_it_was_made_in(gate: Gate, here: Here, factory: Any) -> None:
    """So it is before its first wait and after it, in a block, a generator's block and within its own."""

    def opened(id_: str) -> Session:
        return gate.session(id_, agent="desk", on_behalf_of=None)

    async def work(go_on: asyncio.Event) -> list[str | None]:
        found = [here()]
        await go_on.wait()
        with opened("own"):
            found.append(here())
            await a_turn()
            found.append(here())
        return [*found, here()]

    async def chat(go_on: asyncio.Event) -> AsyncGenerator[asyncio.Task[list[str | None]], None]:
        with opened("s1"):
            yield asyncio.create_task(work(go_on))

    async def main() -> list[list[str | None]]:
        asyncio.get_running_loop().set_task_factory(factory)
        go_on = asyncio.Event()
        free = asyncio.create_task(work(go_on))
        with opened("s2"):
            inner = asyncio.create_task(work(go_on))
        tasks = [free, inner, *[each async for each in chat(go_on)]]
        places = here()
        go_on.set()
        return [[places], *await asyncio.gather(*tasks)]

    expected = [[each, "own", "own", each] for each in (None, "s2", "s1")]
    assert asyncio.run(main()) == [[None], *expected]


@pytest.mark.parametrize("factory", FACTORIES)
def test_a_task_that_asks_a_generator_keeps_its_own_place(gate: Gate, here: Here, factory: Any) -> None:
    """Who made it is in no session of the generator's, though the task begins in the middle of that place."""

    async def chat() -> AsyncGenerator[str | None, None]:
        with gate.session("s1", agent="desk", on_behalf_of=None):
            yield here()
            await a_turn()
            yield here()

    async def consume() -> list[str | None]:
        return [*[each async for each in chat()], here()]

    async def main() -> list[str | None]:
        asyncio.get_running_loop().set_task_factory(factory)
        task = asyncio.create_task(consume())
        between = here()
        return [between, *await task, here()]

    assert asyncio.run(main()) == [None, "s1", "s1", None, None]
