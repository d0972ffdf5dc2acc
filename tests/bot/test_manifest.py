"""``app_manifest.yml`` says what the code calls and listens to, and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, TypeGuard

import yaml

from bot import names, scopes

ROOT = Path(__file__).parents[2]
CLIENTS = ("client", "poster", "_client")


def manifest() -> dict[str, Any]:
    """Return the manifest."""
    found = yaml.safe_load((ROOT / "app_manifest.yml").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def called() -> set[str]:
    """Return every method of Slack's client that the bot's code calls."""
    found = set()
    for path in (ROOT / "bot").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if _is_call(node):
                found.add(node.attr)
    return found - {"message_listeners", "is_connected"}


def _is_call(node: ast.AST) -> TypeGuard[ast.Attribute]:
    through = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute)
    return through and node.value.attr in CLIENTS and "_" in node.attr  # type: ignore[attr-defined]


def test_the_table_of_calls_is_the_code() -> None:
    """Every call in the code is in the table, and nothing else is."""
    assert called() == set(scopes.CALLS)


def test_the_scopes_are_what_the_calls_need() -> None:
    """The manifest asks for the scopes of the calls: required and optional ones apart."""
    asked = manifest()["oauth_config"]["scopes"]
    assert set(asked["bot"]) == scopes.required()
    assert set(asked["bot_optional"]) == set(scopes.OPTIONAL)
    assert len(asked["bot"]) == len(set(asked["bot"]))


def test_the_settings_fit_the_handlers() -> None:
    """Interactivity, the command and the event that the handlers listen to are switched on."""
    found = manifest()
    assert found["settings"]["interactivity"]["is_enabled"]
    assert found["settings"]["socket_mode_enabled"]
    assert found["settings"]["event_subscriptions"]["bot_events"] == ["app_home_opened"]
    assert found["features"]["app_home"]["home_tab_enabled"]
    commands = found["features"]["slash_commands"]
    assert [each["command"] for each in commands] == [names.COMMAND]
    assert commands[0]["should_escape"]


def test_people_can_be_written_to() -> None:
    """Where no window and no channel takes an answer, a direct message does, which needs the messages tab."""
    home = manifest()["features"]["app_home"]
    assert home["messages_tab_enabled"]
    assert home["messages_tab_read_only_enabled"]


def test_the_manifest_stays_within_slacks_limits() -> None:
    """Names and descriptions are short enough to be pasted."""
    found = manifest()
    assert len(found["display_information"]["name"]) <= 35
    assert len(found["display_information"]["description"]) <= 140
    for command in found["features"]["slash_commands"]:
        assert len(command["description"]) <= 2000
        assert len(command["usage_hint"]) <= 1000
