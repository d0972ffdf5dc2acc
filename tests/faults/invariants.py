"""What must be true of every run, whatever died or raced: judged from outside the product.

The log is read as raw rows of the database file, side effects from the file that the tools themselves wrote,
cards from the workspace's own messages. The quorums, people and times are the test's, not the store's.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

Body = Mapping[str, Any]
LIVE = ("gate:approve", "gate:deny", "gate:stop", "gate:approve_more")
"""Elements of a card that still ask somebody."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a test's policy asks of one rule.

    Attributes:
        people: User ids that may answer.
        quorum: How many of them.
    """

    people: frozenset[str]
    quorum: int = 1


@dataclass(frozen=True, slots=True)
class Rules:
    """What a test's policy says.

    Attributes:
        asked: By rule id.
        answer_within: From submit to the last moment of a decision, exclusive.
        use_within: From the last approval to the claim, exclusive.
        budget: Rule id of the one budget, or None.
        limit: What it allows for the whole run.
    """

    asked: Mapping[str, Asked]
    answer_within: timedelta = timedelta(hours=1)
    use_within: timedelta = timedelta(minutes=30)
    budget: str | None = None
    limit: Decimal = Decimal("Infinity")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one run left behind.

    Attributes:
        rules: What its policy says.
        records: Bodies of the log, in order.
        states: State of every action in the store.
        effects: What tools really did: ``action`` and more.
        told: What agents were told: ``action``, ``code``, ``result``.
        messages: Messages of the workspace's channels; None where there was no workspace.
        broken_chain: Number of the first record that does not follow from the one before; 0 for none.
    """

    rules: Rules
    records: Sequence[Body]
    states: Mapping[str, str]
    effects: Sequence[Body] = ()
    told: Sequence[Body] = ()
    messages: Sequence[Body] | None = None
    broken_chain: int = 0
    by_action: Mapping[str, list[Body]] = field(default_factory=dict)


def gather(
    rules: Rules, db: Path, *, effects: Path, told: Path | None = None, messages: Sequence[Body] | None = None
) -> Evidence:
    """Read what a run left behind."""
    with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as reader:
        rows = reader.execute("SELECT seq, body, hash FROM audit ORDER BY seq").fetchall()
        states = dict(reader.execute("SELECT id, state FROM actions"))
    records = [json.loads(body) for _, body, _ in rows]
    by_action: defaultdict[str, list[Body]] = defaultdict(list)
    for each in records:
        by_action[each.get("action", "")].append(each)
    return Evidence(
        rules,
        records,
        states,
        lines(effects),
        lines(told) if told else (),
        messages,
        _broken(rows),
        by_action,
    )


def lines(path: Path) -> list[Any]:
    """Return the JSON lines of a file; none where it is not there."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _broken(rows: Iterable[tuple[int, str, str]]) -> int:
    before = ""
    for expected, (seq, body, found) in enumerate(rows, 1):
        before = hashlib.sha256(before.encode() + body.encode()).hexdigest()
        if (seq, found) != (expected, before):
            return seq
    return 0


def broken(seen: Evidence) -> list[str]:
    """Return every invariant that a run broke, in words; empty where all hold."""
    return [problem for check in CHECKS for problem in check(seen)]


def _chain(seen: Evidence) -> list[str]:
    return [f"the chain breaks at record {seen.broken_chain}"] if seen.broken_chain else []


def _moves(records: Iterable[Body], end: str) -> list[Body]:
    return [each for each in records if each.get("move", {}).get("to") == end]


def _effects_have_a_claim(seen: Evidence) -> list[str]:
    """No side effect without a matching claim or allow; no two side effects for one action."""
    problems = []
    for action, count in Counter(each["action"] for each in seen.effects).items():
        if count > 1:
            problems.append(f"{action} had {count} side effects")
        if not _moves(seen.by_action.get(action, ()), "running"):
            problems.append(f"{action} had a side effect without a claim or an allow")
    return [*problems, *_wrong_arguments(seen)]


def _wrong_arguments(seen: Evidence) -> list[str]:
    """Return the effects that were done with other arguments than were judged last before they ran."""
    judged = {action: _judged(records).get("input", {}) for action, records in seen.by_action.items()}
    return [
        f"{each['action']} ran with other arguments than were judged"
        for each in seen.effects
        if any(name in each and each[name] != value for name, value in judged.get(each["action"], {}).items())
    ]


def _judged(records: Sequence[Body]) -> Body:
    """Return the record that says which call was to run: the submit, or the last edit."""
    return next((each for each in reversed(records) if each["kind"] in ("submit", "edit")), {})


def _once_running(seen: Evidence) -> list[str]:
    return [
        f"{action} was started more than once"
        for action, records in seen.by_action.items()
        if action and len(_moves(records, "running")) > 1
    ]


def _claims_were_decided(seen: Evidence) -> list[str]:
    """No claim without decisions that met the requirements before the deadline for that version's digest."""
    claims = [each for each in seen.records if each["kind"] == "claim" and each["move"]["to"] == "running"]
    return [problem for claim in claims for problem in _undecided(seen, claim)]


