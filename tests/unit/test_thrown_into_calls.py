"""Whatever is thrown into a call at whichever of its waits, it leaves no action that nobody has in hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from gate import Gate
from gate.lifecycle import State
from gate.model import Action
from tests.gate_kit import gate_on
from tests.kit import answer

MOST_WAITS = 8
"""More than a call ever has."""


class Thrown:
    """Await a coroutine, and throw something into it at one of its waits.

    Args:
        call: The coroutine.
        at: At which wait, from 1.
        error: What is thrown.
    """

    def __init__(self, call: Any, at: int, error: BaseException) -> None:
        self._call, self._at, self._error = call, at, error

    def __await__(self) -> Any:
        waits = 0
        while True:
            try:
                thrown = self._at == waits != 0
                waited = self._call.throw(self._error) if thrown else self._call.send(None)
            except (StopIteration, Exception, asyncio.CancelledError, KeyboardInterrupt):
                return
            waits += 1
            if waits != self._at:
                yield waited


def _ends(gate: Gate, session: str) -> list[State]:
    with gate.service.store.reader() as reader:
        found = reader.all("SELECT state FROM actions WHERE session = ?", (session,))
    return [State(row["state"]) for row in found]


def _facts(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {}


@pytest.mark.parametrize("kind", [asyncio.CancelledError, KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("facts", [None, _facts])
def test_what_is_thrown_into_a_call_is_told_of_its_action(
    tmp_path: Path, kind: type[BaseException], facts: Callable[..., Any] | None
) -> None:
    """What ran is told as it ended, what did not is approved still or never started, and nothing runs on."""
    ran: list[int] = []
    seen: set[tuple[State, int]] = set()

    async def call(gate: Gate, pay: Any, session: str, at: int) -> None:
        with gate.session(session, on_behalf_of=None):
            held = gate.submit(Action("desk.pay", {"amount": 50}, "desk", session))
            answer(gate.service, held.action_id)
            await Thrown(pay(50), at, kind("thrown"))

    with gate_on(tmp_path) as gate:

        @gate.guard("desk.pay", facts=facts)
        async def pay(amount: int) -> None:
            ran.append(amount)
            await asyncio.get_running_loop().run_in_executor(None, int)

        for at in range(1, MOST_WAITS + 1):
            ran.clear()
            asyncio.run(call(gate, pay, f"s{at}", at))
            [state] = _ends(gate, f"s{at}")
            seen.add((state, len(ran)))
    interrupted = State.FAILED if kind is ValueError else State.IN_DOUBT
    assert seen == {(State.APPROVED, 0), (State.FAILED, 0), (interrupted, 1), (State.SUCCEEDED, 1)}
