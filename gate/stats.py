"""Whether the loop is healthy: how much is asked, how people answer, and which rules could be changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from gate.model.own_rules import PREFIX
from gate.policy.policyset import PolicySet
from gate.policy.ranges import Range
from gate.service import Service
from gate.verbs.tally import Became, Decider, Tally

Candidate = Literal["allow", "block", ""]

ENOUGH = 50
"""From so many answered holds on, a rule that is nearly always approved as it is may be let go."""

NEARLY_ALWAYS = 0.95
"""More than this share of them must have been approved as they came: what people changed was not right."""


@dataclass(frozen=True, slots=True)
class RuleStats:
    """What became of the holds of one rule, budget or default.

    Attributes:
        rule: ``NAME/rule``.
        place: ``file:line`` in the policy in force; empty where that has it no more.
        held: Holds.
        approved: Holds that people approved as they came.
        changed: Holds that people changed before they approved them.
        denied: Holds that people denied.
        unanswered: Holds that ended because nobody answered.
        rate: Share approved as they came of those four together; None where there are none.
        candidate: What the rule might answer instead: ``allow``, ``block`` or nothing.
        command: What tries that on last month's calls; empty for no candidate.
        ranges: Between which values people approved and denied.
    """

    rule: str
    place: str
    held: int
    approved: int
    changed: int
    denied: int
    unanswered: int
    rate: float | None
    candidate: Candidate
    command: str
    ranges: tuple[Range, ...] = ()

    @property
    def closed(self) -> int:
        """Return how many holds ended by an answer, or for want of one."""
        return self.approved + self.changed + self.denied + self.unanswered


@dataclass(frozen=True, slots=True)
class AgentStats:
    """What became of the holds of one agent."""

    agent: str
    held: int
    approved: int
    changed: int
    denied: int
    unanswered: int


@dataclass(frozen=True, slots=True)
class Deciding:
    """How long people took, from the card to the answer that decided.

    Attributes:
        count: How many holds people decided.
        median: Half took no longer; None where nobody decided anything.
        p90: Nine of ten took no longer.
    """

    count: int
    median: timedelta | None
    p90: timedelta | None


@dataclass(frozen=True, slots=True)
class Stats:
    """What became of the holds of some time.

    Attributes:
        since: From when on, UTC.
        until: Before when, UTC.
        holds: How many there were.
        approved: How many people approved as they came.
        changed: How many people changed before they approved them.
        denied: How many people denied.
        unanswered: How many nobody answered in time.
        waiting: How many still wait.
        ended: How many ended otherwise, such as cancelled and undelivered.
        begins: From when on the store has anything, UTC; None for an empty one.
        a_day: Holds a day, on average over what the store knows of that time; None for less than a day.
        days: Holds by day, ISO dates in UTC; days without any are there too.
        hours: Holds by hour of the day, 0 to 23 UTC.
        rules: By rule, most holds first; a hold counts for each rule that held it.
        deciding: How long people took.
        people: Who answered, most answers first.
        agents: By agent, most denials first.
    """

    since: datetime
    until: datetime
    holds: int
    approved: int
    changed: int
    denied: int
    unanswered: int
    waiting: int
    ended: int
    begins: datetime | None
    a_day: float | None
    days: Mapping[str, int]
    hours: tuple[int, ...]
    rules: tuple[RuleStats, ...]
    deciding: Deciding
    people: tuple[Decider, ...]
    agents: tuple[AgentStats, ...]

    @property
    def candidates(self) -> tuple[RuleStats, ...]:
        """Return the rules that might answer otherwise."""
        return tuple(each for each in self.rules if each.candidate)


def collect(
    service: Service, since: datetime, until: datetime, *, options: str = "", values: bool = True
) -> Stats:
    """Count what became of the holds that were asked for within a time.

    Args:
        service: The open store.
        since: From when on, UTC.
        until: Before when, UTC.
        options: Options that the offered commands need beside their own, such as ``--db FILE``.
        values: Whether decisive values are looked at too, which takes longest.

    Returns:
        The numbers.
    """
    found = service.tally(since, until, values=values)
    policy = service.policy() if service.revisions() else None
    became = sum(found.agents.values(), Counter[Became]())
    return Stats(
        since=since,
        until=until,
        holds=became.total(),
        approved=became["approved"],
        changed=became["changed"],
        denied=became["denied"],
        unanswered=became["unanswered"],
        waiting=became["waiting"],
        ended=became["ended"],
        begins=found.begins,
        a_day=_a_day(became.total(), max(since, found.begins or until), until),
        days=_days(found, since, until),
        hours=_hours(found),
        rules=_rules(found, policy, options),
        deciding=_deciding(found.times),
        people=found.people,
        agents=_agents(found),
    )


def _a_day(holds: int, since: datetime, until: datetime) -> float | None:
    days = (until - since) / timedelta(days=1)
    return holds / days if days >= 1 else None


def _days(found: Tally, since: datetime, until: datetime) -> Mapping[str, int]:
    counts: Counter[str] = Counter()
    for hour, count in found.hours.items():
        counts[f"{_at(hour):%Y-%m-%d}"] += count
    first = min([_at(hour).date() for hour in found.hours], default=until.date())
    start = max(since.date(), first)
    last = max((until - timedelta(microseconds=1)).date(), start)
    days = (start + timedelta(days=number) for number in range((last - start).days + 1))
    return {f"{day:%Y-%m-%d}": counts[f"{day:%Y-%m-%d}"] for day in days}


def _at(hour: int) -> datetime:
    return datetime.fromtimestamp(hour * 3600, UTC)


def _hours(found: Tally) -> tuple[int, ...]:
    counts: Counter[int] = Counter()
    for hour, count in found.hours.items():
        counts[hour % 24] += count
    return tuple(counts[hour] for hour in range(24))


def _rules(found: Tally, policy: PolicySet | None, options: str) -> tuple[RuleStats, ...]:
    places = _places(policy) if policy else {}
    ranges: dict[str, list[Range]] = {}
    for each in found.ranges:
        ranges.setdefault(each.rule, []).append(each)
    made = [
        _rule(rule, became, places, tuple(ranges.get(rule, ())), options)
        for rule, became in found.rules.items()
        if not rule.startswith(PREFIX)
    ]
    return tuple(sorted(made, key=lambda each: (-each.held, each.rule)))


def _places(policy: PolicySet) -> Mapping[str, str]:
    """Return where each rule, budget and default that can hold a call stands."""
    rules = [each.ruling for file in policy.files for each in file.rules]
    found = [*rules, *(each.ruling for each in policy.budgets)]
    places = {each.rule: each.place for each in found if each.answer == "require_approval"}
    defaults = {f"{file.name}/default": file.place for file in policy.files if file.requirement is not None}
    return places | defaults


def _rule(
    rule: str, became: Counter[Became], places: Mapping[str, str], ranges: tuple[Range, ...], options: str
) -> RuleStats:
    closed = became["approved"] + became["changed"] + became["denied"] + became["unanswered"]
    rate = became["approved"] / closed if closed else None
    candidate: Candidate = _candidate(became, closed, rate) if rule in places else ""
    command = f"gate policy backtest --try {rule}={candidate} --since 30d{options}" if candidate else ""
    return RuleStats(
        rule=rule,
        place=places.get(rule, ""),
        held=became.total(),
        approved=became["approved"],
        changed=became["changed"],
        denied=became["denied"],
        unanswered=became["unanswered"],
        rate=rate,
        candidate=candidate,
        command=command,
        ranges=ranges,
    )


def _candidate(became: Counter[Became], closed: int, rate: float | None) -> Candidate:
    if rate is not None and closed >= ENOUGH and rate > NEARLY_ALWAYS:
        return "allow"
    return "block" if became["denied"] and not became["approved"] + became["changed"] else ""


def _deciding(times: Sequence[int]) -> Deciding:
    return Deciding(len(times), _percentile(times, 50), _percentile(times, 90))


def _percentile(times: Sequence[int], percent: int) -> timedelta | None:
    """Return the least time that so many percent did not exceed."""
    if not times:
        return None
    return timedelta(microseconds=times[max(-(-len(times) * percent // 100), 1) - 1])


def _agents(found: Tally) -> tuple[AgentStats, ...]:
    made = [
        AgentStats(
            agent, became.total(), *(became[word] for word in ("approved", "changed", "denied", "unanswered"))
        )
        for agent, became in found.agents.items()
    ]
    return tuple(sorted(made, key=lambda each: (-each.denied, -each.held, each.agent)))
