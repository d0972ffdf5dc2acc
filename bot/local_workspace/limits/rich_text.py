"""Limits of the parts of a rich_text block."""

from __future__ import annotations

from bot.local_workspace.limits.checks import (
    Check,
    anything,
    flag,
    integer,
    items,
    one_of,
    shape,
    string,
    tagged,
)
from bot.local_workspace.limits.objects import URL

MANY = 1000

_STYLE = shape(
    {},
    dict.fromkeys(
        ("bold", "italic", "strike", "code", "underline", "highlight", "client_highlight", "unlink"), flag
    ),
)
_STYLED: dict[str, Check] = {"style": _STYLE}
_SPANS: dict[str, Check] = {
    "text": shape({"text": string(1, 12_000)}, _STYLED),
    "link": shape({"url": URL}, {**_STYLED, "text": string(0, 3000), "unsafe": flag}),
    "emoji": shape(
        {"name": string(1, 255)}, {**_STYLED, "unicode": string(1, 255), "skin_tone": integer(1, 6)}
    ),
    "user": shape({"user_id": string(1, 255)}, _STYLED),
    "channel": shape({"channel_id": string(1, 255)}, _STYLED),
    "usergroup": shape({"usergroup_id": string(1, 255)}, _STYLED),
    "broadcast": shape({"range": one_of("here", "channel", "everyone")}, _STYLED),
    "date": shape(
        {"timestamp": integer(0, 9_999_999_999), "format": string(1, 255)},
        {**_STYLED, "url": URL, "fallback": string(1, 255)},
    ),
    "color": shape({"value": string(1, 32)}, _STYLED),
    "team": shape({"team_id": string(1, 255)}, _STYLED),
}
_LINE = items(tagged(_SPANS), 0, MANY)
_SECTION = shape({"elements": _LINE})

RICH_TEXT_PARTS = tagged(
    {
        "rich_text_section": _SECTION,
        "rich_text_preformatted": shape(
            {"elements": items(tagged(_SPANS, "text", "link"), 0, MANY)},
            {"border": integer(0, 1), "language": anything},
        ),
        "rich_text_quote": shape({"elements": _LINE}, {"border": integer(0, 1)}),
        "rich_text_list": shape(
            {
                "style": one_of("bullet", "ordered"),
                "elements": items(tagged({"rich_text_section": _SECTION}), 0, MANY),
            },
            {"indent": integer(0, 8), "offset": integer(0, 10_000), "border": integer(0, 1)},
        ),
    }
)
