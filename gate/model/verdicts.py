"""What the policy answers: verdicts, the rules that decided, and who must approve."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from gate.model.budgets import BudgetState
from gate.model.calls import ResolvedEffect
from gate.model.words import Answer, Said


@dataclass(frozen=True, slots=True)
class Approver:
    """Who may decide: a user, a user group, or the members of a channel.

    Attributes:
        kind: ``user`` (U…/W…), ``group`` (S…) or ``members_of`` (C…).
        id: Slack id.
    """

    kind: Literal["user", "group", "members_of"]
    id: str

    def __str__(self) -> str:
        return f"members_of:{self.id}" if self.kind == "members_of" else self.id


@dataclass(frozen=True, slots=True)
class HandOver:
    """Whom a requirement that nobody meets is handed over to, beside its approvers.

    Attributes:
        after: How long after people were asked.
        approvers: Who may answer from then on as well.
    """

    after: timedelta
    approvers: tuple[Approver, ...]


@dataclass(frozen=True, slots=True)
class Requirement:
    """Who must approve a hold, how many, how fast, and how they may answer.

    Attributes:
        rules: ``NAME/rule`` of everything that asks for this.
        approvers: Who may answer; never empty.
        quorum: How many different people, 1–20.
        distinct: Whether its people count in no other requirement.
        channels: Slack channel ids that get a card; never empty.
        expires_in: From submit until it ends unanswered.
        use_within: From the last approval until the call must have started.
        deliver_within: From submit until Slack must have accepted a card.
        comment_required: Answers that need a comment.
        deny_reasons: Quick reasons offered on denial; empty: the built-in ones.
        name_approver: Whether the agent is told the approver's name.
        on_behalf_of_may_approve: Whether the person acted for may approve.
        on_caller_gone: Whether the hold goes on or is cancelled once the caller that waited for it is gone.
        remind_before: How long before the deadline those still needed are reminded, longest first.
        hand_over: Whom it is handed over to; None for nobody.
        hand_over_at: When, UTC; None before a hold has it, and where it is handed over to nobody.
        handed: Whether that was done; then ``approvers`` has those people too.
        ask_again_after: How long an identical repeat gets the old outcome without a card.
        editable: Paths whose values its people may change; None for a default or budget, which cannot say.
        staging: Whether ``GATE_CHANNEL`` or ``Gate(channel=)`` replaced the channels that the policy names.
    """

    rules: tuple[str, ...]
    approvers: tuple[Approver, ...]
    quorum: int
    channels: tuple[str, ...]
    expires_in: timedelta = timedelta(hours=4)
    use_within: timedelta = timedelta(hours=4)
    deliver_within: timedelta = timedelta(minutes=10)
    distinct: bool = False
    comment_required: frozenset[Said] = frozenset({"deny"})
    deny_reasons: tuple[str, ...] = ()
    name_approver: bool = False
    on_behalf_of_may_approve: bool = False
    on_caller_gone: Literal["keep", "cancel"] = "keep"
    ask_again_after: timedelta = timedelta(seconds=60)
    remind_before: tuple[timedelta, ...] = ()
    hand_over: HandOver | None = None
    hand_over_at: datetime | None = None
    handed: bool = False
    editable: tuple[str, ...] | None = None
    staging: bool = False


@dataclass(frozen=True, slots=True)
class Ruling:
    """One rule, default, budget or gate rule that took part in deciding.

    Attributes:
        rule: ``NAME/rule``, ``NAME/default`` or ``gate/…``.
        answer: What it answers.
        reason: Why, for people and agents, what was missing included.
        place: ``file:line`` of the rule; empty for the gate's own.
        missing: What could not be read, and how to be decided; empty if the condition was sure.
        requirement: What it requires; None unless it requires approval.
        budget: What the budget stood at; None for everything else.
    """

    rule: str
    answer: Answer
    reason: str
    place: str = ""
    missing: tuple[str, ...] = ()
    requirement: Requirement | None = None
    budget: BudgetState | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The policy's answer to one action.

    Attributes:
        answer: ``allow``, ``require_approval`` or ``block``.
        rulings: The rules that decided, strongest reason first.
        requirements: Merged requirements; empty unless approval is required.
        effect: The tool's resolved effect.
        revision: Digest of the policy set that answered.
        decisive: Paths of the decisive values; empty means all arguments.
        redact: Paths the policy hides, those of the whole set included.
        show: Paths for which built-in redaction is lifted.
        rules: The ids of the rules that decided.
        reason: The first reason; empty where an allow rule gives none.
    """

    answer: Answer
    rulings: tuple[Ruling, ...]
    requirements: tuple[Requirement, ...]
    effect: ResolvedEffect
    revision: str
    decisive: tuple[str, ...] = ()
    redact: tuple[str, ...] = ()
    show: tuple[str, ...] = ()
    rules: tuple[str, ...] = field(init=False, repr=False, compare=False)
    reason: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Thousands of calls of one tool share a verdict, and each asks for these half a dozen times.
        reasons = (ruling.reason for ruling in self.rulings if ruling.reason)
        object.__setattr__(self, "rules", tuple(ruling.rule for ruling in self.rulings))
        object.__setattr__(self, "reason", next(reasons, ""))
