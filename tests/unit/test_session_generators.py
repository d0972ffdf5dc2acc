"""A session's block in a generator holds for what runs in it, and for nobody who asks for its values."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gate import Gate, person
from gate.errors import GuardError, NotEligible
from gate.session import Session
from tests.gate_kit import PATIENCE, gate_on
from tests.kit import ALICE, answer
from tests.session_places import Here, gate, here

__all__ = ["gate", "here"]


def _open(gate: Gate, id_: str) -> Session:
    return gate.session(id_, agent="desk", on_behalf_of=None)


def test_generators_whose_values_are_asked_for_by_turns(gate: Gate, here: Here) -> None:
    """Each is in its own session at every step, and who asks for their values is in neither."""

    def chat(id_: str) -> Generator[str | None, None, None]:
        with _open(gate, id_):
            yield here()
            with _open(gate, f"{id_}-inner"):
                yield here()
            yield here()

    one, other = chat("s1"), chat("s2")
    assert [next(each) for each in (one, other, one, other, one, other)] == [
        *("s1", "s2", "s1-inner", "s2-inner", "s1", "s2")
    ]
    assert here() is None
    one.close()
    with _open(gate, "s3"):
        assert here() == "s3"
        assert list(other) == []
        assert here() == "s3"
    assert here() is None


def test_a_block_around_the_asking_is_not_the_generators(gate: Gate, here: Here) -> None:
    """A block of whoever asks for the next value does not reach into a generator that has its own."""

    def chat() -> Generator[str | None, None, None]:
        with _open(gate, "s1"):
            yield here()
            yield here()

    def free() -> Iterator[str | None]:
        yield here()

    asked = chat()
    next(asked)
    with _open(gate, "s2"):
        assert next(asked) == "s1"
        assert next(free()) == "s2"
        assert here() == "s2"
    asked.close()


class Agent:
    """A block that begins one of a session, and ends it."""

    def __init__(self, gate: Gate) -> None:
        self._gate, self._stack = gate, ExitStack()

    def __enter__(self) -> None:
        self._stack.enter_context(_open(self._gate, "s1"))

    def __exit__(self, *_: object) -> None:
        self._stack.close()


class Runner:
    """A block that runs a generator as its two ends."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._steps = self._both()

    def _both(self) -> Iterator[None]:
        with _open(self._gate, "s1"):
            yield

    def __enter__(self) -> None:
        next(self._steps)

    def __exit__(self, *_: object) -> None:
        next(self._steps, None)


HELPERS = ["plain", "manager", "stack", "agent", "runner"]


def _helpers(gate: Gate) -> dict[str, Callable[[], Any]]:
    """Return ways to write the block of a session."""

    @contextmanager
    def manager() -> Iterator[None]:
        with _open(gate, "s1"):
            yield

    @contextmanager
    def stack() -> Iterator[None]:
        with ExitStack() as inner:
            inner.enter_context(manager())
            yield

    classes: dict[str, Callable[[], Any]] = {"agent": partial(Agent, gate), "runner": partial(Runner, gate)}
    return {"plain": lambda: _open(gate, "s1"), "manager": manager, "stack": stack, **classes}


@pytest.mark.parametrize("helper", HELPERS)
def test_each_step_of_an_async_generator_may_come_from_another_task(
    gate: Gate, here: Here, helper: str
) -> None:
    """Its session is there in each of them, as ``wait_for`` makes one for each step; and outside in none."""

    async def chat() -> AsyncIterator[str | None]:
        with _helpers(gate)[helper]():
            yield await _later(here)
            yield await asyncio.create_task(_later(gate.bind(here)))
            yield await asyncio.to_thread(gate.bind(here))

    async def main() -> None:
        asked = chat()
        for _ in range(3):
            assert await asyncio.wait_for(anext(asked), PATIENCE) == "s1"
            assert here() is None
        assert [each async for each in asked] == []
        assert here() is None

    asyncio.run(main())


def test_a_generator_within_another_has_only_its_own_steps(gate: Gate, here: Here) -> None:
    """What one has begun and waits is not the place of the other, whichever task goes on with that."""

    async def inner() -> AsyncIterator[str | None]:
        with _open(gate, "s2"):
            yield here()
            yield here()

    async def outer() -> AsyncIterator[str | None]:
        with _open(gate, "s1"):
            begun = inner()
            yield await anext(begun)
            yield here()
            yield here()
            yield await anext(begun)

    async def main() -> None:
        asked = outer()
        found = [await anext(asked), await anext(asked)]
        found += [await asyncio.wait_for(anext(asked), PATIENCE) for _ in range(2)]
        assert found == ["s2", "s1", "s1", "s2"]
        assert here() is None

    asyncio.run(main())


async def _later(function: Callable[[], str | None]) -> str | None:
    loop = asyncio.get_running_loop()
    soon = loop.create_future()
    loop.call_soon(soon.set_result, None)
    await soon
    return function()


