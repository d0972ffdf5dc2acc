"""Lint of what conditions compare: amounts, currencies, addresses, hidden values, claims, missing ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lint_kit import PAY, codes, only, tool
from tests.policy_kit import rule

FIXED = {"shop.pay": {"risk": "write", "amount": "args.amount", "currency": "EUR"}}
NO_CURRENCY = {"shop.pay": {"risk": "write", "amount": "args.amount"}}


@pytest.mark.parametrize("path", ["effect.amount", "args.amount"])
def test_a_bare_number_against_an_amount(path: str) -> None:
    """The number means as much in yen as in euros, also where the argument itself is compared."""
    held = rule("r", "require_approval", match="shop.*", when={path: {"gt": 250}})
    one = only("bare_amount", held, actions=PAY)
    assert f"compares {path} of shop.pay with 250 in any currency" in one.what
    assert one.write.startswith("effect.amount: {gt: {EUR: 250}}")


def test_numbers_that_mean_one_thing() -> None:
    """Zero, a tool of one currency, a limit by currency beside it, and an argument that is no amount."""
    held = rule("r", "require_approval", match="shop.*", when={"args.amount": {"gt": 250}})
    assert "bare_amount" not in codes(held | {"when": {"args.amount": {"gt": 0}}}, actions=PAY)
    assert "bare_amount" not in codes(held, actions=FIXED)
    both = {"args.amount": {"gt": 250}, "effect.amount": {"gt": {"EUR": 250}}}
    assert "bare_amount" not in codes(held | {"when": both}, actions=PAY)
    assert "bare_amount" not in codes(held | {"when": {"args.pages": {"gt": 250}}}, actions=PAY)


@pytest.mark.parametrize(
    "when", [{"args.n": {"lte": 5}}, {"args.n": {"lt": 5}}, {"not": {"args.n": {"gt": 5}}}]
)
def test_an_allow_without_a_lower_bound(when: Any) -> None:
    """Zero and negative numbers are allowed along."""
    assert only("no_lower_bound", rule("r", "allow", when=when)).write.startswith("gt: 0 beside")


def test_a_lower_bound_in_any_form() -> None:
    """gt, gte, a bound on the amount for its argument; a stricter rule and a host's fact need none."""
    for bounded in ({"args.n": {"gt": 0, "lt": 5}}, {"args.n": {"gte": 1, "lte": 5}}, {"facts.n": {"lt": 5}}):
        if "facts.n" not in bounded:
            assert "no_lower_bound" not in codes(rule("r", "allow", when=bounded))
    amount = {"effect.amount": {"lte": {"EUR": 250}}, "args.amount": {"gt": 0}}
    assert "no_lower_bound" not in codes(rule("r", "allow", match="shop.pay", when=amount), actions=PAY)
    assert "no_lower_bound" not in codes(rule("r", "block", when={"args.n": {"lt": 5}}))


def test_the_lower_bound_of_an_amount_is_by_currency() -> None:
    """What is offered names the currencies of the limit."""
    when = {"effect.amount": {"lte": {"EUR": 250, "*": 100}}}
    one = only("no_lower_bound", rule("r", "allow", match="shop.pay", when=when), actions=PAY)
    assert one.write == 'gt: {EUR: 0, "*": 0} beside lte'


@pytest.mark.parametrize(
    "test", [{"glob": "*@ours.example"}, {"regex": ".*@ours\\.example"}, {"regex": ".+@ours\\.example"}]
)
def test_an_allow_on_any_address_of_a_domain(test: Any) -> None:
    """The regex that keeps out separators is offered, and is no such finding itself."""
    one = only("open_address", rule("r", "allow", when={"args.to": test}))
    assert one.write == r"regex: '[^@,;<>\s]+@ours\.example'"
    closed = {"args.to": {"regex": r"[^@,;<>\s]+@ours\.example"}}
    assert "open_address" not in codes(rule("r", "allow", when=closed))


def test_addresses_elsewhere_are_no_finding() -> None:
    """A rule that holds or blocks may take more; one address is no domain."""
    assert "open_address" not in codes(rule("r", "block", when={"args.to": {"glob": "*@rival.example"}}))
    assert "open_address" not in codes(rule("r", "allow", when={"args.to": {"glob": "bob@ours.*"}}))
    denied = {"not": {"args.to": {"not_glob": "*@ours.example"}}}
    assert "open_address" in codes(rule("r", "allow", when=denied))


def test_a_currency_that_nobody_declares() -> None:
    """A limit in EUR says nothing about a tool whose amounts have no currency; a star does."""
    for limits, wrong in (({"EUR": 250}, True), ({"*": 250}, False)):
        held = rule("r", "require_approval", match="shop.pay", when={"effect.amount": {"gt": limits}})
        assert ("currency_not_declared" in codes(held, actions=NO_CURRENCY)) is wrong
        assert "currency_not_declared" not in codes(held, actions=PAY)


