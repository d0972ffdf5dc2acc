"""Who runs an event loop is not around what was made elsewhere and runs in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from types import FunctionType

import pytest

from gate import Gate
from gate.errors import NoSession
from gate.session import Session
from tests.gate_kit import PATIENCE
from tests.session_places import Here, gate, here

__all__ = ["gate", "here"]


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Return an event loop that goes on after each thing it is asked for."""
    with closing(asyncio.new_event_loop()) as made:
        yield made


def _open(gate: Gate, id_: str) -> Session:
    return gate.session(id_, agent="desk", on_behalf_of=None)


def test_a_generator_that_runs_a_loop_is_not_around_others_tasks(
    gate: Gate, here: Here, loop: asyncio.AbstractEventLoop
) -> None:
    """A task made in another session, or in none, stays there; what was made in the block is in it."""
    go_on = asyncio.Event()

    async def work() -> str | None:
        await go_on.wait()
        return here()

    async def make() -> list[asyncio.Task[str | None]]:
        free = asyncio.create_task(work())
        with _open(gate, "s2"):
            return [free, asyncio.create_task(work())]

    async def finish(tasks: list[asyncio.Task[str | None]]) -> list[str | None]:
        go_on.set()
        return [*(await asyncio.gather(*tasks)), await asyncio.create_task(work()), here()]

    def chat() -> Iterator[list[str | None]]:
        tasks = loop.run_until_complete(make_outside)
        with _open(gate, "s1"):
            yield loop.run_until_complete(finish(tasks))

    make_outside = loop.create_task(make())
    assert list(chat()) == [[None, "s2", "s1", "s1"]]


def test_a_generator_that_runs_a_loop_is_not_around_others_callbacks(
    gate: Gate, here: Here, loop: asyncio.AbstractEventLoop
) -> None:
    """A callback is in the session in which it was asked for, whoever runs the loop."""
    found: list[str | None] = []

    def note() -> None:
        found.append(here())

    def chat() -> Iterator[None]:
        with _open(gate, "s1"):
            loop.call_soon(note)
            loop.call_soon(loop.stop)
            loop.run_forever()
            yield

    with _open(gate, "s2"):
        loop.call_soon(note)
    loop.call_soon(note)
    assert list(chat()) == [None]
    assert found == ["s2", None, "s1"]


def test_a_loop_that_begins_and_ends_in_a_generator_is_in_its_session(gate: Gate, here: Here) -> None:
    """``asyncio.run`` runs nothing that was made elsewhere, whichever thread asks for the value."""

    async def values() -> AsyncGenerator[str | None, None]:
        with _open(gate, "s2"):
            yield await asyncio.create_task(work())

    async def work() -> str | None:
        return here()

    async def main() -> list[str | None]:
        with _open(gate, "s3"):
            inner = await asyncio.create_task(work())
        return [await asyncio.create_task(work()), inner, *[each async for each in values()], here()]

    def chat() -> Iterator[list[str | None]]:
        with _open(gate, "s1"):
            for _ in range(3):
                yield asyncio.run(main())

    def waits() -> Generator[None, None, None]:
        with _open(gate, "s4"):
            yield

    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        asked, waiting = chat(), waits()
        other.submit(next, waiting).result(PATIENCE)
        found = [each.submit(next, asked).result(PATIENCE) for each in (one, other, one)]
        other.submit(waiting.close).result(PATIENCE)
    assert found == [["s1", "s3", "s2", "s1"]] * 3


def test_a_fixture_of_anyio_holds_for_its_test(gate: Gate, here: Here) -> None:
    """Anyio's plugin runs fixtures that yield, and their tests, in one task of its own."""

    async def fixture() -> AsyncGenerator[None, None]:
        with _open(gate, "s1"):
            yield

    async def _run_tests_and_fixtures(*asked: Awaitable[object]) -> list[str | None]:
        found: list[str | None] = []
        for each in asked:
            await each
            found.append(here())
        return found

    as_there = dict(_run_tests_and_fixtures.__globals__, __name__="anyio._backends._asyncio")
    assert isinstance(_run_tests_and_fixtures, FunctionType)
    closure = _run_tests_and_fixtures.__closure__
    run = FunctionType(_run_tests_and_fixtures.__code__, as_there, closure=closure)
    asked = fixture()
    assert asyncio.run(run(anext(asked), anext(asked, None))) == ["s1", None]


def test_a_call_made_outside_goes_into_no_generators_session(gate: Gate) -> None:
    """Who asks for a generator's values calls outside any session, also where a task awaits the call."""

    @gate.guard("desk.get_place")
    async def place() -> str:
        return gate._session().id

    async def chat() -> AsyncGenerator[None, None]:
        with _open(gate, "s1"):
            yield

    async def main() -> None:
        async for _ in chat():
            with pytest.raises(NoSession):
                await asyncio.create_task(place())
            with pytest.raises(NoSession):
                await asyncio.wait_for(place(), PATIENCE)

    asyncio.run(main())


def test_a_task_that_may_be_in_either_session_is_told_of(
    gate: Gate, here: Here, caplog: pytest.LogCaptureFixture
) -> None:
    """Where nobody can know who made a task, a warning says so, once; what was carried there is known."""

    async def work() -> str | None:
        return here()

    async def sub() -> AsyncGenerator[None, None]:
        with _open(gate, "s2"):
            yield

    async def main() -> None:
        with _open(gate, "s1"):
            await asyncio.create_task(work())
            async for _ in sub():
                assert await asyncio.create_task(gate.bind(work)()) == "s1"
                assert not caplog.messages
                for _ in range(2):
                    await asyncio.create_task(work())

    asyncio.run(main())
    [told] = caplog.messages
    assert "in s2" in told
    assert "in s1" in told
    assert "gate.bind" in told
