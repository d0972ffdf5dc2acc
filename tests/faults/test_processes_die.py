"""Real processes killed, restarted and forked: nothing runs twice, nothing is forgotten."""

from __future__ import annotations

import os
import runpy
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from gate.clock import monotonic
from gate.errors import Fault
from gate.lifecycle import State
from gate.model import HoldRecord, Person, Said
from gate.service import Service
from tests.faults.invariants import Asked, Rules, broken, gather, lines
from tests.forking import SERVER
from tests.kit import ALICE, BOB, POLICY, answer, policy

PROGRAM = "tests.faults.agent_program"
RULES = POLICY.replace("rules:", "rules:\n  - {id: hang, match: desk.hang, then: allow}")
ASKED = Rules({"desk/large": Asked(frozenset({"U0ALICE", "U0BOB"}))})
PATIENCE = 60.0


class Agent:
    """One agent, forked from a process that has loaded the gate."""

    def __init__(self, *words: str) -> None:
        reading, writing = SERVER.Pipe(duplex=False)
        self._process = SERVER.Process(target=_work, args=(words, dict(os.environ), writing), daemon=True)
        self._process.start()
        writing.close()
        self._out = os.fdopen(os.dup(reading.fileno()))

    def send(self, number: int) -> None:
        """Send it a signal."""
        assert self._process.pid is not None
        os.kill(self._process.pid, number)

    def kill(self) -> None:
        """Kill it with -9, and return when it is dead."""
        self._process.kill()
        self._process.join(PATIENCE)
        self._out.close()

    def finish(self) -> str:
        """Return the last line that it printed."""
        with self._out:
            said = self._out.read()
        self._process.join(PATIENCE)
        assert self._process.exitcode == 0
        return said.strip().splitlines()[-1]


def _work(words: tuple[str, ...], environ: dict[str, str], out: Connection) -> None:
    os.environ.clear()
    os.environ.update(environ)
    os.dup2(out.fileno(), 1)
    out.close()
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.argv[1:] = words
    runpy.run_module(PROGRAM, run_name="__main__")


class World:
    """One store, one policy, and agents on it."""

    def __init__(self, folder: Path) -> None:
        self.db, self.events = folder / "gate.db", folder / "events"
        self.policy = folder / "policy.yml"
        self.policy.write_text(RULES)
        self.events.touch()
        self.gate = Service(self.db, policy=policy(RULES, "policy.yml"), kind="bot")
        self._started: list[Agent] = []

    def agent(self, work: str) -> Agent:
        """Start an agent that does one piece of work."""
        self._started.append(Agent(str(self.db), str(self.policy), work, str(self.events)))
        return self._started[-1]

    def wait_for(self, found: Callable[[], object]) -> object:
        until, pause = monotonic() + PATIENCE, threading.Event()
        while not (value := found()):
            assert monotonic() < until, "nothing came"
            pause.wait(0.01)
        return value

    def hold(self) -> HoldRecord:
        """Return the one open hold, once it is there."""
        self.wait_for(self.gate.holds)
        (hold,) = self.gate.holds()
        return hold

    def happened(self) -> list[str]:
        return [each["did"] for each in lines(self.events)]

    def judge(self) -> list[str]:
        """End what still waits once every agent is gone, and return what is wrong, seen from outside."""
        self.gate.heartbeat()
        for session in {hold.session for hold in self.gate.holds()}:
            self.gate.end_session(session)
        told = self.events.with_name("told")
        return broken(gather(ASKED, self.db, effects=self.events, told=told))

    def stop(self) -> None:
        for agent in self._started:
            agent.kill()
        try:
            assert self.judge() == []
        finally:
            self.gate.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.stop()


def test_an_agent_restarted_while_pending_goes_on_with_its_hold(world: World) -> None:
    """Killed while it waits and started again, the agent gets the one outcome, and the tool ran once."""
    first = world.agent("with_id")
    hold = world.hold()
    first.kill()
    second = world.agent("with_id")
    answer(world.gate, hold.id)
    assert second.finish() == "ran paid 50"
    assert world.happened() == ["paid 50 bob"]
    assert len(world.gate.holds(None)) == 1


