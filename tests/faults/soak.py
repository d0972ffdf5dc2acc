"""The long run: agents and bots as processes of their own on one store, watched from outside.

``python -m tests.faults.soak --minutes 30 --agents 4 --bots 2`` makes calls at a steady rate, lets people
answer what is held, prints every little while what each process takes of memory and how the store's files
grow, and judges the whole run by the invariants at the end. Exit code 1 tells that something is wrong.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from typing import Any

from bot.local_workspace import LocalWorkspace
from bot.local_workspace.seed import BOT_USER_ID, Channel, Seed
from gate.clock import monotonic
from tests.faults import soak_policy
from tests.faults.invariants import broken, gather, lines
from tests.faults.kill_road import environ_of
from tests.faults.soak_clerks import Clerk, comment_for
from tests.faults.soak_figures import Figures, Sample, sizes

PATIENCE = 600.0
"""Seconds after the last call in which every held call has to end and every message to reach its channel."""
LEFT = "SELECT count(*) FROM notices WHERE done_at IS NULL"


class Soak:
    """One long run.

    Args:
        folder: A new folder.
        options: What the command line says.
    """

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.folder, self.options = folder, options
        self.problems: list[str] = []
        self.figures = Figures()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._begun = monotonic()
        (folder / "policy.yml").write_text(soak_policy.policy_for(options.agents))

    def go(self) -> int:
        """Run, judge, and return the exit code."""
        with LocalWorkspace(seed=_seed(self.options.agents)) as workspace:
            self._environ = environ_of(workspace)
            clerks = [Clerk(workspace, user, self.folder) for user in soak_policy.CLERKS]
            try:
                self._start()
                for each in clerks:
                    each.start()
                self._until_done()
                self._stop_bots()
            finally:
                for each in clerks:
                    each.stop()
                for process in self._processes.values():
                    process.kill()
                    process.wait()
            self.problems += [problem for each in clerks for problem in each.problems]
            channels = [soak_policy.channel_of(agent) for agent in range(self.options.agents)]
            messages = [each for channel in channels for each in workspace.control.messages(channel)]
        return self._judge(messages)

    def _start(self) -> None:
        for number in range(self.options.agents):
            more = (str(number), str(self.options.rate), str(60 * self.options.minutes), str(number))
            self._run(f"agent{number}", "tests.faults.soak_agent", str(self.folder), *more)
        db, pause = self.folder / "gate.db", threading.Event()
        while not db.exists() or not _count(db, "SELECT count(*) FROM actions"):
            assert monotonic() - self._begun < PATIENCE, "no agent made a call"
            pause.wait(0.1)
        for number in range(self.options.bots):
            self._run(f"bot{number}", "bot", "--db", str(db), "--socket")

    def _run(self, name: str, module: str, *arguments: str) -> None:
        with (self.folder / f"{name}.out").open("wb") as out, (self.folder / f"{name}.err").open("wb") as err:
            self._processes[name] = subprocess.Popen(
                [sys.executable, "-m", module, *arguments], env=self._environ, stdout=out, stderr=err
            )

    def _until_done(self) -> None:
        """Take samples until every agent has ended and everything is told to people."""
        until, pause = 60 * self.options.minutes + PATIENCE, threading.Event()
        due = 0.0
        while any(each.poll() is None for name, each in self._processes.items() if "agent" in name) or (
            _count(self.folder / "gate.db", LEFT)
        ):
            now = monotonic() - self._begun
            gone = [name for name, each in self._processes.items() if each.poll() not in (None, 0)]
            gone += [name for name, each in self._processes.items() if "bot" in name and each.poll() == 0]
            if gone or now > until:
                self.problems += [self._ended(name) for name in gone] or ["the run has no end"]
                return
            if now >= due:
                self._sample(now)
                due = now + self.options.every
            pause.wait(0.5)
        self._sample(monotonic() - self._begun)

    def _ended(self, name: str) -> str:
        said = (self.folder / f"{name}.err").read_text()[-500:]
        return f"{name} ended by itself with {self._processes[name].returncode}: {said}"

    def _sample(self, now: float) -> None:
        alive = {name: each.pid for name, each in self._processes.items() if each.poll() is None}
        db = self.folder / "gate.db"
        calls, holds = (_count(db, f"SELECT count(*) FROM {table}") for table in ("actions", "holds"))
        print(self.figures.take(Sample(now, calls, holds, _count(db, LEFT), *sizes(db)), alive), flush=True)

    def _stop_bots(self) -> None:
        for name, each in self._processes.items():
            if "bot" in name and each.poll() is None:
                each.send_signal(signal.SIGTERM)
                if each.wait(60) != 0:
                    self.problems.append(f"{name} ended with {each.returncode}")

    def _judge(self, messages: Sequence[Any]) -> int:
        rules = soak_policy.rules_for(self.options.agents)
        told = self.folder / "told"
        seen = gather(
            rules, self.folder / "gate.db", effects=self.folder / "effects", told=told, messages=messages
        )
        self.problems += broken(seen) + _strays(lines(told)) + _errors(self.folder)
        print(self.figures.summary())
        print(f"ends: {dict(Counter(seen.states.values()))}; records: {len(seen.records)}")
        busy = [path.read_text().strip() for path in sorted(self.folder.glob("agent*.out"))]
        print(f"busy: {busy}")
        print(f"told: {dict(Counter(each['code'] for each in lines(told)))}; messages: {len(messages)}")
        for problem in self.problems[:50]:
            print(f"PROBLEM {problem}")
        print(f"{len(self.problems)} problems")
        return 1 if self.problems else 0


def _seed(agents: int) -> Seed:
    seed = Seed()
    members = [*soak_policy.CLERKS, "U0CAROL", BOT_USER_ID]
    made = [Channel(id=soak_policy.channel_of(n), name=f"till-{n}", members=members) for n in range(agents)]
    return seed.model_copy(update={"channels": [*seed.channels, *made]})


def _count(db: Path, sql: str) -> int:
    with closing(connect(f"file:{db}?mode=ro", uri=True, timeout=30)) as reader:
        try:
            return int(reader.execute(sql).fetchone()[0])
        except Exception:
            return 0


def _strays(told: Sequence[Any]) -> list[str]:
    """Return the held calls that were told what was said to another one."""
    return [
        f"{each['action']}: was told {each.get('comments')}"
        for each in told
        if each["amount"] and each["code"] in ("ran", "denied")
        if each.get("comments", []) != ([comment_for(each["amount"])] if each["code"] == "denied" else [])
    ]


def _errors(folder: Path) -> list[str]:
    """Return what processes wrote that nobody should read: tracebacks, raw errors of the store."""
    return [
        f"{path.name}: {text[-500:]}"
        for path in sorted(folder.glob("*.err"))
        if any(word in (text := path.read_text()) for word in ("Traceback", "sqlite3.", "OperationalError"))
    ]


def main() -> int:
    """Run as the command line says; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="how long calls are made")
    parser.add_argument("--agents", type=int, default=4)
    parser.add_argument("--bots", type=int, default=2)
    parser.add_argument("--rate", type=float, default=10, help="calls a second of each agent")
    parser.add_argument("--every", type=float, default=60, help="seconds between two samples")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gate-soak-") as folder:
        return Soak(Path(folder), options).go()


if __name__ == "__main__":
    sys.exit(main())
