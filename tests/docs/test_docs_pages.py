"""The pages about Slack and the architecture say what the code does."""

from __future__ import annotations

import re

import yaml

from gate.lifecycle import ENDED, State
from tests.docs.docs_kit import ROOT, codes, first_codes, page, rows, sections


def test_scopes_are_those_of_the_manifest() -> None:
    """Every scope of the manifest is explained, and no other; the optional ones are called so."""
    scopes = yaml.safe_load((ROOT / "app_manifest.yml").read_text("utf-8"))["oauth_config"]["scopes"]
    listed = {codes(row[0])[0]: row[1] for row in rows(sections(page("slack.md"))["What the app may do"])}
    assert set(listed) == {*scopes["bot"], *scopes["bot_optional"]}
    assert {scope for scope, text in listed.items() if text.startswith("optional")} == set(
        scopes["bot_optional"]
    )


def test_places_of_the_house_are_there() -> None:
    """Every file and folder that the page names exists; every module of the gate is in the table."""
    text = page("architecture.md")
    named = {code for code in codes(text) if re.fullmatch(r"(?:gate|bot|demo|docs)/[\w/.]*", code)}
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert len(named) > 20


def test_every_part_of_the_gate_has_its_floor() -> None:
    """Each package of the gate stands in the table of the house."""
    listed = first_codes(sections(page("architecture.md"))["The house"])
    packages = {f"gate/{path.parent.name}/" for path in (ROOT / "gate").glob("*/__init__.py")}
    assert packages <= set(listed)


def test_states_are_those_of_the_table_of_moves() -> None:
    """Every state is in the page, and the ones that end are those of the code."""
    listed = {codes(row[0])[0]: row[1] for row in rows(sections(page("architecture.md"))["States"])}
    assert set(listed) == {state.value for state in State}
    assert {state for state, ends in listed.items() if ends} == {state.value for state in ENDED}


def test_slash_commands_are_those_of_the_manifest() -> None:
    """Each word that the page lets people type after /gate is in the manifest's hint."""
    manifest = yaml.safe_load((ROOT / "app_manifest.yml").read_text("utf-8"))
    (hint,) = (each["usage_hint"] for each in manifest["features"]["slash_commands"])
    typed = {code.split()[1] for code in codes(page("slack.md")) if code.startswith("/gate ")}
    assert typed == {"holds", "show", "approve", "deny", "budgets", "freeze", "unfreeze"}
    assert typed <= set(re.findall(r"[a-z]+", hint))
