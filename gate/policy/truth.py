"""The three truth values of conditions and Kleene's tables over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Unknown:
    """The third truth value: something could not be read.

    Attributes:
        whys: What was missing or unreadable and how to be decided, in order; never empty.
    """

    whys: tuple[str, ...]

    def __bool__(self) -> bool:
        raise TypeError("unknown is neither true nor false")


Truth = bool | Unknown


def undecided(whys: Iterable[str]) -> str:
    """Say that something could not be decided, and why: it stands before what is so only perhaps."""
    return f"Could not be decided: {'; '.join(whys)}."


def negate(value: Truth) -> Truth:
    """Return not ``value``; unknown stays unknown."""
    return value if isinstance(value, Unknown) else not value


def all_of(values: Iterable[Truth]) -> Truth:
    """Return false if any is false, else unknown if any is unknown, else true."""
    return _decided_by(False, values)


def any_of(values: Iterable[Truth]) -> Truth:
    """Return true if any is true, else unknown if any is unknown, else false."""
    return _decided_by(True, values)


def agreed(values: Iterable[Truth]) -> Truth | None:
    """Return the value that all share, the unknown ones joined, or None where true and false both occur."""
    seen = list(values)
    unknown = [why for each in seen if isinstance(each, Unknown) for why in each.whys]
    if unknown:
        return Unknown(tuple(dict.fromkeys(unknown)))
    return seen[0] if all(each is seen[0] for each in seen) else None


def _decided_by(decider: bool, values: Iterable[Truth]) -> Truth:
    whys: list[str] = []
    for value in values:
        if value is decider:
            return decider
        if isinstance(value, Unknown):
            whys.extend(value.whys)
    return Unknown(tuple(dict.fromkeys(whys))) if whys else not decider


def once(make: Callable[[], S]) -> Callable[[], S]:
    """Return a function that makes something when it is first asked, and gives the same from then on."""
    made: list[S] = []

    def read() -> S:
        if not made:
            made.append(make())
        return made[0]

    return read


def conjunction(parts: tuple[Callable[[S], Truth], ...]) -> Callable[[S], Truth]:
    """Return one condition that is ``all_of`` the parts, evaluated until one is false."""
    if len(parts) == 1:
        return parts[0]
    return lambda subject: all_of(part(subject) for part in parts)


def disjunction(parts: tuple[Callable[[S], Truth], ...]) -> Callable[[S], Truth]:
    """Return one condition that is ``any_of`` the parts, evaluated until one is true."""
    if len(parts) == 1:
        return parts[0]
    return lambda subject: any_of(part(subject) for part in parts)
