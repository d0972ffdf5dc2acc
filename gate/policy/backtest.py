"""Replay recorded calls through another policy: what would have been answered, and to how many.

The calls are judged in order and with budgets. A call that really ran is charged when it ran, also where the
other policy would have asked people first; one that it blocks is not; one that it allows is charged at once.
What was stopped before it began is never charged.
What the log does not have is never guessed: a call whose verdict rests on a hidden value is not decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from gate.budget import MemoryLedger, Use, judge
from gate.clock import to_us
from gate.model import Action, Answer, Verdict, own_rules
from gate.policy.blindness import Blinds, Undecided
from gate.policy.evaluate import evaluate
from gate.policy.policyset import PolicySet
from gate.policy.ranges import Range, Ranges
from gate.policy.reading import Subject
from gate.policy.spending import with_budgets
from gate.policy.uses import uses_of
from gate.values import is_action_name

_POLICYS_OWN = (own_rules.NO_POLICY, own_rules.BAD_NAME)


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """One submit of the log.

    Attributes:
        id: Action id.
        at: When, UTC.
        action: The call; texts stand where values were hidden.
        hidden: Paths whose value was hidden.
        answer: What was answered then.
        rules: The rules that answered then.
        ran: Whether it was started at once.
        stopped: Whether it was stopped before it began; then it ran as little as if it had been asked.
    """

    id: str
    at: datetime
    action: Action
    hidden: tuple[tuple[str, ...], ...]
    answer: Answer
    rules: tuple[str, ...]
    ran: bool = False
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """How people answered a held call.

    Attributes:
        id: Action id.
        said: What they said in the end; of a call that was changed before, approved too.
    """

    id: str
    said: Literal["approved", "denied"]


@dataclass(frozen=True, slots=True)
class LoggedEdit:
    """That a person changed a held call.

    Attributes:
        id: Action id.
        arguments: What it had from then on; texts stand where values were hidden.
        hidden: Paths whose value was hidden.
    """

    id: str
    arguments: Mapping[str, Any]
    hidden: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class LoggedStart:
    """That a held call started.

    Attributes:
        id: Action id.
        at: When, UTC.
    """

    id: str
    at: datetime


Logged = LoggedCall | LoggedEdit | LoggedAnswer | LoggedStart


@dataclass(frozen=True, slots=True)
class Change:
    """One call that would be answered otherwise.

    Attributes:
        id: Action id.
        at: When it was submitted, UTC.
        name: Action name.
        before: The answer then.
        before_rules: The rules that gave it.
        after: The answer of the other policy.
        after_rules: The rules that would give it.
        reason: Its first reason; may be empty.
    """

    id: str
    at: datetime
    name: str
    before: Answer
    before_rules: tuple[str, ...]
    after: Answer
    after_rules: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Unclear:
    """One call that cannot be decided from the log.

    Attributes:
        id: Action id.
        name: Action name.
        rules: Rules and budgets that read what was hidden.
        paths: The hidden paths that they read.
    """

    id: str
    name: str
    rules: tuple[str, ...]
    paths: tuple[str, ...]


@dataclass(slots=True)
class Result:
    """What a replay came to.

    Attributes:
        calls: Calls that were judged.
        first: When the first of them was, UTC; None without any.
        last: When the last of them was, UTC; None without any.
        changes: Those that would be answered otherwise, in order, at most as many as were asked for.
        changed: How many went from which answer to which.
        before: How many calls each rule answered then.
        after: How many calls each rule would answer.
        held_before: Calls that were held.
        held_after: Calls that would be held.
        unclear: Calls that cannot be decided, in order; they count nowhere else.
        left_out: Calls that no policy answered, by the gate's own rule.
        stopped: Calls that were allowed and stopped before they began; no budget counts them.
        ranges: What was approved, changed and denied, by rule and value.
        inexact: Budgets whose numbers lack calls with hidden values, and how many.
    """

    calls: int = 0
    first: datetime | None = None
    last: datetime | None = None
    changes: list[Change] = field(default_factory=list)
    changed: Counter[tuple[Answer, Answer]] = field(default_factory=Counter)
    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)
    held_before: int = 0
    held_after: int = 0
    unclear: list[Unclear] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    stopped: int = 0
    ranges: tuple[Range, ...] = ()
    inexact: Counter[str] = field(default_factory=Counter)

    def days(self, since: datetime, until: datetime) -> float:
        """Return how many days the calls stand for: at most since the first of them."""
        start = max(since, self.first) if self.first else since
        return max((until - start) / timedelta(days=1), 0.0)


def replay(
    logged: Iterable[Logged],
    policy: PolicySet,
    *,
    since: datetime,
    most: int = 1000,
) -> Result:
    """Replay recorded calls through a policy.

    Args:
        logged: What the log has, in order; calls before ``since`` only fill the budgets.
        policy: The other policy.
        since: From when on calls count.
        most: How many changed calls are named.
    """
    player = _Player(policy, since, most)
    for entry in logged:
        player.play(entry)
    player.result.ranges = player.ranges.found()
    return player.result


def longest_window(policy: PolicySet) -> timedelta:
    """Return how long before the first call that counts the budgets look back."""
    return max((budget.window for budget in policy.budgets), default=timedelta(0))


class _Player:
    """Judge one entry after the other."""

    def __init__(self, policy: PolicySet, since: datetime, most: int) -> None:
        self._policy, self._since, self._most = policy, since, most
        self._ledger = MemoryLedger()
        self._blinds = Blinds(policy)
        self._waiting: dict[str, tuple[LoggedCall, tuple[Use, ...]]] = {}
        self._edited: set[str] = set()
        self._spends = bool(policy.budgets)
        self.ranges = Ranges()
        self.result = Result()

    def play(self, entry: Logged) -> None:
        if isinstance(entry, LoggedCall):
            self._call(entry)
        elif isinstance(entry, LoggedAnswer):
            changed = entry.said == "approved" and entry.id in self._edited
            self.ranges.answered(entry.id, "changed" if changed else entry.said)
        elif isinstance(entry, LoggedEdit):
            self._edit(entry)
        elif waiting := self._waiting.pop(entry.id, None):
            self._ledger.now = to_us(entry.at)
            self._ledger.charge(waiting[1])

    def _edit(self, entry: LoggedEdit) -> None:
        """Let a call that waits add what it was changed to; it was judged as it was submitted."""
        self._edited.add(entry.id)
        if (waiting := self._waiting.get(entry.id)) is not None:
            action = replace(waiting[0].action, arguments=entry.arguments)
            call = replace(waiting[0], action=action, hidden=entry.hidden)
            self._waiting[entry.id] = (call, self._uses(call))

    def _call(self, call: LoggedCall) -> None:
        counts = call.at >= self._since
        if call.rules and call.rules[0].startswith(own_rules.PREFIX) and call.rules[0] not in _POLICYS_OWN:
            self.result.left_out[call.rules[0]] += counts
            return
        verdict = self._judged(call)
        if isinstance(verdict, Undecided):
            if counts:
                self.result.unclear.append(_unclear(call, verdict))
            return
        if counts:
            self._count(call, verdict)

    def _judged(self, call: LoggedCall) -> Verdict | Undecided:
        """Judge a call, and charge it if it runs."""
        found: Verdict | Undecided = (
            self._blinds.judge(call.action, call.hidden)
            if call.hidden and is_action_name(call.action.name)
            else evaluate(self._policy, call.action)
        )
        if not self._spends or (isinstance(found, Verdict) and found.answer == "block"):
            return found
        uses = self._uses(call)
        self._ledger.now = to_us(call.at)
        if isinstance(found, Verdict) and (uses or call.hidden):
            found = self._with_budgets(call, found, uses)
        if isinstance(found, Undecided) or found.answer != "block":
            self._charge(call, uses, allowed=isinstance(found, Verdict) and found.answer == "allow")
        return found

    def _uses(self, call: LoggedCall) -> tuple[Use, ...]:
        """Return what a call adds to the budgets that can be told from the log."""
        if not is_action_name(call.action.name):
            return ()
        uses = uses_of(self._policy, call.action)
        blind = (
            {budget.rule for budget in self._blinds.budgets(call.action, call.hidden)} if call.hidden else ()
        )
        if not blind:
            return uses
        self.result.inexact.update(use.ruling.rule for use in uses if use.ruling.rule in blind)
        return tuple(use for use in uses if use.ruling.rule not in blind)

    def _with_budgets(self, call: LoggedCall, found: Verdict, uses: tuple[Use, ...]) -> Verdict | Undecided:
        verdict = with_budgets(found, judge(uses, self._ledger))
        return self._blinds.with_budgets(call.action, call.hidden, verdict) if call.hidden else verdict

    def _charge(self, call: LoggedCall, uses: tuple[Use, ...], *, allowed: bool) -> None:
        if call.stopped:
            return
        if allowed or call.ran:
            self._ledger.charge(uses)
        elif uses and call.answer == "require_approval":
            self._waiting[call.id] = (call, uses)

    def _count(self, call: LoggedCall, verdict: Verdict) -> None:
        result = self.result
        result.calls += 1
        result.stopped += call.stopped
        result.first, result.last = result.first or call.at, call.at
        for rule in call.rules:
            result.before[rule] += 1
        for rule in verdict.rules:
            result.after[rule] += 1
        result.held_before += call.answer == "require_approval"
        result.held_after += verdict.answer == "require_approval"
        if call.answer == "require_approval":
            subject = Subject(call.action, self._policy.known(call.action))
            self.ranges.held(call.id, subject, verdict.rules, verdict.decisive, call.hidden)
        if call.answer != verdict.answer:
            result.changed[call.answer, verdict.answer] += 1
            if len(result.changes) < self._most:
                result.changes.append(_change(call, verdict))


def _change(call: LoggedCall, verdict: Verdict) -> Change:
    return Change(
        id=call.id,
        at=call.at,
        name=call.action.name,
        before=call.answer,
        before_rules=call.rules,
        after=verdict.answer,
        after_rules=verdict.rules,
        reason=verdict.reason,
    )


def _unclear(call: LoggedCall, undecided: Undecided) -> Unclear:
    return Unclear(call.id, call.action.name, undecided.rules, undecided.paths)
