"""Actions and holds as the store has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from gate.lifecycle import State
from gate.model.calls import Evidence, Principal, ResolvedEffect
from gate.model.edits import Edit
from gate.model.past import PastCall
from gate.model.people import Annotation, Card, Decision, Person
from gate.model.verdicts import Requirement, Ruling


@dataclass(frozen=True, slots=True)
class HoldRecord:
    """A hold as people see it: everything redacted, nothing live.

    Attributes:
        id: Action id.
        store: Store id, carried by every button.
        version: Current version, from 1; 0 for an allowed call in doubt, which nobody held.
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
        edits: What people changed, oldest first.
        editable: Paths of values that approvers may change; the policy in force may have fewer.
        denied: What people denied this agent before, newest first.
        similar: Other holds of the same action that wait now, oldest first.
        annotation: What a person says became of it while it is in doubt; None for nothing.
        in_burst: Whether it waits while a card of its session's burst stands in a channel of its own.
        deadline: When it ends if nothing happens, UTC: no card was posted, nobody answered, or it was not
            started; None once it has ended.
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
    edits: tuple[Edit, ...] = ()
    editable: tuple[str, ...] = ()
    denied: tuple[PastCall, ...] = ()
    similar: tuple[PastCall, ...] = ()
    annotation: Annotation | None = None
    in_burst: bool = False
    deadline: datetime | None = None


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
        patch: By path the tagged form of each value that people changed in the submitted call.
        edits: What people changed, oldest first.
        annotation: What a person says became of it while it is in doubt; None for nothing.
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
    patch: Mapping[str, Any] = field(default_factory=dict, repr=False)
    edits: tuple[Edit, ...] = field(default=(), repr=False)
    annotation: Annotation | None = None


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
