"""Requirements: merging, and when people have met them together."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from gate.model import Approver, Requirement
from gate.requirements import all_met, asks_more, first_unmeetable, merge, standing

ALICE, BOB, FINANCE = Approver("user", "U0ALICE"), Approver("user", "U0BOB"), Approver("group", "S0FINANCE")
BASE = Requirement(rules=("a/one",), approvers=(ALICE, FINANCE), quorum=1, channels=("C1",))


def people(*indexes: set[int]) -> list[frozenset[int]]:
    return [frozenset(each) for each in indexes]


def test_same_approvers_merge_to_the_stricter_value_of_each_key() -> None:
    """Requirements with the same approvers, in any order, become one that is at least as strict as each."""
    other = Requirement(
        rules=("b/two",), approvers=(FINANCE, ALICE), quorum=3, channels=("C2",), distinct=True,
        expires_in=timedelta(minutes=5), use_within=timedelta(minutes=1),
        deliver_within=timedelta(seconds=30),
        comment_required=frozenset({"approve"}), deny_reasons=("no claim",), name_approver=True,
        on_behalf_of_may_approve=True,
    )  # fmt: skip
    (merged,) = merge([BASE, other])
    assert merged.rules == ("a/one", "b/two")
    assert (merged.quorum, merged.distinct, merged.channels) == (3, True, ("C1", "C2"))
    assert (merged.expires_in, merged.use_within) == (timedelta(minutes=5), timedelta(minutes=1))
    assert merged.deliver_within == timedelta(seconds=30)
    assert merged.comment_required == {"approve", "deny"}
    assert not merged.name_approver
    assert not merged.on_behalf_of_may_approve


def test_other_approvers_stay_apart() -> None:
    """Requirements with different approvers do not merge."""
    assert len(merge([BASE, replace(BASE, approvers=(ALICE,))])) == 2


def test_nothing_is_never_met() -> None:
    """No requirement at all is not consent, and nobody is no quorum."""
    assert not all_met([], people({0}))
    assert not all_met([BASE], people())
    assert not all_met([BASE], people(set()))


def test_one_person_counts_in_every_requirement_they_belong_to() -> None:
    """One decision meets two requirements whose approvers both include its giver."""
    assert all_met([BASE, replace(BASE, approvers=(ALICE,))], people({0, 1}))


def test_quorum_counts_different_people() -> None:
    """A quorum of two needs two people; a larger quorum of today's policy wins."""
    two = replace(BASE, quorum=2)
    assert not all_met([two], people({0}))
    assert all_met([two], people({0}, {0}))
    assert not all_met([two], people({0}, {0}), [3])


def test_distinct_people_count_nowhere_else() -> None:
    """A distinct requirement takes its person away from every other one."""
    first, second = BASE, replace(BASE, approvers=(BOB,), distinct=True)
    assert not all_met([first, second], people({0, 1}))
    assert all_met([first, second], people({0, 1}, {0}))
    assert all_met([first, second], people({0, 1}, {1}))
    assert not all_met([first, second], people({1}, {1}))


def test_distinct_choice_is_made_to_fit() -> None:
    """The people set aside are chosen so that the others can be met, whatever the order they came in."""
    first = replace(BASE, distinct=True, quorum=2)
    second = replace(BASE, approvers=(BOB,), distinct=True, quorum=2)
    third = replace(BASE, approvers=(ALICE,), quorum=1)
    assert all_met([first, second, third], people({0, 1}, {0, 1, 2}, {0}, {1}, {0, 1}))
    assert not all_met([first, second, third], people({0, 1}, {0, 1, 2}, {0}, {1}))


def test_first_unmeetable_names_the_one_that_cannot_be_met() -> None:
    """The requirement nobody could meet is named; None says that all can be met."""
    second = replace(BASE, approvers=(BOB,), quorum=2)
    assert first_unmeetable([BASE, second], people({0, 1})) == second
    assert first_unmeetable([BASE, second], people({0, 1}, {1})) is None


def test_standing_says_how_far() -> None:
    """Standing counts people and shows the larger quorum."""
    (now,) = standing([BASE], people({0}, set()), [2])
    assert (now.have, now.need, now.met) == (1, 2, False)


def test_what_asks_more_people_is_told_from_what_asks_the_same() -> None:
    """Other words, channels or times ask nobody else; other approvers, quorums or one more distinct do."""
    apart = replace(BASE, distinct=True)
    for same in ([BASE], [replace(BASE, rules=("b/two",), channels=("C9",), expires_in=timedelta(1))], []):
        assert not asks_more([BASE], same)
    for more in ([BASE, replace(BASE, approvers=(ALICE,))], [replace(BASE, quorum=2)], [apart], [BASE, BASE]):
        assert asks_more([BASE], more)
    assert asks_more([apart], [apart, apart])
