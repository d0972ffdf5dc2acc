"""Complete what a rule or default says about approval with what its file says for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from gate.model import Approver, HandOver, Requirement, Said
from gate.policy.places import Loc
from gate.policy.schema import ApprovalKeys, RuleKeys
from gate.policy.source import Document
from gate.values import format_duration, quoted


@dataclass(frozen=True, slots=True)
class Shared:
    """The ``approvals`` of one file.

    Attributes:
        keys: What they say; None where the file has none or they do not load.
        written: Whether the file has any.
    """

    keys: ApprovalKeys | None
    written: bool


def requirement(
    rule: str, own: ApprovalKeys | None, shared: Shared, document: Document, loc: Loc
) -> Requirement | None:
    """Return what approval a rule or default requires.

    Args:
        rule: Its id, ``NAME/rule``.
        own: Its own keys; each replaces the file's value whole. None for a default.
        shared: The file's ``approvals``.
        document: Where it stands; what is missing is added to its problems.
        loc: Way to the rule or default.

    Returns:
        The requirement, or None where it cannot be completed.
    """
    if shared.written and shared.keys is None:
        return None
    value = _Values(own, shared.keys)
    channel, approvers = value("channel"), value("approvers")
    missing = " and ".join(key for key in ("channel", "approvers") if value(key) is None)
    if missing:
        document.add(
            loc, f"can hold calls, so {missing} must be written, under approvals{' or here' * bool(own)}"
        )
        return None
    quorum = value("quorum") or 1
    handed = _handed(value)
    people = (*approvers, *(handed.approvers if handed else ()))
    _check_quorum(quorum, people, document, _quorum_loc(own, loc))
    _check_times(value, approvers, document, lambda key: _loc_of(key, own, loc))
    editable = own.editable if isinstance(own, RuleKeys) else None
    return _build(rule, value, channel, approvers, quorum, editable)


class _Values:
    """Looks a key up on the rule, then under ``approvals``."""

    def __init__(self, own: ApprovalKeys | None, shared: ApprovalKeys | None) -> None:
        self._layers = [layer for layer in (own, shared) if layer is not None]

    def __call__(self, key: str) -> Any:
        values = (getattr(layer, key) for layer in self._layers)
        return next((value for value in values if value is not None), None)


def _build(
    rule: str,
    value: _Values,
    channel: str,
    approvers: tuple[Approver, ...],
    quorum: int,
    editable: tuple[str, ...] | None,
) -> Requirement:
    expires_in = value("expires_in") or timedelta(hours=4)
    comment, tell, again = value("comment"), value("tell_agent"), value("ask_again_after")
    return Requirement(
        rules=(rule,),
        approvers=approvers,
        quorum=quorum,
        channels=(channel,),
        expires_in=expires_in,
        use_within=value("use_within") or expires_in,
        deliver_within=value("deliver_within") or timedelta(minutes=10),
        distinct=bool(value("distinct")),
        comment_required=_comments(comment),
        deny_reasons=value("deny_reasons") or (),
        name_approver=tell is not None and tell.approver == "name",
        on_behalf_of_may_approve=bool(value("on_behalf_of_may_approve")),
        remind_before=value("remind_before") or (),
        hand_over=HandOver(handed.after, handed.approvers) if (handed := _handed(value)) else None,
        on_caller_gone=value("on_caller_gone") or "keep",
        ask_again_after=timedelta(seconds=60) if again is None else again,
        editable=editable,
    )


def _handed(value: _Values) -> Any:
    """Return whom a hold is handed over to; None for nobody, also where a rule says so."""
    found = value("hand_over")
    return found if found and found.approvers else None


def _comments(keys: Any) -> frozenset[Said]:
    if keys is None:
        return frozenset({"deny"})
    answers: tuple[Said, ...] = ("approve", "deny")
    return frozenset(said for said in answers if getattr(keys, said) == "required")


def _quorum_loc(own: ApprovalKeys | None, loc: Loc) -> Loc:
    """Return where a quorum that is too large was written."""
    if own is not None:
        for key in ("quorum", "approvers"):
            if getattr(own, key) is not None:
                return (*loc, key)
    return ("approvals", "quorum")


def _loc_of(key: str, own: ApprovalKeys | None, loc: Loc) -> Loc:
    """Return where a key was written: on the rule, or under ``approvals``."""
    return (*loc, key) if own is not None and getattr(own, key) is not None else ("approvals", key)


def _check_times(
    value: _Values, approvers: tuple[Approver, ...], document: Document, where: Callable[[str], Loc]
) -> None:
    """Refuse reminders and hand-overs that could never come, and those that add nobody."""
    expires_in = value("expires_in") or timedelta(hours=4)
    told = format_duration(expires_in)
    late = [each for each in value("remind_before") or () if each >= expires_in]
    if late:
        document.add(
            where("remind_before"),
            f"{format_duration(late[0])} before the end never comes: people have {told} to answer",
        )
    handed = _handed(value)
    if handed is None:
        return
    if handed.after >= expires_in:
        document.add(where("hand_over"), f"never comes: people have {told} to answer")
    twice = [each for each in handed.approvers if each in approvers]
    if twice:
        document.add(where("hand_over"), f"{quoted(str(twice[0]))} is among the approvers already")


def _check_quorum(quorum: int, approvers: tuple[Approver, ...], document: Document, loc: Loc) -> None:
    if quorum > len(approvers) and all(each.kind == "user" for each in approvers):
        people = "user is" if len(approvers) == 1 else "users are"
        document.add(
            loc, f"a quorum of {quorum} can never be met: {len(approvers)} {people} listed and no group"
        )
