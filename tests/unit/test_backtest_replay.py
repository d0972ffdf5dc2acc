"""Replay of recorded calls: changed verdicts, counts, cards, ranges, budgets, and what is hidden."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gate.policy.backtest import (
    Logged,
    LoggedAnswer,
    LoggedCall,
    LoggedEdit,
    LoggedStart,
    Result,
    longest_window,
    replay,
)
from tests.policy_kit import call, load, rule, written

START = datetime(2026, 11, 1, tzinfo=UTC)
PAY = {"shop.pay": {"risk": "write", "amount": "args.amount", "currency": "EUR", "decisive": ["args.to"]}}
SMALL = rule(
    "small", "allow", match="shop.pay", when={"effect.amount": {"gt": {"EUR": 0}, "lte": {"EUR": 250}}}
)
LARGE = rule("large", "require_approval", match="shop.pay", when={"effect.amount": {"gt": {"EUR": 250}}})
BY_AMOUNT = {"shop.pay": PAY["shop.pay"] | {"decisive": ["args.amount"]}}
DAY = {"limit": {"EUR": 100}, "sum": "effect.amount", "per": "session", "window": "24h"}


def _call(
    ident: str,
    amount: Any = 10,
    answer: str = "allow",
    *,
    hours: float = 0,
    hidden: Iterable[str] = (),
    **args: Any,
) -> LoggedCall:
    """Return one recorded call; the first allow runs at once."""
    arguments = {"amount": amount, "to": "bob"} | args
    return LoggedCall(
        id=ident,
        at=START + timedelta(hours=hours),
        action=call(arguments, "shop.pay"),
        hidden=tuple(tuple(path.split(".")) for path in hidden),
        answer=answer,  # type: ignore[arg-type]
        rules=("old/rule",),
        ran=answer == "allow",
    )


def _replay(
    *logged: Logged, rules: Iterable[dict[str, Any]] = (SMALL, LARGE), since: datetime = START, **keys: Any
) -> Result:
    keys.setdefault("actions", PAY)
    return replay(logged, load(written(*rules, **keys)), since=since)


def test_changed_verdicts_are_named_with_both_answers_and_counted() -> None:
    """Those that stay the same are only counted."""
    found = _replay(_call("a"), _call("b", 300), _call("c", 300, "require_approval"), _call("d", -1, "block"))
    assert [(each.id, each.before, each.after, each.after_rules) for each in found.changes] == [
        ("b", "allow", "require_approval", ("a/large",)),
    ]
    assert dict(found.changed) == {("allow", "require_approval"): 1}
    assert found.calls == 4
    assert dict(found.before) == {"old/rule": 4}
    assert dict(found.after) == {"a/small": 1, "a/large": 2, "a/default": 1}


def test_cards_are_counted_on_both_sides() -> None:
    """A card is a held call; the days are at least one."""
    found = _replay(_call("a", 300, "require_approval"), _call("b", 5, "require_approval", hours=48))
    assert (found.held_before, found.held_after) == (2, 1)
    assert found.days(START, START + timedelta(days=2)) == 2
    assert found.days(START - timedelta(days=9), START + timedelta(days=2)) == 2
    assert found.days(START, START + timedelta(hours=12)) == 0.5


def test_only_as_many_changes_are_named_as_asked_for() -> None:
    """All of them are counted."""
    logged = [_call(str(n), 300) for n in range(5)]
    found = replay(logged, load(written(SMALL, LARGE, actions=PAY)), since=START, most=2)
    assert [each.id for each in found.changes] == ["0", "1"]
    assert sum(found.changed.values()) == 5


def test_what_people_approved_and_denied_by_rule_and_value() -> None:
    """Numbers as a range with their currency; the last answer to a call counts."""
    held = [
        _call(str(n), n, "require_approval", to=to)
        for n, to in ((251, "a"), (1180, "b"), (2400, "c"), (900, "d"))
    ]
    answers = [
        LoggedAnswer("251", "approved"),
        LoggedAnswer("1180", "approved"),
        LoggedAnswer("2400", "approved"),
    ]
    found = _replay(*held, *answers, LoggedAnswer("2400", "denied"), LoggedAnswer("gone", "denied"))
    assert [(each.rule, str(each)) for each in found.ranges] == [
        ("a/large", "amount approved 251.00–1,180.00 EUR, denied 2,400.00 EUR"),
        ("a/large", "to approved a (1), b (1), denied c (1)"),
    ]


def test_a_call_that_would_now_be_allowed_shows_what_people_thought_of_it() -> None:
    """The range stands under the rule that would decide."""
    found = _replay(_call("a", 200, "require_approval"), LoggedAnswer("a", "denied"))
    assert str(found.ranges[0]) == "amount denied 200.00 EUR"
    assert found.ranges[0].rule == "a/small"


def _day(then: str = "require_approval", **keys: Any) -> dict[str, Any]:
    more = {"reason": "Enough."} if then == "block" else {}
    return {"id": "day", "match": "shop.*", **DAY, "then": then, **more, **keys}


def test_what_people_changed_stands_apart_with_what_was_submitted() -> None:
    """A value that nobody approved as it was is not told as approved; a denial stays one."""
    held = [_call(name, amount, "require_approval") for name, amount in (("a", 900), ("b", 300), ("c", 800))]
    edits = [LoggedEdit(name, {"amount": 20, "to": "bob"}) for name in ("a", "c")]
    said = [LoggedAnswer("a", "approved"), LoggedAnswer("b", "approved"), LoggedAnswer("c", "denied")]
    found = _replay(*held, *edits, *said, actions=BY_AMOUNT)
    assert list(map(str, found.ranges)) == [
        "amount approved 300.00 EUR, changed 900.00 EUR, denied 800.00 EUR"
    ]


def test_budgets_count_what_a_call_was_changed_to() -> None:
    """It was judged as it was submitted, and runs as it was approved."""
    held, start = _call("a", 900, "require_approval"), LoggedStart("a", START + timedelta(hours=1))
    after = _call("b", 90, hours=2)
    edit = LoggedEdit("a", {"amount": 5, "to": "bob"})
    assert [each.id for each in _replay(held, start, after, budgets=[_day()]).changes] == ["b"]
    assert _replay(held, edit, start, after, budgets=[_day()]).changes == []


def test_budgets_count_what_ran_in_order() -> None:
    """The call that brings the sum over the limit would be held, and one in the next window not."""
    logged = [_call("a", 60), _call("b", 40, hours=1), _call("c", 1, hours=2), _call("d", 60, hours=30)]
    found = _replay(*logged, budgets=[_day()])
    assert [(each.id, each.after_rules) for each in found.changes] == [("c", ("a/day",))]


def test_a_call_before_the_time_that_counts_fills_the_budgets() -> None:
    """It is not counted itself."""
    logged = [_call("a", 90), _call("b", 20, hours=2)]
    found = _replay(*logged, budgets=[_day()], since=START + timedelta(hours=1))
    assert found.calls == 1
    assert [each.id for each in found.changes] == ["b"]
    assert longest_window(load(written(budgets=[_day()]))) == timedelta(hours=24)
    assert longest_window(load(written())) == timedelta(0)


def test_a_held_call_is_charged_when_it_really_started() -> None:
    """Not when it was submitted, and not at all where it never started."""
    held = _call("a", 300, "require_approval")
    after = [_call("b", 10, hours=2), _call("c", 10, hours=30)]
    started = _replay(held, LoggedStart("a", START + timedelta(hours=1)), *after, budgets=[_day()])
    assert [each.id for each in started.changes] == ["b"]
    assert _replay(held, *after, budgets=[_day()]).changes == []


def test_a_call_that_ran_is_charged_also_where_it_would_now_be_held() -> None:
    """The money is gone; one that the policy blocks would never have run."""
    logged = [_call("a", 300), _call("b", 10, hours=1)]
    assert [each.id for each in _replay(*logged, budgets=[_day()]).changes] == ["a", "b"]
    blocks = LARGE | {"then": "block"}
    assert [each.id for each in _replay(*logged, rules=(SMALL, blocks), budgets=[_day()]).changes] == ["a"]


def test_a_call_that_would_now_be_allowed_is_charged_at_once() -> None:
    """Also where people denied it."""
    logged = [_call("a", 95, "require_approval"), LoggedAnswer("a", "denied"), _call("b", 10, hours=1)]
    assert [(each.id, each.after) for each in _replay(*logged, budgets=[_day()]).changes] == [
        ("a", "allow"),
        ("b", "require_approval"),
    ]


def test_what_the_gate_itself_blocked_is_left_out() -> None:
    """A freeze and too many pending holds are no policy's answer; that no policy covers a call is."""
    calls = []
    for number, name in enumerate(("gate/freeze", "gate/too_many_pending", "gate/no_policy")):
        one = _call(str(number), 10, "block")
        calls.append(LoggedCall(one.id, one.at, one.action, (), "block", (name,)))
    found = _replay(*calls)
    assert dict(found.left_out) == {"gate/freeze": 1, "gate/too_many_pending": 1}
    assert (found.calls, found.changed[("block", "allow")]) == (1, 1)


