"""Open a gate when it is first needed, close it, and give forked children a gate of their own."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from gate import forks
from gate.context import Context
from gate.errors import GuardError, PolicyError

if TYPE_CHECKING:
    from pathlib import Path

    from gate.guard import Guarded
    from gate.runtime import Runtime
    from gate.service import Service
    from gate.session import Session

_gates: weakref.WeakSet[Opening] = weakref.WeakSet()
_inherited: list[Runtime] = []
"""What forked children got from their parents; kept, so that nothing in it is closed there."""


class Opening:
    """The part of a gate that opens and closes it."""

    def _set_up(self, given: Mapping[str, Any], prefix: str) -> None:
        with forks.whole():
            from gate.foreign import Originals
            from gate.settings import Settings

        self._settings = Settings.read(given, prefix=prefix)
        self._context = Context()
        self._lock = threading.RLock()
        self._live: Runtime | None = None
        self._tools: dict[str, Guarded] = {}
        self._originals = Originals()
        self._default: tuple[int, Session] | None = None
        self._bypassed = self._told_outside = self._told_either = False
        _gates.add(self)

    def open(self) -> Self:
        """Open the store and bring the policy into force; an open gate stays as it is.

        Returns:
            This gate.

        Raises:
            PolicyError: There is no policy, or it does not load.
            StoreError: The store cannot be opened.
        """
        self._opened()
        return self

    def close(self) -> None:
        """Release every waiter with ``Pending`` and close the store; holds stay as they are.

        A tool that still runs is not stopped; its end is recorded when it comes. What a store that cannot be
        written must know is told in the background, for five minutes at most. Safe to call twice.
        """
        with self._lock:
            runtime, self._live, self._default = self._live, None, None
        if runtime is not None and runtime.pid == os.getpid():
            runtime.close()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def service(self) -> Service:
        """Return the verbs of the open gate; opens it if need be."""
        return self._opened().service

    def sweep(self) -> int:
        """End every hold that is past its deadline, and return how many."""
        return self.service.sweep()

    def _opened(self) -> Runtime:
        runtime = self._live
        if runtime is not None and runtime.pid == os.getpid():
            return runtime
        with self._lock:
            if self._bypassed:
                raise GuardError("This gate is bypassed: it stands on no store, judges and records nothing.")
            if self._live is None or self._live.pid != os.getpid():
                try:
                    self._live = self._open_here(self._live)
                except PolicyError as error:
                    # Where in the gate it was read helps nobody who has to mend a file.
                    raise _with_advice(error, self._settings.policy).with_traceback(None) from None
            return self._live

    def _open_here(self, inherited: Runtime | None) -> Runtime:
        with forks.whole():  # what calls load is loaded now
            from gate import calling  # noqa: F401
            from gate.runtime import Runtime
        if inherited is not None:
            _inherited.append(inherited)
            runtime = inherited.in_child()
        else:
            runtime = Runtime.open(self._settings, self._context)
        try:
            for tool in list(self._tools.values()):
                runtime.list_tool(tool.name, tool.binding, tool.effect)
        except BaseException:
            runtime.close()
            self._live = None  # what a child inherited is closed with it: the next call opens anew
            raise
        return runtime

    def _put(self, runtime: Runtime | None) -> None:
        """Stand on another runtime; for tests."""
        with self._lock:
            self._live, self._default = runtime, None


def _with_advice(error: PolicyError, path: Path | None) -> PolicyError:
    """Add below the problems, where Python shows the error, what to do next."""
    from shlex import quote

    if path is None:
        said = "Nothing ran: name a policy with policy= or GATE_POLICY; 'gate init' writes a first one."
    elif path.exists():
        lint = f"gate policy lint --policy {quote(str(path))}"
        said = f"Nothing ran: the policy does not load. To check it again: {lint}"
    else:
        said = f"Nothing ran: there is no policy at {path.absolute()}. 'gate init' writes a first one."
    error.add_note(said)
    return error


def _renew_locks() -> None:
    """Give every gate of a forked child a lock that no thread of the parent holds."""
    for gate in list(_gates):
        gate._lock = threading.RLock()


def _close_all() -> None:
    for gate in list(_gates):
        gate.close()


forks.in_child(_renew_locks)
atexit.register(_close_all)
