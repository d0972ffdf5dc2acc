"""Eight agents and two bots on one file: each decision reaches the call it was given for, and no other."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from typing import Any

from bot.local_workspace import LocalWorkspace
from gate.clock import monotonic
from tests.faults import children
from tests.faults.invariants import broken, gather, lines
from tests.faults.kill_road import CHANNEL, PATIENCE, POLICY, RULES, WAITING, Answer, Person, environ_of

AGENTS, BOTS, CALLS = 8, 2, 3
AMOUNT = re.compile(r"Pay (\d+) to")


class Clerk(Person):
    """Approve even amounts, deny odd ones with words that name the amount."""

    def answer(self, message: Mapping[str, Any]) -> Answer:
        return "deny" if _amount(message["text"]) % 2 else "approve"

    def comment(self, view: Mapping[str, Any]) -> str:
        return f"Not {_amount(str(view['blocks']))}."


def _amount(text: str) -> int:
    found = AMOUNT.search(text)
    return int(found[1]) if found else 0


def _calls(agent: int) -> list[tuple[str, str, dict[str, Any]]]:
    """Return an agent's calls: an allowed one, and held ones with amounts of its own, even and odd."""
    held = [100 + 10 * agent + number for number in range(CALLS)]
    return [("pay", str(amount), {"amount": amount, "to": "bob"}) for amount in (agent + 1, *held)]


def test_eight_agents_and_two_bots_on_one_file(tmp_path: Path) -> None:
    """Every agent is told what was said to its own call; no raw error of the store reaches anybody."""
    (tmp_path / "policy.yml").write_text(POLICY)
    with LocalWorkspace() as workspace:
        environ = environ_of(workspace)
        agents = [
            children.SERVER.Process(
                target=children.agent,
                args=(children.Orders(tmp_path, f"agent{n}", environ, calls=_calls(n), session=f"run {n}"),),
            )
            for n in range(AGENTS)
        ]
        bots = [
            children.SERVER.Process(
                target=children.bot, args=(children.Orders(tmp_path, f"bot{n}", environ),)
            )
            for n in range(BOTS)
        ]
        try:
            _work(tmp_path, agents, bots, Clerk(workspace, "approve"))
        finally:
            for each in (*agents, *bots):
                if each.pid:
                    each.kill()
                    each.join()
        messages = workspace.control.messages(CHANNEL)
    seen = gather(
        RULES, tmp_path / "gate.db", effects=tmp_path / "effects", told=tmp_path / "told", messages=messages
    )
    assert broken(seen) == []
    told = {int(each["call"]): (each["code"], each["comments"]) for each in lines(tmp_path / "told")}
    assert told == {
        amount: ("denied", [f"Not {amount}."]) if amount > 10 and amount % 2 else ("ran", [])
        for n in range(AGENTS)
        for _, _, given in _calls(n)
        for amount in [given["amount"]]
    }
    paid = sorted(each["amount"] for each in seen.effects)
    assert paid == sorted(amount for amount, (code, _) in told.items() if code == "ran")


def _work(folder: Path, agents: list[Any], bots: list[Any], clerk: Person) -> None:
    until, pause = monotonic() + PATIENCE, threading.Event()
    for each in agents:
        each.start()
    while any(each.exitcode is None for each in agents) or _unposted(folder):
        errors = [text for path in folder.glob("*.err") if "Traceback" in (text := path.read_text())]
        assert errors == []
        assert monotonic() < until, lines(folder / "told")
        if not bots[0].pid and lines(folder / "told"):
            for each in bots:
                each.start()
        clerk.look(0)
        pause.wait(0.03)
    assert [each.exitcode for each in agents] == [0] * AGENTS


def _unposted(folder: Path) -> bool:
    with closing(connect(f"file:{folder / 'gate.db'}?mode=ro", uri=True)) as reader:
        return bool(reader.execute(WAITING).fetchall())
