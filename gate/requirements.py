"""Merge what holds a call into its requirements, and tell when people have met them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gate.model import Approver, HandOver, Requirement


def merge(requirements: Sequence[Requirement]) -> tuple[Requirement, ...]:
    """Merge requirements that have the same approvers, each key to its stricter value.

    Those that are handed over to different people, or at different times, stay apart: whom one rule adds must
    not meet what another asks.

    Args:
        requirements: What each rule or default asks for, in order.

    Returns:
        One requirement for each set of approvers, in order of first appearance.
    """
    merged: dict[tuple[frozenset[Approver], HandOver | None], Requirement] = {}
    for each in requirements:
        key = (_asked_first(each), each.hand_over)
        merged[key] = _stricter(merged[key], each) if key in merged else each
    return tuple(merged.values())


def _asked_first(each: Requirement) -> frozenset[Approver]:
    """Return the approvers without those whom a hand-over has added."""
    added = each.hand_over.approvers if each.hand_over and each.handed else ()
    return frozenset(each.approvers) - frozenset(added)


def _stricter(one: Requirement, two: Requirement) -> Requirement:
    return Requirement(
        rules=_union(one.rules, two.rules),
        approvers=one.approvers if one.handed or not two.handed else two.approvers,
        quorum=max(one.quorum, two.quorum),
        channels=_union(one.channels, two.channels),
        expires_in=min(one.expires_in, two.expires_in),
        use_within=min(one.use_within, two.use_within),
        deliver_within=min(one.deliver_within, two.deliver_within),
        distinct=one.distinct or two.distinct,
        comment_required=one.comment_required | two.comment_required,
        deny_reasons=_union(one.deny_reasons, two.deny_reasons),
        name_approver=one.name_approver and two.name_approver,
        on_behalf_of_may_approve=one.on_behalf_of_may_approve and two.on_behalf_of_may_approve,
        on_caller_gone="cancel" if "cancel" in (one.on_caller_gone, two.on_caller_gone) else "keep",
        remind_before=tuple(sorted({*one.remind_before, *two.remind_before}, reverse=True)),
        hand_over=one.hand_over,
        hand_over_at=one.hand_over_at or two.hand_over_at,
        handed=one.handed or two.handed,
        ask_again_after=min(one.ask_again_after, two.ask_again_after),
        editable=_common(one.editable, two.editable),
        staging=one.staging or two.staging,
    )


def asks_more(before: Sequence[Requirement], after: Sequence[Requirement]) -> bool:
    """Tell whether requirements ask for other or more people than those before them.

    Args:
        before: What was required.
        after: What is required now, on top of it.
    """
    return not Counter(map(_people, after)) <= Counter(map(_people, before))


def _people(each: Requirement) -> tuple[object, ...]:
    return frozenset(each.approvers), each.quorum, each.distinct, each.on_behalf_of_may_approve


def editable_paths(requirements: Sequence[Requirement]) -> tuple[str, ...]:
    """Return the paths that every rule behind some requirements lets people change.

    Defaults and budgets cannot say; where no rule is behind them, nothing may be changed.

    Args:
        requirements: The hold's requirements.
    """
    found: tuple[str, ...] | None = None
    for each in requirements:
        found = _common(found, each.editable)
    return found or ()


def _common(one: tuple[str, ...] | None, two: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return what both allow; None is whoever cannot say."""
    if one is None or two is None:
        return two if one is None else one
    return tuple(path for path in one if path in two)


def _union(one: tuple[str, ...], two: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *two)))


@dataclass(frozen=True, slots=True)
class Standing:
    """How far one requirement is met.

    Attributes:
        requirement: The requirement.
        have: How many different people count in it now.
        need: How many it needs: the larger of what it was stored with and what the policy asks now.
    """

    requirement: Requirement
    have: int
    need: int

    @property
    def met(self) -> bool:
        """Tell whether enough people count, each taken alone (see ``all_met`` for distinct people)."""
        return self.have >= self.need


def standing(
    requirements: Sequence[Requirement], counts: Iterable[frozenset[int]], needs: Sequence[int] | None = None
) -> tuple[Standing, ...]:
    """Return how far each requirement is met, each taken alone.

    Args:
        requirements: The hold's requirements.
        counts: For each person who approved, the indexes of the requirements they count in.
        needs: Quorum of each requirement; default is the stored one.
    """
    people = list(counts)
    return tuple(
        Standing(each, sum(index in person for person in people), (needs or _quorums(requirements))[index])
        for index, each in enumerate(requirements)
    )


def all_met(
    requirements: Sequence[Requirement], counts: Iterable[frozenset[int]], needs: Sequence[int] | None = None
) -> bool:
    """Tell whether these people meet every requirement together.

    One person counts in every requirement they belong to, but who counts in a ``distinct`` one counts
    nowhere else.

    Args:
        requirements: The hold's requirements; without any, nothing is met.
        counts: For each different person, the indexes of the requirements they count in.
        needs: Quorum of each requirement; default is the stored one.
    """
    wanted = tuple(needs or _quorums(requirements))
    distinct = tuple(index for index, each in enumerate(requirements) if each.distinct)
    alike = Counter(frozenset(person) for person in counts if person)
    return bool(requirements) and _assign(distinct, wanted, tuple(alike.items()))


def first_unmeetable(
    requirements: Sequence[Requirement], counts: Iterable[frozenset[int]]
) -> Requirement | None:
    """Return a requirement that these people could never meet, or None if all can be met together.

    Args:
        requirements: The hold's requirements.
        counts: For each person who could answer, the indexes of the requirements they count in.
    """
    people = list(counts)
    if all_met(requirements, people):
        return None
    short = [each.requirement for each in standing(requirements, people) if not each.met]
    return (short or [each for each in requirements if each.distinct] or list(requirements))[0]


_Groups = tuple[tuple[frozenset[int], int], ...]
"""People who count in the same requirements, and how many they are."""


def _assign(distinct: tuple[int, ...], needs: tuple[int, ...], groups: _Groups) -> bool:
    """Set people aside for the distinct requirements one after the other; the rest must meet the others."""
    if not distinct:
        return all(_total(groups, index) >= need for index, need in enumerate(needs) if need)
    first, rest = distinct[0], distinct[1:]
    left = tuple(0 if index == first else need for index, need in enumerate(needs))
    return any(_assign(rest, left, fewer) for fewer in _set_aside(first, needs[first], groups))


def _set_aside(index: int, need: int, groups: _Groups) -> Iterator[_Groups]:
    """Yield what is left of the groups for each way to take that many people for one requirement."""
    if need == 0 or not groups:
        if need == 0:
            yield groups
        return
    (member, size), others = groups[0], groups[1:]
    for taken in range(min(size, need) + 1 if index in member else 1):
        for rest in _set_aside(index, need - taken, others):
            yield ((member, size - taken), *rest)


def _total(groups: _Groups, index: int) -> int:
    return sum(size for member, size in groups if index in member)


def _quorums(requirements: Sequence[Requirement]) -> list[int]:
    return [each.quorum for each in requirements]
