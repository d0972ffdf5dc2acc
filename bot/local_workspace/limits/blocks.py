"""Limits of Block Kit's blocks, one line of a table for each type."""

from __future__ import annotations

from bot.local_workspace.limits.checks import (
    Check,
    Findings,
    anything,
    flag,
    items,
    one_of,
    shape,
    string,
    tagged,
)
from bot.local_workspace.limits.elements import ELEMENTS, IMAGE, IN_ACTIONS, IN_INPUT, IN_SECTION
from bot.local_workspace.limits.objects import BLOCK_ID, URL, any_text, plain_text
from bot.local_workspace.limits.rich_text import RICH_TEXT_PARTS

COMMON: dict[str, Check] = {"block_id": BLOCK_ID}


def _text_or_fields(value: object, pointer: str, findings: Findings) -> None:
    assert isinstance(value, dict)
    if "text" not in value and "fields" not in value:
        findings.add("must provide text or fields", pointer)


def _distinct_action_ids(value: object, pointer: str, findings: Findings) -> None:
    assert isinstance(value, dict)
    seen: set[str] = set()
    for place, element in enumerate(value["elements"]):
        action_id = element.get("action_id")
        if action_id in seen:
            findings.add(f"action_id already used in this block: {action_id}", f"{pointer}/elements/{place}")
        seen |= {action_id} if action_id else set()


def _one_picture(value: object, pointer: str, findings: Findings) -> None:
    assert isinstance(value, dict)
    if ("image_url" in value) == ("slack_file" in value):
        findings.add("must provide exactly one of image_url and slack_file", pointer)


_CELL = tagged(
    {
        "raw_text": shape({"text": string(1, 3000)}),
        "raw_number": shape({"value": anything, "text": string(1, 3000)}),
        "rich_text": shape({"elements": items(RICH_TEXT_PARTS, 1, 100)}, COMMON),
    }
)
_CARD_FIELDS: dict[str, Check] = {
    "title": any_text(150),
    "subtitle": any_text(150),
    "body": any_text(200),
    "actions": items(tagged(ELEMENTS, "button"), 1, 5),
    "hero_image": anything,
    "icon": anything,
}
_CARD = shape({}, {**COMMON, **_CARD_FIELDS}, open_ended=True)

BLOCKS: dict[str, Check] = {
    "section": shape(
        {},
        {
            **COMMON,
            "text": any_text(3000),
            "fields": items(any_text(2000), 1, 10),
            "accessory": tagged(ELEMENTS, *IN_SECTION),
            "expand": flag,
        },
        also=(_text_or_fields,),
    ),
    "header": shape({"text": plain_text(150)}, COMMON),
    "divider": shape({}, COMMON),
    "context": shape(
        {
            "elements": items(
                tagged({"image": IMAGE, "plain_text": any_text(3000), "mrkdwn": any_text(3000)}), 1, 10
            )
        },
        COMMON,
    ),
    "actions": shape(
        {"elements": items(tagged(ELEMENTS, *IN_ACTIONS), 1, 25)}, COMMON, also=(_distinct_action_ids,)
    ),
    "input": shape(
        {"label": plain_text(2000), "element": tagged(ELEMENTS, *IN_INPUT)},
        {**COMMON, "hint": plain_text(2000), "optional": flag, "dispatch_action": flag},
    ),
    "image": shape(
        {"alt_text": string(1, 2000)},
        {**COMMON, "title": plain_text(2000), "image_url": URL, "slack_file": anything},
        also=(_one_picture,),
    ),
    "rich_text": shape({"elements": items(RICH_TEXT_PARTS, 1, 100)}, COMMON),
    "markdown": shape({"text": string(1, 12_000)}, COMMON),
    "table": shape(
        {"rows": items(items(_CELL, 1, 20), 1, 100)}, {**COMMON, "column_settings": items(anything, 0, 20)}
    ),
    "alert": shape(
        {"text": any_text(200)},
        {**COMMON, "level": one_of("default", "info", "warning", "error", "success")},
    ),
    "card": _CARD,
    "carousel": shape({"elements": items(tagged({"card": _CARD}), 1, 10)}, COMMON),
    "context_actions": shape({"elements": items(anything, 1, 5)}, COMMON),
    "task_card": shape(
        {"status": one_of("pending", "in_progress", "complete", "error")}, COMMON, open_ended=True
    ),
    "video": shape(
        {"alt_text": string(1, 2000), "title": plain_text(200), "thumbnail_url": URL, "video_url": URL},
        COMMON,
        open_ended=True,
    ),
    "file": shape({"external_id": string(1, 255), "source": one_of("remote")}, COMMON),
}


def _container(value: object, pointer: str, findings: Findings) -> None:
    inner = shape(
        {"child_blocks": items(tagged(BLOCKS), 1, 10)},
        {**COMMON, "title": any_text(150), "subtitle": any_text(150)},
        open_ended=True,
    )
    inner(value, pointer, findings)


BLOCKS["container"] = _container

_EVERYWHERE = ("section", "header", "divider", "context", "actions", "input", "image", "rich_text", "video")
IN_MESSAGE = (
    *_EVERYWHERE,
    "markdown",
    "table",
    "card",
    "carousel",
    "container",
    "context_actions",
    "task_card",
    "file",
)
IN_MODAL = (*_EVERYWHERE, "alert")
IN_HOME = _EVERYWHERE
