"""An interrupt that strikes while a process forks leaves no lock behind, and is not lost."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from gate import forks, interrupts
from gate.service import Service
from gate.store.sqlite import SqliteStore
from tests.faults.forking import child
from tests.gate_kit import PATIENCE, until
from tests.kit import act, service

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

INSIDE = ("hold", "before_fork", "after_fork_in_parent", "let_go")
"""What the hooks of a fork ask of each store."""


@pytest.fixture
def gate(db: Path) -> Iterator[Service]:
    """Return an open store."""
    made = service(db)
    yield made
    made.close()


class Handler:
    """Answer a signal as Ctrl-C is answered, and count how often that was.

    Attributes:
        inside: Whether the hooks of a fork are interrupted just now; that is not counted.
    """

    def __init__(self) -> None:
        self.count, self.inside = 0, False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.count += not self.inside
        raise KeyboardInterrupt

    def strike(self) -> None:
        """Interrupt the hooks of a fork."""
        self.inside = True
        signal.raise_signal(signal.SIGUSR1)
        self.inside = False


@pytest.fixture
def interrupted() -> Iterator[Handler]:
    """Have a handler of its own for a signal that nothing else sends."""
    handler = Handler()
    before = signal.signal(signal.SIGUSR1, handler)
    yield handler
    signal.signal(signal.SIGUSR1, before)


def run(gate: Service) -> str:
    """Let a call be allowed."""
    return gate.submit(act(amount=5, to="bob")).kind


def beside(gate: Service) -> list[str]:
    """Let a call be allowed in another thread."""
    done: list[str] = []
    other = threading.Thread(target=lambda: done.append(run(gate)), daemon=True)
    other.start()
    other.join(PATIENCE)
    return done


@pytest.mark.parametrize("name", INSIDE)
def test_a_fork_that_is_interrupted_is_whole(
    gate: Service, interrupted: Handler, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Its child works with the store, and so does every other thread of its parent."""
    work = getattr(SqliteStore, name)

    def struck(store: SqliteStore, *given: Any) -> Any:
        interrupted.strike()
        done = work(store, *given)
        interrupted.strike()
        return done

    said = ""
    with pytest.raises(KeyboardInterrupt), monkeypatch.context() as patch:
        patch.setattr(SqliteStore, name, struck)
        try:
            said = child(lambda: run(gate))
        finally:
            until(lambda: interrupted.count)  # once, after the hooks
    assert said in ("run", "")  # it may come before the child has answered
    assert beside(gate) == ["run"]
    assert signal.getsignal(signal.SIGUSR1) is interrupted


def test_a_child_has_the_handlers_of_its_parent(gate: Service, interrupted: Handler) -> None:
    """A child that another thread forks, while the main thread waits to fork, answers signals as before."""
    found: list[str] = []
    interrupts.put_off()
    try:
        other = threading.Thread(
            target=lambda: found.append(child(lambda: signal.getsignal(signal.SIGUSR1) is interrupted))
        )
        other.start()
        other.join(PATIENCE)
        assert signal.getsignal(signal.SIGUSR1) is not interrupted
    finally:
        interrupts.go_on()
    assert found == ["True"]
    assert signal.getsignal(signal.SIGUSR1) is interrupted


def test_what_a_handler_raises_is_raised_later(interrupted: Handler) -> None:
    """It is called at once; what it raises comes when that is no longer put off, once."""
    interrupts.put_off()
    os.kill(os.getpid(), signal.SIGUSR1)
    until(lambda: interrupted.count == 1)
    with pytest.raises(KeyboardInterrupt):
        try:
            _go_on()
        finally:
            until(lambda: interrupted.count == 2)


def _go_on() -> None:
    interrupts.go_on()


def test_handlers_that_raise_nothing_are_called_once(gate: Service) -> None:
    """A signal that is answered without raising is answered when it comes, and never again."""
    calls: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: calls.append(number))
    try:
        forks.before()
        signal.raise_signal(signal.SIGUSR1)
        forks.after_in_parent()
        assert beside(gate) == ["run"]
        assert calls == [signal.SIGUSR1]
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("name", INSIDE)
def test_a_handler_may_fork_inside_a_fork(gate: Service, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Neither leaves a lock behind, and neither child hangs or runs what is not in the log."""
    said: list[str] = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: said.append(child(lambda: run(gate))))
    work = getattr(SqliteStore, name)

    def struck(store: SqliteStore, *given: Any) -> Any:
        done = work(store, *given)
        if not said:
            said.append("begun")
            signal.raise_signal(signal.SIGUSR1)
        return done

    try:
        with monkeypatch.context() as patch:
            patch.setattr(SqliteStore, name, struck)
            said.append(child(lambda: run(gate)))
    finally:
        signal.signal(signal.SIGUSR1, before)
    _, *children = said
    assert len(children) == 2
    assert all(each == "run" or "forked inside a transaction" in each for each in children)
    assert beside(gate) == ["run"]
    assert gate.verify().ok


def test_a_handler_that_is_chosen_meanwhile_stays(interrupted: Handler) -> None:
    """Who changes what answers a signal while that is put off has the last word."""
    interrupts.put_off()
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    interrupts.go_on()
    assert signal.getsignal(signal.SIGUSR1) is signal.SIG_IGN


def test_a_fork_where_nobody_may_choose_handlers_is_whole(
    gate: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an interpreter beside the main one nobody may answer signals: a fork goes its way there, too."""
    chosen: list[int] = []

    def refused(number: int, handler: object) -> None:
        chosen.append(number)
        raise ValueError("signal only works in main thread of the main interpreter")

    with monkeypatch.context() as patch:
        patch.setattr(signal, "signal", refused)
        assert child(lambda: run(gate)) == "run"
    assert chosen
    assert beside(gate) == ["run"]
