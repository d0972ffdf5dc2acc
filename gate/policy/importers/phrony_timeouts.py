"""Import what Phrony does once nobody has answered for a while: a hold expires, or more people may answer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from gate.policy.importers.draft import LONGEST, DraftRule, People, fitting
from gate.policy.importers.reading import Place
from gate.policy.importers.writing import approver_form
from gate.values import format_duration, quoted

ROLE_KEY = "phrony.com/escalate_to_role"
_MINUTE = timedelta(minutes=1)


def timeout(rule: DraftRule, decision: Place, people: People) -> None:
    """Carry over a decision's timeout.

    Args:
        rule: The rule that holds; its keys and notes are added to.
        decision: The decision; what is wrong in it is added to its document.
        people: Whom an escalation goes to, by role.
    """
    place = decision.under("timeout")
    place.only("after_minutes", "default")
    if not place.raw:
        return
    minutes = place.raw.get("after_minutes")
    if isinstance(minutes, bool) or not isinstance(minutes, int) or not 0 < minutes < 10**7:
        place.bad("must be a whole number of minutes", "after_minutes")
        return
    after, default = timedelta(minutes=minutes), place.text("default").lower()
    if default == "escalate":
        _escalated(rule, after, _role(decision), people)
        return
    _expires(rule, after)
    if default not in ("", "deny"):
        rule.notes.append(f"Stricter than there, where {quoted(default)} follows: silence never allows.")


def _expires(rule: DraftRule, after: timedelta) -> None:
    found, note = fitting(after)
    rule.keys["expires_in"] = _minutes(found)
    rule.notes += [note] if note else []


def _escalated(rule: DraftRule, after: timedelta, role: str, people: People) -> None:
    """Let more people answer at the time when Phrony asks anew, for as long again."""
    whom = f" of the role {quoted(role)}" if role else ""
    there = f"Phrony asks anew{whom} after {format_duration(after)}"
    asked = people.for_role(role)
    if not asked:
        _expires(rule, after)
        rule.notes.append(
            f"{there}; here it expires then. To let more people answer, write hand_over with whom, and a "
            f"later expires_in, or import with --hand-over {f'{role}=' if role else ''}S0MANAGERS."
        )
        return
    _expires(rule, 2 * after)
    handed = min(after, LONGEST / 2) if after >= LONGEST else after
    rule.keys["hand_over"] = {"after": _minutes(handed), "approvers": [approver_form(each) for each in asked]}
    rule.notes.append(
        f"{there}, and starts to count again; here these people may answer from then on as well, and "
        "approvals that were given stay."
    )


def only_role(decision: Place) -> bool:
    """Tell whether a decision's ``runtime`` says nothing but whom to escalate to."""
    runtime = decision.raw.get("runtime")
    return isinstance(runtime, Mapping) and set(runtime) == {ROLE_KEY}


def _role(decision: Place) -> str:
    runtime = decision.raw.get("runtime")
    role = runtime.get(ROLE_KEY) if isinstance(runtime, Mapping) else None
    return role.strip() if isinstance(role, str) else ""


def _minutes(found: timedelta) -> str:
    return f"{found // _MINUTE}m"
