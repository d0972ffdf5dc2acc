"""The keys of a policy file: which there are, and what each may hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from gate.policy.paths import did_you_mean
from gate.policy.places import Loc
from gate.policy.source import Document
from gate.policy.takes import (
    WEEK,
    YEAR,
    Flag,
    Paths,
    Span,
    Text,
    Whole,
    one_of,
    take_amount,
    take_approvers,
    take_channel,
    take_currency,
    take_globs,
    take_identifier,
    take_names,
    take_path,
    take_reasons,
    take_reminders,
    take_rule_id,
    take_some_paths,
    take_template,
    take_text,
    take_version,
)
from gate.values import Glob, quoted

M = TypeVar("M", bound=BaseModel)


class _Keys(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class PolicyHead(_Keys):
    """The keys of a file; what lies under approvals, actions and rules is read on its own."""

    version: Annotated[Literal[1], BeforeValidator(take_version)] = 1
    name: Annotated[str, BeforeValidator(take_identifier)] | None = None
    applies_to: Annotated[tuple[Any, ...], BeforeValidator(take_globs)] = (Glob("*"),)
    resolve: Annotated[str, BeforeValidator(one_of("strictest", "first_match"))] = "strictest"
    default: Annotated[
        str, BeforeValidator(one_of("by_risk", "allow", "require_approval", "block", "abstain"))
    ]
    names: Any = None
    operators: Annotated[tuple[Any, ...], BeforeValidator(take_approvers)] = ()
    limits: Any = None
    approvals: Any = None
    actions: Any = None
    redact: Paths = ()
    show: Paths = ()
    rules: Any = None
    budgets: Any = None


class CommentKeys(_Keys):
    """Which answers need a comment."""

    approve: Annotated[str, BeforeValidator(one_of("optional", "required"))] = "optional"
    deny: Annotated[str, BeforeValidator(one_of("optional", "required"))] = "required"


class TellKeys(_Keys):
    """What the agent is told of who answered."""

    approver: Annotated[str, BeforeValidator(one_of("nobody", "name"))] = "nobody"


class HandOverKeys(_Keys):
    """Whom a hold that nobody answers is handed over to."""

    after: Annotated[timedelta, BeforeValidator(Span(timedelta(seconds=1), WEEK))]
    approvers: Annotated[tuple[Any, ...], BeforeValidator(take_approvers)]


NOBODY = HandOverKeys.model_construct(after=timedelta(0), approvers=())
"""Stands for the word none: a rule is handed over to nobody, whatever its file says."""


def take_hand_over(value: Any) -> Any:
    """Return whom a hold is handed over to, as it is written; ``none`` for nobody."""
    return NOBODY if value == "none" else value


class ApprovalKeys(_Keys):
    """Who must approve, how many, how fast; unwritten keys are None."""

    channel: Annotated[str, BeforeValidator(take_channel)] | None = None
    approvers: Annotated[tuple[Any, ...], BeforeValidator(take_approvers)] | None = None
    quorum: Annotated[int, BeforeValidator(Whole(1, 20))] | None = None
    distinct: Flag | None = None
    expires_in: Annotated[timedelta, BeforeValidator(Span(timedelta(seconds=5), WEEK))] | None = None
    use_within: Annotated[timedelta, BeforeValidator(Span(timedelta(seconds=1), WEEK))] | None = None
    deliver_within: Annotated[timedelta, BeforeValidator(Span(timedelta(seconds=1), WEEK))] | None = None
    comment: CommentKeys | None = None
    deny_reasons: Annotated[tuple[str, ...], BeforeValidator(take_reasons)] | None = None
    tell_agent: TellKeys | None = None
    on_behalf_of_may_approve: Flag | None = None
    remind_before: Annotated[tuple[timedelta, ...], BeforeValidator(take_reminders)] | None = None
    hand_over: Annotated[HandOverKeys, BeforeValidator(take_hand_over)] | None = None
    on_caller_gone: Annotated[str, BeforeValidator(one_of("keep", "cancel"))] | None = None
    ask_again_after: Annotated[timedelta, BeforeValidator(Span(timedelta(0), WEEK))] | None = None


class RuleKeys(ApprovalKeys):
    """One rule; approval keys stand flat on it."""

    id: Annotated[str, BeforeValidator(take_rule_id)]
    match: Annotated[tuple[Any, ...], BeforeValidator(take_globs)] = (Glob("*"),)
    when: Any = None
    then: Annotated[str, BeforeValidator(one_of("allow", "require_approval", "block"))]
    reason: Text | None = None
    editable: Paths = ()


class BudgetKeys(ApprovalKeys):
    """One budget; approval keys stand flat on it."""

    id: Annotated[str, BeforeValidator(take_rule_id)]
    match: Annotated[tuple[Any, ...], BeforeValidator(take_globs)] = (Glob("*"),)
    when: Any = None
    sum: Annotated[str, BeforeValidator(take_text)] | None = None
    limit: Any
    per: Annotated[str, BeforeValidator(take_text)]
    window: Annotated[timedelta, BeforeValidator(Span(timedelta(seconds=1), YEAR))]
    reads: Flag = False
    then: Annotated[str, BeforeValidator(one_of("require_approval", "block"))] = "require_approval"
    reason: Text | None = None
    headroom: Annotated[int, BeforeValidator(Whole(1, 1000))] | None = None


class AskKeys(_Keys):
    """How many holds within which time."""

    count: Annotated[int, BeforeValidator(Whole(1, 100_000))]
    window: Annotated[timedelta, BeforeValidator(Span(timedelta(seconds=1), WEEK))] = timedelta(hours=1)


class BurstKeys(_Keys):
    """How many holds within which time people can still read; 0 never warns."""

    count: Annotated[int, BeforeValidator(Whole(0, 100_000))]
    window: Annotated[timedelta, BeforeValidator(Span(timedelta(seconds=1), WEEK))] = timedelta(minutes=10)


class LimitKeys(_Keys):
    """How much may wait for people; unwritten keys are None."""

    pending_per_session: Annotated[int, BeforeValidator(Whole(1, 100_000))] | None = None
    pending_per_agent: Annotated[int, BeforeValidator(Whole(1, 100_000))] | None = None
    asks_per_session: AskKeys | None = None
    burst: BurstKeys | None = None


class ActionKeys(_Keys):
    """What a file declares of the tools that a glob names."""

    risk: Annotated[str, BeforeValidator(one_of("read", "write", "destructive"))] | None = None
    reversible: Flag | None = None
    outbound: Flag | None = None
    amount: Annotated[str, BeforeValidator(take_amount)] | None = None
    currency: Annotated[str, BeforeValidator(take_currency)] | None = None
    unit: Annotated[str, BeforeValidator(one_of("major", "minor"))] | None = None
    count: Annotated[str, BeforeValidator(take_path)] | None = None
    describe: Annotated[str, BeforeValidator(take_template)] | None = None
    decisive: Annotated[tuple[str, ...], BeforeValidator(take_some_paths)] | None = None
    params: Annotated[tuple[str, ...], BeforeValidator(take_names)] | None = None
    redact: Paths | None = None
    show: Paths | None = None


def read_keys(model: type[M], raw: Any, document: Document, loc: Loc) -> M | None:
    """Read one mapping of keys.

    Args:
        model: The keys there are.
        raw: The written mapping.
        document: Where it stands; everything wrong is added to its problems.
        loc: Way to it.

    Returns:
        The keys with their defaults, or None where something is wrong.
    """
    if not isinstance(raw, Mapping):
        document.add(loc, f"must be a mapping of keys: {', '.join(model.model_fields)}")
        return None
    empty = [key for key, value in raw.items() if value is None and key in model.model_fields]
    for key in empty:
        document.add((*loc, key), "has no value: write one, or leave the key out")
    try:
        return model.model_validate(_without(raw, empty) if empty else raw)
    except ValidationError as error:
        for each in error.errors(include_url=False):
            _add(model, each, document, loc)
        return None


def _without(raw: Mapping[str, Any], keys: Collection[str]) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if key not in keys}


def _add(model: type[BaseModel], error: ErrorDetails, document: Document, loc: Loc) -> None:
    where = (*loc, *error["loc"])
    kind = error["type"]
    if kind == "extra_forbidden":
        document.add(where, _unknown_key(model, where[-1], len(error["loc"])), key=True)
    elif kind == "missing":
        document.add(where, _missing(str(where[-1])))
    elif kind == "entries":
        for index, message in error["ctx"]["entries"]:
            document.add((*where, index), message)
    elif kind in ("model_type", "model_attributes_type"):
        document.add(where, "must be a mapping of keys")
    else:
        document.add(where, str(error.get("ctx", {}).get("error", error["msg"])))


def _unknown_key(model: type[BaseModel], key: str | int, depth: int) -> str:
    nested = {"approve", "deny", "approver", "count", "window", "after", "approvers"}
    known = model.model_fields if depth == 1 else nested
    return f"{quoted(key)} is not a key here{did_you_mean(str(key), known)}"


def _missing(key: str) -> str:
    if key == "default":
        return "must be written: by_risk, allow, require_approval, block or abstain"
    return "must be written"
