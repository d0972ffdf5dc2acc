"""A small kit for tests of guarded tools: a gate on a real store, and people who answer what it holds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gate import Gate
from gate.lifecycle import Seen
from gate.model import HoldRecord, Person, Said
from tests.kit import ALICE, POLICY, answer

PATIENCE = 60.0
"""Seconds after which a test that waits gives up; never the measure of anything."""


def gate_on(folder: Path, *, text: str = POLICY, **options: Any) -> Gate:
    """Return a gate with the kit's policy and a store of its own in a folder."""
    policy = folder / "policies"
    policy.mkdir(exist_ok=True)
    (policy / "desk.yml").write_text(text, "utf-8")
    options.setdefault("agent", "desk")
    return Gate(policy=policy, db=folder / "store" / "gate.db", **options)


class People:
    """Answer the next hold of a gate from another thread, as soon as it is there."""

    def __init__(self, gate: Gate, act: Callable[[HoldRecord], object]) -> None:
        self._gate, self._act = gate, act
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.error: BaseException | None = None
        gate.service.observers.append(self._notice)

    def done(self) -> None:
        """Wait until they have answered, and raise what went wrong."""
        assert self._thread is not None, "nothing was held"
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        if self.error is not None:
            raise self.error

    def _notice(self, ids: Mapping[str, Seen]) -> None:
        held = [hold for hold in self._gate.service.holds() if hold.id in ids]
        with self._lock:
            if held and self._thread is None:
                self._thread = threading.Thread(target=self._answer, args=(held[0],))
                self._thread.start()

    def _answer(self, hold: HoldRecord) -> None:
        try:
            self._act(hold)
        except BaseException as error:
            self.error = error


def people(gate: Gate, said: Said = "approve", comment: str = "", person: Person = ALICE) -> People:
    """Let one person answer the next hold."""
    return People(gate, lambda hold: answer(gate.service, hold, person, said, comment=comment))


def until(condition: Callable[[], Any]) -> Any:
    """Return the first true value of a condition, looked at again and again; fail after a while."""
    pause = threading.Event()
    for _ in range(int(PATIENCE / 0.01)):
        found = condition()
        if found:
            return found
        pause.wait(0.01)
    raise AssertionError("the condition never came true")


def log_of(gate: Gate, action: str | None = None) -> list[str]:
    """Return the kinds of the log's records in order."""
    return [record.body["kind"] for record in gate.service.records(action=action)]
