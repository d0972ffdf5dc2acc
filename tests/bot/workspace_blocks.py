"""Blocks and views that the workspace's tests post."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

CHANNEL = "C0APPROVALS"


def plain(text: str) -> Json:
    """Return a plain_text object."""
    return {"type": "plain_text", "text": text}


def button(action_id: str, value: str = "v1", **more: Any) -> Json:
    """Return a button."""
    return {"type": "button", "action_id": action_id, "value": value, "text": plain(action_id), **more}


def actions(*elements: Json, block_id: str = "buttons") -> Json:
    """Return an actions block."""
    return {"type": "actions", "block_id": block_id, "elements": list(elements)}


def section(text: str) -> Json:
    """Return a section of plain text."""
    return {"type": "section", "text": plain(text)}


def text_input(block_id: str = "comment", **more: Any) -> Json:
    """Return an input block for a line of text; the element's action_id is "text"."""
    element = {"type": "plain_text_input", "action_id": "text"}
    return {"type": "input", "block_id": block_id, "label": plain("Comment"), "element": element, **more}


def modal(*blocks: Json, title: str = "A modal", **more: Any) -> Json:
    """Return a modal with a submit button."""
    return {"type": "modal", "title": plain(title), "submit": plain("Send"), "blocks": list(blocks), **more}
