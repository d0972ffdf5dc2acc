"""Say goodbye to the store: what ended is written, and nobody takes this process's callers for gone."""

from __future__ import annotations

import logging
import os
import threading
from contextlib import closing

from gate.clock import monotonic
from gate.errors import Fault
from gate.service.agents import AgentVerbs
from gate.store.sqlite import SqliteStore
from gate.verbs import living

log = logging.getLogger("gate")

AGAIN_AFTER = 1.0
"""Seconds until it is tried again where the store could not be written."""

TRIED_FOR = 300.0
"""Seconds after which it is given up."""


class ClosingVerbs(AgentVerbs):
    """What is left to do when a gate is closed."""

    def close(self) -> None:
        """Say that this process goes, and close the store; safe to call twice.

        Where the store cannot be written it is closed all the same, and the rest is done in the background.
        """
        if self._process and not self._left and os.getpid() == self._pid:
            self._left = True
            try:
                self._say_goodbye()
            except Fault as fault:
                self._say_it_later(fault)
        self.store.close()

    def _say_goodbye(self, store: SqliteStore | None = None) -> None:
        """Write the ends that could not be written before, and then that this process goes."""
        for action_id, end in list(self._unsettled.items()):
            self._settle(action_id, end, store)
        with self._turn(store=store) as turn:
            living.leave(turn)

    def _say_it_later(self, fault: Fault) -> None:
        later = "it is tried again while this process lives" if self.path else "it was in memory"
        log.warning("The gate is closed, but its store could not be told; %s: %s", later, fault)
        if self.path is None:
            return
        try:
            threading.Thread(target=self._keep_saying, name="gate-goodbye", daemon=True).start()
        except RuntimeError as ending:
            log.warning("%s", _given_up(str(ending)))

    def _keep_saying(self) -> None:
        """Try until it is said; a process that ends before is found dead by the others, as after a crash."""
        until, pause = monotonic() + TRIED_FOR, threading.Event()
        said = ""
        while monotonic() < until:
            pause.wait(AGAIN_AFTER)
            try:
                with closing(self.store.again()) as store:
                    self._say_goodbye(store)
                log.info("The store knows now that the gate is closed.")
                return
            except Fault as fault:
                said = str(fault)
            except Exception:
                log.exception("The store could not be told that the gate is closed.")
                return
        log.warning("%s", _given_up(said))


def _given_up(why: str) -> str:
    return (
        "The store was never told that the gate is closed: once this process has ended, whoever waited here "
        f"counts as gone, and what ended here and could not be written is in doubt. {why}"
    )