CARD = rule("card", "block", match="shop.pay", when={"args.card": {"regex": "4.*"}})


def test_a_verdict_that_rests_on_a_hidden_value_is_not_decided() -> None:
    """It is reported with the rule and the path, and counts nowhere else."""
    found = _replay(_call("a", card="(hidden)", hidden=["args.card"]), rules=(SMALL, CARD))
    assert [(each.id, each.rules, each.paths) for each in found.unclear] == [
        ("a", ("a/card",), ("args.card",))
    ]
    assert (found.calls, found.changed, found.after) == (0, {}, {})


@pytest.mark.parametrize(
    ("rules", "answer"),
    [
        ((SMALL,), "allow"),
        ((CARD, rule("all", "block")), "block"),
        ((CARD | {"when": {"args.card": "4", "args.to": "eve"}}, SMALL), "allow"),
        ((CARD | {"when": {"any": [{"args.card": "4"}, {"args.to": "bob"}]}}, SMALL), "block"),
        ((rule("run", "allow", when={"args.card": "4"}), rule("rest", "block")), "block"),
    ],
)
def test_a_hidden_value_that_does_not_matter_leaves_the_verdict_decided(rules: Any, answer: str) -> None:
    """Nothing reads it, something else decides, or every way comes to the same."""
    found = _replay(_call("a", card="(hidden)", hidden=["args.card"]), rules=rules)
    assert found.unclear == []
    assert (found.changed == {("allow", answer): 1}) is (answer != "allow")


