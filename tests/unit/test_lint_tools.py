"""Lint against the known tools and the log: matches, guesses, facts, budgets; and the shipped policies."""

from __future__ import annotations

from pathlib import Path

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
    assert found(tools=(tool("shop.run_it", effect=Effect(risk="write")),)) == []
    assert found(actions={"shop.run_*": {"risk": "write"}}, tools=(tool("shop.run_it"),)) == []
    assert found(applies_to=["desk.*"], tools=(tool("shop.run_it"),)) == []
