"""Keys and paths that a later version brings are errors until then, never accepted and ignored."""

from __future__ import annotations

import pytest

from tests.policy_kit import APPROVALS, load, only_problem

RULE = "rules:\n- {id: r, then: require_approval, reason: Why., "

LATER = {
    "file names": ("names: {alice: U0ALICE}\n", "names"),
    "file operators": ("operators: [U0ALICE]\n", "operators"),
    "file limits": ("limits: {pending_per_session: 5}\n", "limits"),
    "file budgets": ("budgets: [{id: b, limit: 5, per: session, window: 1h, then: block}]\n", "budgets"),
    "actions unit": ("actions:\n  a.b: {amount: args.cents, unit: minor}\n", "unit"),
    "actions count": ("actions:\n  a.b: {count: args.items}\n", "count"),
    "rule editable": (RULE + "editable: [args.amount]}\n", "editable"),
    "rule remind_before": (RULE + "remind_before: [30m]}\n", "remind_before"),
    "rule hand_over": (RULE + "hand_over: {after: 1h, approvers: [U0BOB]}}\n", "hand_over"),
    "rule on_caller_gone": (RULE + "on_caller_gone: cancel}\n", "on_caller_gone"),
    "path facts": (RULE + "when: {facts.environment: production}}\n", "facts.environment"),
    "path effect.count": (RULE + "when: {effect.count: {gt: 5}}}\n", "effect.count"),
    "operand facts": (RULE + "when: {args.total: {lte: {path: facts.order_total}}}}\n", "facts.order_total"),
    "describe facts": ('actions:\n  a.b: {describe: "for {facts.customer}"}\n', "facts.customer"),
    "amount facts": ("actions:\n  a.b: {amount: facts.total}\n", "facts.total"),
    "decisive facts": ("actions:\n  a.b: {decisive: [facts.total]}\n", "facts.total"),
    "redact facts": ("redact: [facts.customer]\n", "facts.customer"),
    "show facts": ("show: [facts.customer]\n", "facts.customer"),
}


@pytest.mark.parametrize("case", LATER)
def test_what_a_later_version_brings_is_an_error_with_its_place(case: str) -> None:
    """The message names the key or path, says that it is not in this version, and where it stands."""
    written, word = LATER[case]
    text = f"version: 1\ndefault: by_risk\n{APPROVALS}{written}"
    said = only_problem(text)
    key = word.split(".")[0]
    line = next(n for n, each in enumerate(text.splitlines(), 1) if key in each and n > 3)
    assert said.startswith(f"a.yml:{line}:")
    assert f'"{word}" is not in this version' in said


@pytest.mark.parametrize(
    "key", ["remind_before: [30m]", "hand_over: {after: 1h, approvers: [U0BOB]}", "on_caller_gone: cancel"]
)
def test_approval_keys_of_later_versions_are_errors_under_approvals_too(key: str) -> None:
    """The same keys may not stand among a file's defaults."""
    text = f"default: by_risk\napprovals: {{channel: C0APPROVALS, approvers: [U0ALICE], {key}}}\n"
    said = only_problem(text)
    assert said.startswith(f"a.yml:2:{text.splitlines()[1].index(key) + 1}: approvals.{key.split(':')[0]}: ")
    assert "is not in this version" in said


def test_the_same_file_without_them_loads() -> None:
    """The cases above fail for their key alone."""
    assert load(f"version: 1\ndefault: by_risk\n{APPROVALS}" + RULE + "match: a.b}\n").files