@pytest.mark.parametrize(
    "when",
    [
        {"args.card": {"exists": False}},
        {"args.card": {"length": 9}},
        {"args.card.number": "4"},
        {"args.card": {"contains": "x"}},
        {"args.to": {"ne": "x"}, "args.n": {"gt": {"path": "args.card"}}},
        {"not": {"args.card": "4"}},
    ],
)
def test_no_operator_decides_on_what_stands_for_a_hidden_value(when: Any) -> None:
    """Presence, length, parts and operands of it are as unknown as itself."""
    one = _call("a", card="(hidden)", n=5, hidden=["args.card"])
    found = _replay(one, rules=(SMALL, rule("r", "block", match="shop.pay", when=when)))
    assert len(found.unclear) == 1


@pytest.mark.parametrize("path", ["args.amount", "args.currency"])
def test_a_hidden_amount_or_currency_decides_no_limit(path: str) -> None:
    """The effect is as hidden as the argument behind it."""
    actions = {"shop.pay": PAY["shop.pay"] | {"currency": "args.currency"}}
    one = _call("a", 10, currency="EUR", hidden=[path])
    assert len(_replay(one, actions=actions).unclear) == 1


def test_a_hidden_argument_that_reads_like_an_amount() -> None:
    """Where nobody declares the amount it might be one."""
    one = _call("a", "(hidden)", hidden=["args.amount"])
    assert len(_replay(one, actions={"shop.pay": {"risk": "write"}}).unclear) == 1
    abroad = rule("abroad", "block", match="shop.pay", when={"effect.currency": {"ne": "EUR"}})
    found = _replay(one, rules=(abroad,), actions={"shop.pay": {"risk": "write"}}, default="allow")
    assert len(found.unclear) == 1


def test_a_parameter_that_the_tool_does_not_have_is_not_hidden() -> None:
    """What the policy says of the tool's parameters decides first."""
    actions = {"shop.pay": PAY["shop.pay"] | {"params": ["amount", "to"]}}
    one = _call("a", card="(hidden)", hidden=["args.card"])
    assert _replay(one, rules=(SMALL, CARD), actions=actions).unclear == []


def test_a_budget_that_reads_a_hidden_value() -> None:
    """It decides nothing about that call, and its numbers are said to lack it."""
    one = _call("a", card="(hidden)", hidden=["args.card"])
    found = _replay(one, budgets=[_day(per="args.card")])
    assert [each.rules for each in found.unclear] == [("a/day",)]
    assert dict(found.inexact) == {"a/day": 1}
    held = _call("b", 300, "require_approval", card="(hidden)", hidden=["args.card"])
    assert _replay(held, budgets=[_day(per="args.card")]).unclear == []
    assert len(_replay(held, budgets=[_day("block", per="args.card")]).unclear) == 1


def test_hidden_values_stand_in_no_range() -> None:
    """Nor does anything inside or around them."""
    held = _call("a", 300, "require_approval", hidden=["args.to.name"])
    found = _replay(held, LoggedAnswer("a", "approved"))
    assert [each.path for each in found.ranges] == ["args.amount"]
