"""Upkeep of one open gate: announce what is past its deadline, say that the process lives, watch the files.

The deadline itself is the truth; this only announces it. There is one sweep for all holds, since a scheduler
with one job for each drops some when thousands are due at once.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol

from apscheduler.executors.debug import DebugExecutor  # type: ignore[import-untyped]
from apscheduler.job import Job  # type: ignore[import-untyped]
from apscheduler.jobstores.base import JobLookupError  # type: ignore[import-untyped]
from apscheduler.schedulers.background import BackgroundScheduler  # type: ignore[import-untyped]
from apscheduler.triggers.base import BaseTrigger  # type: ignore[import-untyped]

from gate.clock import Clock, monotonic
from gate.errors import GateError
from gate.threads import begun
from gate.verbs.waiting import HEARTBEAT

SWEEP_EVERY = timedelta(seconds=30)
"""How often the sweep runs at least."""

WATCH_EVERY = timedelta(seconds=2)
"""How often the policy files are looked at, where they are watched."""

log = logging.getLogger("gate")
logging.getLogger("apscheduler").setLevel(logging.WARNING)


class Kept(Protocol):
    """What upkeep needs of a service."""

    clock: Clock

    def sweep(self) -> int:
        """End what is past its deadline."""
        ...

    def next_deadline(self) -> datetime | None:
        """Return the nearest deadline."""
        ...

    def heartbeat(self) -> None:
        """Say that this process lives."""
        ...


class _Every(BaseTrigger):  # type: ignore[misc]
    """Fire one span after the last time, whenever that was due: nothing is caught up with."""

    def __init__(self, span: timedelta) -> None:
        self._span = span

    def get_next_fire_time(self, previous: datetime | None, now: datetime) -> datetime:
        """Return the next time, as the scheduler asks for it."""
        return now + self._span


class _Regular:
    """Work that is done again and again, and when it was begun last, by a clock that only goes forward."""

    def __init__(self, work: Callable[[], None], seconds: float) -> None:
        self._work, self.seconds = work, seconds
        self.ran, self.job = monotonic(), None

    def run(self) -> None:
        """Do it once."""
        self.ran = monotonic()
        self._work()


class Expiry:
    """Keep one open gate up to date in one background thread.

    The scheduler goes by the wall clock. One that is set back would keep it waiting, so a second thread looks
    by a clock that only goes forward whether each job has run, and makes those due that have not.

    Args:
        service: The open gate's service.
        watch: Called every two seconds; None for nothing to watch.
        beat: Time between two heartbeats.
    """

    def __init__(
        self, service: Kept, *, watch: Callable[[], None] | None = None, beat: timedelta = HEARTBEAT
    ) -> None:
        self._service, self._beat = service, beat
        self._regular: list[_Regular] = []
        self._stopped = threading.Event()
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            daemon=True,
            executors={"default": DebugExecutor()},
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        )
        self._job = self._every(SWEEP_EVERY, self._sweep)
        self._every(beat, service.heartbeat)
        if watch is not None:
            self._every(WATCH_EVERY, watch)

    def start(self) -> None:
        """Sweep once, then keep going until ``stop``."""
        self._sweep()
        begun(self._scheduler.start)
        begun(threading.Thread(target=self._look_after, name="gate-upkeep", daemon=True).start)

    def stop(self) -> None:
        """Stop; safe to call twice and before ``start``."""
        self._stopped.set()
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)

    def rearm(self) -> None:
        """Sweep as soon as the nearest known deadline has come, if that is before the next regular sweep.

        Where the store cannot say which that is, the regular sweep has to do; nothing is raised.
        """
        try:
            self._rearm()
        except GateError as fault:
            log.warning("The next sweep comes at its usual time: %s", fault)
        except Exception:
            log.exception("The next sweep comes at its usual time.")

    def _rearm(self) -> None:
        deadline = self._service.next_deadline()
        if deadline is None or not self._scheduler.running:
            return
        left = max(deadline - self._service.clock.now(), timedelta(0))
        due = datetime.now(UTC) + left
        planned = self._job.next_run_time
        if planned is None or due < planned:
            self._move(self._job, due)

    def _look_after(self) -> None:
        while not self._stopped.wait(self._beat.total_seconds()):
            for each in self._regular:
                if monotonic() - each.ran > 2 * each.seconds:
                    self._move(each.job, datetime.now(UTC))

    def _move(self, job: Job, due: datetime) -> None:
        try:
            job.modify(next_run_time=due)
        except JobLookupError:
            log.debug("The gate was closed meanwhile; nothing to sweep.")

    def _every(self, span: timedelta, work: Callable[[], object]) -> Job:
        regular = _Regular(_logged(work), span.total_seconds())
        regular.job = self._scheduler.add_job(regular.run, _Every(span))
        self._regular.append(regular)
        return regular.job

    def _sweep(self) -> None:
        try:
            self._service.sweep()
            self.rearm()
        except GateError as fault:
            log.warning("Ended holds could not be announced yet: %s", fault)


def _logged(work: Callable[[], object]) -> Callable[[], None]:
    """Return work that never raises, and tells what is wrong once for as long as it stays the same."""
    told = ""

    def tell(level: int, error: Exception, text: str) -> None:
        nonlocal told
        now = f"{type(error).__name__}: {error}"
        if now != told:
            log.log(level, text, now, exc_info=None if isinstance(error, GateError) else error)
        told = now

    def job() -> None:
        nonlocal told
        try:
            work()
            told = ""
        except GateError as fault:
            tell(logging.WARNING, fault, "The gate's upkeep is late: %s")
        except Exception as error:
            tell(logging.ERROR, error, "The gate's upkeep failed; it is tried again: %s")

    return job