def test_an_agent_killed_while_it_waits_without_call_id_asks_once(world: World) -> None:
    """A dead process waits for nothing at once, so the agent started again comes back to its hold."""
    first = world.agent("without_id")
    hold = world.hold()
    assert hold.waiting
    first.kill()
    assert not world.hold().waiting
    second = world.agent("without_id")
    world.wait_for(lambda: world.hold().waiting)
    answer(world.gate, hold.id)
    assert second.finish() == "ran paid 50"
    assert world.happened() == ["paid 50 bob"]
    assert len(world.gate.holds(None)) == 1


def test_an_agent_restarted_after_approval_runs_once(world: World) -> None:
    """An approval given while no agent lives is used by the next one, once; a third gets the same outcome."""
    assert world.agent("poll_with_id").finish() == "pending"
    answer(world.gate, world.hold().id)
    assert world.agent("poll_with_id").finish() == "ran paid 50"
    assert world.agent("poll_with_id").finish() == "ran paid 50"
    assert world.happened() == ["paid 50 bob"]


def test_a_polling_agent_without_call_ids(world: World) -> None:
    """Polls find their hold; approved between two polls, the call runs once, and the next is a new hold."""
    assert world.agent("poll").finish() == "pending"
    assert world.agent("poll").finish() == "pending"
    answer(world.gate, world.hold().id)
    assert world.agent("poll").finish() == "ran paid 50"
    assert world.agent("poll").finish() == "pending"
    assert world.happened() == ["paid 50 bob"]
    assert len(world.gate.holds(None)) == 2


def test_killed_while_the_tool_runs_is_in_doubt_and_never_run_again(world: World) -> None:
    """After kill -9 in the tool the call is in doubt, and the same call id does not run it again."""
    agent = world.agent("hang_with_id")
    world.wait_for(world.happened)
    agent.kill()
    world.gate.heartbeat()
    assert world.agent("hang_with_id").finish() == "in_doubt"
    assert world.happened() == ["hang begun"]


def test_a_living_agent_is_not_doubted(world: World) -> None:
    """While the agent lives and has the call in hand, nobody else declares it in doubt."""
    world.agent("hang_with_id")
    world.wait_for(world.happened)
    world.gate.heartbeat()
    with world.gate.store.reader() as reader:
        states = [row["state"] for row in reader.all("SELECT state FROM actions")]
    assert states == [State.RUNNING]


def test_forked_children_have_gates_of_their_own(world: World) -> None:
    """A gate opened before a fork works in parent and children, and each call runs once."""
    agent = world.agent("preload")
    world.wait_for(lambda: len(world.gate.holds()) == 2)
    for hold in world.gate.holds():
        answer(world.gate, hold.id)
    assert agent.finish() == "[0, 0]"
    wanted = ["paid 1 child", "paid 2 child", "paid 3 parent", "paid 51 child", "paid 52 child"]
    assert sorted(world.happened()) == wanted
    assert world.gate.verify().ok


def test_racing_approvers_approve_once(world: World) -> None:
    """Two people who press at the same moment make one approval; the other learns that it was decided."""
    world.agent("with_id")
    hold = world.hold()
    others = [Service(world.db, kind="bot") for _ in range(2)]
    start = threading.Barrier(2)

    def press(gate: Service, person: Person) -> str:
        start.wait()
        try:
            return answer(gate, hold, person).state
        except Fault as fault:
            return fault.code

    with ThreadPoolExecutor() as pool:
        said = sorted(pool.map(press, others, (ALICE, BOB)))
    assert said == ["already_decided", "approved"]
    world.wait_for(lambda: world.gate.action(hold.id).state == State.SUCCEEDED)
    assert world.happened() == ["paid 50 bob"]
    for gate in others:
        gate.close()


def test_a_denial_wins_a_race_against_an_approval(world: World) -> None:
    """Approve against deny at the same moment: in whatever order they come, the call does not run."""
    other = Service(world.db, kind="bot")
    assert world.agent("poll").finish() == "pending"
    hold, start = world.hold(), threading.Barrier(2)

    def press(gate: Service, person: Person, said: Said) -> None:
        start.wait()
        with suppress(Fault):
            answer(gate, hold, person, said)

    with ThreadPoolExecutor() as pool:
        list(pool.map(press, (world.gate, other), (ALICE, BOB), ("approve", "deny")))
    assert world.gate.action(hold.id).state == State.DENIED
    assert world.agent("poll").finish() == "denied"
    assert world.happened() == []
    other.close()