def _undecided(seen: Evidence, claim: Body) -> list[str]:
    records = seen.by_action[claim["action"]]
    before = records[: records.index(claim)]
    version = max((each.get("version", 1) for each in before if each["kind"] == "edit"), default=1)
    given = [each for each in before if each["kind"] == "approve" and each["version"] == version]
    problems = [f"{claim['action']} was denied and ran" for each in before if each["kind"] == "deny"]
    if (claim["version"], claim["digest"]) != (version, _judged(before)["digest"]):
        problems.append(f"{claim['action']} ran as another call than the one that was approved")
    for place, each in enumerate(before):
        if each["kind"] in ASKING:
            later = [one for one in given if before.index(one) > place]
            problems += [
                f"{claim['action']} ran {short} for {rule}"
                for rule in each.get("rules", ())
                if (short := _short(seen, rule, later, _at(before[0]) + seen.rules.answer_within))
            ]
    last = max(map(_at, given), default=None)
    if last is None or _at(claim) >= last + seen.rules.use_within:
        problems.append(f"{claim['action']} was claimed too late or without any approval")
    return problems


ASKING = ("submit", "claim", "edit")
"""Kinds of records that ask people; whoever answered before did not answer that."""


def _short(seen: Evidence, rule: str, given: Iterable[Body], until: datetime) -> str:
    """Say what a rule lacks; empty where it was met in time."""
    asked = seen.rules.asked[rule]
    people = {each["actor"].partition("/")[2] for each in given if _at(each) < until} & asked.people
    return "" if len(people) >= asked.quorum else f"with {len(people)} of {asked.quorum} approvals"


def _at(body: Body) -> datetime:
    return datetime.fromisoformat(body["at"])


def _told_the_truth(seen: Evidence) -> list[str]:
    """No outcome told to the agent that the log contradicts."""
    return [
        f"{each['action']}: the agent was told {each['code']}, the log says {ended}"
        for each in seen.told
        if (ended := _ends(seen.by_action.get(each["action"], ()))) and not _agrees(each, ended)
    ] + [
        f"{each['action']}: the agent was told {each['code']} of an action that the log does not know"
        for each in seen.told
        if each["action"] not in seen.by_action
    ]


def _ends(records: Sequence[Body]) -> list[str]:
    return [each["code"] for each in records if each.get("code") and "move" in each] or ["nothing"]


def _agrees(told: Body, ended: Sequence[str]) -> bool:
    return told["code"] in ("pending", "shared") or told["code"] in ended


def _all_ended(seen: Evidence) -> list[str]:
    """Every action reaches an end state, in the store and in the log alike."""
    last = {
        action: moves[-1]["move"]["to"]
        for action, records in seen.by_action.items()
        if action and (moves := [each for each in records if "move" in each])
    }
    problems = [f"{action} stays {state}" for action, state in seen.states.items() if state in OPEN]
    return problems + [
        f"{action} is {state}, the log says {last.get(action)}"
        for action, state in seen.states.items()
        if state != last.get(action)
    ]


OPEN = ("pending", "approved", "running")


def _cards_show_it(seen: Evidence) -> list[str]:
    """Every card shows the state of its hold."""
    return [problem for each in seen.messages or () for problem in _wrong_card(seen, each)]


def _wrong_card(seen: Evidence, message: Body) -> list[str]:
    hold = hold_of(message)
    if hold is None or message.get("deleted"):
        return []
    state = seen.states.get(hold, "nothing")
    word = state.replace("_", " ").capitalize()
    if not message["text"].startswith(word):
        return [f"the card {message['ts']} of {hold} ({state}) says {message['text'][:40]!r}"]
    alive = [each for each in LIVE if state not in OPEN and has_element(message["blocks"], each)]
    return [f"the card {message['ts']} of {hold} ({state}) still has {alive}"] if alive else []


def hold_of(message: Body) -> str | None:
    """Return which hold a message is a card of, or None."""
    found = (message.get("metadata") or {}).get("event_payload", {}).get("hold")
    return None if found is None else str(found)


def has_element(shown: Any, action_id: str) -> bool:
    """Tell whether blocks have an element with this action id."""
    if isinstance(shown, Mapping):
        return shown.get("action_id") == action_id or any(has_element(x, action_id) for x in shown.values())
    return isinstance(shown, list) and any(has_element(each, action_id) for each in shown)


def _within_budget(seen: Evidence) -> list[str]:
    """A budget is never exceeded without the approval that covers it."""
    spent, problems = Decimal(0), []
    if seen.rules.budget is None:
        return []
    for each in _moves(seen.records, "running"):
        records = seen.by_action[each["action"]]
        spent += Decimal(str(_judged(records)["input"].get("amount", 0)))
        covered = any(seen.rules.budget in one.get("rules", ()) for one in records if one["kind"] != "settle")
        if spent > seen.rules.limit and not covered:
            problems.append(f"{each['action']} took the budget to {spent}, and nobody was asked about that")
    return problems


CHECKS: Sequence[Callable[[Evidence], list[str]]] = (
    _chain,
    _effects_have_a_claim,
    _once_running,
    _claims_were_decided,
    _told_the_truth,
    _all_ended,
    _cards_show_it,
    _within_budget,
)
