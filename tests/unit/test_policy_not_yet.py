"""Keys and paths that a later version brings are errors until then, never accepted and ignored."""

from __future__ import annotations

import pytest

from tests.policy_kit import APPROVALS, load, only_problem

RULE = "rules:\n- {id: r, then: require_approval, reason: Why., "

LATER = {
    "limits burst": ("limits: {burst: {count: 5, window: 10m}}\n", "burst"),
}


ARGUMENTS_ONLY = {
    "describe": ('actions:\n  a.b: {describe: "for {facts.customer}"}\n', "facts.customer"),
    "amount": ("actions:\n  a.b: {amount: facts.total}\n", "facts.total"),
    "count": ("actions:\n  a.b: {count: facts.total}\n", "facts.total"),
    "decisive": ("actions:\n  a.b: {decisive: [facts.total]}\n", "facts.total"),
    "redact": ("redact: [facts.customer]\n", "facts.customer"),
    "show": ("show: [facts.customer]\n", "facts.customer"),
    "editable": (RULE + "editable: [facts.customer]}\n", "facts.customer"),
}


@pytest.mark.parametrize("case", ARGUMENTS_ONLY)
def test_facts_may_not_stand_where_only_arguments_may(case: str) -> None:
    """What is shown, hidden or read as an amount lies in the arguments."""
    written, path = ARGUMENTS_ONLY[case]
    said = only_problem(f"version: 1\ndefault: by_risk\n{APPROVALS}{written}")
    assert f'"{path}" is no argument: write args.…' in said


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


def test_the_same_file_without_them_loads() -> None:
    """The cases above fail for their key alone."""
    assert load(f"version: 1\ndefault: by_risk\n{APPROVALS}" + RULE + "match: a.b}\n").files
