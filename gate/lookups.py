"""Ask host code on threads of its own: so many at once, and one more wherever none of them ends.

Host code may take long, and may wait for calls for which host code is asked again. With any fixed number of
threads all of them could wait for one that is still to begin; so where none has ended for a while, the next
begins on a thread more.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import Context, copy_context
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from gate.clock import pause
from gate.errors import Fault
from gate.threads import begun

T = TypeVar("T")

AT_ONCE = 64
"""How many are asked at once before the next waits for one of them."""

PATIENCE = 0.05
"""How long the next waits while none of them ends, in seconds."""


@dataclass(frozen=True, slots=True)
class _Question(Generic[T]):
    """What is asked, in whose context, and who waits for the answer."""

    ask: Callable[[], T]
    context: Context
    work: Future[T]

    def settle(self) -> None:
        """Ask, and tell who waits; where nobody waits any more, nothing is asked."""
        if not self.work.set_running_or_notify_cancel():
            return
        try:
            self.work.set_result(self.context.run(self.ask))
        except BaseException as error:
            self.work.set_exception(error)


class Lookups:
    """Ask host code, each question in the context of its asker.

    Args:
        at_once: How many are asked at once before the next waits for one of them.
        patience: How long the next waits while none of them ends, in seconds.
    """

    def __init__(self, at_once: int = AT_ONCE, patience: float = PATIENCE) -> None:
        self._at_once, self._patience = at_once, patience
        self._lock = threading.RLock()
        self._waiting: deque[_Question[Any]] = deque()
        self._asking = self._ended = 0
        self._watched = False

    def ask(self, question: Callable[[], T]) -> Future[T]:
        """Ask now, or once others have ended.

        Args:
            question: Calls host code, and returns what it says.

        Returns:
            Its answer, or what it raised; also that there was no thread left for it when its turn came.

        Raises:
            Fault: There is no thread left (code ``no_thread``).
        """
        asked = _Question(question, copy_context(), Future[T]())
        with self._lock:
            if self._asking < self._at_once:
                self._begin(asked)
            else:
                self._watch()
                self._waiting.append(asked)
        return asked.work

    def _begin(self, question: _Question[Any]) -> None:
        begun(threading.Thread(target=self._ask, args=(question,), name="gate-facts", daemon=True).start)
        self._asking += 1

    def _ask(self, question: _Question[Any]) -> None:
        """Ask one after the other until none waits."""
        following: _Question[Any] | None = question
        while following is not None:
            following.settle()
            with self._lock:
                self._ended += 1
                following = self._waiting.popleft() if self._waiting else None
                self._asking -= following is None

    def _watch(self) -> None:
        """See to it that those who wait begin, in a thread that lives while there are any."""
        if not self._watched:
            begun(threading.Thread(target=self._keep_moving, name="gate-facts-queue", daemon=True).start)
            self._watched = True

    def _keep_moving(self) -> None:
        before = -1
        while True:
            with self._lock:
                if before == self._ended and self._waiting:
                    self._begin_one_more()
                before, self._watched = self._ended, bool(self._waiting)
                if not self._watched:
                    return
            pause(self._patience)

    def _begin_one_more(self) -> None:
        """Begin the first that waits; where there is no thread for it, it is told so."""
        first = self._waiting.popleft()
        try:
            self._begin(first)
        except Fault as fault:
            if first.work.set_running_or_notify_cancel():
                first.work.set_exception(fault)
