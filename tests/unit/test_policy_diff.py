"""What differs between two revisions, in words, and which way each difference goes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.policy.diff import describe_changes, differences
from gate.policy.load import load_texts
from gate.policy.policyset import PolicySet

TEXT = """version: 1
default: by_risk
approvals: {channel: C0APPROVALS, approvers: [U0ALICE, U0BOB], expires_in: 4h}
actions:
  a.pay: {risk: write, amount: args.amount}
rules:
  - {id: small, match: a.pay, when: {args.amount: {gt: 0, lte: 250}}, then: allow}
  - {id: large, match: a.pay, when: {args.amount: {gt: 250}}, then: require_approval, reason: Large.}
"""


def _set(text: str) -> PolicySet:
    return load_texts({"pay.yml": text})


def _changes(old: str | None, new: str) -> list[str]:
    return describe_changes(None if old is None else _set(old), _set(new))


def _ways(*replaced: tuple[str, str]) -> list[tuple[str, str]]:
    """Return kind and way of every difference after some words were replaced."""
    new = TEXT
    for before, after in replaced:
        assert before in new
        new = new.replace(before, after)
    return [(each.kind, each.way) for each in differences(_set(TEXT), _set(new))]


def test_a_first_revision_names_its_rules() -> None:
    """Nothing was in force before."""
    assert _changes(None, TEXT) == [
        "Added: pay.yml: default by_risk",
        'Added: pay/small: allow "a.pay" when {args.amount: {gt: 0, lte: 250}} (looser)',
        'Added: pay/large: require_approval "a.pay" when {args.amount: {gt: 250}}',
    ]


HELD = "  - {id: held, match: b.pay, then: require_approval, reason: Held.}\n"
OWN = "  - {id: held, match: b.pay, then: require_approval, reason: Held., approvers: [U0BOB]}\n"


@pytest.mark.parametrize(
    ("head", "rule", "sure"),
    [
        ("default: by_risk", HELD, True),
        ("default: allow", HELD, True),
        ("default: allow", OWN, True),
        ("default: by_risk", OWN, False),
        ("default: require_approval", OWN, False),
        ("default: block", HELD, False),
        ("default: abstain", HELD, False),
        ("default: allow\nresolve: first_match", HELD, False),
        ("default: block\nresolve: first_match", HELD.replace("require_approval", "block"), True),
    ],
)
def test_a_rule_that_asks_people_tightens_only_where_nothing_stricter_stood(
    head: str, rule: str, sure: bool
) -> None:
    """Where what no rule decides is blocked, it lets people approve; its own approvers may be others'."""
    old = TEXT.replace("default: by_risk", head)
    added, removed = _changes(old, old + rule)[0], _changes(old + rule, old)[0]
    assert added.endswith("(tighter)") is sure
    assert removed.endswith("(looser)") is sure
    wider = _changes(old + rule, old + rule.replace("b.pay", '"b.*"'))[0]
    assert wider.startswith("Tightened" if sure else "Changed")


def test_a_file_that_comes_or_goes_surely_tightens_by_what_it_blocks_alone() -> None:
    """Another file may cover the same calls, or none, and what none covers is blocked."""
    other = TEXT + HELD.replace("held", "never").replace("require_approval", "block")
    both = load_texts({"other.yml": other, "pay.yml": TEXT})
    ways = {each.where: each.way for each in differences(_set(TEXT), both)}
    assert ways == {"other.yml": "", "other/small": "", "other/large": "", "other/never": "tighter"}
    ways = {each.where: each.way for each in differences(both, _set(TEXT))}
    assert ways["other/never"] == "looser"


def test_the_same_text_differs_in_nothing() -> None:
    """No sentence for no change, one for a change of comments."""
    assert _changes(TEXT, TEXT) == []
    assert _changes(TEXT, TEXT + "# note\n") == ["Changed: only comments or layout; every rule is the same"]
    assert _changes(TEXT, TEXT.replace("lte: 250}", "lte: 250.00}"))[0].startswith("Changed: only comments")
    finer = f"lte: 250.{'0' * 40}1}}"
    assert _changes(TEXT, TEXT.replace("lte: 250}", finer))[0].startswith("Loosened: pay/small")


def test_a_default_that_is_written_out_or_dropped_is_no_change() -> None:
    """Comments are asked for in the same way, so nobody is told that a rule changed."""
    written = TEXT.replace("expires_in: 4h", "comment: {approve: optional, deny: required}, expires_in: 4h")
    half = TEXT.replace("expires_in: 4h", "comment: {approve: optional}, expires_in: 4h")
    for one, two in ((TEXT, written), (written, TEXT), (half, written), (written, half)):
        assert _changes(one, two) == ["Changed: only comments or layout; every rule is the same"]


