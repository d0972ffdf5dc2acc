"""The page about the policy has every key, path, operator and default of the code, and no other."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gate.model import own_rules
from gate.policy import effects, schema
from gate.policy.load import load_texts
from gate.policy.parsing import OPERATORS
from gate.policy.paths import OPEN_ROOTS
from gate.policy.reading import KNOWN_PATHS
from gate.values import format_duration, format_path
from tests.docs.docs_kit import codes, first_codes, page, rows, sections

SECTIONS = sections(page("policy.md"))
PLACES: dict[str, Any] = {
    "Keys of a file": schema.PolicyHead,
    "Keys of `approvals`": schema.ApprovalKeys,
    "Keys of an action": schema.ActionKeys,
    "Keys of `limits`": schema.LimitKeys,
}
BASE = "default: by_risk\napprovals: {channel: C0APPROVALS, approvers: [U0ALICE]%s}\n%s"


@pytest.mark.parametrize("title", PLACES)
def test_every_key_of_a_place(title: str) -> None:
    """The table has exactly the keys that the schema has, each with a default."""
    assert first_codes(SECTIONS[title]) == list(PLACES[title].model_fields)
    assert [row[0] for row in rows(SECTIONS[title]) if not row[1]] == []


@pytest.mark.parametrize(
    ("title", "model"), [("Keys of a rule", schema.RuleKeys), ("Keys of a budget", schema.BudgetKeys)]
)
def test_every_key_beside_those_of_approvals(title: str, model: Any) -> None:
    """The table has the place's own keys; those of approvals are told of in a sentence."""
    own = set(model.model_fields) - set(schema.ApprovalKeys.model_fields)
    assert set(first_codes(SECTIONS[title])) == own
    assert "`approvals`" in SECTIONS[title]


def test_defaults_are_those_of_the_code() -> None:
    """What an approval leaves out is what the page says."""
    (need,) = load_texts({"a.yml": BASE % ("", "")}).requirements()
    said = {codes(row[0])[0]: row[1] for row in rows(SECTIONS["Keys of `approvals`"])}
    assert said["quorum"] == f"`{need.quorum}`"
    assert said["distinct"] == f"`{str(need.distinct).lower()}`"
    assert said["on_behalf_of_may_approve"] == f"`{str(need.on_behalf_of_may_approve).lower()}`"
    spans = {"expires_in": need.expires_in, "deliver_within": need.deliver_within}
    for key, value in spans.items():
        assert said[key] == f"`{format_duration(value)}`"
    assert said["ask_again_after"] == f"`{need.ask_again_after.total_seconds():.0f}s`"
    assert need.use_within == need.expires_in
    assert need.comment_required == {"deny"}
    assert not need.name_approver


def test_choices_of_the_head() -> None:
    """Every word for default, resolve, then and risk is explained."""
    head = {codes(row[0])[0]: codes(row[2]) for row in rows(SECTIONS["Keys of a file"])}
    assert set(head["default"]) == {"by_risk", "allow", "require_approval", "block", "abstain"}
    assert set(head["resolve"]) == {"strictest", "first_match"}
    rule = {codes(row[0])[0]: codes(row[2]) for row in rows(SECTIONS["Keys of a rule"])}
    assert set(rule["then"]) == {"allow", "require_approval", "block"}
    risk = {codes(row[0])[0]: codes(row[2]) for row in rows(SECTIONS["Keys of an action"])}
    assert set(risk["risk"]) == set(effects.RISKS)


def test_every_path_and_operator() -> None:
    """The two tables of conditions have exactly the paths and operators that there are."""
    found = first_codes(SECTIONS["Conditions"])
    paths = {code for code in found if "." in code or code in ("action", "agent", "on_behalf_of")}
    assert paths == {*(f"{root}.NAME…" for root in OPEN_ROOTS), *map(format_path, KNOWN_PATHS)}
    assert [code for code in found if code not in paths] == list(OPERATORS)


def test_words_of_the_guess() -> None:
    """The words that make a name a read or destructive are all in the page."""
    told = set(re.findall(r"[a-z]+", SECTIONS["Keys of an action"].partition("*The guess*")[2]))
    assert (effects.READING | effects.DESTROYING) - told == set()


def test_rules_of_the_gate() -> None:
    """The rules that the gate answers by itself are the ones that its source names."""
    named = {own_rules.FREEZE, own_rules.NO_POLICY, own_rules.BAD_NAME}
    named |= {own_rules.TOO_MANY, own_rules.TOO_LATE}
    assert named == {code for code in first_codes(SECTIONS["Several files"]) if code.startswith("gate/")}
