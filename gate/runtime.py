"""What one open gate has in one process: the service, the poller, threads for event loops, upkeep."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self, TypeVar

from gate import aio, trip
from gate.binding import Binding, json_schema
from gate.catalogue import Tool
from gate.clock import Clock
from gate.context import Context
from gate.editing import Edited
from gate.expiry import Expiry
from gate.lifecycle import State
from gate.lookups import Lookups
from gate.model import Action, ActionRecord, Effect, Submission
from gate.policy.load import load_path
from gate.policy.policyset import PolicySet
from gate.reload import PolicyWatch
from gate.service import Service
from gate.settings import Settings
from gate.steps import Call, Ending, Step
from gate.store.files import default_path
from gate.verbs.claim import Claimed
from gate.waiting import Poller

T = TypeVar("T")

THREADS = 4
"""How many verbs of coroutines run at once."""


class Runtime:
    """One open gate in one process.

    Args:
        service: The verbs.
        context: The gate's context variables.
        watch: Looks at the policy files; None for none.
        upkeep: Whether holds are swept and heartbeats sent in the background.

    Attributes:
        pid: The process it belongs to.
        held: Called with each hold that a submit made or joined, or that waits again at claim; for tests.
    """

    def __init__(
        self, service: Service, context: Context, *, watch: PolicyWatch | None = None, upkeep: bool = True
    ) -> None:
        self.service, self.context, self.pid = service, context, os.getpid()
        self.poller = Poller(service.states, service.store.version)
        self.held: Callable[[ActionRecord], None] | None = None
        self._watch, self._upkeep = watch, upkeep
        self._expiry = Expiry(service, watch=watch.look if watch else None) if upkeep else None
        self._executor: ThreadPoolExecutor | None = None
        self._lookups = Lookups()
        self._lock = threading.RLock()
        self._listed: set[str] = set()
        service.observers.append(self.poller.wake)

    @classmethod
    def open(cls, settings: Settings, context: Context, policy: PolicySet | None = None) -> Self:
        """Open the store, bring the policy into force, and begin the upkeep.

        Args:
            settings: What the gate was told.
            context: The gate's context variables.
            policy: A loaded policy, in place of the settings' path.

        Raises:
            PolicyError: There is no policy, or it does not load.
            StoreError: The store cannot be opened.
        """
        loaded = policy or (load_path(settings.policy) if settings.policy else None)
        service = Service(
            settings.db or default_path(),
            policy=loaded,
            durability=settings.durability,
            channel=settings.channel,
            allow_local=settings.allow_local_workspace,
        )
        return cls(service, context, watch=_watch(settings, service)).start()

    def start(self) -> Self:
        """Begin the upkeep; where that cannot be, everything is closed.

        Raises:
            Fault: There is no thread left for it (code ``no_thread``).
        """
        try:
            if self._expiry is not None:
                self._expiry.start()
        except BaseException:
            self.close()
            raise
        return self

    def in_child(self) -> Self:
        """Return what a forked child has: the same store, everything else its own.

        Raises:
            StoreError: The store is in memory, so it cannot be used here.
        """
        self.service.follow_fork()
        return type(self)(self.service, self.context, watch=self._watch, upkeep=self._upkeep).start()

    def close(self) -> None:
        """Release every waiter, end the upkeep and close the store."""
        self.poller.release()
        if self._expiry is not None:
            self._expiry.stop()
        if self._executor is not None:
            self._executor.shutdown(wait=True)
        self.service.close()

    @property
    def clock(self) -> Clock:
        """Return where the time comes from."""
        return self.service.clock

    @property
    def executor(self) -> ThreadPoolExecutor:
        """Return the threads on which coroutines do their verbs."""
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(THREADS, thread_name_prefix="gate")
            return self._executor

    def begin(self, verb: Callable[[], T]) -> Future[T]:
        """Do a verb on a thread of the gate; here and now where it closes meanwhile or has no thread."""
        work: Future[T] = Future()
        free = threading.Lock()

        def do() -> None:
            if free.acquire(blocking=False):  # a thread that comes after all finds it done
                _into(work, verb)

        try:
            self.executor.submit(do)
        except RuntimeError:
            do()
        return work

    def ask(self, question: Callable[[], T]) -> Future[T]:
        """Ask host code on a thread for itself, where it finds the caller's context variables.

        Raises:
            Fault: There is no thread left (code ``no_thread``).
        """
        return self._lookups.ask(question)

    def submit(
        self, action: Action, *, wait: bool, would_block: bool = False, owner: object | None = None
    ) -> Submission:
        """Judge one call; see ``Service.submit``; its owner is the action itself where no other is named."""
        submission = self.service.submit(action, wait=wait, would_block=would_block, owner=owner or action)
        if submission.kind == "held" and self._expiry is not None:
            self._expiry.rearm()
        if submission.record.state == State.PENDING and self.held is not None:
            self.held(submission.record)
        return submission

    def claim(
        self, action_id: str, call: Action | Edited, *, waiter: int = 0, owner: object | None = None
    ) -> Claimed:
        """Take an approved action in hand; see ``Service.claim``. It may wait for people again instead."""
        claimed = self.service.claim(action_id, call, waiter=waiter, owner=owner or call)
        if claimed.record.state == State.PENDING:
            if self._expiry is not None:
                self._expiry.rearm()
            if self.held is not None:
                self.held(claimed.record)
        return claimed

    def never_started(self, action: Action, action_id: str, cause: BaseException) -> None:
        """Settle an action in hand whose caller was gone before it began."""
        trip.settle_raised(self, action, action_id, cause, started=False)

    def take(self, call: Call) -> Ending:
        """Take one call through the gate in the caller's thread."""
        ending: Ending = self.drive(trip.trip(self, call))
        return ending

    async def take_async(self, call: Call) -> Ending:
        """Take one call of an ``async def`` through the gate beside the event loop."""
        ending: Ending = await self.drive_async(trip.trip(self, call))
        return ending

    def drive(self, steps: Generator[Step, Any, Any]) -> Any:
        """Take steps in the caller's thread."""
        return trip.drive(self, steps)

    async def drive_async(self, steps: Generator[Step, Any, Any]) -> Any:
        """Take steps beside the event loop."""
        return await aio.drive(self, steps)

    def list_tool(self, name: str, binding: Binding, effect: Effect | None) -> None:
        """Put a tool into the store's catalogue, once."""
        if name not in self._listed:
            self.service.register_tool(
                Tool(
                    name,
                    effect,
                    binding.parameters,
                    json_schema(binding),
                    _first_line(binding.function.__doc__),
                )
            )
            self._listed.add(name)


def _into(work: Future[T], verb: Callable[[], T]) -> None:
    try:
        work.set_result(verb())
    except BaseException as error:
        work.set_exception(error)


def _watch(settings: Settings, service: Service) -> PolicyWatch | None:
    if settings.reload != "watch" or settings.policy is None:
        return None
    return PolicyWatch(Path(settings.policy), lambda policy: service.apply(policy, by="reload"))


def _first_line(doc: str | None) -> str:
    lines: Sequence[str] = (doc or "").strip().splitlines()
    return lines[0] if lines else ""
