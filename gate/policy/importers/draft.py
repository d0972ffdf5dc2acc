"""What an importer made of a foreign policy, before it is written down."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from gate.model import Answer, Approver
from gate.policy.takes import WEEK
from gate.values import format_duration, parse_duration, quoted

SHORTEST = timedelta(seconds=5)
LONGEST = WEEK


@dataclass(frozen=True, slots=True)
class People:
    """Who approves what was imported, and where; no foreign file names either.

    Attributes:
        channel: Slack channel id.
        approvers: At least one.
        escalated: Who may answer as well once nobody has for a while, by the role that a foreign file names;
            under an empty name, those for every other role and where it names none.
    """

    channel: str
    approvers: tuple[Approver, ...]
    escalated: Mapping[str, tuple[Approver, ...]] = field(default_factory=dict)

    def for_role(self, role: str) -> tuple[Approver, ...]:
        """Return who may answer once a hold is escalated to a role; nobody where it is not known."""
        return self.escalated.get(role) or self.escalated.get("", ())

    def can_reach(self, quorum: int) -> bool:
        """Tell whether so many different people may be among them."""
        listed = all(each.kind == "user" for each in self.approvers)
        return not listed or len(self.approvers) >= quorum


@dataclass(slots=True)
class DraftRule:
    """One rule to write.

    Attributes:
        id: Its id.
        match: Glob of action names.
        then: Its answer.
        reason: Why; empty for allow.
        when: Its condition as it will stand in YAML, or None.
        keys: Approval keys of its own, such as quorum.
        notes: Comments above it.
    """

    id: str
    match: str
    then: Answer
    reason: str = ""
    when: Mapping[str, Any] | None = None
    keys: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Draft:
    """A policy file to write.

    Attributes:
        name: Its name.
        source: Where it comes from, for its first line.
        resolve: How its rules are resolved, and why.
        default: What stands where no rule applies, and why.
        people: Who approves.
        expires_in: How long a hold waits; None leaves the language's default.
        notes: Comments at its head: what is decided more strictly or was not carried over.
        rules: Its rules, in order.
    """

    name: str
    source: str
    resolve: tuple[str, str]
    default: tuple[str, str]
    people: People
    expires_in: timedelta | None = None
    notes: list[str] = field(default_factory=list)
    rules: list[DraftRule] = field(default_factory=list)


class Ids:
    """Hand out rule ids that are readable and used once, case ignored."""

    def __init__(self) -> None:
        self._used: set[str] = {"default"}

    def take(self, wish: str) -> str:
        """Return an id near to a wish."""
        base = re.sub(r"[^A-Za-z0-9_]+", "-", wish).strip("-") or "rule"
        found, number = base, 1
        while found.lower() in self._used:
            number += 1
            found = f"{base}-{number}"
        self._used.add(found.lower())
        return found


def fitting(duration: timedelta) -> tuple[timedelta, str]:
    """Bring a time to answer into what the language takes.

    Returns:
        The nearest duration, and a comment where it is another than the given one, else an empty text.
    """
    found = min(max(duration, SHORTEST), LONGEST)
    if found == duration:
        return found, ""
    return found, f"Waited {format_duration(duration)} there; a hold here waits 5s to 7d."


def duration_of(value: Any) -> timedelta:
    """Read a foreign duration: ``4h``, ``90m``, or a whole number of seconds.

    Raises:
        ValueError: It is neither.
    """
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**9:
        return timedelta(seconds=value)
    if isinstance(value, str):
        return parse_duration(value.strip())
    raise ValueError(f"{quoted(value)} is not a duration: write a number and s, m, h or d, such as 4h")