def test_a_currency_that_gets_a_limit_loosens_a_rule_that_held_it_undecided() -> None:
    """What cannot be decided is held or blocked, so a far limit lets calls through that nobody had let."""
    old, new = (
        TEXT.replace("args.amount: {gt: 250}", f"effect.amount: {{gt: {limits}}}")
        for limits in ("{EUR: 250}", '{EUR: 250, "*": 1000000}')
    )
    assert _changes(old, new)[0].startswith("Loosened: pay/large: when")


def test_a_changed_value_is_said_with_both_values_and_its_way() -> None:
    """Of the file, its approvals, its actions and its rules."""
    new = (
        TEXT.replace("by_risk", "block")
        .replace("4h", "1h")
        .replace("args.amount}", "args.total}")
        .replace("lte: 250", "lte: 300")
    )
    assert _changes(TEXT, new) == [
        'Tightened: pay.yml: default from "by_risk" to "block"',
        'Tightened: pay.yml approvals: expires_in from "4h" to "1h"',
        'Changed: pay.yml actions a.pay: amount from "args.amount" to "args.total"',
        "Loosened: pay/small: when from {args.amount: {gt: 0, lte: 250}} to {args.amount: {gt: 0, lte: 300}}",
    ]


@pytest.mark.parametrize(
    ("before", "after", "way"),
    [
        ("lte: 250", "lte: 251", "looser"),
        ("lte: 250", "lte: 249", "tighter"),
        ("{gt: 250}", "{gt: 300}", "looser"),
        ("{gt: 250}", "{gt: 200}", "tighter"),
        ("{gt: 250}", "{gte: 250}", "tighter"),
        ("{gt: 250}", "{gt: 200, optional: true}", ""),
        ("{gt: 250}", "{gt: 250, optional: true}", "looser"),
        ("{gt: 250}", "{exists: true}", ""),
        ("args.amount: {gt: 250}", "effect.amount: {gt: {EUR: 250}}", ""),
        ("gt: 0, lte: 250", "gt: 5, lte: 300", ""),
        ("id: small, match: a.pay", "id: small, match: a.*", "looser"),
        ("id: large, match: a.pay", "id: large, match: a.*", "tighter"),
        ("id: large, match: a.pay", "id: large, match: a.send", ""),
        ("then: require_approval", "then: block", "tighter"),
        ("default: by_risk", "default: allow", "looser"),
        ("default: by_risk", "default: abstain", ""),
        ("[U0ALICE, U0BOB]", "[U0ALICE]", "tighter"),
        ("[U0ALICE, U0BOB]", "[U0ALICE, U0BOB, U0CAROL]", "looser"),
        ("[U0ALICE, U0BOB]", "[U0ALICE, U0CAROL]", ""),
        ("expires_in: 4h", "expires_in: 1d", "looser"),
        ("expires_in: 4h", "quorum: 2, expires_in: 4h", "tighter"),
        ("expires_in: 4h", "distinct: true, expires_in: 4h", "tighter"),
        ("expires_in: 4h", "comment: {approve: required}, expires_in: 4h", "tighter"),
        ("expires_in: 4h", "comment: {deny: optional}, expires_in: 4h", "looser"),
        ("expires_in: 4h", "on_behalf_of_may_approve: true, expires_in: 4h", "looser"),
        ("risk: write", "risk: read", "looser"),
        ("risk: write", "risk: destructive", "tighter"),
        ("risk: write", "risk: write, reversible: true", "looser"),
        ("risk: write", "risk: write, outbound: false", "looser"),
        ("risk: write", "risk: write, decisive: [args.to]", "tighter"),
        ("default: by_risk", "default: by_risk\nresolve: first_match", "looser"),
        ("default: by_risk", "default: by_risk\nredact: [args.card]", "tighter"),
        ("default: by_risk", "default: by_risk\nshow: [args.token]", "looser"),
        (
            "default: by_risk",
            "default: by_risk\nlimits: {asks_per_session: {count: 61, window: 1h}}",
            "looser",
        ),
        (
            "default: by_risk",
            "default: by_risk\nlimits: {asks_per_session: {count: 60, window: 2h}}",
            "tighter",
        ),
        (
            "default: by_risk",
            "default: by_risk\nlimits: {asks_per_session: {count: 10, window: 2h}}",
            "tighter",
        ),
        ("default: by_risk", "default: by_risk\nlimits: {asks_per_session: {count: 90, window: 2h}}", ""),
        ("reason: Large.", "reason: Too large.", ""),
        ("C0APPROVALS", "C0OTHER", ""),
    ],
)
def test_which_way_a_change_goes(before: str, after: str, way: str) -> None:
    """Only what is sure is called looser or tighter."""
    kind = {"looser": "loosened", "tighter": "tightened", "": "changed"}[way]
    assert set(_ways((before, after))) == {(kind, way)}


