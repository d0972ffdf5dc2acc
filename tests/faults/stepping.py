"""Take one guarded call step by step, and let something happen at a chosen step.

A call takes steps: submit, wait, look, claim, tool, settle, leave. A test says what happens before or after
the step of a number: people answer, somebody freezes, the caller is interrupted, its coroutine is cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import gate.trip as trip
from gate import Gate, aio
from gate.clock import FakeClock
from gate.model import HoldRecord
from gate.runtime import Runtime
from gate.service import Service
from tests.faults.children import note
from tests.faults.invariants import Asked, Evidence, Rules, gather
from tests.faults.kill_points import _step as name_of
from tests.kit import POLICY, policy, post

RULES = Rules(
    {
        "desk/large": Asked(frozenset({"U0ALICE", "U0BOB"})),
        "desk/two": Asked(frozenset({"U0ALICE", "U0BOB"}), 2),
        "desk/money": Asked(frozenset({"U0ALICE", "U0BOB"})),
    }
)
Gone = Literal["cancelled", "cancelled late", "cancelled again and again", "thrown away"]
GONE: tuple[Gone, ...] = ("cancelled", "cancelled late", "cancelled again and again", "thrown away")


class ThrownAway(Exception):
    """The coroutine was closed by whoever awaited it."""


class Desk:
    """A gate on a fake clock, with a tool that notes what it really does.

    Args:
        folder: Where the store and the notes stand.
        text: The policy.
        loop: Whether the tool is an ``async def``, which waits once while it runs.

    Attributes:
        begun: Call ids of the tools that began.
        done: Call ids of the tools that came to their end.
        behave: What the tool of a ``def`` returns or raises after its effect.
    """

    def __init__(self, folder: Path, *, text: str = POLICY, loop: bool = False) -> None:
        self.folder, self.clock = folder, FakeClock()
        self.gate = Gate(agent="desk")
        self.service = Service(folder / "gate.db", policy=policy(text), clock=self.clock)
        self.gate._put(Runtime(self.service, self.gate._context, upkeep=False))
        self.behave: Callable[[str], Any] = lambda to: f"paid {to}"
        self.begun: list[str] = []
        self.done: list[str] = []

        self.pay = self._tool_of_a_loop() if loop else self._tool()

    def _tool(self) -> Any:
        @self.gate.guard("desk.pay")
        def pay(amount: int, to: str) -> Any:
            self.begun.append(to)
            self._effect(amount, to)
            result = self.behave(to)
            self.done.append(to)
            return result

        return pay

    def _tool_of_a_loop(self) -> Any:
        @self.gate.guard("desk.pay")
        async def pay(amount: int, to: str) -> str:
            self.begun.append(to)
            self._effect(amount, to)
            turn = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(turn.set_result, None)
            await turn
            self.done.append(to)
            return f"paid {to}"

        return pay

    def _effect(self, amount: int, to: str) -> None:
        note(self.folder / "effects", {"action": self.gate.action_id(), "amount": amount, "to": to})

    def told(self, outcome: Any) -> Any:
        """Note what a caller was told, and return it."""
        note(self.folder / "told", {"action": outcome.action_id, "code": outcome.code})
        return outcome

    def call(self, name: str, amount: int, **options: Any) -> Any:
        """Take one call to its end under a call id of its own; return what became of it."""
        self.gate.call(id=name, **options)
        outcome = self.gate.outcome(self.pay, amount, name)
        return self.told(asyncio.run(outcome) if asyncio.iscoroutine(outcome) else outcome)

    def hold(self, name: str) -> HoldRecord | None:
        """Return the hold of a call while it is pending; None where it is not."""
        with self.service.store.reader() as reader:
            row = reader.one("SELECT id FROM actions WHERE call_id = ? AND state = 'pending'", (name,))
        return self.service.hold(row["id"]) if row else None

    def state(self, name: str) -> tuple[str, str]:
        """Return state and code or error of the action of a call; ``nothing`` where there is none."""
        with self.service.store.reader() as reader:
            row = reader.one("SELECT id, state, code, error FROM actions WHERE call_id = ?", (name,))
        return (row["state"], row["error"] or row["code"]) if row else ("nothing", "")

    def seen(self) -> Evidence:
        """Return what this run left behind."""
        return gather(
            RULES, self.folder / "gate.db", effects=self.folder / "effects", told=self.folder / "told"
        )

    def post(self) -> None:
        """Play a bot to which Slack is kind."""
        post(self.service)


@contextmanager
def before_steps(act: Callable[[int, str], None]) -> Iterator[list[str]]:
    """Do something before each step of the sync road, counted from 1; give the names of the steps."""
    take, names = trip._take, list[str]()

    def taken(runtime: Any, step: Any) -> Any:
        names.append(name_of(step))
        act(len(names), names[-1])
        return take(runtime, step)

    trip._take = taken
    try:
        yield names
    finally:
        trip._take = take


@contextmanager
def named_steps() -> Iterator[list[str]]:
    """Give the names of the steps that coroutines take meanwhile."""
    take, names = aio._Driver._take, list[str]()

    async def taken(self: Any, step: Any) -> Any:
        names.append(name_of(step))
        return await take(self, step)

    aio._Driver._take = taken  # type: ignore[method-assign]
    try:
        yield names
    finally:
        aio._Driver._take = take  # type: ignore[method-assign]


class Steps:
    """Await a coroutine, and take its caller away at one suspension.

    Args:
        work: The coroutine.
        gone: How its caller goes.
        at: At which suspension, counted from 1; 0 for never.
        between: Called at each suspension before anything else.
    """

    def __init__(
        self, work: Coroutine[Any, Any, Any], gone: Gone, at: int, between: Callable[[], None]
    ) -> None:
        self._work, self._gone, self._at, self._between = work, gone, at, between
        self.count = 0

    def __await__(self) -> Generator[Any, Any, Any]:
        error: BaseException | None = None
        while True:
            try:
                future = self._work.send(None) if error is None else self._work.throw(error)
            except StopIteration as end:
                return end.value
            error = None
            self.count += 1
            self._between()
            try:
                yield from self._suspended(future)
            except asyncio.CancelledError as cancelled:
                error = cancelled

    def _suspended(self, future: Any) -> Generator[Any, Any, None]:
        task = asyncio.current_task()
        assert task is not None
        here = self.count == self._at
        if here and self._gone == "thrown away":
            self._work.close()
            raise ThrownAway
        if (here and self._gone == "cancelled") or (
            0 < self._at <= self.count and self._gone == "cancelled again and again"
        ):
            task.cancel()  # comes true as soon as the task waits for the future
        late = here and self._gone == "cancelled late"
        try:
            yield future
        except asyncio.CancelledError:  # a timeout's own, from Python 3.12 on
            if not late:
                raise
        if late:
            task.cancel()  # comes true at once, though what was waited for has ended
            yield
