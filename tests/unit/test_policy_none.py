"""What says none: empty lists where a key's default is one, and a rule that takes back what its file says."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gate.model import Requirement
from gate.policy.diff import describe_changes
from gate.policy.evaluate import evaluate
from gate.policy.load import load_texts
from gate.policy.policyset import PolicySet
from tests.policy_kit import APPROVALS, call, only_problem

SHARED = (
    "version: 1\ndefault: allow\napprovals: {channel: C0APPROVALS, approvers: [U0ALICE], remind_before: [1h],"
    " hand_over: {after: 2h, approvers: [U0BOSS]}}\nrules:\n- {id: r, then: require_approval, reason: Why."
)


def _policy(more: str) -> PolicySet:
    return load_texts({"a.yml": f"{SHARED}{more}}}\n"})


def _asks(more: str) -> Requirement:
    (found,) = evaluate(_policy(more), call()).requirements
    return found


def test_a_rule_takes_back_reminders_and_the_hand_over_of_its_file() -> None:
    """A key on a rule replaces the file's value whole, also by nothing."""
    asked = _asks("")
    assert asked.remind_before == (timedelta(hours=1),)
    assert asked.hand_over
    asked = _asks(", remind_before: [], hand_over: none")
    assert (asked.remind_before, asked.hand_over) == ((), None)
    short = _asks(", expires_in: 30m, remind_before: [], hand_over: none")
    assert short.expires_in == timedelta(minutes=30)


def test_taking_back_is_told_by_which_way_it_goes() -> None:
    """Fewer people who may answer in the end is tighter."""
    assert describe_changes(_policy(""), _policy(", hand_over: none")) == [
        'Tightened: a/r: hand_over "none" was added'
    ]


@pytest.mark.parametrize(
    "written",
    [
        "redact: []\nshow: []\n",
        "actions: {shop.pay: {redact: [], show: []}}\n",
        "rules:\n- {id: r, then: require_approval, reason: Why., editable: []}\n",
    ],
)
def test_a_default_that_is_an_empty_list_may_be_written(written: str) -> None:
    """It says the same as leaving the key out."""
    load_texts({"a.yml": f"version: 1\ndefault: by_risk\n{APPROVALS}{written}"})


def test_a_tool_without_parameters_can_be_declared() -> None:
    """Its list is closed: a condition on any argument is false, and no path into it can exist."""
    rule = "rules:\n- {id: r, when: {args.x: {exists: false}}, then: block, reason: Why.}\n"
    text = f"version: 1\ndefault: allow\nactions: {{shop.run_it: {{params: []}}}}\n{rule}"
    assert evaluate(load_texts({"a.yml": text}), call({})).answer == "allow"
    wrong = "actions: {shop.run_it: {params: [], decisive: [args.x]}}\n"
    assert '"args.x" cannot exist: params lists none' in only_problem(f"version: 1\ndefault: allow\n{wrong}")
