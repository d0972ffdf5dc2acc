"""What differs between two revisions, in words."""

from __future__ import annotations

from gate.policy.changes import describe_changes
from gate.policy.load import load_texts

TEXT = """version: 1
default: by_risk
approvals: {channel: C0APPROVALS, approvers: [U0ALICE], expires_in: 4h}
actions:
  a.pay: {risk: write, amount: args.amount}
rules:
  - {id: small, match: a.pay, when: {args.amount: {lte: 250}}, then: allow}
  - {id: large, match: a.pay, then: require_approval, reason: Large.}
"""


def _changes(old: str | None, new: str) -> list[str]:
    before = None if old is None else load_texts({"pay.yml": old})
    return describe_changes(before, load_texts({"pay.yml": new}))


def test_a_first_revision_names_its_rules() -> None:
    """Nothing was in force before."""
    assert _changes(None, TEXT) == [
        "pay.yml was added: 2 rules, default by_risk",
        "pay/small was added: allow",
        "pay/large was added: require_approval",
    ]


def test_the_same_text_differs_in_nothing() -> None:
    """No sentence for no change, one for a change of comments."""
    assert _changes(TEXT, TEXT) == []
    assert _changes(TEXT, TEXT + "# note\n") == ["Only comments or layout changed; every rule is the same."]


def test_each_changed_key_is_one_sentence_with_both_values() -> None:
    """Of the file, its approvals, its actions and its rules."""
    new = (
        TEXT.replace("by_risk", "block")
        .replace("4h", "1h")
        .replace("args.amount}", "args.total}")
        .replace("250", "300")
    )
    assert _changes(TEXT, new) == [
        'pay.yml: default changed from "by_risk" to "block"',
        'pay.yml approvals: expires_in changed from "4h" to "1h"',
        'pay.yml actions a.pay: amount changed from "args.amount" to "args.total"',
        'pay/small: when changed from {"args.amount": {"lte": 250}} to {"args.amount": {"lte": 300}}',
    ]


def test_rules_that_come_and_go_and_move_are_named() -> None:
    """A new id is a new rule; another order is said."""
    new = TEXT.replace("id: small", "id: tiny")
    assert _changes(TEXT, new) == ["pay/small was removed", "pay/tiny was added: allow"]
    *head, small, large = TEXT.splitlines()
    moved = "\n".join([*head, large, small]) + "\n"
    assert _changes(TEXT, moved) == [
        "pay: the rules stand in another order (which decides nothing here): large, small"
    ]
    first = "resolve: first_match\n"
    assert "the first that applies decides" in _changes(first + TEXT, first + moved)[0]


def test_keys_that_come_and_go_are_named() -> None:
    """With the value they had or have."""
    new = TEXT.replace(", expires_in: 4h", "").replace("reason: Large.", "reason: Large., quorum: 1")
    assert _changes(TEXT, new) == [
        'pay.yml approvals: expires_in "4h" was removed',
        "pay/large: quorum 1 was added",
    ]


def test_files_that_come_and_go_are_named() -> None:
    """With the rules they bring or take along."""
    one, both = load_texts({"a.yml": TEXT}), load_texts({"a.yml": TEXT, "b.yml": TEXT})
    assert describe_changes(both, one) == ["b.yml was removed, with b/small, b/large"]
    assert describe_changes(one, both)[0] == "b.yml was added: 2 rules, default by_risk"
