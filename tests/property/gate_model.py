"""What the whole gate must do, said once more in a hundred plain lines, without a store, threads or a log."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

Answer = Literal["allow", "require_approval", "block"]
OPEN = ("pending", "approved")
LIMIT = 60
"""What the one budget of the model's policy allows."""
EXPIRES, DELIVER, USE, ASK_AGAIN, SILENCE, GAP = (
    timedelta(minutes=60), timedelta(minutes=10), timedelta(minutes=30), timedelta(seconds=60),
    timedelta(seconds=20), timedelta(seconds=4),
)  # fmt: skip


@dataclass(eq=False)
class Case:
    """One action. Each of ``needs``: quorum, whether the rule ``large`` is in it, the first that counts."""

    key: tuple[str, int]
    call_id: str | None
    state: str
    at: datetime
    now: tuple[str, int] = ("", 0)
    """The call as people changed it; ``key`` is as it was submitted."""
    edits: int = 0
    needs: list[tuple[int, bool, int]] = field(default_factory=list)
    approved: list[str] = field(default_factory=list)
    deadline: datetime = datetime.max
    deliver: datetime = datetime.max
    use_by: datetime = datetime.max
    posted: bool = False
    asked_money: bool = False
    runner: str = ""
    ended: datetime = datetime.max
    waiters: dict[object, str] = field(default_factory=dict)
    """Who waits, and in which process."""

    def end(self, state: str, now: datetime) -> None:
        self.state, self.ended = state, now


