"""The keys of a policy file: which there are, what each may hold, and which a later version brings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from gate.model import Approver
from gate.policy.currencies import CODES, like
from gate.policy.paths import NOT_YET, check_argument_path, did_you_mean, template_paths
from gate.policy.source import Document, Loc
from gate.values import IDENTIFIER, Glob, format_duration, parse_duration, quoted

M = TypeVar("M", bound=BaseModel)
R = TypeVar("R")

_ASKING_LATER = frozenset({"remind_before", "hand_over"})
LATER: Mapping[str, frozenset[str]] = {
    "LimitKeys": frozenset({"burst"}),
    "ApprovalKeys": _ASKING_LATER,
    "BudgetKeys": _ASKING_LATER,
    "RuleKeys": _ASKING_LATER,
}
"""Keys of the language that this version does not have, by the place they stand in."""

WEEK = timedelta(days=7)
YEAR = timedelta(days=366)
_USER, _GROUP, _CHANNEL = (re.compile(rf"[{letters}][A-Z0-9]{{2,30}}") for letters in ("UW", "S", "CG"))


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be a text that is not empty" + (": quote it" if _is_number(value) else ""))
    return value


def _is_number(value: Any) -> bool:
    return value is not None and not isinstance(value, (str, list, Mapping))


def _identifier(value: Any) -> str:
    if not IDENTIFIER.fullmatch(_text(value)):
        raise ValueError(f"{quoted(value)} is not an id: write letters, digits, _ and -")
    return str(value)


def _rule_id(value: Any) -> str:
    if _identifier(value).lower() == "default":
        raise ValueError('"default" is the id of the file\'s default: take another')
    return str(value)


def _glob(value: Any) -> Glob:
    return Glob(_text(value))


def _globs(value: Any) -> tuple[Glob, ...]:
    return _each(_glob, value) if isinstance(value, list) else (_glob(value),)


def _each(read: Callable[[Any], R], value: Any) -> tuple[R, ...]:
    """Read every entry of a list; say which are wrong."""
    found: list[R] = []
    wrong: list[tuple[int, str]] = []
    for index, each in enumerate(_list(value)):
        try:
            found.append(read(each))
        except ValueError as error:
            wrong.append((index, str(error)))
    if wrong:
        raise PydanticCustomError("entries", "entries are wrong", {"entries": wrong})
    return tuple(found)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise ValueError("must be a list with at least one entry")
    return value


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


@dataclass(frozen=True, slots=True)
class Whole:
    """Take a whole number from ``low`` to ``high``."""

    low: int
    high: int

    def __call__(self, value: Any) -> int:
        """Return the number, or say what it must be."""
        if isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            raise ValueError(f"must be a whole number from {self.low} to {self.high}")
        return value


def _version(value: Any) -> int:
    if value != 1 or not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("must be 1, the only version of the language")
    return value


@dataclass(frozen=True, slots=True)
class Span:
    """Take a duration from ``low`` to ``high``."""

    low: timedelta
    high: timedelta

    def __call__(self, value: Any) -> timedelta:
        """Return the duration, or say what it must be."""
        if not isinstance(value, str):
            raise ValueError("must be a duration: write a number and s, m, h or d, such as 10m")
        found = parse_duration(value)
        if not self.low <= found <= self.high:
            raise ValueError(f"must be from {format_duration(self.low)} to {format_duration(self.high)}")
        return found


@dataclass(frozen=True, slots=True)
class OneOf:
    """Take one of some words."""

    words: tuple[str, ...]

    def __call__(self, value: Any) -> str:
        """Return the word, or say which there are."""
        if value not in self.words or not isinstance(value, str):
            near = did_you_mean(str(value), self.words)
            raise ValueError(f"{_shown(value)} is not one of {', '.join(self.words)}{near}")
        return value


def _one_of(*words: str) -> OneOf:
    return OneOf(words)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "this" if isinstance(value, (list, Mapping)) else quoted(value)


def _channel(value: Any) -> str:
    if not _CHANNEL.fullmatch(_text(value)):
        raise ValueError(f"{quoted(value)} is not a Slack channel id: write C…, such as C0APPROVALS")
    return str(value)


def _approvers(value: Any) -> tuple[Approver, ...]:
    found = _each(_approver, value)
    twice = [each for each in found if found.count(each) > 1]
    if twice:
        raise ValueError(f"{quoted(twice[0])} is listed twice")
    return found


def _approver(value: Any) -> Approver:
    if isinstance(value, Mapping) and set(value) == {"members_of"}:
        return Approver("members_of", _channel(value["members_of"]))
    if isinstance(value, str) and _USER.fullmatch(value):
        return Approver("user", value)
    if isinstance(value, str) and _GROUP.fullmatch(value):
        return Approver("group", value)
    raise ValueError(
        f"{_shown(value)} is not an approver: write a user (U…), a group (S…) or {{members_of: C…}}"
    )


def _reasons(value: Any) -> tuple[str, ...]:
    found = _each(_text, value)
    if len(found) > 10 or len(set(found)) < len(found):
        raise ValueError("must be 1 to 10 different texts")
    if any(len(each) > 75 for each in found):
        raise ValueError("each must have at most 75 characters")
    return found


def _path(value: Any) -> str:
    check_argument_path(_text(value))
    return str(value)


def _paths(value: Any) -> tuple[str, ...]:
    return _each(_path, value)


def _amount(value: Any) -> str:
    return "none" if value == "none" else _path(value)


def _currency(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z]{3}", value):
        return _path(value)
    if value not in CODES:
        raise ValueError(
            f"{quoted(value)} is no currency of ISO 4217{like(value)}: write a code such as EUR, or a path"
        )
    return value


def _template(value: Any) -> str:
    template_paths(_text(value))
    return str(value)


def _names(value: Any) -> tuple[str, ...]:
    return _each(_text, value)


Text = Annotated[str, BeforeValidator(_text)]
Flag = Annotated[bool, BeforeValidator(_bool)]
Paths = Annotated[tuple[str, ...], BeforeValidator(_paths)]


class _Keys(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class PolicyHead(_Keys):
    """The keys of a file; what lies under approvals, actions and rules is read on its own."""

    version: Annotated[Literal[1], BeforeValidator(_version)] = 1
    name: Annotated[str, BeforeValidator(_identifier)] | None = None
    applies_to: Annotated[tuple[Any, ...], BeforeValidator(_globs)] = (Glob("*"),)
    resolve: Annotated[str, BeforeValidator(_one_of("strictest", "first_match"))] = "strictest"
    default: Annotated[
        str, BeforeValidator(_one_of("by_risk", "allow", "require_approval", "block", "abstain"))
    ]
    names: Any = None
    operators: Annotated[tuple[Any, ...], BeforeValidator(_approvers)] = ()
    limits: Any = None
    approvals: Any = None
    actions: Any = None
    redact: Paths = ()
    show: Paths = ()
    rules: Any = None
    budgets: Any = None


class CommentKeys(_Keys):
    """Which answers need a comment."""

    approve: Annotated[str, BeforeValidator(_one_of("optional", "required"))] = "optional"
    deny: Annotated[str, BeforeValidator(_one_of("optional", "required"))] = "required"


class TellKeys(_Keys):
    """What the agent is told of who answered."""

    approver: Annotated[str, BeforeValidator(_one_of("nobody", "name"))] = "nobody"


class ApprovalKeys(_Keys):
    """Who must approve, how many, how fast; unwritten keys are None."""

    channel: Annotated[str, BeforeValidator(_channel)] | None = None
    approvers: Annotated[tuple[Any, ...], BeforeValidator(_approvers)] | None = None
    quorum: Annotated[int, BeforeValidator(Whole(1, 20))] | None = None
    distinct: Flag | None = None
    expires_in: Annotated[timedelta, BeforeValidator(Span(timedelta(seconds=5), WEEK))] | None = None
    use_within: Annotated[timedelta, BeforeValidator(Span(timedelta(seconds=1), WEEK))] | None = None
    deliver_within: Annotated[timedelta, BeforeValidator(Span(timedelta(seconds=1), WEEK))] | None = None
    comment: CommentKeys | None = None
    deny_reasons: Annotated[tuple[str, ...], BeforeValidator(_reasons)] | None = None
    tell_agent: TellKeys | None = None
    on_behalf_of_may_approve: Flag | None = None
    on_caller_gone: Annotated[str, BeforeValidator(_one_of("keep", "cancel"))] | None = None
    ask_again_after: Annotated[timedelta, BeforeValidator(Span(timedelta(0), WEEK))] | None = None


class RuleKeys(ApprovalKeys):
    """One rule; approval keys stand flat on it."""

    id: Annotated[str, BeforeValidator(_rule_id)]
    match: Annotated[tuple[Any, ...], BeforeValidator(_globs)] = (Glob("*"),)
    when: Any = None
    then: Annotated[str, BeforeValidator(_one_of("allow", "require_approval", "block"))]
    reason: Text | None = None
    editable: Paths = ()


class BudgetKeys(ApprovalKeys):
    """One budget; approval keys stand flat on it."""

    id: Annotated[str, BeforeValidator(_rule_id)]
    match: Annotated[tuple[Any, ...], BeforeValidator(_globs)] = (Glob("*"),)
    when: Any = None
    sum: Annotated[str, BeforeValidator(_text)] | None = None
    limit: Any
    per: Annotated[str, BeforeValidator(_text)]
    window: Annotated[timedelta, BeforeValidator(Span(timedelta(seconds=1), YEAR))]
    reads: Flag = False
    then: Annotated[str, BeforeValidator(_one_of("require_approval", "block"))] = "require_approval"
    reason: Text | None = None
    headroom: Annotated[int, BeforeValidator(Whole(1, 1000))] | None = None


class AskKeys(_Keys):
    """How many holds within which time."""

    count: Annotated[int, BeforeValidator(Whole(1, 100_000))]
    window: Annotated[timedelta, BeforeValidator(Span(timedelta(seconds=1), WEEK))] = timedelta(hours=1)


class LimitKeys(_Keys):
    """How much may wait for people; unwritten keys are None."""

    pending_per_session: Annotated[int, BeforeValidator(Whole(1, 100_000))] | None = None
    pending_per_agent: Annotated[int, BeforeValidator(Whole(1, 100_000))] | None = None
    asks_per_session: AskKeys | None = None


class ActionKeys(_Keys):
    """What a file declares of the tools that a glob names."""

    risk: Annotated[str, BeforeValidator(_one_of("read", "write", "destructive"))] | None = None
    reversible: Flag | None = None
    outbound: Flag | None = None
    amount: Annotated[str, BeforeValidator(_amount)] | None = None
    currency: Annotated[str, BeforeValidator(_currency)] | None = None
    unit: Annotated[str, BeforeValidator(_one_of("major", "minor"))] | None = None
    count: Annotated[str, BeforeValidator(_path)] | None = None
    describe: Annotated[str, BeforeValidator(_template)] | None = None
    decisive: Paths | None = None
    params: Annotated[tuple[str, ...], BeforeValidator(_names)] | None = None
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
        return model.model_validate({key: value for key, value in raw.items() if key not in empty})
    except ValidationError as error:
        for each in error.errors(include_url=False):
            _add(model, each, document, loc)
        return None


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
    if key in LATER.get(model.__name__, ()) and depth == 1:
        return f"{quoted(key)} {NOT_YET} of the policy language"
    known = model.model_fields if depth == 1 else {"approve", "deny", "approver", "count", "window"}
    return f"{quoted(key)} is not a key here{did_you_mean(str(key), known)}"


def _missing(key: str) -> str:
    if key == "default":
        return "must be written: by_risk, allow, require_approval, block or abstain"
    return "must be written"
