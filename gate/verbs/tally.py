"""Count what became of holds within a time; nothing here writes, and what SQL can count is not parsed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

from gate import audit
from gate.clock import from_us, to_us
from gate.model import Action, ResolvedEffect
from gate.policy.effects import Known, known_of
from gate.policy.ranges import Range, Ranges
from gate.policy.reading import Subject
from gate.recorded import read_back
from gate.store import rows
from gate.store.port import Reader, Row
from gate.values import parse_path

Became = Literal["approved", "changed", "denied", "unanswered", "waiting", "ended"]
"""What became of a hold: ``changed`` was edited, then approved; ``ended`` is every other end."""

QUICK_US = 3_000_000
"""Less than this after the card was there, nobody has read it."""

MOST_RANGED = 50_000
"""Of so many answered holds, the newest, the decisive values are looked at."""

_HELD = """
    SELECT a.id, a.agent, a.session, a.name, a.rules, h.version, h.asked_at, h.accepted_at,
        CASE WHEN a.state = 'denied' THEN 'denied' WHEN h.use_by IS NOT NULL
            THEN CASE WHEN h.version > 1 THEN 'changed' ELSE 'approved' END
            WHEN a.code = 'expired_unanswered' THEN 'unanswered' WHEN a.state = 'pending' THEN 'waiting'
            ELSE 'ended' END AS became
    FROM holds h JOIN actions a ON a.id = h.action WHERE h.asked_at >= ? AND h.asked_at < ?"""

_BY_HOUR = f"SELECT asked_at / 3600000000 AS hour, count(*) AS n FROM ({_HELD}) GROUP BY 1 ORDER BY 1"  # noqa: S608
_BY_RULES = f"SELECT rules, agent, became, count(*) AS n FROM ({_HELD}) GROUP BY 1, 2, 3"  # noqa: S608
_TIMES = f"""
    SELECT max(d.at) - coalesce(held.accepted_at, held.asked_at) AS us FROM ({_HELD}) held
    JOIN decisions d ON d.action = held.id AND d.version = held.version
        AND d.said = CASE held.became WHEN 'denied' THEN 'deny' ELSE 'approve' END
    WHERE held.became IN ('approved', 'changed', 'denied') GROUP BY held.id"""  # noqa: S608
_PEOPLE = f"""
    SELECT d.team, d.user, max(d.name) AS name, count(*) AS n,
        sum(d.at - max(coalesce(held.accepted_at, held.asked_at), v.made_at) < {QUICK_US}
            AND CASE v.editor WHEN '' THEN 1 ELSE
                v.editor ->> 0 <> d.team OR v.editor ->> 1 <> d.user END) AS quick
    FROM ({_HELD}) held JOIN decisions d ON d.action = held.id
    JOIN versions v ON v.action = d.action AND v.version = d.version
    GROUP BY 1, 2 ORDER BY 4 DESC, 1, 2"""  # noqa: S608
_VALUES = f"""
    SELECT held.id, held.agent, held.session, held.name, held.rules, held.became,
        v.arguments, v.hidden, v.decisive, v.effect FROM ({_HELD}) held
    JOIN versions v ON v.action = held.id
        AND v.version = CASE held.became WHEN 'changed' THEN 1 ELSE held.version END
    WHERE held.became IN ('approved', 'changed', 'denied') AND v.decisive <> '[]'
    ORDER BY held.asked_at DESC LIMIT {MOST_RANGED}"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Decider:
    """One person's answers.

    Attributes:
        team: Their workspace.
        user: Their user id.
        name: Their name as it was last recorded.
        answers: How many they gave.
        quick: How many of them less than three seconds after Slack had accepted the card.
    """

    team: str
    user: str
    name: str
    answers: int
    quick: int


@dataclass(slots=True)
class Tally:
    """What became of the holds of some time.

    Attributes:
        hours: Holds by hours since 1970-01-01 UTC.
        rules: By rule, how many holds became what; a hold counts for each rule that held it.
        agents: The same by agent.
        times: Microseconds from the card to the answer that decided, shortest first.
        people: Who answered, most answers first.
        ranges: Between which values people approved, changed and denied, by rule.
        begins: From when on the store has anything, UTC; None for an empty one.
    """

    hours: Counter[int] = field(default_factory=Counter)
    rules: dict[str, Counter[Became]] = field(default_factory=dict)
    agents: dict[str, Counter[Became]] = field(default_factory=dict)
    times: list[int] = field(default_factory=list)
    people: tuple[Decider, ...] = ()
    ranges: tuple[Range, ...] = ()
    begins: datetime | None = None


def tally(reader: Reader, since: datetime, until: datetime, *, values: bool = True) -> Tally:
    """Count the holds that were asked for within a time.

    Args:
        reader: Where to read.
        since: From when on, UTC.
        until: Before when, UTC.
        values: Whether the decisive values are looked at too.
    """
    span = (to_us(since), to_us(until))
    found = Tally(begins=_begins(reader))
    found.hours.update({row["hour"]: row["n"] for row in reader.all(_BY_HOUR, span)})
    for row in reader.all(_BY_RULES, span):
        for rule in json.loads(row["rules"]):
            found.rules.setdefault(rule, Counter())[row["became"]] += row["n"]
        found.agents.setdefault(row["agent"], Counter())[row["became"]] += row["n"]
    found.times = sorted(max(row["us"], 0) for row in reader.all(_TIMES, span))
    found.people = tuple(
        Decider(row["team"], row["user"], row["name"], row["n"], row["quick"] or 0)
        for row in reader.all(_PEOPLE, span)
    )
    if values:
        found.ranges = _ranges(reader.all(_VALUES, span))
    return found


def _begins(reader: Reader) -> datetime | None:
    """Return when the store begins: its oldest record, or a hold whose records were archived."""
    first = [
        datetime.fromisoformat(each.body["at"]) for each in audit.records(reader, audit.Filter(), limit=1)
    ]
    row = reader.one("SELECT min(asked_at) AS at FROM holds")
    if row is not None and row["at"] is not None:
        first.append(from_us(row["at"]))
    return min(first, default=None)


def _ranges(held: Iterable[Row]) -> tuple[Range, ...]:
    ranges = Ranges()
    for row in held:
        hidden = dict.fromkeys(map(parse_path, json.loads(row["hidden"])))

        def swap(path: str, hidden: dict[tuple[str, ...], None] = hidden) -> str:
            hidden[parse_path(path)] = None
            return path

        arguments = {
            name: read_back(each, ("args", name), swap) for name, each in json.loads(row["arguments"]).items()
        }
        subject = Subject(_action(row, arguments), _known(row["effect"]))
        ranges.held(row["id"], subject, json.loads(row["rules"]), json.loads(row["decisive"]), tuple(hidden))
        ranges.answered(row["id"], row["became"])
    return ranges.found()


def _action(row: Row, arguments: dict[str, Any]) -> Action:
    return Action(row["name"], arguments, row["agent"], row["session"])


@lru_cache(maxsize=1024)
def _known(effect: str) -> Known:
    return known_of(rows.load(ResolvedEffect, effect))
