"""What people do with the kill switch in Slack: any approver freezes, an operator lifts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from gate.errors import Fault, IllegalMove, NotEligible
from gate.model import Approver, Person, Route
from gate.policy.policyset import PolicySet
from gate.redact import hide
from gate.shapes import storable
from gate.store import rows
from gate.verbs import freezing
from gate.verbs.freezing import Scope
from gate.verbs.turn import Turn

Way = Literal["freeze", "unfreeze"]

_LONGEST_ID = 200
_LONGEST_READ = 10_000


@dataclass(frozen=True, slots=True)
class Switch:
    """What one person does with the kill switch, as Slack delivered it.

    Attributes:
        scope: ``everything``, ``agent`` or ``session``.
        id: Which agent or session; empty for everything.
        person: Who, as Slack authenticated them.
        satisfies: Approver entries that the person satisfies, as looked up just now.
        reason: Their words; may be empty.
        route: Where it came from.
    """

    scope: Scope
    id: str
    person: Person
    satisfies: frozenset[str]
    reason: str
    route: Route

    @property
    def actor(self) -> str:
        """Return who acts, as the log names them."""
        return f"{self.person.team}/{self.person.user}"


def freeze(turn: Turn, switch: Switch, policy: PolicySet) -> bool | Fault:
    """Freeze for a person; a refusal is recorded too, and returned instead of raised.

    Returns:
        Whether it was not frozen before, or why they may not.
    """
    try:
        _check(switch, policy.people(), "You are not among the approvers, so you cannot freeze anything.")
        return freezing.freeze(
            turn, switch.scope, switch.id, by=switch.actor, reason=switch.reason,
            called=_called(switch), **_told(switch),
        )  # fmt: skip
    except Fault as fault:
        return _refused(turn, switch, "freeze", fault)


def lift(turn: Turn, switch: Switch, policy: PolicySet) -> Fault | None:
    """Lift a freeze for a person; a refusal is recorded too, and returned instead of raised."""
    try:
        if not policy.operators:
            raise NotEligible(
                "The policy names no operators, so a freeze is lifted on the command line: "
                "gate unfreeze --reason TEXT. Nothing was lifted.",
                code="no_operators",
            )
        _check(switch, policy.operators, "Lifting a freeze needs one of the policy's operators.")
        freezing.unfreeze(
            turn, switch.scope, switch.id, by=switch.actor, reason=switch.reason,
            called=_called(switch), **_told(switch),
        )  # fmt: skip
    except Fault as fault:
        return _refused(turn, switch, "unfreeze", fault)
    return None


def _check(switch: Switch, entries: Iterable[Approver], otherwise: str) -> None:
    if not any(str(entry) in switch.satisfies for entry in entries):
        raise NotEligible(f"{otherwise} Nothing was changed.", code="not_eligible")


def _called(switch: Switch) -> str:
    person = switch.person
    return f"{person.name} ({person.user})" if person.name else person.user


def _told(switch: Switch) -> dict[str, Any]:
    return {"name": switch.person.name, "route": rows.told(Route, switch.route)}


def _refused(turn: Turn, switch: Switch, verb: Way, fault: Fault) -> Fault:
    if not isinstance(fault, (NotEligible, IllegalMove)):
        raise fault
    refuse(turn, switch, verb, fault)
    return fault


def refuse(turn: Turn, switch: Switch, verb: Way, fault: Fault) -> None:
    """Record that somebody was refused, and what they wanted, in short and without secrets.

    Args:
        turn: The open turn.
        switch: Who wanted what; their reason is not kept.
        verb: What they wanted to do.
        fault: Why they may not.
    """
    turn.log(
        "refused", actor=switch.actor, verb=verb, scope=switch.scope,
        id=hide(storable(switch.id[:_LONGEST_READ]))[:_LONGEST_ID], code=fault.code, reason=str(fault),
        route=_told(switch)["route"],
    )  # fmt: skip
