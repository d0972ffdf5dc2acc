"""Lint of rules among themselves: order, allows that never win, duplicates, people."""

from __future__ import annotations

from typing import Any

import pytest

from gate.policy.lint import findings
from tests.lint_kit import PAY, codes, only
from tests.policy_kit import load, rule, written

FIRST: dict[str, Any] = {"resolve": "first_match"}
SMALL = {"effect.amount": {"gt": {"EUR": 0}, "lte": {"EUR": 250}}}


def test_an_allow_above_what_it_takes_everything_from() -> None:
    """Under first_match a match as wide, without a condition, keeps the stricter rule from deciding."""
    below = rule("hold", "require_approval", match="shop.pay")
    for match in ("shop.pay", "shop.*", ["shop.pay", "a.b"]):
        one = only("allow_above_stricter", rule("run", "allow", match=match), below, **FIRST)
        assert one.kind == "finding"
        assert "a/run allows every call that a/hold (require_approval) below it could decide" in one.what
        assert "move a/run below a/hold" in one.write


def test_an_allow_below_or_with_a_condition_is_none() -> None:
    """The order of strictest files decides nothing, and a condition leaves something over."""
    run, hold = rule("run", "allow", match="shop.*"), rule("hold", "require_approval", match="shop.pay")
    when = {"when": {"agent": "clerk"}}
    assert "allow_above_stricter" not in codes(hold, run, **FIRST)
    assert "allow_above_stricter" not in codes(run | when, hold, **FIRST)
    assert "allow_above_stricter" not in codes(run, hold)


def test_a_narrower_allow_above_is_advice() -> None:
    """An exception may well be meant; one about other tools is nothing at all."""
    hold = rule("hold", "require_approval", match="shop.*")
    one = only("exception_above_stricter", rule("run", "allow", match="shop.pay"), hold, **FIRST)
    assert one.kind == "advice"
    assert codes(rule("run", "allow", match="desk.pay"), hold, **FIRST) == []


def test_a_rule_that_is_never_reached() -> None:
    """An unconditional rule above takes every call; a narrower one does not."""
    assert codes(rule("b", "block"), rule("a", "allow", match="x.y"), **FIRST) == ["never_reached"]
    assert codes(rule("b", "block", match="x.y"), rule("a", "allow"), **FIRST) == []


def test_an_allow_that_can_never_win() -> None:
    """A stricter rule without a condition beats it; the condition to write is said."""
    allow = rule("small", "allow", match="shop.pay", when=SMALL)
    one = only("never_wins", allow, rule("all", "require_approval", match="shop.*"), actions=PAY)
    assert one.write == "in a/all: when: {not: {effect.amount: {gt: {EUR: 0}, lte: {EUR: 250}}}}"


def test_the_condition_to_write_lets_the_allow_win() -> None:
    """What the finding says to write is no such finding any more."""
    allow = rule("small", "allow", match="shop.pay", when=SMALL)
    hold = rule("all", "require_approval", match="shop.*", when={"not": SMALL})
    assert "never_wins" not in codes(allow, hold, actions=PAY)


@pytest.mark.parametrize(
    ("allow", "hold", "beaten"),
    [
        ({"args.n": {"gt": 10}}, {"args.n": {"gt": 5}}, True),
        ({"args.n": {"gte": 10}}, {"args.n": {"gt": 10}}, False),
        ({"args.n": {"gt": 10}}, {"args.n": {"gte": 10}}, True),
        ({"args.n": {"gt": 10, "lt": 20}}, {"args.n": {"lt": 20}}, True),
        ({"args.n": {"gt": 0, "lte": 10}}, {"args.n": {"gt": 10}}, False),
        ({"args.to": {"in": ["a", "b"]}}, {"args.to": {"in": ["a", "b", "c"]}}, True),
        ({"args.to": {"in": ["a", "d"]}}, {"args.to": {"in": ["a", "b"]}}, False),
        ({"args.to": "a"}, {"args.to": {"not_in": ["b"]}}, True),
        ({"args.to": "a"}, {"args.to": {"exists": True}}, True),
        ({"args.to": "a"}, {"args.to": {"exists": False}}, False),
        ({"args.to": "a", "args.n": 1}, {"args.to": "a"}, True),
        ({"args.to": "a"}, {"args.to": "a", "args.n": 1}, False),
        ({"not": {"args.n": {"lte": 10}}}, {"args.n": {"gt": 5}}, True),
        ({"any": [{"args.n": {"gt": 10}}, {"args.to": "a"}]}, {"args.n": {"gt": 5}}, False),
    ],
)
def test_what_is_implied_is_beaten_and_nothing_else(allow: Any, hold: Any, beaten: bool) -> None:
    """Only where the stricter rule applies to every call that the allow takes."""
    rules = [rule("run", "allow", when=allow), rule("hold", "require_approval", when=hold)]
    assert ("never_wins" in codes(*rules)) is beaten


