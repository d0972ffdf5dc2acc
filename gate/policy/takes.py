"""Take one written value of a policy file, or say what must stand there instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from gate.model import Approver
from gate.policy.currencies import CODES, like
from gate.policy.paths import check_argument_path, did_you_mean, template_paths
from gate.values import IDENTIFIER, Glob, format_duration, parse_duration, quoted

R = TypeVar("R")

WEEK = timedelta(days=7)
YEAR = timedelta(days=366)
_USER, _GROUP, _CHANNEL = (re.compile(rf"[{letters}][A-Z0-9]{{2,30}}") for letters in ("UW", "S", "CG"))


def take_text(value: Any) -> str:
    """Return a text that is not empty, or say what must stand there."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be a text that is not empty" + (": quote it" if _is_number(value) else ""))
    return value


def _is_number(value: Any) -> bool:
    return value is not None and not isinstance(value, (str, list, Mapping))


def take_identifier(value: Any) -> str:
    """Return an id of letters, digits, _ and -, or say what must stand there."""
    if not IDENTIFIER.fullmatch(take_text(value)):
        raise ValueError(f"{quoted(value)} is not an id: write letters, digits, _ and -")
    return str(value)


def take_rule_id(value: Any) -> str:
    """Return the id of a rule or budget, or say what must stand there."""
    if take_identifier(value).lower() == "default":
        raise ValueError('"default" is the id of the file\'s default: take another')
    return str(value)


def _glob(value: Any) -> Glob:
    return Glob(take_text(value))


def take_globs(value: Any) -> tuple[Glob, ...]:
    """Return one glob or a list of them, or say what must stand there."""
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


def take_bool(value: Any) -> bool:
    """Return true or false, or say what must stand there."""
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


def take_reminders(value: Any) -> tuple[timedelta, ...]:
    """Return spans before the deadline, longest first, perhaps none, or say what must stand there."""
    found = _each(_reminder, value) if value != [] else ()
    if len(found) > 5 or len(set(found)) < len(found):
        raise ValueError("must be at most 5 different durations")
    return tuple(sorted(found, reverse=True))


def take_version(value: Any) -> int:
    """Return the version of the language, or say what must stand there."""
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


_reminder = Span(timedelta(seconds=1), timedelta(days=7))


def one_of(*words: str) -> OneOf:
    """Return what takes one of some words."""
    return OneOf(words)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "this" if isinstance(value, (list, Mapping)) else quoted(value)


def take_channel(value: Any) -> str:
    """Return the id of a Slack channel, or say what must stand there."""
    if not _CHANNEL.fullmatch(take_text(value)):
        raise ValueError(f"{quoted(value)} is not a Slack channel id: write C…, such as C0APPROVALS")
    return str(value)


def take_approvers(value: Any) -> tuple[Approver, ...]:
    """Return who may answer: users, groups, members of a channel, or say what must stand there."""
    found = _each(_approver, value)
    twice = [each for each in found if found.count(each) > 1]
    if twice:
        raise ValueError(f"{quoted(twice[0])} is listed twice")
    return found


def _approver(value: Any) -> Approver:
    if isinstance(value, Mapping) and set(value) == {"members_of"}:
        return Approver("members_of", take_channel(value["members_of"]))
    if isinstance(value, str) and _USER.fullmatch(value):
        return Approver("user", value)
    if isinstance(value, str) and _GROUP.fullmatch(value):
        return Approver("group", value)
    raise ValueError(
        f"{_shown(value)} is not an approver: write a user (U…), a group (S…) or {{members_of: C…}}"
    )


def take_reasons(value: Any) -> tuple[str, ...]:
    """Return quick reasons for a denial, or say what must stand there."""
    found = _each(take_text, value)
    if len(found) > 10 or len(set(found)) < len(found):
        raise ValueError("must be 1 to 10 different texts")
    if any(len(each) > 75 for each in found):
        raise ValueError("each must have at most 75 characters")
    return found


def take_path(value: Any) -> str:
    """Return a path into the arguments, or say what must stand there."""
    check_argument_path(take_text(value))
    return str(value)


def take_paths(value: Any) -> tuple[str, ...]:
    """Return paths into the arguments, perhaps none, or say what must stand there."""
    return _each(take_path, value) if value != [] else ()


def take_some_paths(value: Any) -> tuple[str, ...]:
    """Return at least one path into the arguments, or say what must stand there."""
    return _each(take_path, value)


def take_amount(value: Any) -> str:
    """Return a path, or none where nothing moves, or say what must stand there."""
    return "none" if value == "none" else take_path(value)


def take_currency(value: Any) -> str:
    """Return a currency code or a path, or say what must stand there."""
    if not isinstance(value, str) or not re.fullmatch(r"[^\W\d_]+", value):
        return take_path(value)
    if value not in CODES:
        raise ValueError(
            f"{quoted(value)} is no currency of ISO 4217{like(value)}: write a code such as EUR, or a path "
            "such as args.currency"
        )
    return value


def take_template(value: Any) -> str:
    """Return a sentence with paths in braces, or say what must stand there."""
    template_paths(take_text(value))
    return str(value)


def take_names(value: Any) -> tuple[str, ...]:
    """Return a list of texts, perhaps of none, or say what must stand there."""
    return _each(take_text, value) if value != [] else ()


Text = Annotated[str, BeforeValidator(take_text)]
Flag = Annotated[bool, BeforeValidator(take_bool)]
Paths = Annotated[tuple[str, ...], BeforeValidator(take_paths)]
