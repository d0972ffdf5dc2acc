"""Limits of whole payloads: a message's blocks, a modal, a home tab."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from bot.local_workspace.errors import SlackError
from bot.local_workspace.limits.blocks import BLOCKS, IN_HOME, IN_MESSAGE, IN_MODAL
from bot.local_workspace.limits.checks import Check, Findings, flag, items, one_of, shape, string, tagged
from bot.local_workspace.limits.objects import plain_text

MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
MESSAGE_CHARACTERS = 13_200
MARKDOWN_CHARACTERS = 12_000
VIEW_BYTES = 250_000

_COMMON_VIEW: dict[str, Check] = {
    "callback_id": string(0, 255),
    "private_metadata": string(0, 3000),
    "external_id": string(0, 255),
}
_MODAL = shape(
    {"title": plain_text(24), "blocks": items(tagged(BLOCKS, *IN_MODAL), 1, VIEW_BLOCKS)},
    {
        **_COMMON_VIEW,
        "submit": plain_text(24),
        "close": plain_text(24),
        "clear_on_close": flag,
        "notify_on_close": flag,
        "submit_disabled": flag,
    },
)
_HOME = shape({"blocks": items(tagged(BLOCKS, *IN_HOME), 0, VIEW_BLOCKS)}, _COMMON_VIEW)
_VIEW = shape({"type": one_of("modal", "home")}, open_ended=True)
_MESSAGE = items(tagged(BLOCKS, *IN_MESSAGE), 0, MESSAGE_BLOCKS)


def text_in(value: object) -> Iterator[str]:
    """Yield every text that a person would read in blocks, in order."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "text" and isinstance(inner, str):
                yield inner
            else:
                yield from text_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from text_in(inner)


def check_message_blocks(blocks: object) -> None:
    """Refuse blocks that Slack would refuse in a message.

    Raises:
        SlackError: invalid_blocks_format, invalid_blocks (with JSON pointers) or msg_blocks_too_long.
    """
    if not isinstance(blocks, list) or not all(isinstance(each, dict) for each in blocks):
        raise SlackError("invalid_blocks_format")
    findings = Findings()
    _MESSAGE(blocks, "/blocks", findings)
    _distinct_block_ids(blocks, "/blocks", findings)
    _one_table(blocks, findings)
    if findings.sentences:
        raise SlackError.about("invalid_blocks", findings.sentences)
    if sum(map(len, text_in(blocks))) > MESSAGE_CHARACTERS:
        raise SlackError("msg_blocks_too_long")
    if _markdown(blocks) > MARKDOWN_CHARACTERS:
        raise SlackError("msg_too_long")


def check_view(view: object, kind: str) -> None:
    """Refuse a view that Slack would refuse.

    Args:
        view: the view as sent.
        kind: "modal" or "home".

    Raises:
        SlackError: invalid_arguments (with JSON pointers below /view) or view_too_large.
    """
    findings = Findings()
    _VIEW(view, "/view", findings)
    if isinstance(view, dict) and not findings.sentences:
        _check_kind(view, kind, findings)
    if findings.sentences:
        raise SlackError.about("invalid_arguments", findings.sentences)
    if len(json.dumps(view, ensure_ascii=False).encode()) > VIEW_BYTES:
        raise SlackError("view_too_large")


def _check_kind(view: dict[str, object], kind: str, findings: Findings) -> None:
    if view["type"] != kind:
        findings.add(f"must be one of: {kind}", "/view/type")
        return
    (_MODAL if kind == "modal" else _HOME)(view, "/view", findings)
    blocks = view.get("blocks")
    if not isinstance(blocks, list) or not all(isinstance(each, dict) for each in blocks):
        return
    _distinct_block_ids(blocks, "/view/blocks", findings)
    if kind == "modal" and "submit" not in view and any(each.get("type") == "input" for each in blocks):
        findings.add("missing required field: submit (there is an input block)", "/view")
    if sum(_elements(blocks, lambda element: element.get("focus_on_load") is True)) > 1:
        findings.add("only one element may have focus_on_load", "/view/blocks")


def _distinct_block_ids(blocks: list[dict[str, object]], pointer: str, findings: Findings) -> None:
    seen: set[object] = set()
    for place, block in enumerate(blocks):
        block_id = block.get("block_id")
        if block_id is not None and block_id in seen:
            findings.add(f"block_id already exists: {block_id}", f"{pointer}/{place}/block_id")
        seen.add(block_id)


def _one_table(blocks: list[dict[str, object]], findings: Findings) -> None:
    if sum(each.get("type") == "table" for each in blocks) > 1:
        findings.add("only one table allowed", "/blocks")


def _markdown(blocks: list[dict[str, object]]) -> int:
    return sum(len(str(each.get("text"))) for each in blocks if each.get("type") == "markdown")


def _elements(blocks: list[dict[str, object]], test: Callable[[dict[str, object]], bool]) -> Iterator[bool]:
    for block in blocks:
        element = block.get("element")
        yield isinstance(element, dict) and test(element)
