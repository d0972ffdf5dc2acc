"""One run of the whole road in real processes, in which one or more of them are killed and started again."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from sqlite3 import OperationalError, connect
from typing import Any, Literal

from bot import names
from bot.local_workspace import ControlError, LocalWorkspace
from bot.views import modals
from gate.clock import monotonic
from tests.faults import children
from tests.faults.invariants import Asked, Evidence, Rules, gather, has_element, hold_of, lines

CHANNEL = "C0APPROVALS"
COMMENT = "Not like this."
AGAIN = 60
"""Looks after which a person does again what led to nothing."""
IDLE = 60
"""Looks at a bot that has nothing to do, after which it is not waited for to come to a point any more."""
PATIENCE = 60.0
"""Seconds without any point reached after which a run is given up; only one that hangs takes them."""
POLICY = """
version: 1
name: desk
default: block
approvals: {channel: C0APPROVALS, approvers: [U0ALICE, U0BOB], expires_in: 1h, use_within: 30m,
            comment: {approve: optional, deny: optional}}
actions:
  desk.pay: {risk: write, amount: args.amount, currency: EUR, describe: "Pay {args.amount} to {args.to}"}
rules:
  - {id: small, match: desk.pay, when: {args.amount: {gt: 0, lte: 10}}, then: allow}
  - {id: large, match: desk.pay, when: {args.amount: {gt: 10, lte: 1000}}, then: require_approval,
     reason: Above ten., editable: [args.amount]}
