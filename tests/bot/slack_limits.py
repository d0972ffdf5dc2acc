"""Check Block Kit against Slack's limits: by slack_sdk's models, by the workspace's, and by our own walk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

from bot.local_workspace import limits

MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
MESSAGE_TEXT = 13_200
VIEW_BYTES = 250_000


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every JSON object inside a value."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from objects(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner)


def text_objects(value: Any, kind: str) -> list[str]:
    """Return the text of every text object of a kind."""
    return [found["text"] for found in objects(value) if found.get("type") == kind]


def check_message(blocks: list[dict[str, Any]], text: str) -> None:
    """Assert that Slack would take this message, also as an update."""
    assert 1 <= len(blocks) <= MESSAGE_BLOCKS
    assert 1 <= _units(text) <= 4000
    assert sum(_units(found["text"]) for found in objects(blocks) if isinstance(found.get("text"), str)) <= (
        MESSAGE_TEXT
    )
    _check(blocks)
    limits.check_message_blocks(blocks)


def check_view(view: dict[str, Any]) -> None:
    """Assert that Slack would take this modal or home tab."""
    assert 1 <= len(view["blocks"]) <= VIEW_BLOCKS
    assert len(json.dumps(view)) <= VIEW_BYTES
    assert len(view.get("private_metadata", "")) <= 3000
    for key in ("title", "submit", "close"):
        assert _units(view[key]["text"]) <= 24 if key in view else key != "title" or view["type"] == "home"
    View(**view).to_dict()
    _check(view["blocks"])
    limits.check_view(view, view["type"])


def _check(blocks: list[dict[str, Any]]) -> None:
    json.dumps(blocks).encode("utf-8")
    for block in blocks:
        parsed = Block.parse(block)
        assert parsed is not None
        parsed.to_dict()
    for found in objects(blocks):
        _check_object(found)


def _check_object(found: dict[str, Any]) -> None:
    text = found.get("text")
    if isinstance(text, str):
        assert 1 <= _units(text) <= 3000, found
        text.encode("utf-8")
    if found.get("type") == "plain_text":
        assert found["emoji"] is False
    if found.get("type") == "section":
        assert len(found.get("fields", [])) <= 10
        assert all(_units(each["text"]) <= 2000 for each in found.get("fields", []))
    if found.get("type") == "button":
        assert found["action_id"].startswith("gate:")
        assert len(found["value"]) <= 2000
    if found.get("type") == "overflow":
        assert 1 <= len(found["options"]) <= 5
        assert all(len(option["value"]) <= 150 for option in found["options"])
    if found.get("type") == "context":
        assert 1 <= len(found["elements"]) <= 10
    if found.get("type") == "link":
        assert found["url"].startswith(("https://", "http://"))
