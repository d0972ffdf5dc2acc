"""One agent of the long run: ``python -m tests.faults.soak_agent FOLDER NUMBER RATE SECONDS SEED``.

Even numbers work with threads, odd ones beside an event loop. Calls are made at a steady rate, mixed by
chance: most are allowed, some raise, some are blocked, some are held and approved or denied by people, and
now and then a caller of a held one is cancelled. Sessions are opened and ended as the run goes on.
"""

from __future__ import annotations

import asyncio
import random
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent import futures
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from gate import Gate, Session, person
from gate.clock import monotonic
from gate.errors import StoreBusy
from tests.faults.children import note

T = TypeVar("T")
KINDS = {"small": 60, "look": 15, "mail": 10, "broken": 6, "wipe": 5, "large": 4}
"""How often each kind of call is made, of a hundred."""
CALLS_IN_SESSION = 300
CANCELLED = 0.1
"""Share of the held calls beside an event loop whose caller is cancelled."""
AT_ONCE = 60
"""Most calls that one agent beside an event loop has on their way at once."""
THREADS = 24
"""Most held calls that one agent with threads waits for at once."""
IN_HAND = 60.0
"""Seconds after the last call in which those that are held may be answered before their sessions end."""


class Agent:
    """Make calls, one after the other, and leave a fsynced line for each effect and each outcome."""

    def __init__(self, folder: Path, number: int, seed: int) -> None:
        self.folder, self.number = folder, number
        self.gate = Gate(policy=folder / "policy.yml", db=folder / "gate.db", agent=f"till{number}")
        self._chance = random.Random(seed)
        self._made, self._held = 0, 0
        self._sessions: list[Session] = []
        self.failures: list[BaseException] = []
        self.busy = 0

    def kind(self) -> str:
        """Return what the next call is."""
        return self._chance.choices(list(KINDS), list(KINDS.values()))[0]

    def is_cancelled(self) -> bool:
        """Tell whether the caller of the next held call is cancelled."""
        return self._chance.random() < CANCELLED

    def large(self) -> int:
        """Return the amount of the next held call, which no other call of any agent has."""
        self._held += 1
        return 1_000_000 * (self.number + 1) + self._held

    def session(self) -> Session:
        """Return the session of the next call; one that is two sessions old is ended."""
        if self._made % CALLS_IN_SESSION == 0:
            name = f"run {self.number}/{self._made // CALLS_IN_SESSION}"
            opened = self.patiently(lambda: self.gate.session(name, on_behalf_of=person("U0CAROL")))
            self._sessions.append(opened)
            if len(self._sessions) > 2:
                self.patiently(self._sessions.pop(0).end)
        self._made += 1
        return self._sessions[-1]

    def effect(self, amount: int, to: str) -> str:
        """Do what the tool does, where it leaves a trace."""
        note(self.folder / "effects", {"action": self.gate.action_id(), "amount": amount, "to": to})
        return f"paid {amount}"

    def told(self, outcome: Any, amount: int) -> None:
        """Note what became of a call."""
        line = {"action": outcome.action_id, "code": outcome.code, "amount": amount}
        comments = [each.comment for each in outcome.decisions if each.comment]
        note(self.folder / "told", line | ({"comments": comments} if comments else {}))

    def done(self, work: Any) -> None:
        """Keep what a call failed with; an outcome, what its tool raised and a busy store are no failures."""
        error = None if work.cancelled() else work.exception()
        self.busy += isinstance(error, StoreBusy)
        if error is not None and not isinstance(error, StoreBusy):
            self.failures.append(error)

    def patiently(self, verb: Callable[[], T]) -> T:
        """Do something again as long as the store is busy, as whoever is told so should."""
        while True:
            try:
                return verb()
            except StoreBusy:
                self.busy += 1

    def end_sessions(self) -> None:
        """End the sessions that are left, so that no hold stays open."""
        for each in self._sessions:
            self.patiently(each.end)


def beats(rate: float, seconds: float) -> Iterator[float]:
    """Yield how long to wait before each call, so that so many are made in a second."""
    begun = monotonic()
    number = 0
    while (now := monotonic() - begun) < seconds:
        number += 1
        yield max(0.0, number / rate - now)


