"""The frozen values that travel between the floors: actions, verdicts, requirements, holds, decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from gate.lifecycle import State

Risk = Literal["read", "write", "destructive"]
Answer = Literal["allow", "require_approval", "block"]
Said = Literal["approve", "deny"]
Weight = Literal["strong", "weak", "unavailable"]


@dataclass(frozen=True, slots=True)
class Principal:
    """For whom a session acts.

    Attributes:
        kind: ``person`` (a Slack user), ``email`` (looked up before posting) or ``outside`` (free text).
        id: User id, address or text.
        team: Slack team id of a person; None means the store's own workspace.
    """

    kind: Literal["person", "email", "outside"]
    id: str
    team: str | None = None

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One line for people: what a host system says about the case.

    Attributes:
        text: The line.
        weight: ``strong``, ``weak`` (default) or ``unavailable``.
        url: Link to the source; None for none.
    """

    text: str
    weight: Weight = "weak"
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """What a tool does, as its author declares it; every part may be left to the policy.

    Attributes:
        risk: ``read``, ``write`` or ``destructive``.
        reversible: Whether it can be undone.
        outbound: Whether it leaves the company.
        amount: Path of its amount, such as ``args.amount``.
        currency: Path of its currency, or an ISO 4217 code.
        describe: Template of the sentence people read, such as ``Refund {args.amount}``.
        decisive: Paths that people must see uncut before they approve.
    """

    risk: Risk | None = None
    reversible: bool | None = None
    outbound: bool | None = None
    amount: str | None = None
    currency: str | None = None
    describe: str | None = None
    decisive: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters that the called tool has, as far as known.

    Attributes:
        names: Parameter names.
        open: True where the tool takes free ``**kwargs``.
    """

    names: frozenset[str]
    open: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """One intended tool call.

    Attributes:
        name: ``namespace.tool``.
        arguments: Snapshot of the bound arguments by parameter name.
        agent: Which agent asks.
        session: Session id.
        on_behalf_of: For whom, or None.
        call_id: The caller's id for this call, or None.
        target: Free text from host code (account, base URL), or None.
        effect: What the code declares of the tool, or None.
        parameters: What the tool takes; None where no schema is known.
        not_shown: Names of live parameters that are passed through unjudged.
        source: ``host`` where host code wrote the name, ``server`` where somebody else did.
        note: The agent's own words, unverified, or None.
        parent: Id of the action within whose tool this call was made, or None.
    """

    name: str
    arguments: Mapping[str, Any]
    agent: str
    session: str
    on_behalf_of: Principal | None = None
    call_id: str | None = None
    target: str | None = None
    effect: Effect | None = None
    parameters: Parameters | None = None
    not_shown: tuple[str, ...] = ()
    source: Literal["host", "server"] = "host"
    note: str | None = None
    parent: str | None = None


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
        ask_again_after: How long an identical repeat gets the old outcome without a card.
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
    ask_again_after: timedelta = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class ResolvedEffect:
    """What the policy set, the code and the name together say of a tool.

    Attributes:
        risk: Final risk.
        reversible: Final reversibility.
        outbound: Whether it leaves the company.
        guessed: True where the risk is a guess from the name.
        amount: Path of the amount, or None.
        currency: Path or code of the currency, or None.
        describe: Template of the describe line, or None.
        decisive: Declared decisive paths.
        sources: Who decided each key: ``FILE``, ``code``, ``guess`` or ``undeclared``.
    """

    risk: Risk
    reversible: bool
    outbound: bool
    guessed: bool = False
    amount: str | None = None
    currency: str | None = None
    describe: str | None = None
    decisive: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def declared_read(self) -> bool:
        """Tell whether this is a read by declaration, not by guess."""
        return self.risk == "read" and not self.guessed


@dataclass(frozen=True, slots=True)
class Ruling:
    """One rule, default or gate rule that took part in deciding.

    Attributes:
        rule: ``NAME/rule``, ``NAME/default`` or ``gate/…``.
        answer: What it answers.
        reason: Why, for people and agents, what was missing included.
        place: ``file:line`` of the rule; empty for the gate's own.
        missing: What could not be read, and how to be decided; empty if the condition was sure.
        requirement: What it requires; None unless it requires approval.
    """

    rule: str
    answer: Answer
    reason: str
    place: str = ""
    missing: tuple[str, ...] = ()
    requirement: Requirement | None = None


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
        redact: Paths the policy hides.
        show: Paths for which built-in redaction is lifted.
    """

    answer: Answer
    rulings: tuple[Ruling, ...]
    requirements: tuple[Requirement, ...]
    effect: ResolvedEffect
    revision: str
    decisive: tuple[str, ...] = ()
    redact: tuple[str, ...] = ()
    show: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[str, ...]:
        """Return the ids of the rules that decided."""
        return tuple(ruling.rule for ruling in self.rulings)

    @property
    def reason(self) -> str:
        """Return the first reason; empty where an allow rule gives none."""
        return next((ruling.reason for ruling in self.rulings if ruling.reason), "")


