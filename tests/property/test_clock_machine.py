"""Clocks that jump, and processes that start again: no deadline moves, the store's time never goes back."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from gate.clock import SystemClock, from_us
from gate.errors import ClockError, Fault
from gate.model import Action
from gate.service import Service
from gate.verbs.timing import AHEAD
from tests.kit import act, answer, post, service

T = TypeVar("T")
SPANS = st.sampled_from([1, 59, 61, 299, 301, 599, 601, 1799, 1801, 3599, 3601])
WHICH = st.integers(0, 99)
"""Which of the holds, counted round."""
WHO = st.sampled_from(["agent", "bot"])
READ = "desk.get_balance"


@dataclass
class Deadline:
    """The call of a hold, and the stored times at which it is too late."""

    action: Action
    answer: datetime
    use: datetime | None = None


class Clocks(RuleBasedStateMachine):
    """Move the machine's clocks, start an agent and a bot again, and answer and claim in between."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.wall, self.boot = datetime(2026, 1, 1, 9, tzinfo=UTC), 10**15
        self.holds: dict[str, Deadline] = {}
        self.mark = datetime.min.replace(tzinfo=UTC)
        self.clocks = {name: self._clock() for name in ("agent", "bot")}
        self.gates = {"agent": service(self.folder / "gate.db", clock=self.clocks["agent"])}
        self.gates["bot"] = self._open("bot")

    def teardown(self) -> None:
        assert self.gates["agent"].verify().ok
        for gate in self.gates.values():
            gate.close()
        shutil.rmtree(self.folder)

    # ---- what can happen ----------------------------------------------------------------------------------

    @rule(seconds=SPANS)
    def pass_time(self, seconds: int) -> None:
        self.wall += timedelta(seconds=seconds)
        self.boot += seconds * 10**9

    @rule(seconds=SPANS, back=st.booleans())
    def jump(self, seconds: int, back: bool) -> None:
        """The wall clock is set; time since boot goes on as before."""
        self.wall += timedelta(seconds=-seconds if back else seconds)

    @rule(name=WHO)
    def restart(self, name: str) -> None:
        self.gates[name].close()
        self.clocks[name] = self._clock()
        self.gates[name] = self._open(name)

    @rule(name=WHO)
    def keep_up(self, name: str) -> None:
        self.gates[name].heartbeat()
        self.gates[name].sweep()

    @rule(amount=st.integers(11, 15))
    def submit(self, amount: int) -> None:
        action = act(amount=amount, to="bob")
        behind = self._behind()
        found = self._refused_behind(lambda: self.gates["agent"].submit(action, wait=False))
        assert (found is None) == (behind > AHEAD)
        if found is not None and found.kind == "held":
            post(self.gates["bot"])
            self._learn(found.record.id, action)

    @rule()
    def read(self) -> None:
        """A declared read runs whatever the clocks say."""
        assert self.gates["agent"].submit(act(READ, whose="bob")).kind == "run"

    @precondition(lambda self: self.holds)
    @rule(which=WHICH)
    def decide(self, which: int) -> None:
        hold = list(self.holds)[which % len(self.holds)]
        known, own = self.holds[hold], self.clocks["bot"].now()
        try:
            answer(self.gates["bot"], hold)
        except Fault:
            return
        assert own < known.answer
        assert self.mark < known.answer
        self._learn(hold, known.action)

    @precondition(lambda self: self.holds)
    @rule(which=WHICH)
    def claim(self, which: int) -> None:
        hold = list(self.holds)[which % len(self.holds)]
        known, own = self.holds[hold], self.clocks["agent"].now()
        found = self._refused_behind(lambda: self.gates["agent"].claim(hold, known.action))
        if found is not None and found.run:
            assert known.use is not None
            assert own < known.use
            assert self.mark < known.use

    @rule(name=WHO)
    def accept(self, name: str) -> None:
        """Whoever is right now is believed; nothing of the refused time is still open."""
        own = self.clocks[name].now()
        self.gates[name].accept_clock(by="cli:x")
        self.mark = own
        for hold in self.gates[name].holds():
            assert hold.created_at <= own
            assert all(each.at <= own for each in hold.decisions)

    # ---- what must be true --------------------------------------------------------------------------------

    @invariant()
    def time_in_the_store_never_goes_back(self) -> None:
        with self.gates["bot"].store.reader() as reader:
            row = reader.one("SELECT mark FROM audit_head")
        assert row is not None
        found = from_us(row["mark"])
        assert found >= self.mark
        self.mark = found

    @invariant()
    def stored_deadlines_stand(self) -> None:
        for hold, known in self.holds.items():
            record = self.gates["bot"].hold(hold)
            assert record.expires_at == known.answer
            assert record.use_by == known.use

    # ---- the model's own rules ----------------------------------------------------------------------------

    def _clock(self) -> SystemClock:
        return SystemClock(lambda: self.wall, lambda: self.boot)

    def _open(self, name: str) -> Service:
        kind = {"agent": "agent", "bot": "bot"}[name]
        return Service(self.folder / "gate.db", clock=self.clocks[name], kind=kind)  # type: ignore[arg-type]

    def _learn(self, hold: str, action: Action) -> None:
        record = self.gates["bot"].hold(hold)
        assert hold not in self.holds or record.expires_at == self.holds[hold].answer
        self.holds[hold] = Deadline(action, record.expires_at, record.use_by)

    def _behind(self) -> timedelta:
        return self.mark - self.clocks["agent"].now()

    def _refused_behind(self, verb: Callable[[], T]) -> T | None:
        """Run a verb of the agent; it is refused for its clock only where that is far behind."""
        behind = self._behind()
        try:
            return verb()
        except ClockError:
            assert behind > AHEAD
            return None


Clocks.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestClocks = Clocks.TestCase
