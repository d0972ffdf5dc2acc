"""Conditions: three values, every operator, and what can be read of a call."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel, SecretStr

from gate.model import Action, Effect, Parameters, Principal
from tests.policy_kit import call, only_problem, rule, truth, written

T, F, U = "true", "false", "unknown"
OURS = "*@ours.example"


def _x(value: Any, **operators: Any) -> str:
    """Return the truth of operators on ``args.x``; ``in_`` stands for ``in``."""
    return truth({"args.x": {key.rstrip("_"): each for key, each in operators.items()}}, call({"x": value}))


@pytest.mark.parametrize(
    ("value", "operators", "answer"),
    [
        (5, {"eq": 5}, T),
        (5.0, {"eq": 5}, T),
        (Decimal("5.00"), {"eq": 5}, T),
        (6, {"eq": 5}, F),
        ("5", {"eq": 5}, U),
        (True, {"eq": 1}, U),
        (1, {"eq": True}, U),
        (True, {"eq": True}, T),
        (False, {"eq": True}, F),
        ("a", {"eq": "a"}, T),
        ("b", {"eq": "a"}, F),
        ("A", {"eq": "a"}, U),
        (" a", {"eq": "a"}, U),
        ("a\u200b", {"eq": "a"}, U),
        ("ａ", {"eq": "a"}, U),
        (5, {"eq": "a"}, U),
        ("a", {"ne": "a"}, F),
        ("b", {"ne": "a"}, T),
        ("A", {"ne": "a"}, U),
        (0.1, {"eq": 0.1}, T),
        (0.1 + 0.2, {"eq": 0.3}, F),
        (10**30 + 1, {"gt": 10**30}, T),
        (10**30, {"gt": 10**30}, F),
        (2.5, {"gte": 2.5, "lt": 3}, T),
        (3, {"gte": 2.5, "lt": 3}, F),
        (Decimal("250.01"), {"lte": 250}, F),
        (Decimal(250), {"lte": 250}, T),
        (-1, {"lt": 0}, T),
        ("1", {"gt": 0}, U),
        ("14,000", {"gt": 0}, U),
        (True, {"gt": 0}, U),
        (float("nan"), {"gt": 0}, U),
        (float("inf"), {"gt": 0}, U),
        (Decimal("NaN"), {"lt": 0}, U),
        ("a", {"in_": ["a", "b"]}, T),
        ("c", {"in_": ["a", "b"]}, F),
        ("B", {"in_": ["a", "b"]}, U),
        (2, {"in_": [1, 2.0]}, T),
        (3, {"in_": ["a"]}, U),
        ("1", {"in_": [1, "1"]}, T),
        ("true", {"in_": ["a", True]}, U),
        ("TRUE", {"not_in": ["a", True]}, U),
        (["True", "b"], {"not_in": ["a", True]}, U),
        ("1", {"not_in": ["a", True]}, U),
        ("2", {"not_in": ["a", True]}, T),
        (1, {"not_in": [2, True]}, U),
        (0.0, {"not_in": [2, False]}, U),
        (True, {"not_in": [1, False]}, U),
        (3, {"not_in": [2, True]}, T),
        ("c", {"not_in": ["a", "b"]}, T),
        ("prod\x00", {"ne": "prod"}, U),
        ("pr\x7fod", {"not_in": ["dev", "prod"]}, U),
        (["dev", "\x08prod"], {"ne": "prod"}, U),
        ("drop\x1b table", {"contains": "drop table"}, U),
        ("a\x00", {"eq": "a\x00"}, T),
        ("prod\x00", {"not_glob": "prod"}, U),
        ("\x00prod", {"not_regex": "prod"}, U),
        (["\x00prod", "dev"], {"not_regex": "prod"}, U),
        ("A", {"not_in": ["a", "b"]}, U),
        (True, {"in_": [1]}, U),
        ("x@ours.example", {"glob": OURS}, T),
        ("x@rival.example", {"glob": OURS}, F),
        ("x@OURS.example", {"glob": OURS}, U),
        ("x@ours.example ", {"glob": OURS}, U),
        ("x@ours.exam\u200bple", {"glob": OURS}, U),
        ("x@rival.example\ny@ours.example", {"glob": OURS}, U),
        ("x@rival.example\u2028y@ours.example", {"glob": OURS}, U),
        ("a\x00b@ours.example", {"glob": OURS}, U),
        ("x@rival.example", {"not_glob": OURS}, T),
        ("x@OURS.example", {"not_glob": OURS}, U),
        ("x@ours?example", {"glob": "x@ours?example"}, T),
        ("x@ours1example", {"glob": "x@ours?example"}, F),
        (5, {"glob": "*"}, U),
        ("ORD-12", {"regex": "ORD-[0-9]+"}, T),
        ("ORD-12 and more", {"regex": "ORD-[0-9]+"}, F),
        ("ord-12", {"regex": "ORD-[0-9]+"}, U),
        ("ORD-１", {"regex": "ORD-[0-9]+"}, U),
        ("x@rival.example\ny@ours.example", {"regex": ".*@ours.example"}, U),
        ("x@rival.example\ry@ours.example", {"regex": ".*@ours.example"}, U),
        ("x@rival.example\u2028y@ours.example", {"regex": ".*@ours.example"}, U),
        ("x@rival.example\x85y@ours.example", {"not_regex": ".*@rival.example"}, T),
        ("x@rival.example\x0by@ours.example", {"not_regex": ".*@ours.example"}, U),
        ("x@rival.example\ry@ours.example", {"regex": "(?s).*@ours.example"}, T),
        ("x\ry", {"regex": "[a-z]\\s[a-z]"}, T),
        (["x@ours.example", "x@rival.example\ry@ours.example"], {"regex": ".*@ours.example"}, U),
        (["x\ry@ours.example", "x\r@ours.example"], {"not_regex": ".*@ours.example"}, U),
        ("ABC", {"regex": "[A-Z]+"}, T),
        ("ABC", {"not_regex": "[a]+"}, T),
        ("a", {"not_regex": "[a]+"}, F),
        ("a" * 50_000 + "!", {"regex": "(a|a)*(a|a)*"}, F),
        ([1, 2], {"contains": 2}, T),
        ([1, 3], {"contains": 2}, F),
        ([1, "2"], {"contains": 2}, U),
        (["A"], {"contains": "a"}, U),
        ("drop table", {"contains": "table"}, T),
        ("DROP TABLE", {"contains": "table"}, U),
        ("drop", {"contains": "table"}, F),
        (5, {"contains": 5}, U),
        ("abc", {"length": 3}, T),
        ("", {"length": 0}, T),
        ([], {"length": 0}, T),
        ([1, 2], {"length": {"gt": 1, "lte": 5}}, T),
        ([1], {"length": {"gt": 1}}, F),
        (5, {"length": 1}, U),
        (["a", "b"], {"eq": ["a", "b"]}, T),
        (["b", "a"], {"eq": ["a", "b"]}, F),
        (["a"], {"eq": ["a", "b"]}, F),
        (["a", "B"], {"eq": ["a", "b"]}, U),
        (["a", "c"], {"ne": ["a", "b"]}, T),
        ("a", {"eq": ["a"]}, U),
        (5, {"exists": True}, T),
        (5, {"exists": False}, F),
        (None, {"exists": True}, F),
        (None, {"exists": False}, T),
        ([], {"exists": True}, F),
        ("", {"exists": True}, T),
        (False, {"exists": True}, T),
        ({}, {"eq": 5}, U),
        (b"a", {"eq": "a"}, U),
    ],
)
def test_operators(value: Any, operators: dict[str, Any], answer: str) -> None:
    """Each operator answers true, false, or unknown where the value cannot be compared for sure."""
    assert _x(value, **operators) == answer


@pytest.mark.parametrize("value", [None, []])
@pytest.mark.parametrize(
    "operators",
    [
        {"eq": 1},
        {"ne": 1},
        {"gt": 0},
        {"in_": [1]},
        {"not_in": [1]},
        {"glob": "*"},
        {"not_regex": "a"},
        {"contains": 1},
        {"eq": ["a"]},
        {"ne": ["a"]},
    ],
)
def test_null_and_empty_lists_are_unknown(value: Any, operators: dict[str, Any]) -> None:
    """What is there but empty decides nothing, and what is left out neither."""
    assert _x(value, **operators) == U
    assert truth({"args.y": {key.rstrip("_"): each for key, each in operators.items()}}, call({"x": 1})) == U
    assert _x(value, optional=True, **operators) == F


def test_optional_makes_missing_false_and_nothing_else() -> None:
    """A value of another type stays unknown; ``not`` of a missing optional value is true."""
    assert _x("5", optional=True, gt=1) == U
    assert truth({"not": {"args.y": {"eq": 1, "optional": True}}}, call({}, params="y")) == T
    assert truth({"args.y": {"length": 0, "optional": True}}, call({})) == F
    assert _x([], optional=True, length=0) == T


@pytest.mark.parametrize(
    "when",
    [
        {"args.y": {"exists": False}},
        {"not": {"args.y": {"exists": True}}},
        {"not": {"args.y": {"eq": 1, "optional": True}}},
        {"not": {"args.x": {"eq": {"path": "args.y"}, "gt": 5}}},
    ],
)
def test_what_holds_only_because_an_argument_is_not_given_needs_a_known_tool(when: dict[str, Any]) -> None:
    """Unknown where nobody says what the tool takes; true where it takes it, false where it does not."""
    assert truth(when, call({"x": 3})) == U
    assert truth(when, call({"x": 3}, params="x")) == F
    if "path" not in str(when):
        assert truth(when, call({"x": 3}, params="x y")) == T
        assert truth(when, call({"x": 3, "y": None})) == T, "it is given, so the tool takes it"
        assert truth(when, call({"x": 3}), actions={"shop.*": {"params": ["x", "y"]}}) == T


def test_several_operators_and_paths_must_all_hold() -> None:
    """One false decides against the rest, whatever is unknown."""
    assert _x(5, gt=1, lt=10) == T
    assert _x(50, gt=1, lt=10) == F
    assert truth({"args.x": 5, "args.y": 6}, call({"x": 5, "y": 6})) == T
    assert truth({"args.x": 5, "args.y": 6}, call({"x": 5})) == U
    assert truth({"args.x": 5, "args.y": 6}, call({"x": 4})) == F


KLEENE = {T: {"args.t": 1}, F: {"args.f": 1}, U: {"args.u": 1}}
_CALL = {"t": 1, "f": 2}


@pytest.mark.parametrize(
    ("one", "two", "both", "either"),
    [(T, T, T, T), (T, F, F, T), (T, U, U, T), (F, F, F, F), (F, U, F, U), (U, U, U, U)],
)
def test_all_and_any_follow_kleene(one: str, two: str, both: str, either: str) -> None:
    """In both orders, and with ``not`` outside as De Morgan says."""
    flipped = {T: F, F: T, U: U}
    for first, second in ((one, two), (two, one)):
        parts = [KLEENE[first], KLEENE[second]]
        assert truth({"all": parts}, call(_CALL)) == both
        assert truth({"any": parts}, call(_CALL)) == either
        assert truth({"not": {"all": parts}}, call(_CALL)) == flipped[both]
        assert truth({"not": {"any": parts}}, call(_CALL)) == flipped[either]
        assert truth({"not": {"not": {"all": parts}}}, call(_CALL)) == both


@pytest.mark.parametrize(
    "when",
    [
        {"args.y": 1},
        {"args.y": {"ne": 1}},
        {"not": {"args.y": 1}},
        {"not": {"args.y": {"ne": 1}}},
        {"args.y": {"exists": False}},
        {"not": {"args.y": {"exists": True}}},
        {"args.y.z": {"gt": 1}},
        {"not": {"all": [{"args.y": 1}, {"args.x": 1}]}},
        {"not": {"any": [{"args.y": 1}, {"args.x": 2}]}},
        {"args.x": {"eq": {"path": "args.y"}}},
        {"not": {"args.x": {"eq": {"path": "args.y"}}}},
    ],
)
def test_a_rule_that_asks_for_what_the_tool_does_not_have_is_not_about_it(when: dict[str, Any]) -> None:
    """False, and ``not`` of it is false as well: negation is taken down to the paths first."""
    assert truth(when, call({"x": 1}, params="x")) == F


def test_without_a_known_schema_every_parameter_counts_as_one_the_tool_has() -> None:
    """A dry run is never looser than production; ``params`` and free arguments decide the rest."""
    assert truth({"args.y": 1}, call({"x": 1})) == U
    assert truth({"args.y": 1}, call({"x": 1}, params="x y")) == U
    assert truth({"args.y": 1}, call({"x": 1}), actions={"shop.*": {"params": ["x"]}}) == F
    assert truth({"args.y": 1}, call({"x": 1}, params="x y"), actions={"shop.*": {"params": ["x"]}}) == U
    free = Action("shop.run_it", {"x": 1}, "bot", "s1", parameters=Parameters(frozenset({"x"}), open=True))
    assert truth({"args.y": 1}, free) == U


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (["a@ours.example", "b@ours.example"], T),
        (["a@rival.example", "b@rival.example"], F),
        (["a@ours.example", "b@rival.example"], U),
        (["a@ours.example", "b@OURS.example"], U),
        (["a@ours.example", None], U),
        (["a@ours.example", 5], U),
        ([["a@ours.example"], ["b@ours.example"]], T),
        (["a@ours.example", []], U),
        (("a@ours.example",), T),
        (["a@ours.example\n"], U),
    ],
)
def test_lists_are_compared_by_element(value: Any, answer: str) -> None:
    """All elements must agree; whatever disagrees or cannot be read makes it unknown."""
    assert _x(value, glob=OURS) == answer
    flipped = {T: F, F: T, U: U}
    assert _x(value, not_glob=OURS) == flipped[answer]
    assert truth({"not": {"args.x": {"glob": OURS}}}, call({"x": value})) == flipped[answer]


def test_elements_that_fail_for_different_operators_agree() -> None:
    """Each element is judged by the whole mapping: below and above a range are both outside."""
    assert _x([0, 10], gte=1, lte=5) == F
    assert _x([3, 10], gte=1, lte=5) == U


def test_paths_lead_through_lists_mappings_and_models() -> None:
    """Keys of mappings, fields of models and each element of a list on the way are read."""

    class Line(BaseModel):
        sku: str
        count: int = 1

    @dataclass
    class Order:
        lines: list[Line]

    order = Order([Line(sku="a"), Line(sku="a")])
    assert truth({"args.order.lines.sku": "a"}, call({"order": order})) == T
    assert truth({"args.order.lines.colour": "a"}, call({"order": order})) == U
    assert truth({"args.order.lines": {"length": 2}}, call({"order": order})) == T
    for lines in ([], [[]], [[], [{"sku": "a"}]]):  # where no element is, nobody says how long its value is
        lost = call({"order": {"lines": lines}}, params="order")
        assert truth({"args.order.lines.sku": {"length": {"lte": 3}}}, lost) == U
    assert (
        truth(
            {"args.items.tags": {"contains": "x"}}, call({"items": [{"tags": ["x", "y"]}, {"tags": ["x"]}]})
        )
        == T
    )
    assert (
        truth(
            {"args.items.tags": {"contains": "y"}}, call({"items": [{"tags": ["x", "y"]}, {"tags": ["x"]}]})
        )
        == U
    )
    assert truth({"args.items.sku": "a"}, call({"items": [{"sku": "a"}, {}]})) == U
    assert truth({"args.items.sku": "a"}, call({"items": []})) == U
    assert truth({"args.items.sku": {"exists": True}}, call({"items": [{"sku": 1}, {}]})) == U
    for there in (True, False):
        assert truth({"args.card.number": {"exists": there}}, call({"card": "4111"})) == U
        assert truth({"args.card.number": {"exists": there}}, call({"card": [{"number": 1}, "4111"]})) == U
    assert truth({"args.card.number": "1"}, call({"card": "4111"})) == U
    assert truth({'args["a.b"]': 1}, call({"a.b": 1})) == T


def test_other_plain_values_are_compared_by_what_they_stand_for() -> None:
    """Enum members by value, dates and UUIDs by their text; secrets are not read."""

    class Currency(Enum):
        EUR = "EUR"

    assert _x(Currency.EUR, eq="EUR") == T
    assert _x(date(2026, 11, 20), eq="2026-11-20") == T
    assert _x(UUID(int=1), glob="00000000-*") == T
    assert _x(SecretStr("a"), eq="a") == U


def test_values_that_misbehave_loosen_nothing() -> None:
    """Whatever an argument raises while it is compared, the condition is unknown."""

    class Trap(dict[str, Any]):
        def get(self, *args: Any) -> Any:
            raise RuntimeError("boom")

    cyclic: list[Any] = []
    cyclic.append(cyclic)
    assert truth({"args.x.y": 1}, call({"x": Trap()})) == U
    assert _x(cyclic, eq=1) == U
    assert _x("\ud800", regex="a") == U


def test_operands_may_be_read_from_the_call() -> None:
    """Compared exactly; missing or of another type is unknown."""
    when = {"args.amount": {"lte": {"path": "args.limit"}}}
    assert truth(when, call({"amount": 5, "limit": 5.0})) == T
    assert truth(when, call({"amount": 6, "limit": 5})) == F
    assert truth(when, call({"amount": 6})) == U
    assert truth(when, call({"amount": 6, "limit": "5"})) == U
    assert truth({"args.a": {"eq": {"path": "args.b"}}}, call({"a": "x", "b": "X"})) == U
    assert truth({"args.a": {"in": {"path": "args.b"}}}, call({"a": "x", "b": ["x", "y"]})) == T
    assert truth({"args.a": {"in": {"path": "args.b"}}}, call({"a": "z", "b": ["x", "y"]})) == F
    assert truth({"args.a": {"in": {"path": "args.b"}}}, call({"a": "x", "b": "x"})) == U
    unread: list[Any] = [None, {"id": "z"}, float("nan"), []]
    for odd in unread:
        assert truth({"args.a": {"in": {"path": "args.b"}}}, call({"a": "x", "b": ["x", odd]})) == T
        assert truth({"args.a": {"not_in": {"path": "args.b"}}}, call({"a": "z", "b": ["x", odd]})) == U
    lines = {"a": "z", "b": [{"sku": "x"}, {}]}
    assert truth({"args.a": {"not_in": {"path": "args.b.sku"}}}, call(lines)) == U
    assert truth({"args.a": {"contains": {"path": "args.b"}}}, call({"a": ["x"], "b": "x"})) == T
    assert truth({"args.a": {"length": {"path": "args.n"}}}, call({"a": ["x"], "n": 1})) == T
    assert truth({"args.a": {"length": {"path": "args.n"}}}, call({"a": ["x"]})) == U


def test_paths_outside_the_arguments() -> None:
    """Session, agent, person and action are read; the model cannot reach them through arguments."""
    person = Principal("person", "U07QK3M9D2X")
    args = {"agent": "other", "session": {"id": "x"}, "on_behalf_of": "person:U0BOB"}
    asked = call(args, on_behalf_of=person)
    assert truth({"agent": "bot", "session.id": "s1"}, asked) == T
    assert truth({"on_behalf_of": "person:U07QK3M9D2X"}, asked) == T
    assert truth({"on_behalf_of": {"glob": "outside:*"}}, asked) == F
    assert truth({"on_behalf_of": {"glob": "person:*"}}, call(args)) == U
    assert truth({"on_behalf_of": {"exists": False}}, call(args)) == T


@pytest.mark.parametrize(
    "operators",
    [
        {"eq": "SHOP.Run_It"},
        {"glob": "Shop.*_IT"},
        {"regex": "shop[.]RUN_it"},
        {"in": ["a.b", "shop.RUN_IT"]},
    ],
)
def test_the_action_is_compared_ignoring_case(operators: dict[str, Any]) -> None:
    """As in globs of names."""
    assert truth({"action": operators}, call({}, "shop.run_it")) == T
    assert truth({"action": operators}, call({}, "Shop.Run_IT")) == T
    assert truth({"action": operators}, call({}, "shop.run_them")) == F


def test_effects_can_be_asked_for() -> None:
    """Risk by declaration or guess, reversible and outbound with their defaults."""
    assert truth({"effect.risk": "read"}, call({}, "shop.get_it")) == T
    assert truth({"effect.risk": {"in": ["write", "destructive"]}}, call({}, "shop.delete_it")) == T
    assert truth({"effect.outbound": True, "effect.reversible": False}, call({}, "shop.get_it")) == T
    declared = Effect(risk="read")
    assert truth({"effect.outbound": False, "effect.reversible": True}, call({}, effect=declared)) == T


EUROS = {"actions": {"shop.*": {"amount": "args.amount", "currency": "args.currency"}}}


@pytest.mark.parametrize(
    ("args", "answer"),
    [
        ({"amount": 250, "currency": "EUR"}, T),
        ({"amount": 250.01, "currency": "EUR"}, F),
        ({"amount": 250, "currency": " eur "}, T),
        ({"amount": 260, "currency": "USD"}, T),
        ({"amount": 100, "currency": "GBP"}, T),
        ({"amount": 100.01, "currency": "GBP"}, F),
        ({"amount": 100, "currency": "pounds"}, U),
        ({"amount": 100, "currency": "EUR\u200b"}, U),
        ({"amount": 100, "currency": None}, U),
        ({"amount": 100}, U),
        ({"amount": "100", "currency": "EUR"}, U),
        ({"amount": -1, "currency": "EUR"}, U),
        ({"amount": None, "currency": "EUR"}, U),
        ({"currency": "EUR"}, U),
        ({"amount": [100, 150], "currency": "EUR"}, T),
        ({"amount": [100, 150.01], "currency": "EUR"}, U),
        ({"amount": [300, 400], "currency": "EUR"}, F),
        ({"amount": [[100], [150]], "currency": "EUR"}, T),
        ({"amount": [100, 300], "currency": "EUR"}, U),
        ({"amount": [1, 2], "currency": ["EUR", "USD"]}, U),
    ],
)
def test_money_is_compared_in_its_currency(args: dict[str, Any], answer: str) -> None:
    """Its own entry, else ``*``; unreadable, missing and negative are unknown.

    What a call moves in several parts is under a limit where each part is and their sum too.
    """
    when = {"effect.amount": {"lte": {"EUR": 250, "USD": 275, "*": 100}}}
    assert truth(when, call(args), **EUROS) == answer


def test_a_currency_without_an_entry_and_without_a_star_is_unknown() -> None:
    """No limit is no permission."""
    when = {"effect.amount": {"lte": {"EUR": 250}}}
    assert truth(when, call({"amount": 1, "currency": "USD"}), **EUROS) == U
    assert truth({"effect.amount": {"lte": 250}}, call({"amount": 1, "currency": "USD"}), **EUROS) == T
    assert truth({"effect.amount": {"lte": 250}}, call({"amount": 1, "currency": "?"}), **EUROS) == U


def test_where_no_currency_is_declared_the_star_counts() -> None:
    """A fixed code may be declared instead of a path."""
    plain = {"actions": {"shop.*": {"amount": "args.amount"}}}
    fixed = {"actions": {"shop.*": {"amount": "args.amount", "currency": "EUR"}}}
    assert truth({"effect.amount": {"lte": {"*": 5}}}, call({"amount": 5}), **plain) == T
    assert truth({"effect.amount": {"lte": {"EUR": 5}}}, call({"amount": 5}), **plain) == U
    assert truth({"effect.amount": {"lte": {"EUR": 5}}}, call({"amount": 5}), **fixed) == T
    assert truth({"effect.currency": "EUR"}, call({"amount": 5}), **fixed) == T
    assert truth({"effect.currency": "EUR"}, call({"amount": 5, "currency": "eur"}), **EUROS) == T


class Price(Enum):
    """What a parameter of a tool may take."""

    HIGH = 5000


@pytest.mark.parametrize(
    "when", [{"effect.amount": {"gt": 5}}, {"not": {"effect.amount": {"gt": 5}}}, {"effect.currency": "EUR"}]
)
def test_an_undeclared_amount_is_false_unless_the_call_reads_like_money(when: dict[str, Any]) -> None:
    """A write with an argument like an amount may move money that nobody declared."""
    assert truth(when, call({"note": "5"})) == F
    assert truth(when, call({"total": 5}, "shop.get_it")) == F
    assert truth(when, call({"total": 5}), actions={"shop.*": {"amount": "none"}}) == F
    likely: list[dict[str, Any]] = [
        {"unit_price": "5 EUR"},
        {"refundAmount": Decimal(5)},
        {"price": Price.HIGH},
    ]
    for args in (*likely, {"total": 5}, {"cents": 5}, {"amount2": 5}, {"total_2": 5}):
        assert truth(when, call(args)) == U
    for args in ({"total": "all"}, {"totals": 5}, {"sum_of": 5}, {"value": True}):
        assert truth(when, call(args)) == F


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ({}, "must be a mapping of paths to conditions, with at least one"),
        ([], "must be a mapping of paths"),
        (True, "must be a mapping of paths"),
        ({"all": []}, "must be a list of conditions, with at least one"),
        ({"any": []}, "must be a list of conditions, with at least one"),
        ({"any": [{}]}, "must be a mapping of paths"),
        ({"any": {"args.x": 1}}, "must be a list of conditions"),
        ({"not": [{"args.x": 1}]}, "must be a mapping of paths"),
        ({"args.x": {}}, "needs an operator"),
        ({"args.x": {"optional": True}}, "needs an operator"),
        ({"args.x": {"eq": 1, "optional": 1}}, "must be true or false"),
        ({"args.x": ["a"]}, "a bare list is unclear: {in: [...]} is one of these, {eq: [...]}"),
        ({"args.x": None}, "null is nothing to compare with"),
        ({"args.x": {"eq": None}}, "null is nothing to compare with"),
        ({"args.x": {"in": []}}, "must be a list of single values, with at least one"),
        ({"args.x": {"in": ["a", None]}}, "must be a text, a number, true or false"),
        ({"args.x": {"in": "a"}}, "must be a list of single values"),
        ({"args.x": {"eq": []}}, "must be a list of single values"),
        ({"args.x": {"eq": {"a": 1}}}, "must be a single value or {path: …}"),
        ({"args.x": {"equals": 1}}, '"equals" is not an operator'),
        ({"args.x": {"gtt": 1}}, '(did you mean "gt"?)'),
        ({"args.x": {"gt": "5"}}, "must be a number or {path: …}"),
        ({"args.x": {"gt": True}}, "must be a number or {path: …}"),
        ({"args.x": {"gt": {"EUR": 5}}}, "limits by currency go with effect.amount only"),
        ({"args.x": {"regex": "(a"}}, "is not a regular expression of RE2"),
        ({"args.x": {"regex": "(a)\\1"}}, "is not a regular expression of RE2"),
        ({"args.x": {"regex": "(?=a)"}}, "is not a regular expression of RE2"),
        ({"args.x": {"glob": 5}}, "must be a text that is not empty"),
        ({"args.x": {"glob": {"path": "args.y"}}}, "must be a text that is not empty"),
        ({"args.x": {"exists": "yes"}}, "must be true or false"),
        ({"args.x": {"length": -1}}, "must be a whole number of zero or more"),
        ({"args.x": {"length": {"glob": 1}}}, "is not one of gt, gte, lt, lte, eq, ne"),
        ({"args.x": {"length": {}}}, "must name at least one comparison"),
        ({"args.x": {"eq": {"path": "argsy"}}}, '"argsy" does not exist'),
        ({"args.x": {"eq": {"path": "args.y", "or": 1}}}, "must be a single value or {path: …}"),
        ({"args": 1}, '"args" alone is no value'),
        ({"args.x y": 1}, "is not a path"),
        ({"arg.x": 1}, '(did you mean "args.x"?)'),
        ({"effect.rsk": "read"}, '(did you mean "effect.risk"?)'),
        ({"session": "s"}, '"session" does not exist (did you mean "session.id"?)'),
        ({"agent.name": "s"}, '"agent.name" does not exist'),
        ({"al": []}, '"al" does not exist'),
        ({"effect.risk": "destroy"}, '"destroy" is not one of read, write, destructive'),
        ({"effect.outbound": "yes"}, "must be true or false"),
        ({"agent": 5}, "must be a text: quote it"),
        ({"effect.amount": {"in": [5, 10]}}, "does not go with effect.amount"),
        ({"effect.amount": {"eq": [5]}}, "must be a number"),
        ({"effect.amount": {"gt": {}}}, "must name at least one currency"),
        ({"effect.amount": {"gt": {"eur": 5}}}, '"eur" is no currency'),
        ({"effect.amount": {"gt": {"EUR": "5"}}}, "must be a number"),
    ],
)
def test_conditions_that_could_not_mean_what_they_say_do_not_load(when: Any, said: str) -> None:
    """Each is one located problem in words that say what to write."""
    text = written(rule("r", "allow", when=when))
    problem = only_problem(text)
    assert problem.startswith("a.yml:5:")
    assert said in problem


@pytest.mark.parametrize(
    ("value", "answer"),
    [(1, T), ("a", T), ("b", F), (2, F), ("1", U), (" 1.0", U), ("1,000", U), (5, U), (True, U)],
)
def test_a_number_written_as_text_is_unknown_among_members_of_both_kinds(value: Any, answer: str) -> None:
    """A text that spells a number of the list does not slip past it, nor a number past a text."""
    listed = [1, 1000, "a", "5"]
    assert _x(value, in_=listed) == answer
    reads = {"args.x": {"in": {"path": "facts.listed"}}}
    assert truth(reads, call({"x": value}, facts={"listed": listed})) == answer


@pytest.mark.parametrize("operators", [{"glob": "*straße*"}, {"regex": ".*straße.*"}, {"contains": "straße"}])
def test_letters_that_are_two_in_the_other_case_are_unknown_in_that_case(operators: dict[str, Any]) -> None:
    """Capitals of ß are SS: the text differs by case only, and the text as written is still true."""
    assert _x("Hauptstraße 1", **operators) == T
    assert _x("HAUPTSTRASSE 1", **operators) == U
    assert _x("Hauptgasse 1", **operators) == F


def test_a_line_break_does_not_hide_from_a_regex() -> None:
    """Where it hangs on whether a dot takes line breaks, nobody can tell; ``(?s)`` says that it does."""
    for value in ("x\npassword", "password\r\n"):
        assert _x(value, regex=".*password.*") == U
        assert _x(value, not_regex=".*password.*") == U
        assert _x(value, regex="(?s).*password.*") == T
    assert _x("x\ny", regex=".*password.*") == F
    assert _x("x\ny", not_regex=".*password.*") == T
    assert _x("x password", regex=".*password.*") == T


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), [500], {"value": "5"}])
def test_an_undeclared_amount_that_is_no_finite_number_is_unknown(value: Any) -> None:
    """A number spoilt to NaN, or put into a list or an object, is still one that reads like an amount."""
    assert truth({"effect.amount": {"gt": {"*": 100}}}, call({"amount": value})) == U


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(
    ("path", "args"),
    [
        ("effect.amount", {"amount": 10**9}),
        ("effect.amount", {"amount": 10**9, "currency": "ZZZ"}),
        ("effect.currency", {"amount": 5, "currency": "euros"}),
        ("effect.count", {"amount": 5, "currency": "EUR", "n": "5000"}),
    ],
)
def test_what_is_there_and_cannot_be_read_is_not_missing(
    path: str, args: dict[str, Any], there: bool
) -> None:
    """An allow for calls without an amount does not take those whose amount nobody can read."""
    tool = {"amount": "args.amount", "currency": "args.currency", "unit": "minor", "count": "args.n"}
    when = {path: {"exists": there}}
    assert truth(when, call(args, params="amount currency n"), actions={"shop.run_it": tool}) == U


def test_a_negative_amount_is_unknown_as_an_operand_too() -> None:
    """Nothing is above a negative amount for sure."""
    pays = {"shop.run_it": {"risk": "write", "amount": "args.amount"}}
    when = {"args.most": {"gte": {"path": "effect.amount"}}}
    answers = [truth(when, call({"most": 10, "amount": each}), actions=pays) for each in (5, 50, -5)]
    assert answers == [T, F, U]