@dataclass(frozen=True, slots=True)
class Person:
    """A person whom Slack authenticated.

    Attributes:
        team: Slack team id (or enterprise id on Grid).
        user: Slack user id.
        name: Display name, decoration only.
    """

    team: str
    user: str
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Route:
    """Where a decision came from, as Slack told it.

    Attributes:
        app: Slack app id.
        api_host: Host of the Slack API the bot talks to.
        channel: Channel id; empty for the home tab.
        message_ts: Timestamp of the card; empty where there is none.
        action_ts: Slack's timestamp of the click; empty where there is none.
        via: ``socket``, ``http``, ``home`` or ``command``.
    """

    app: str
    api_host: str
    channel: str = ""
    message_ts: str = ""
    action_ts: str = ""
    via: Literal["socket", "http", "home", "command"] = "socket"


@dataclass(frozen=True, slots=True)
class Decision:
    """One approver's recorded answer.

    Attributes:
        person: Who.
        said: ``approve`` or ``deny``.
        comment: Their words; empty for none.
        at: When the store recorded it, UTC.
        version: Version of the hold they answered.
    """

    person: Person
    said: Said
    comment: str
    at: datetime
    version: int


@dataclass(frozen=True, slots=True)
class Card:
    """A Slack message that shows a hold.

    Attributes:
        channel: Channel id.
        ts: Slack timestamp.
        version: Version it was posted for.
    """

    channel: str
    ts: str
    version: int


@dataclass(frozen=True, slots=True)
class PastCall:
    """One earlier call, as the history line and the view show it.

    Attributes:
        action_id: Its id.
        name: Its name.
        described: Its describe line, redacted.
        state: How it stands or ended.
        at: When it was submitted, UTC.
        reason: Reason or comment that belongs to the end; may be empty.
    """

    action_id: str
    name: str
    described: str
    state: State
    at: datetime
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HoldRecord:
    """A hold as people see it: everything redacted, nothing live.

    Attributes:
        id: Action id.
        store: Store id, carried by every button.
        version: Current version, from 1.
        nonce: Random mark of the current version; not a credential.
        state: Where it stands.
        code: Outcome code once ended; empty before.
        name: Action name.
        described: Describe line, redacted; the name where no template is.
        arguments: Redacted JSON arguments by name.
        decisive: Paths of decisive values; empty means all arguments.
        hidden: Paths whose value was redacted.
        not_shown: Names of parameters that were not judged.
        agent: Which agent asks.
        session: Session id.
        on_behalf_of: For whom, or None.
        asked_by: The Slack person behind ``on_behalf_of`` once known, or None.
        target: Free text from host code, or None.
        note: The agent's own words, unverified, or None.
        effect: The tool's resolved effect.
        rulings: Why it is held.
        requirements: Who must approve.
        decisions: Every recorded decision on the current version, oldest first.
        evidence: Evidence lines as of submit.
        history: Earlier calls of the session, newest first.
        identical: How an identical earlier call ended, or None.
        created_at: When it was submitted, UTC.
        expires_at: Deadline for answering, UTC, exclusive.
        deliver_by: Deadline for the first card, UTC, exclusive.
        use_by: Deadline for starting after approval, UTC; None before approval.
        ended_at: When it ended, UTC, or None.
        end_reason: Why it ended or what it raised, redacted; empty before.
        result: What the run returned, redacted text; None unless kept.
        cards: Messages that show it.
        waiting: Whether a live caller waits for it now.
        revision: Policy revision that held it.
        view_required: Whether approvers must open the full view first.
    """

    id: str
    store: str
    version: int
    nonce: str
    state: State
    code: str
    name: str
    described: str
    arguments: Mapping[str, Any]
    decisive: tuple[str, ...]
    hidden: tuple[str, ...]
    not_shown: tuple[str, ...]
    agent: str
    session: str
    on_behalf_of: Principal | None
    asked_by: Person | None
    target: str | None
    note: str | None
    effect: ResolvedEffect
    rulings: tuple[Ruling, ...]
    requirements: tuple[Requirement, ...]
    decisions: tuple[Decision, ...]
    evidence: tuple[Evidence, ...]
    history: tuple[PastCall, ...]
    identical: PastCall | None
    created_at: datetime
    expires_at: datetime
    deliver_by: datetime
    use_by: datetime | None
    ended_at: datetime | None
    end_reason: str
    result: str | None
    cards: tuple[Card, ...]
    waiting: bool
    revision: str
    view_required: bool = False