class Model:
    """Everything that is known of one store."""

    def __init__(self) -> None:
        self.cases: dict[str, Case] = {}
        self.frozen, self.large = False, 1
        """Quorum of the rule ``large`` in the policy in force; 0: it blocks."""
        self.spent = 0
        self.beats: dict[str, tuple[datetime, datetime]] = {}
        """Process to its last heartbeat and since when it was steady."""
        self.dead: set[str] = set()

    def over(self, key: tuple[str, int]) -> bool:
        return key[0] == "desk.pay" and self.spent + key[1] > LIMIT

    def rule(self, key: tuple[str, int]) -> tuple[Answer, int]:
        """Return what the rules say of a call, and the quorum they ask for."""
        name, amount = key
        if name == "desk.fire":
            return "require_approval", 2
        if amount <= 10:
            return "allow", 0
        return ("require_approval", self.large) if self.large else ("block", 0)

    def submit(
        self, key: tuple[str, int], call_id: str | None, name: str, now: datetime
    ) -> tuple[Case | None, str]:
        """Return the case that a call finds again, or what it becomes; an id of another call is reused.

        What it finds past its deadline ends first.
        """
        known = [each for each in self.cases.values() if call_id and each.call_id == call_id]
        if known and known[0].key != key:
            return None, "reused"
        if known:
            self.expire(known[0], now)
            return known[0], known[0].state
        answer, _ = self.rule(key)
        answer = "require_approval" if answer == "allow" and self.over(key) else answer
        if answer == "block" or self.frozen:
            return None, "blocked"
        alike = [each for each in reversed(self.cases.values()) if each.key == key]
        for each in alike if call_id is None else ():
            self.expire(each, now)
        free = [each for each in alike if each.state in OPEN and not self.is_waited_for(each, name, now)]
        if call_id is None and free:
            return free[0], free[0].state
        refused = alike and alike[0].call_id is None and alike[0].state in ("denied", "expired")
        if call_id is None and answer != "allow" and refused and now - alike[0].ended < ASK_AGAIN:
            return alike[0], alike[0].state
        return None, "running" if answer == "allow" else "pending"

    def is_waited_for(self, case: Case, judge: str, now: datetime) -> bool:
        """Tell whether somebody who lives waits; another process that is silent does not count."""
        return any(
            name == judge or (name not in self.dead and self.beats[name][0] > now - SILENCE)
            for name in case.waiters.values()
        )

    def add(self, id_: str, key: tuple[str, int], call_id: str | None, state: str, now: datetime) -> Case:
        """Add what a call has become."""
        case = self.cases[id_] = Case(key, call_id, state, now, key)
        if state == "pending":
            _, quorum = self.rule(key)
            case.needs = [(max(quorum, 1), quorum > 0 and key[0] == "desk.pay", 0)]
            case.asked_money = self.over(key)
            case.deadline, case.deliver = now + EXPIRES, now + DELIVER
        return case

    def may(self, case: Case, person: str, deny: bool, now: datetime) -> bool:
        """Tell whether somebody's answer counts: once for each need; a hold past its deadline ends first."""
        self.expire(case, now)
        if person not in ("U0ALICE", "U0BOB") or case.state not in OPEN:
            return False
        fresh = any(person not in case.approved[since:] for _, _, since in case.needs)
        return deny or (case.state == "pending" and not self.frozen and fresh)

    def decide(self, case: Case, person: str, deny: bool, now: datetime) -> None:
        if deny:
            case.end("denied", now)
            return
        case.approved.append(person)
        met = [
            len({*case.approved[since:]}) >= max(quorum, self.large if large else 0)
            for quorum, large, since in case.needs
        ]
        if all(met):
            case.state, case.use_by = "approved", now + USE

    def may_edit(self, case: Case, person: str, amount: int, now: datetime) -> bool:
        """Tell whether somebody may change the amount; a budget that asks lets nobody change what it saw."""
        self.expire(case, now)
        ready = case.state == "pending" and not self.frozen and self.large > 0 and case.edits < 5
        editable = case.needs[0][1] and not case.asked_money and case.now[1] != amount
        return ready and editable and person in ("U0ALICE", "U0BOB")

    def edit(self, case: Case, person: str, amount: int, now: datetime) -> None:
        """Make the next version: all approvals are void but the editor's own."""
        case.now, case.edits, case.posted = (case.now[0], amount), case.edits + 1, True
        case.needs = [(max(self.large, *(quorum for quorum, _, _ in case.needs)), True, 0)]
        case.approved, case.asked_money = [], self.over(case.now)
        self.decide(case, person, False, now)

    def claim(self, case: Case, now: datetime) -> bool:
        """Move an approved case as a claim does; tell whether the caller has it in hand now."""
        if case.state != "approved":
            return False
        if now >= case.use_by:
            case.end("expired", now)
        elif self.frozen or self.rule(case.now)[0] == "block":
            case.end("blocked", now)
        elif self.over(case.now) and not case.asked_money:
            case.needs.append((1, False, len(case.approved)))
            case.state, case.asked_money = "pending", True
            self.expire(case, now)
        else:
            return True
        return False

    def start(self, case: Case, runner: str) -> None:
        case.state, case.runner = "running", runner
        self.spent += case.now[1] if case.now[0] == "desk.pay" else 0

    def expire(self, case: Case, now: datetime) -> None:
        if case.state == "approved" and now >= case.use_by:
            case.end("expired", now)
        elif case.state == "pending" and not case.posted and now >= min(case.deliver, case.deadline):
            case.end("undelivered", now)
        elif case.state == "pending" and now >= case.deadline:
            case.end("expired", now)

    def sweep(self, now: datetime) -> None:
        for case in self.cases.values():
            self.expire(case, now)

    def beat(self, name: str, now: datetime, mine: set[str]) -> None:
        """Doubt what nobody has in hand any more, as the heartbeat of a process does."""
        last, steady = self.beats[name]
        self.beats[name] = (now, now if last < now - GAP else steady)
        for id_, case in self.cases.items():
            if case.state == "running" and self._lost(id_, case, name, now, mine):
                case.end("in_doubt", now)

    def _lost(self, id_: str, case: Case, judge: str, now: datetime, mine: set[str]) -> bool:
        if case.runner == judge:
            return id_ not in mine
        silent = self.beats[case.runner][0] <= now - SILENCE and self.beats[judge][1] <= now - SILENCE
        return case.runner in self.dead or silent