@pytest.mark.parametrize("helper", HELPERS)
def test_tasks_and_threads_made_in_a_generators_block_keep_it(gate: Gate, here: Here, helper: str) -> None:
    """What was made within it belongs to its session, also once the generator is gone."""

    async def chat(go_on: asyncio.Event) -> AsyncIterator[asyncio.Task[str | None]]:
        async def work() -> str | None:
            await go_on.wait()
            assert await asyncio.to_thread(here) == "s1"
            return here()

        with _helpers(gate)[helper]():
            yield asyncio.create_task(work())

    async def main() -> None:
        go_on = asyncio.Event()
        asked = chat(go_on)
        task = await anext(asked)
        assert [each async for each in asked] == []
        go_on.set()
        assert (await task, here()) == ("s1", None)

    asyncio.run(main())


def test_a_generator_that_is_thrown_away_leaves_nobody_in_its_session(gate: Gate, here: Here) -> None:
    """An event loop ends it in a task of its own; whoever asked for its values is out of it all the same."""

    async def chat() -> AsyncIterator[str | None]:
        with _open(gate, "s1"):
            yield here()
            yield here()

    async def main() -> None:
        async for each in chat():
            assert each == "s1"
            break
        gc.collect()
        await asyncio.get_running_loop().shutdown_asyncgens()
        assert here() is None
        with _open(gate, "s2"):
            assert here() == "s2"

    asyncio.run(main())
    assert gate._context._blocks._generators == {}


def test_generators_that_are_thrown_away_pile_up_nowhere(gate: Gate) -> None:
    """A task that goes on for ever keeps nothing of the generators that others ended for it."""

    async def chat(number: int) -> AsyncGenerator[None, None]:
        with _open(gate, f"s{number}"):
            yield

    async def main() -> None:
        for number in range(5):
            asked = chat(number)
            await anext(asked)
            await asyncio.create_task(asked.aclose())
        with _open(gate, "s5"):
            assert len(gate._context._blocks._entered.get()) == 1

    asyncio.run(main())


@pytest.mark.parametrize("helper", HELPERS)
def test_a_block_that_is_written_as_a_generator_holds_for_its_with(
    gate: Gate, here: Here, helper: str
) -> None:
    """What runs the two ends of a block, as ``contextmanager`` or a class does, has it for what is in it."""
    with _open(gate, "s0"):
        with _helpers(gate)[helper](), ExitStack() as stack:
            assert here() == "s1"
            stack.enter_context(_open(gate, "s2"))
            assert here() == "s2"
        assert here() == "s0"
    assert here() is None


def test_a_block_may_be_ended_elsewhere(gate: Gate, here: Here) -> None:
    """A block that a generator handed on is over for it once another place ended it."""

    def chat(stack: ExitStack) -> Iterator[str | None]:
        stack.enter_context(_open(gate, "s1"))
        yield here()
        yield here()

    stack = ExitStack()
    asked = chat(stack)
    assert next(asked) == "s1"
    copy_context().run(stack.close)
    assert next(asked) is None
    assert gate._context._blocks._generators == {}


@pytest.fixture
def of_a_fixture(gate: Gate) -> Iterator[None]:
    """Open the block of a session around a test."""
    with _open(gate, "s1"):
        yield


@pytest.mark.usefixtures("of_a_fixture")
def test_a_fixture_holds_for_its_test(here: Here) -> None:
    """Pytest runs a fixture that yields as the two ends of a block."""
    assert here() == "s1"


def test_nobody_approves_what_was_asked_for_them_in_another_task(tmp_path: Path) -> None:
    """A call of a generator is held for whom its session acts, though another task asked for the value."""
    with gate_on(tmp_path) as gate:

        @gate.guard("desk.pay")
        async def pay(amount: int) -> None:
            """Pay nothing."""

        async def chat() -> AsyncIterator[None]:
            with gate.session("s1", on_behalf_of=person("U0ALICE")):
                yield
                with gate.call(wait=0):
                    await gate.outcome(pay, 50)
                yield

        async def main() -> None:
            asked = chat()
            for _ in range(2):
                await asyncio.wait_for(anext(asked), PATIENCE)

        asyncio.run(main())
        [hold] = gate.service.holds()
        assert hold.session == "s1"
        with pytest.raises(NotEligible):
            answer(gate.service, hold, ALICE)


def test_bind_takes_no_generator_and_carries_late_coroutines(gate: Gate, here: Here) -> None:
    """What runs after the bound function returned is carried too, or refused where that cannot be."""

    def values() -> Iterator[str | None]:
        yield here()

    async def many() -> AsyncIterator[str | None]:
        yield here()

    class Tool:
        async def __call__(self) -> str | None:
            return here()

    with _open(gate, "s1"):
        for function in (values, many):
            with pytest.raises(GuardError, match="no generator"):
                gate.bind(function)
        late = [gate.bind(lambda: values()), gate.bind(lambda: many())]
        carried = [gate.bind(Tool()), gate.bind(lambda: _later(here)), gate.bind(partial(_later, here))]
    for each in late:
        with pytest.raises(GuardError, match="no generator"):
            each()
    assert [asyncio.run(each()) for each in carried] == ["s1"] * 3
