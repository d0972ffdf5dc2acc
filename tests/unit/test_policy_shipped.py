"""The policies that are shipped: they load, say what they promise, and their tables pass."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from gate.policy.evaluate import evaluate
from gate.policy.load import load_path
from gate.policy.source import read_text
from gate.policy.tables import run_table
from tests.policy_kit import call

FOLDER = Path(__file__).parents[2] / "policies"
SET = load_path(FOLDER)
TABLES = sorted(FOLDER.glob("*.test.yml"))
EXAMPLES = [path for path in sorted((FOLDER / "examples").glob("*.yml")) if ".test." not in path.name]
EXAMPLE_TABLES = sorted((FOLDER / "examples").glob("*.test.yml"))

EXPECTED = {
    "refunds": {"0.01", "250", "250.01", "5000", "5000.01", "0", "-1"},
    "support": {
        "github.search_code", "stripe.list_invoices", "stripe.get_charge", "helpdesk.reply_to_thread",
        "helpdesk.add_note", "stripe.create_refund", "stripe.update_subscription",
        "helpdesk.escalate_to_engineer", "stripe.delete_customer",
    },
}  # fmt: skip


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.name)
def test_every_row_of_the_shipped_tables_passes(table: Path) -> None:
    """Run against the whole set, as production does."""
    results = run_table(table, SET)
    assert [f"{each.id}: {each.message}" for each in results if not each.passed] == []
    assert len(results) >= 12


def test_the_tables_cover_every_promised_row() -> None:
    """All amounts around the limits, and each of the support agent's calls."""
    rows = {table.name.partition(".")[0]: read_text(table.read_text(), table.name).value for table in TABLES}
    amounts = {str(row.get("args", {}).get("amount")) for row in rows["refunds"]}
    assert EXPECTED["refunds"] <= amounts
    assert {"400", "None"} <= amounts
    assert any(row["args"].get("currency") == "USD" for row in rows["refunds"])
    assert EXPECTED["support"] <= {row["action"] for row in rows["support"]}


def test_no_effect_of_a_named_tool_is_a_guess() -> None:
    """Risk, reversible and outbound of every tool named are declared."""
    named = [entry.glob.pattern for file in SET.files for entry in file.entries]
    assert set(named) >= EXPECTED["support"] | {
        "orders.lookup_order",
        "orders.cancel_order",
        "payments.issue_refund",
    }
    for name in named:
        effect = evaluate(SET, call({}, name)).effect
        assert not effect.guessed
        assert effect.describe
        assert effect.declared_read or "undeclared" not in effect.sources.values()


def test_both_files_hold_by_risk_for_the_same_people() -> None:
    """One channel, one user and one group, and a denial needs a comment."""
    assert [(file.name, file.default) for file in SET.files] == [
        ("refunds", "by_risk"),
        ("support", "by_risk"),
    ]
    assert [file.first_match for file in SET.files] == [False, True]
    assert SET.channels() == ("C0APPROVALS",)
    assert [str(each) for each in SET.approvers()] == ["U0ALICE", "S0FINANCE"]
    assert all(each.comment_required == {"deny"} for each in SET.requirements())


def test_cancelling_an_order_ends_soon_enough_for_the_demo() -> None:
    """20 seconds to answer, 15 to be delivered."""
    held = SET.requirement_of("refunds/cancel-order")
    assert held is not None
    assert (held.expires_in, held.deliver_within) == (timedelta(seconds=20), timedelta(seconds=15))


def test_a_blocked_refund_says_how_to_be_decided() -> None:
    """A missing amount, text, and another currency each have their own words."""
    args = {"order_id": "ORD-1", "amount": 400, "currency": "EUR", "reason": "late"}
    for change, said in (
        ({"amount": None}, "give amount as a number"),
        ({"amount": "400"}, "give amount as a number"),
        ({"currency": "USD"}, "a currency without a limit here: there is one in EUR"),
        ({"currency": None}, "give currency as the code of the currency that the amount is in"),
    ):
        verdict = evaluate(SET, call({**args, **change}, "payments.issue_refund"))
        assert verdict.answer == "block"
        assert said in verdict.reason


def test_nothing_outside_the_named_namespaces_runs() -> None:
    """No file covers it."""
    assert evaluate(SET, call({}, "shell.get_status")).rules == ("gate/no_policy",)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_every_example_loads(example: Path) -> None:
    """Alone, as its reader would take it."""
    assert load_path(example).files[0].rules


@pytest.mark.parametrize("table", EXAMPLE_TABLES, ids=lambda path: path.name)
def test_every_row_of_the_tables_of_the_examples_passes(table: Path) -> None:
    """Against the one example that bears the table's name."""
    results = run_table(table, load_path(table.with_name(table.name.replace(".test.", "."))))
    assert [f"{each.id}: {each.message}" for each in results if not each.passed] == []
    assert len(results) >= 12