def test_a_changed_answer_takes_the_direction_away_from_what_is_matched() -> None:
    """A rule that allowed and now holds is tighter; what it matches has no direction of its own then."""
    found = _ways(("then: allow", "then: require_approval, reason: Why."), ("lte: 250", "lte: 300"))
    assert ("tightened", "tighter") in found
    assert ("loosened", "looser") not in found


def test_rules_that_come_and_go_and_move_are_named() -> None:
    """A new id is a new rule, with the way it goes; another order is said."""
    new = TEXT.replace("id: small", "id: tiny")
    assert [line.partition(":")[0] for line in _changes(TEXT, new)] == ["Removed", "Added"]
    assert [line[-9:] for line in _changes(TEXT, new)] == ["(tighter)", " (looser)"]
    *head, small, large = TEXT.splitlines()
    moved = "\n".join([*head, large, small]) + "\n"
    assert _changes(TEXT, moved) == [
        "Changed: pay: the order of the rules (which decides nothing here): large, small"
    ]
    first = "resolve: first_match\n"
    assert "the first that applies decides" in _changes(first + TEXT, first + moved)[0]


def test_keys_that_come_and_go_are_named() -> None:
    """With the value they had or have, weighed against what counts where nothing is written."""
    new = TEXT.replace(", expires_in: 4h", "").replace("reason: Large.", "reason: Large., quorum: 1")
    assert _changes(TEXT, new) == [
        'Changed: pay.yml approvals: expires_in "4h" was taken away',
        "Changed: pay/large: quorum 1 was added",
    ]


def test_actions_that_come_and_go_are_named() -> None:
    """With what they declare."""
    new = TEXT.replace("a.pay: {risk: write, amount: args.amount}", "a.send: {risk: write}")
    assert _changes(TEXT, new) == [
        'Removed: pay.yml actions a.pay: {risk: "write", amount: "args.amount"}',
        'Added: pay.yml actions a.send: {risk: "write"}',
    ]


def test_files_that_come_and_go_are_named() -> None:
    """With the rules they bring or take along."""
    one, both = load_texts({"a.yml": TEXT}), load_texts({"a.yml": TEXT, "b.yml": TEXT})
    assert describe_changes(both, one)[0] == "Removed: b.yml: default by_risk"
    assert [each.where for each in differences(both, one)] == ["b.yml", "b/small", "b/large"]
    assert [each.kind for each in differences(one, both)] == ["added"] * 3


def test_every_way_turns_round() -> None:
    """What is looser one way is tighter the other way."""
    pairs: list[tuple[Any, Any]] = [
        (TEXT, TEXT.replace("lte: 250", "lte: 251")),
        (TEXT, TEXT.replace("4h", "2h")),
        (TEXT, TEXT.replace("then: require_approval", "then: block")),
    ]
    turned = {"looser": "tighter", "tighter": "looser"}
    for one, two in pairs:
        there, back = differences(_set(one), _set(two)), differences(_set(two), _set(one))
        assert [turned[each.way] for each in there] == [each.way for each in back], json.dumps(one)


@pytest.mark.parametrize(
    ("shared", "before", "after", "way"),
    [
        ("quorum: 2", "", "quorum: 1", "Loosened"),
        ("quorum: 2", "quorum: 1", "", "Tightened"),
        ("expires_in: 1h", "", "expires_in: 2h", "Loosened"),
        ("expires_in: 1h", "", "use_within: 2h", "Loosened"),
        ("comment: {approve: required}", "", "comment: {approve: optional}", "Loosened"),
        ("approvers: [U0ALICE, U0BOB]", "", "approvers: [U0ALICE]", "Tightened"),
        ("approvers: [U0ALICE]", "", "approvers: [U0ALICE, U0BOB]", "Loosened"),
        ("on_behalf_of_may_approve: true", "", "on_behalf_of_may_approve: false", "Tightened"),
        ("distinct: true", "distinct: false", "", "Tightened"),
    ],
)
@pytest.mark.parametrize("part", ["rules", "budgets"])
def test_what_a_rule_says_for_itself_is_compared_with_what_its_file_says(
    shared: str, before: str, after: str, way: str, part: str
) -> None:
    """Not with what the language takes where neither says anything."""
    people = "channel: C0APPROVALS" + ("" if "approvers" in shared else ", approvers: [U0ALICE, U0BOB]")
    more = {"rules": "then: require_approval, reason: Why.", "budgets": "limit: 1, per: agent, window: 1h"}[
        part
    ]
    head = f"version: 1\ndefault: allow\napprovals: {{{people}, {shared}}}\n"
    one, two = (
        f"{head}{part}:\n- {{id: r, {more}, {own}}}\n"
        for own in (before or "match: '*'", after or "match: '*'")
    )
    told = [each for each in _changes(one, two) if "match" not in each]
    assert [each.split(":")[0] for each in told] == [way]
