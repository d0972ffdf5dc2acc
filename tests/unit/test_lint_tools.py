"""Lint against the known tools and the log: matches, guesses, facts, budgets; and the shipped policies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gate.model import Effect
from gate.policy.lint import Seen, findings
from gate.policy.load import load_path
from tests.lint_kit import PAY, codes, found, only, tool
from tests.policy_kit import rule

FOLDER = Path(__file__).parents[2] / "policies"
EXAMPLES = sorted((FOLDER / "examples").glob("*.yml"))
SHIPPED = [FOLDER, *(path for path in EXAMPLES if ".test." not in path.name)]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_shipped_policies_have_no_finding(path: Path) -> None:
    """Advice may remain."""
    assert [each for each in findings(load_path(path)) if each.kind == "finding"] == []


def test_the_advice_on_the_policies_of_the_demo() -> None:
    """One rule trusts a reason that the model writes, and says so in a comment."""
    assert [(each.file, each.code) for each in findings(load_path(FOLDER))] == [
        ("support.yml", "model_decides")
    ]


def test_a_match_that_fits_no_known_tool() -> None:
    """With a catalogue every such match, with the name that was most likely meant."""
    refund = tool("shop.create_refund", "amount", effect=Effect(risk="write"))
    one = only("no_such_tool", rule("r", "block", match="shop.creat_refund"), tools=(refund,))
    assert one.what.endswith('(did you mean "shop.create_refund"?)')
    assert one.write == '"shop.create_refund"'
    assert "no_such_tool" in codes(rule("r", "block", match=["shop.*", "desk.*"]), tools=(refund,))
    assert "no_such_tool" in codes(actions={"desk.run": {"risk": "write"}}, tools=(refund,))


def test_a_match_that_fits_a_tool_a_call_or_nothing_that_is_known() -> None:
    """A tool, an action of the log; without either, only what looks misspelt is said."""
    refund = tool("shop.create_refund", "amount", effect=Effect(risk="write"))
    assert "no_such_tool" not in codes(rule("r", "block", match="*_refund"), tools=(refund,))
    seen = Seen(actions=frozenset({"desk.run"}))
    assert "no_such_tool" not in codes(rule("r", "block", match="desk.*"), tools=(refund,), seen=seen)
    assert "no_such_tool" not in codes(rule("r", "block", match="desk.*"), actions=PAY)
    assert "no_such_tool" in codes(rule("r", "block", match="shop.pai"), actions=PAY)


def test_every_guessed_risk_with_the_line_to_write() -> None:
    """Of tools in the catalogue, in the log and named in a match; what anybody declares is no guess."""
    one = only("guessed_risk", rule("r", "block", match="shop.run_it"))
    assert one.write.startswith(
        "under actions: shop.run_it: {risk: write, reversible: false, outbound: true}"
    )
    reads = only("guessed_risk", tools=(tool("shop.get_it"),))
    assert reads.write.startswith("under actions: shop.get_it: {risk: read}")
    assert only("guessed_risk", seen=Seen(actions=frozenset({"a.b"}))).what.startswith("that a.b is a write")
    entry = only("guessed_risk", actions={"shop.run_it": {"describe": "Run", "outbound": False}})
    assert entry.write == "there: risk: write, reversible: false (check each word)"
    assert found(tools=(tool("shop.run_it", effect=Effect(risk="write")),)) == []
    assert found(actions={"shop.run_*": {"risk": "write"}}, tools=(tool("shop.run_it"),)) == []
    assert found(applies_to=["desk.*"], tools=(tool("shop.run_it"),)) == []


def test_a_guess_says_what_goes_by_it() -> None:
    """That is by_risk, a condition on what is declared, or a budget; or nothing, and why it matters then."""
    it = (tool("shop.run_it"),)
    idle = [
        only("guessed_risk", tools=it, default=default) for default in ("allow", "require_approval", "block")
    ]
    idle.append(
        only("guessed_risk", rule("r", "block", match="desk.*", when={"effect.risk": "write"}), tools=it)
    )
    idle.append(only("guessed_risk", tools=it, budgets=[_budget(match="shop.*", reads=True)]))
    assert {(each.kind, each.why) for each in idle} == {
        ("finding", "Nothing in this policy goes by it. Cards call it a guess, and a freeze stops the call "
                   "even if it only reads.")
    }  # fmt: skip
    risk = {"when": {"effect.outbound": True}}
    other = {"when": {"args.n": {"eq": {"path": "effect.risk"}}}}
    used = {
        "a/default (by_risk)": only("guessed_risk", tools=it, default="by_risk"),
        "a/r": only("guessed_risk", rule("r", "block", match="shop.*", **risk), tools=it),
        "a/o": only("guessed_risk", rule("o", "block", match="shop.*", **other), tools=it),
        "a/b": only("guessed_risk", tools=it, budgets=[_budget(match="shop.*")]),
    }
    for name, one in used.items():
        assert one.kind == "finding"
        assert one.why.startswith(f"Until it is declared, the guess decides in {name}. ")


def test_many_that_go_by_a_guess_are_counted() -> None:
    """Three are named."""
    rules = [rule(f"r{n}", "block", match="shop.*", when={"effect.risk": "write"}) for n in range(5)]
    why = only("guessed_risk", *rules, tools=(tool("shop.run_it"),)).why
    assert why.startswith("Until it is declared, the guess decides in a/r0, a/r1, a/r2 and 2 more. ")


def test_a_fact_that_no_call_ever_had() -> None:
    """Read by a condition, as an operand, or by a budget; what lies inside or around a known one is known."""
    seen = Seen(frozenset({"shop.pay"}), frozenset({"facts.environment", "facts.order.total"}))
    held = rule("r", "block", match="shop.pay")
    for when in ({"facts.enviroment": "production"}, {"args.n": {"gt": {"path": "facts.limit"}}}):
        assert only("unseen_fact", held | {"when": when}, seen=seen, actions=PAY).kind == "finding"
    assert (
        only("unseen_fact", held | {"when": {"facts.enviroment": "x"}}, seen=seen).write
        == "facts.environment"
    )
    for when in ({"facts.environment": "production"}, {"facts.order": "x"}, {"facts.order.total.eur": 5}):
        assert "unseen_fact" not in codes(held | {"when": when}, seen=seen, actions=PAY)
    counted = {"id": "b", "limit": 5, "per": "facts.team", "window": "1h"}
    assert "unseen_fact" in codes(budgets=[counted], seen=seen)


def test_facts_without_a_log_are_not_judged() -> None:
    """Nobody can tell without a store, nor from one in which nothing was called."""
    held = rule("r", "block", match="shop.pay", when={"facts.x": "y"})
    assert "unseen_fact" not in codes(held, actions=PAY)
    assert "unseen_fact" not in codes(held, actions=PAY, seen=Seen())


def _budget(**keys: Any) -> dict[str, Any]:
    return {"id": "b", "limit": 5, "per": "session", "window": "1h"} | keys


MONEY: dict[str, Any] = {"sum": "effect.amount", "limit": {"EUR": 5}}


@pytest.mark.parametrize(
    "budget",
    [
        _budget(match="shop.get_*"),
        _budget(match="shop.note", **MONEY),
        _budget(match="shop.pay", sum="args.pages"),
        _budget(match="shop.note", per="args.customer"),
    ],
)
def test_a_budget_that_no_known_action_feeds(budget: dict[str, Any]) -> None:
    """Only declared reads, tools without an amount, without what is summed up, or without whose it is."""
    actions = PAY | {
        "shop.get_it": {"risk": "read"},
        "shop.note": {"risk": "write", "amount": "none", "params": ["text"]},
        "shop.pay": PAY["shop.pay"] | {"params": ["amount", "currency"]},
    }
    assert only("unfed_budget", budgets=[budget], actions=actions).kind == "finding"


@pytest.mark.parametrize(
    "budget",
    [
        _budget(match="shop.get_*", reads=True),
        _budget(match="shop.*", **MONEY),
        _budget(match="shop.run", sum="args.pages"),
        _budget(match="shop.run", **MONEY),
        _budget(match="desk.*"),
    ],
)
def test_a_budget_that_some_action_may_feed(budget: dict[str, Any]) -> None:
    """Also where nobody knows what a tool takes, and where no known tool is meant."""
    actions = PAY | {"shop.get_it": {"risk": "read"}, "shop.run": {"risk": "write"}}
    assert "unfed_budget" not in codes(budgets=[budget], actions=actions)


def test_a_tool_that_moves_money_and_is_not_counted() -> None:
    """It has no parameter that the budget counts by; one that moves nothing is left alone."""
    actions = {name: keys | {"params": ["amount", "currency"]} for name, keys in PAY.items()}
    one = only(
        "not_counted", budgets=[_budget(match="shop.*", per="args.customer", **MONEY)], actions=actions
    )
    assert one.what == "a/b counts per args.customer, which shop.pay does not take"
    assert "not_counted" not in codes(
        budgets=[_budget(match="shop.*", per="args.customer", **MONEY)], actions=PAY
    )
    assert "not_counted" not in codes(budgets=[_budget(match="shop.*", **MONEY)], actions=actions)


def test_a_budget_that_adds_up_amounts_of_any_currency() -> None:
    """The amount's argument alone says nothing; effect.amount and another argument do."""
    assert "bare_amount" in codes(budgets=[_budget(match="shop.pay", sum="args.amount")], actions=PAY)
    for budget in (_budget(match="shop.pay", **MONEY), _budget(match="shop.pay", sum="args.pages")):
        assert "bare_amount" not in codes(budgets=[budget], actions=PAY)
    fixed = {"shop.pay": PAY["shop.pay"] | {"currency": "EUR"}}
    assert "bare_amount" not in codes(budgets=[_budget(match="shop.pay", sum="args.amount")], actions=fixed)


def test_a_code_that_is_no_currency() -> None:
    """In a limit and in a budget, with the code that was most likely meant."""
    held = rule("r", "block", match="shop.pay", when={"effect.amount": {"gt": {"EUD": 5}}})
    assert only("unknown_currency", held, actions=PAY).what.startswith("EUD is no currency of ISO 4217")
    assert "unknown_currency" in codes(
        budgets=[_budget(match="shop.pay", sum="effect.amount", limit={"EUD": 5})]
    )
    good = rule("r", "block", match="shop.pay", when={"effect.amount": {"gt": {"EUR": 5, "*": 5}}})
    assert "unknown_currency" not in codes(good, budgets=[_budget(match="shop.pay", **MONEY)], actions=PAY)