@dataclass(frozen=True, slots=True)
class Notice:
    """One outbox row: a Slack message to post or to update.

    Attributes:
        id: Row id.
        kind: ``card`` (post the hold's card), ``refresh`` (update every card of the hold to its current
            state), ``reply`` (thread reply under the hold's cards) or ``announce`` (channel message).
        hold: Hold id; None for announcements.
        version: Version of the hold the notice is about; 0 for announcements.
        channel: Channel id for ``card`` and ``announce``; empty for the others.
        text: Fixed sentence of a reply or announcement; empty for the others.
        attempts: Tries so far.
    """

    id: int
    kind: Literal["card", "refresh", "reply", "announce"]
    hold: str | None
    version: int
    channel: str
    text: str
    attempts: int


@dataclass(frozen=True, slots=True)
class ActionRecord:
    """One action as the store has it, for the side that called it.

    Attributes:
        id: Action id.
        name: Action name.
        state: Where it stands.
        code: Outcome code; ``pending`` while open, empty while running.
        version: Current version of its hold; 0 for an action that was never held.
        digest: Digest of the version that may run.
        rules: Rules that decided.
        reason: Why, or what it raised.
        decisions: Decisions on the current version, oldest first.
        name_approver: Whether the agent may be told approvers' names.
        expires_at: Deadline for answering, UTC; None where it was never held.
        use_by: Deadline for starting, UTC; None before approval.
        result: Stored result as JSON text; None where none was kept.
        kept: Whether the result was kept.
        error: Class and redacted text of what the run raised; empty otherwise.
        late: Whether it was settled after it had been in doubt.
    """

    id: str
    name: str
    state: State
    code: str
    version: int
    digest: str
    rules: tuple[str, ...]
    reason: str
    decisions: tuple[Decision, ...]
    name_approver: bool
    expires_at: datetime | None
    use_by: datetime | None
    result: str | None
    kept: bool
    error: str
    late: bool


@dataclass(frozen=True, slots=True)
class Submission:
    """What became of a submitted action.

    Attributes:
        kind: ``run`` (allowed: run it now, then settle), ``held`` (a new hold), ``joined`` (an earlier hold
            or run of the same action) or ``ended`` (blocked, or the stored outcome of the same action).
        record: The action as the store has it.
        waiter: Number of the waiter that this caller became; 0 for none.
    """

    kind: Literal["run", "held", "joined", "ended"]
    record: ActionRecord
    waiter: int = 0


@dataclass(frozen=True, slots=True)
class Freeze:
    """One freeze in force.

    Attributes:
        scope: ``everything``, ``agent`` or ``session``.
        id: Agent or session id; empty for everything.
        by: Who froze.
        reason: Why.
        at: Since when, UTC.
    """

    scope: Literal["everything", "agent", "session"]
    id: str
    by: str
    reason: str
    at: datetime