def test_limits_are_compared_by_currency() -> None:
    """A currency without its own entry falls under the star, and one without any is never surely taken."""
    for limits, beaten in (
        ({"EUR": 100}, False),
        ({"EUR": 100, "USD": 100}, True),
        ({"EUR": 100, "USD": 300}, False),
        ({"*": 100}, True),
        ({"USD": 1}, False),
    ):
        allow = rule(
            "run", "allow", match="shop.pay", when={"effect.amount": {"gt": {"EUR": 200, "USD": 200}}}
        )
        hold = rule("hold", "block", match="shop.pay", when={"effect.amount": {"gt": limits}})
        assert ("never_wins" in codes(allow, hold, actions=PAY)) is beaten, limits


def test_duplicates() -> None:
    """The same match, condition and answer twice; another id and reason make no other rule."""
    when = {"when": {"args.n": {"gt": 10}}, "match": "shop.pay"}
    one, two = rule("one", "block", **when), rule("two", "block", **when)
    assert only("duplicate", one, two).what == "a/two says the same as a/one"
    assert "duplicate" not in codes(one, two | {"when": {"args.n": {"gt": 11}}})
    assert "duplicate" not in codes(one, two | {"then": "require_approval"})


def test_people_who_cannot_be_enough_together() -> None:
    """Two rules that hold one call and let nobody count twice need two people."""
    who = {"approvers": ["U0ALICE"], "on_behalf_of_may_approve": True}
    one = rule("one", "require_approval", match="shop.pay", **who)
    two = rule(
        "two", "require_approval", match="shop.*", approvers=["U0ALICE", "U0BOB"], quorum=2, distinct=True
    )
    assert only("quorum_out_of_reach", one, two).kind == "finding"
    assert "quorum_out_of_reach" not in codes(one, two | {"distinct": False})
    assert "quorum_out_of_reach" not in codes(one, two | {"match": "desk.*"})
    assert "quorum_out_of_reach" not in codes(one, two | {"approvers": ["U0ALICE", "S0FINANCE"]})


def test_a_rule_that_needs_everybody_is_advice() -> None:
    """Whom the agent acts for cannot answer; one more approver is enough."""
    held = rule("one", "require_approval", match="shop.pay")
    assert only("needs_everybody", held | {"approvers": ["U0ALICE"]}).kind == "advice"
    for more in ({"approvers": ["U0ALICE", "U0BOB"]}, {"approvers": ["S0FINANCE"]}):
        assert codes(held | more) == []
    assert codes(held | {"approvers": ["U0ALICE"], "on_behalf_of_may_approve": True}) == []


def test_findings_stand_at_their_place_in_order() -> None:
    """File, line and column are those of the rule or its part."""
    text = written(rule("r", "allow", match="shop.pay", when={"args.n": {"lte": 5}}))
    where = next(n for n, line in enumerate(text.splitlines(), 1) if line.startswith("rules:"))
    column = text.splitlines()[where - 1].index('"lte"') + 1
    places = [each.place for each in findings(load(text)) if each.code == "no_lower_bound"]
    assert places == [f"a.yml:{where}:{column}"]
