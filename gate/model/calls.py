"""What an agent asks: actions, effects, for whom, and the evidence beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from gate.model.words import Risk, Weight


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
        unit: ``minor`` where the amount is in cents; default is ``major``.
        count: Path of how many things it touches, a number or a list; default is one.
    """

    risk: Risk | None = None
    reversible: bool | None = None
    outbound: bool | None = None
    amount: str | None = None
    currency: str | None = None
    describe: str | None = None
    decisive: tuple[str, ...] = ()
    unit: Literal["major", "minor"] | None = None
    count: str | None = None


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters that the called tool has, as far as known.

    Attributes:
        names: Parameter names.
        open: True where the tool takes free ``**kwargs``.
    """

    names: frozenset[str]
    open: bool = False


@dataclass(frozen=True, slots=True, weakref_slot=True)
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
        source: ``host`` where host code wrote the name; else ``server``, or the name as it came.
        note: The agent's own words, unverified, or None.
        parent: Id of the action within whose tool this call was made, or None.
        facts: Values from host systems for this call, by name; those of its session stand beside them.
        facts_lost: Whether host code could not say them: then no fact is known, one of its session neither.
    """

    name: str
    arguments: Mapping[str, Any] = field(repr=False)
    agent: str
    session: str
    on_behalf_of: Principal | None = None
    call_id: str | None = None
    target: str | None = field(default=None, repr=False)
    effect: Effect | None = None
    parameters: Parameters | None = None
    not_shown: tuple[str, ...] = ()
    source: str = "host"
    note: str | None = field(default=None, repr=False)
    parent: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)
    facts_lost: bool = False


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
        unit: ``minor`` where the amount is in cents, else ``major``.
        count: Path of how many things it touches, or None for one.
        told: What one call's describe line says beside its arguments, by path, redacted; missing ones are not
            in it.
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
    unit: Literal["major", "minor"] = "major"
    count: str | None = None
    told: Mapping[str, str] = field(default_factory=dict)

    @property
    def declared_read(self) -> bool:
        """Tell whether this is a read by declaration, not by guess."""
        return self.risk == "read" and not self.guessed