"""
RULES = Rules({"desk/large": Asked(frozenset({"U0ALICE", "U0BOB"}))})
CALLS = (
    ("pay", "small", {"amount": 5, "to": "bob"}),
    ("pay", "large", {"amount": 50, "to": "bob"}),
)
Who = Literal["agent", "bot"]
Answer = Literal["approve", "deny", "edit"]
BUTTONS = {"approve": names.APPROVE, "deny": names.DENY, "edit": names.EDIT}
CHANGED = {"edit:args.amount": {names.FIELD: "40"}}
"""What the form to change a call is filled in with, beside the comment."""
TARGETS = {"agent": children.agent, "bot": children.bot}


class Person:
    """Answer every card that still asks, in whatever way it is answered by its buttons and windows."""

    def __init__(self, workspace: LocalWorkspace, answer: Answer) -> None:
        self._control, self._answer = workspace.control, answer
        self._looks = 0
        self._pressed: dict[object, tuple[int, int]] = {}
        self._opened: dict[str, tuple[int, int]] = {}

    def look(self, life: int) -> None:
        """Do what a person would do next: fill in the open window, or press a card that still asks."""
        self._looks += 1
        with suppress(ControlError, TimeoutError, OSError):
            if not self._in_window(life):
                self._on_cards(life)

    def answer(self, message: Mapping[str, Any]) -> Answer:
        """Return what they say to a card."""
        return self._answer

    def comment(self, view: Mapping[str, Any]) -> str:
        """Return what they write into a form."""
        return COMMENT

    def _in_window(self, life: int) -> bool:
        views = self._control.views("U0ALICE")
        if not views:
            return False
        view = views[-1]
        opened, since = self._opened.setdefault(view["id"], (life, self._looks))
        if view["submit"] and self._may(view["id"] + view["hash"], life):
            values = {modals.COMMENT_BLOCK: {names.COMMENT: self.comment(view)}}
            values |= CHANGED if view["callback_id"] == names.EDIT_FORM else {}
            self._control.submit_view("U0ALICE", view["id"], values)
        elif opened != life or self._looks - since > AGAIN or _says_how_it_went(view):
            self._control.close_view("U0ALICE", view["id"], clear=True)
        return True

    def _on_cards(self, life: int) -> None:
        for message in self._control.messages(CHANNEL):
            action = BUTTONS[self.answer(message)]
            asks = hold_of(message) and not message["deleted"] and has_element(message["blocks"], action)
            if asks and self._may(message["ts"], life):
                self._control.click("U0ALICE", CHANNEL, message["ts"], action)
                if action != names.APPROVE:
                    return  # its window comes first

    def _may(self, what: object, life: int) -> bool:
        """Tell whether to do something: at once in each life of the bot, and again after a while."""
        done, look = self._pressed.get(what, (-1, 0))
        if done == life and self._looks - look < AGAIN:
            return False
        self._pressed[what] = (life, self._looks)
        return True


def _says_how_it_went(view: Mapping[str, Any]) -> bool:
    said = str(view["blocks"])
    return not view["submit"] and "Looking it up" not in said and "being recorded" not in said


class Run:
    """One run.

    Args:
        folder: A new folder.
        answer: What the approver says.
        kills: For each process the orders of its lives: where to die; lives after the last die nowhere.
    """

    def __init__(
        self, folder: Path, answer: Answer, kills: Mapping[Who, Sequence[str]], calls: Any = CALLS
    ) -> None:
        self.folder, self._kills, self._calls = folder, kills, calls
        folder.mkdir(parents=True)
        (folder / "policy.yml").write_text(POLICY)
        self._answer: Answer = answer
        self.lives: dict[Who, int] = {"agent": 0, "bot": 0}
        self.killed: list[str] = []
        self._running: dict[Who, BaseProcess] = {}
        self._agent_done, self._idle = False, 0
        self._come, self._since = -1, monotonic()

    def go(self) -> Evidence:
        """Take the road to its end and return what it left behind.

        Raises:
            AssertionError: It does not come to its end, or a process ended that nobody killed.
        """
        children.ready()
        with LocalWorkspace() as workspace:
            self._environ = environ_of(workspace)
            person = Person(workspace, self._answer)
            try:
                self._until_done(workspace, person)
            finally:
                for process in self._running.values():
                    process.kill()
                    process.join()
            messages = workspace.control.messages(CHANNEL)
        return gather(
            RULES, self.folder / "gate.db", effects=self.folder / "effects", told=self.folder / "told",
            messages=messages,
        )  # fmt: skip

    def points(self, who: Who) -> list[str]:
        """Return the names of the points that the first life of a process reached, each once."""
        return list(dict.fromkeys((self.folder / f"{who}0.points").read_text().splitlines()))

    def counts(self, who: Who) -> Counter[str]:
        """Return how often the first life of a process reached each point."""
        return Counter((self.folder / f"{who}0.points").read_text().splitlines())

    def _until_done(self, workspace: LocalWorkspace, person: Person) -> None:
        pause = threading.Event()
        self._start("agent")
        while not (self._agent_done and self._settled() and self._died()):
            assert self._goes_on(), f"the road has no end: {self._told()}"
            self._raise_the_dead()
            if not self._started("bot") and (self.folder / "gate.db").exists() and self._has_policy():
                self._start("bot")
            if self._listens() and not self._due("commit heartbeat"):
                person.look(self.lives["bot"])  # earlier, the road might end before the time has come
            pause.wait(0.03)

    def _goes_on(self) -> bool:
        """Tell whether some process has come to some point not too long ago, on however busy a machine."""
        come = sum(path.stat().st_size for path in self.folder.glob("*.points"))
        if come != self._come:
            self._come, self._since = come, monotonic()
        return monotonic() - self._since < PATIENCE

    def _raise_the_dead(self) -> None:
        for who in list(self._running):
            process = self._running[who]
            if process.is_alive():
                continue
            process.join()
            del self._running[who]
            if process.exitcode == -signal.SIGKILL:
                self.killed.append(who)
                self._start(who)
            else:
                assert (who, process.exitcode) == ("agent", 0), self._told()
                self._agent_done = True

    def _started(self, who: Who) -> bool:
        return self.lives[who] > 0

    def _start(self, who: Who) -> None:
        life = self.lives[who]
        self.lives[who] += 1
        planned = self._kills.get(who, ())
        orders = children.Orders(
            self.folder,
            f"{who}{life}",
            self._environ,
            planned[life] if life < len(planned) else "",
            self._calls,
        )
        self._running[who] = children.SERVER.Process(target=TARGETS[who], args=(orders,), daemon=True)
        self._running[who].start()

    def _has_policy(self) -> bool:
        return bool(self._rows("SELECT 1 FROM policy"))

    def _settled(self) -> bool:
        """Tell whether every action has ended and every message is posted."""
        open_ = self._rows("SELECT 1 FROM actions WHERE state IN ('pending', 'approved', 'running')")
        return self._started("bot") and not open_ and not self._rows(WAITING)

    def _died(self) -> bool:
        """Tell whether the bot died where it was to die, or had its time to come there."""
        planned = len(self._kills.get("bot", ()))
        self._idle += 1
        return self.killed.count("bot") >= planned or self._idle > IDLE

    def _listens(self) -> bool:
        """Tell whether the bot's present life has said that it runs: earlier presses reach nobody."""
        said = self.folder / f"bot{self.lives['bot'] - 1}.out"
        return said.exists() and said.stat().st_size > 0

    def _due(self, point: str) -> bool:
        """Tell whether a process that lives now is to die at a point of this name."""
        now = {who: orders[self.killed.count(who) :][:1] for who, orders in self._kills.items()}
        return any(order.startswith(point) for orders in now.values() for order in orders)

    def _rows(self, sql: str) -> list[Any]:
        try:
            with closing(connect(f"file:{self.folder / 'gate.db'}?mode=ro", uri=True)) as reader:
                return reader.execute(sql).fetchall()
        except OperationalError:
            return [None] if "done_at" in sql else []

    def _told(self) -> str:
        errors = [f"{path.name}: {path.read_text()}" for path in sorted(self.folder.glob("*.err"))]
        states = self._rows("SELECT id, state FROM actions"), self._rows("SELECT * FROM notices")
        return f"{self.lives} {self.killed} {states} {lines(self.folder / 'told')} {errors}"


WAITING = "SELECT 1 FROM notices WHERE done_at IS NULL"


def environ_of(workspace: LocalWorkspace) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", ""),
        "GATE_ALLOW_LOCAL_WORKSPACE": "1",
        "SLACK_API_URL": workspace.api_url,
        "SLACK_BOT_TOKEN": workspace.bot_token,
        "SLACK_APP_TOKEN": workspace.app_token,
    }