def with_threads(agent: Agent, rate: float, seconds: float) -> None:
    """Make calls in this thread, and those that are held in threads of their own."""
    calls = _sync_calls(agent)
    pause, held = threading.Event(), list[Future[None]]()
    with ThreadPoolExecutor(THREADS) as pool:
        for wait in beats(rate, seconds):
            pause.wait(wait)
            with agent.session():
                kind = agent.kind()
                work = pool.submit(agent.gate.bind(calls[kind]))
                work.add_done_callback(agent.done)
                held.append(work)
                if kind != "large":
                    futures.wait([work])
            held = [each for each in held if not each.done()]
        futures.wait(held, IN_HAND)
        agent.end_sessions()


def _sync_calls(agent: Agent) -> dict[str, Callable[[], None]]:
    gate, name = agent.gate, f"till{agent.number}"

    @gate.guard(f"{name}.pay")
    def pay(amount: int, to: str) -> str:
        return agent.effect(amount, to)

    @gate.guard(f"{name}.look")
    def look(whose: str) -> str:
        return whose

    @gate.guard(f"{name}.mail")
    def mail(to: str, fails: bool) -> None:
        if fails:
            raise OSError("no such mailbox")

    @gate.guard(f"{name}.wipe")
    def wipe() -> None:
        agent.effect(0, "nobody")

    def outcome(tool: Any, *given: Any, held: int = 0) -> None:
        with suppress(OSError):
            agent.told(gate.outcome(tool, *given), held)

    def large() -> None:
        amount = agent.large()
        outcome(pay, amount, "bob", held=amount)

    return {
        "small": lambda: outcome(pay, 5, "bob"),
        "large": large,
        "look": lambda: outcome(look, "bob"),
        "mail": lambda: outcome(mail, "bob", False),
        "broken": lambda: outcome(mail, "bob", True),
        "wipe": lambda: outcome(wipe),
    }


async def beside_a_loop(agent: Agent, rate: float, seconds: float) -> None:
    """Make every call as a task of one event loop; some callers of held ones are cancelled."""
    loop, tasks, never = asyncio.get_running_loop(), set[asyncio.Task[None]](), asyncio.Event()
    calls = _async_calls(agent)
    for wait in beats(rate, seconds):
        with suppress(TimeoutError):
            await asyncio.wait_for(never.wait(), wait)
        while len(tasks) >= AT_ONCE:  # a machine that is too slow for the rate makes fewer calls, not a heap
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        kind = agent.kind()
        with await asyncio.to_thread(agent.session):
            task = loop.create_task(calls[kind]())
        tasks.add(task)
        task.add_done_callback(agent.done)
        task.add_done_callback(tasks.discard)
        if kind == "large" and agent.is_cancelled():
            loop.call_later(agent.number, task.cancel)
    if tasks:
        await asyncio.wait(tasks, timeout=IN_HAND)
    await asyncio.to_thread(agent.end_sessions)
    await asyncio.gather(*tasks, return_exceptions=True)


def _async_calls(agent: Agent) -> dict[str, Callable[[], Coroutine[Any, Any, None]]]:
    gate, name = agent.gate, f"till{agent.number}"

    @gate.guard(f"{name}.pay")
    async def pay(amount: int, to: str) -> str:
        return await asyncio.to_thread(agent.effect, amount, to)

    @gate.guard(f"{name}.look")
    async def look(whose: str) -> str:
        return whose

    @gate.guard(f"{name}.mail")
    async def mail(to: str, fails: bool) -> None:
        if fails:
            raise OSError("no such mailbox")

    @gate.guard(f"{name}.wipe")
    async def wipe() -> None:
        agent.effect(0, "nobody")

    async def outcome(tool: Any, *given: Any, held: int = 0) -> None:
        with suppress(OSError):
            agent.told(await gate.outcome(tool, *given), held)

    async def large() -> None:
        amount = agent.large()
        await outcome(pay, amount, "bob", held=amount)

    return {
        "small": lambda: outcome(pay, 5, "bob"),
        "large": large,
        "look": lambda: outcome(look, "bob"),
        "mail": lambda: outcome(mail, "bob", False),
        "broken": lambda: outcome(mail, "bob", True),
        "wipe": lambda: outcome(wipe),
    }


def main() -> None:
    """Work as the command line says."""
    folder, number, rate, seconds, seed = sys.argv[1:]
    agent = Agent(Path(folder), int(number), int(seed))
    if int(number) % 2:
        asyncio.run(beside_a_loop(agent, float(rate), float(seconds)))
    else:
        with_threads(agent, float(rate), float(seconds))
    agent.gate.close()
    print(f"{agent.busy} times the store was busy")
    if agent.failures:
        sys.exit(f"{len(agent.failures)} calls failed, the first with {agent.failures[0]!r}.")


if __name__ == "__main__":
    main()
