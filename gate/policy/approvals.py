"""Complete what a rule or default says about approval with what its file says for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from gate.model import Approver, Requirement, Said
from gate.policy.schema import ApprovalKeys, RuleKeys
from gate.policy.source import Document, Loc


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
    _check_quorum(quorum, approvers, document, _quorum_loc(own, loc))
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
        on_caller_gone=value("on_caller_gone") or "keep",
        ask_again_after=timedelta(seconds=60) if again is None else again,
        editable=editable,
    )


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


def _check_quorum(quorum: int, approvers: tuple[Approver, ...], document: Document, loc: Loc) -> None:
    if quorum > len(approvers) and all(each.kind == "user" for each in approvers):
        people = "user is" if len(approvers) == 1 else "users are"
        document.add(
            loc, f"a quorum of {quorum} can never be met: {len(approvers)} {people} listed and no group"
        )