def test_rules_that_name_different_currencies() -> None:
    """What is allowed up to a limit in USD needs a stricter limit in USD too."""
    allow = {"effect.amount": {"gt": {"EUR": 0, "USD": 0}, "lte": {"EUR": 250, "USD": 275}}}
    rules = [
        rule("run", "allow", match="shop.pay", when=allow),
        rule(
            "hold",
            "require_approval",
            match="shop.pay",
            when={"effect.amount": {"gt": {"EUR": 250, "*": 250}}},
        ),
    ]
    assert "USD" in only("currencies_differ", *rules, actions=PAY).what
    both = rules[1] | {"when": {"effect.amount": {"gt": {"EUR": 250, "USD": 275}}}}
    assert "currencies_differ" not in codes(rules[0], both, actions=PAY)


@pytest.mark.parametrize("path", ["args.card", "args.card.number", "args.card.number.last"])
def test_redact_on_what_a_rule_reads(path: str) -> None:
    """The path itself, what holds it and what it holds."""
    held = rule("r", "block", when={"args.card.number": "4111"})
    assert only("redacted_condition", held, redact=[path]).kind == "finding"
    assert "redacted_condition" not in codes(held, redact=["args.card.owner", "args.number"])


@pytest.mark.parametrize(
    ("when", "path"),
    [
        ({"effect.amount": {"gt": {"EUR": 5}}}, "args.amount"),
        ({"effect.amount": {"gt": {"EUR": 5}}}, "args.currency"),
        ({"effect.currency": "EUR"}, "args.currency"),
        ({"args.x": {"eq": {"path": "args.limit"}}}, "args.limit"),
    ],
)
def test_redact_on_what_a_rule_reads_by_way_of_something_else(when: dict[str, Any], path: str) -> None:
    """A declared amount or currency, and what a value is compared with."""
    held = rule("r", "block", match="shop.pay", when=when)
    assert "redacted_condition" in codes(held, actions=PAY, redact=[path])
    assert "redacted_condition" not in codes(held, actions=PAY, redact=["args.order"])


def test_redact_of_one_action_concerns_rules_about_it() -> None:
    """Another action's redaction hides nothing here."""
    held = rule("r", "block", match="shop.pay", when={"args.card": "4111"})
    for name, hidden in (("shop.pay", True), ("shop.get_it", False)):
        actions = {name: {"risk": "write", "redact": ["args.card"]}}
        assert ("redacted_condition" in codes(held, actions=actions)) is hidden


def test_an_allow_on_the_models_own_words_is_advice() -> None:
    """A claim such as a reason; not an amount, not a decisive value, not a value of the host's."""
    claim = rule("r", "allow", match="shop.pay", when={"args.reason": "duplicate"})
    assert only("model_decides", claim, actions=PAY).kind == "advice"
    for when in (
        {"effect.amount": {"gt": {"EUR": 0}, "lte": {"EUR": 250}}},
        {"args.order": "ORD-1"},
        {"args.reason": "duplicate", "agent": "clerk"},
        {"args.reason": {"exists": False}},
    ):
        actions = {"shop.pay": PAY["shop.pay"] | {"decisive": ["args.order"]}}
        assert "model_decides" not in codes(claim | {"when": when}, actions=actions)
    assert "model_decides" not in codes(claim | {"then": "block", "reason": "No."}, actions=PAY)


SEND = tool("mail.send", "to body", "cc amount")


def _held(when: dict[str, Any], then: str = "require_approval") -> dict[str, Any]:
    return rule("r", then, match="mail.*", when=when)


@pytest.mark.parametrize("then", ["require_approval", "block"])
def test_a_restrictive_rule_on_what_may_be_left_out(then: str) -> None:
    """A text may be declared optional; the catalogue says what a call may leave out."""
    one = only("may_be_left_out", _held({"args.cc": {"glob": "*rival*"}}, then), tools=(SEND,))
    assert "reads args.cc, which mail.send may leave out" in one.what
    assert one.write.startswith("optional: true beside glob")


def test_what_is_always_given_or_decided_openly() -> None:
    """A required parameter, optional: true, exists, an allow rule, and a tool without a schema."""
    rules: tuple[dict[str, Any], ...] = (
        _held({"args.to": "x"}),
        _held({"args.cc": {"glob": "*rival*", "optional": True}}),
        _held({"args.cc": {"exists": True}}),
        _held({"args.cc": {"exists": True, "glob": "*rival*"}}),
        _held({"args.other": "x"}),
        rule("r", "allow", match="mail.*", when={"args.cc": "x"}),
    )
    for each in rules:
        assert "may_be_left_out" not in codes(each, tools=(SEND,)), each
    assert "may_be_left_out" not in codes(_held({"args.cc": "x"}))
    openly = rule("none", "block", match="mail.send", when={"args.cc": {"exists": False}})
    assert "may_be_left_out" not in codes(_held({"args.cc": "x"}), openly, tools=(SEND,))


def test_a_missing_number_effect_or_decisive_value_is_never_waved_through() -> None:
    """There a rule for the missing value is offered, not optional: true."""
    actions = {
        "mail.send": {"risk": "write", "amount": "args.amount", "currency": "EUR", "decisive": ["args.cc"]}
    }
    for when in (
        {"args.amount": {"gt": 5}},
        {"effect.amount": {"gt": {"EUR": 5}}},
        {"args.cc": {"glob": "*rival*"}},
    ):
        one = only("may_be_left_out", _held(when), tools=(SEND,), actions=actions)
        assert one.write.startswith("a rule for the missing value"), when
        assert "optional: true" not in one.write
