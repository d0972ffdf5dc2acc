"""Make any text safe to show in Slack; escaping lives here and nowhere else.

Text that is not ours goes into ``plain`` or ``preformatted`` only. ``fixed`` is for our own sentences, built
from literals, ids that passed a check, and numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NewType

from gate.unseen import HIDDEN
from gate.values import on_one_line

Block = dict[str, Any]
Shown = NewType("Shown", str)
"""Text in which every character can be seen; ``visible`` and ``one_line`` make it from text of others."""

_ESCAPED = re.compile(rf"{HIDDEN}|\\(?=u\{{)")
_GAP = re.compile(" {3,}")
_OPEN_ESCAPE = re.compile(r"\\(u(\{[0-9A-F*]{0,12})?)?\Z")
_ESCAPE = re.compile(r"\\u\{[0-9A-F*]{1,12}\}")
_LONGEST_ESCAPE = 16
_RUNS_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
"""Letters and digits of the scripts that are written from right to left."""
_APART, _TOGETHER = "\u2068", "\u2069"
"""Begin and end an isolate, in which a text runs as its first letter does; those of others are spelled."""
_LIKE_JSON = re.compile(r'-?\d+(\.\d+)?([eE][+-]?\d+)?|null|true|false|["\[{].*|\(.*|', re.DOTALL)
_LIVE = re.compile(r"[`*~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|@(?=here|channel|everyone)", re.IGNORECASE)
"""What still means something to Slack in an escaped line: marks of style, and words that call everybody.

A low line within a word, as names of actions have them, is none.
"""
_DATE = "{date_short_pretty} {time}"
_PLAIN_PUNCTUATION = frozenset(" .,:@/-")
_USER = re.compile(r"[UW][A-Z0-9]{1,30}")
_GROUP = re.compile(r"S[A-Z0-9]{1,30}")
_CHANNEL = re.compile(r"[CGD][A-Z0-9]{1,30}")
_LINK = re.compile(r"https?://[A-Za-z0-9.:_\[\]-]{1,60}([/?#][!-;=?-\[\]-{}~]{0,2000})?")
"""A web address whose host stands there whole, with nothing before it that could be taken for it."""


def _escape_one(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match.group()):X}}}"


def visible(text: str) -> Shown:
    r"""Write invisible, bidirectional and control characters, and marks over digits, as ``\u{…}``.

    Line breaks stay.

    Args:
        text: Any text, lone surrogates included.

    Returns:
        Text in which every character can be seen; two different texts never become the same one.
    """
    return Shown(_ESCAPED.sub(_escape_one, text))


def one_line(text: str) -> Shown:
    r"""Do as ``visible``, and write line breaks as ``\u{A}`` and a gap of nine spaces as ``\u{20*9}`` too."""
    return flat(visible(text))


def flat(text: Shown) -> Shown:
    r"""Write the line breaks of a visible text as ``\u{A}``, and three spaces or more as ``\u{20*3}``.

    What follows a wide gap stands on a line of its own on a narrow screen, and looks like another value.
    """
    return Shown(_GAP.sub(_spelled_gap, text.replace("\n", "\\u{A}")))


def runs_left(text: str) -> bool:
    """Tell whether a text has a letter that runs from right to left, and so may move digits beside it."""
    return _RUNS_LEFT.search(text) is not None


def isolated(text: Shown) -> Shown:
    """Keep a text apart from what stands beside it in its line: neither changes the order of the other."""
    return Shown(f"{_APART}{text}{_TOGETHER}")


def apart(text: Shown) -> Shown:
    """Isolate a text with letters that run from right to left; any other stays as it is."""
    return isolated(text) if runs_left(text) else text


def words_of(text: str) -> Shown:
    """Write the words of a person in one line that stays in its place; their line breaks are ``⏎`` there."""
    return apart(one_line(on_one_line(text)))


def has_gap(text: Shown) -> bool:
    """Tell whether a text has a gap that could pass for a line break."""
    return _GAP.search(text) is not None


def _spelled_gap(match: re.Match[str]) -> str:
    return f"\\u{{20*{len(match.group())}}}"


def lines(*parts: Shown | str) -> Shown:
    """Join visible texts, and words of our own, into lines."""
    return Shown("\n".join(parts))


def width(text: str) -> int:
    """Return the length as Slack's clients count it, in UTF-16 units."""
    return len(text) if text.isascii() else sum(2 if character > "\uffff" else 1 for character in text)


def _piece(text: str, start: int, limit: int) -> int:
    """Return where a piece that starts here ends: within the limit, and never inside an escape."""
    end = min(len(text), start + limit)
    while (over := width(text[start:end]) - limit) > 0:
        end -= max(1, over // 2)
    if end < len(text) and (escape := _OPEN_ESCAPE.search(text, max(start, end - _LONGEST_ESCAPE), end)):
        end = escape.start() if escape.start() > start else end
    return max(end, start + 1)


def clip(text: Shown, limit: int) -> Shown:
    """Cut a text that is longer than the limit and mark the cut with ``…``; an isolate there is ended."""
    if len(text) <= limit and width(text) <= limit:
        return text
    if _APART not in text:
        return Shown(text[: _piece(text, 0, limit - 1)] + "…")
    head = text[: _piece(text, 0, limit - 2)]
    return Shown(head + "…" + _TOGETHER * (head.count(_APART) - head.count(_TOGETHER)))


def abridged(text: Shown, limit: int) -> Shown:
    """Cut the middle out of a text that is longer than the limit (at least 60), and say its length there.

    Head and tail stay, since what matters may stand at the end.
    """
    if len(text) <= limit and width(text) <= limit:
        return text
    cut = f" … {len(text):,} characters in all … "
    room = limit - len(cut)
    head = text[: _piece(text, 0, room * 2 // 3)]
    start = _tail(text, room - room * 2 // 3)
    return Shown(head + cut + text[start:])


def _tail(text: str, limit: int) -> int:
    """Return where the last piece of at most this width starts; never inside an escape."""
    start = max(0, len(text) - limit)
    while (over := width(text[start:]) - limit) > 0:
        start += max(1, over // 2)
    escape = _ESCAPE.match(text, max(0, text.rfind("\\", max(0, start - _LONGEST_ESCAPE), start)))
    return escape.end() if escape and escape.end() > start else start


def chunks(text: Shown, limit: int) -> list[Shown]:
    """Split a text into pieces of at most ``limit`` (at least 20), none of them empty, at least one."""
    pieces: list[Shown] = []
    start = 0
    while start < len(text):
        end = _piece(text, start, limit)
        pieces.append(Shown(text[start:end]))
        start = end
    return pieces or [Shown(" ")]


def plain(text: Shown, limit: int = 3000) -> Block:
    """Return a plain_text object, which Slack never parses, cut to the limit."""
    return {"type": "plain_text", "text": clip(text, limit) or " ", "emoji": False}


def fixed(text: str) -> Block:
    """Return a mrkdwn object for a sentence of our own; never pass text of others."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def preformatted(text: Shown) -> Block:
    """Return a rich_text block with one preformatted piece of at most 3000."""
    element = {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": text or " "}]}
    return {"type": "rich_text", "elements": [element]}


def rich_text(text: Shown, limit: int = 3000, *, bold: bool = False) -> Block:
    """Return a rich_text text element, which Slack never parses, cut to the limit."""
    element: Block = {"type": "text", "text": clip(text, limit) or " "}
    return {**element, "style": {"bold": True}} if bold else element


def named(user: str) -> Block:
    """Return a rich_text element that names a user; a word where the id is none."""
    return {"type": "user", "user_id": user} if _USER.fullmatch(user) else rich_text(Shown("somebody"), 20)


def date(at: datetime) -> Block:
    """Return a rich_text element that shows an instant in the reader's own time zone."""
    spelled = at.strftime("%Y-%m-%d %H:%M UTC")
    return {"type": "date", "timestamp": int(at.timestamp()), "format": _DATE, "fallback": spelled}


def link(url: str | None) -> Block | None:
    """Return a rich_text link element; None for anything but a plain http(s) address."""
    if url is None or not _LINK.fullmatch(url):
        return None
    return {"type": "link", "url": url, "text": clip(visible(url), 80)}


def mention(user: str) -> str:
    """Return mrkdwn that names a user; a word where the id is none."""
    return f"<@{user}>" if _USER.fullmatch(user) else "somebody"


def mention_group(group: str) -> str:
    """Return mrkdwn that names a user group; a word where the id is none."""
    return f"<!subteam^{group}>" if _GROUP.fullmatch(group) else "a group"


def mention_channel(channel: str) -> str:
    """Return mrkdwn that names a channel; a word where the id is none."""
    return f"<#{channel}>" if _CHANNEL.fullmatch(channel) else "a channel"


def moment(at: datetime, *, seconds: bool = False) -> str:
    """Return mrkdwn that shows an instant in the reader's own time zone."""
    spelled = at.strftime("%Y-%m-%d %H:%M:%S UTC" if seconds else "%Y-%m-%d %H:%M UTC")
    shape = _DATE.replace("{time}", "{time_secs}") if seconds else _DATE
    return f"<!date^{int(at.timestamp())}^{shape}|{spelled}>"


def shown(value: Any, *, compact: bool = False) -> Shown:
    """Write one JSON value for people: texts bare where no other value looks like them.

    Args:
        value: JSON value, tagged or not; redacted already.
        compact: Whether long lists and mappings stand in one line too.

    Returns:
        Visible text, line breaks kept.
    """
    if isinstance(value, str):
        bare = value == value.strip() and not _LIKE_JSON.fullmatch(value)
        return visible(value if bare else json.dumps(value, ensure_ascii=False))
    if isinstance(value, Mapping) and len(value) == 1:
        key, inner = next(iter(value.items()))
        if key in {"$decimal", "$int"} and isinstance(inner, str):
            return visible(inner)
        return visible(_json(inner if key == "$dict" else value, compact))
    return visible(_json(value, compact))


def _json(value: Any, compact: bool) -> str:
    short = json.dumps(value, ensure_ascii=False, default=str)
    if compact or len(short) <= 80 or not isinstance(value, (Mapping, Sequence)):
        return short
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)


def reduced(text: str, limit: int = 60) -> str:
    """Keep letters, digits, space and ``.,:@/-`` of a text, others become ``…``; for notification lines."""
    head = text[: limit * 2]
    kept = "".join(
        character if character in _PLAIN_PUNCTUATION or _speaks(character) else "…" for character in head
    )
    return clip(visible(re.sub("…+", "…", kept)), limit)


def _speaks(character: str) -> bool:
    return character.isalnum() and not _ESCAPED.match(character)


def notification(text: str, limit: int = 3000) -> str:
    """Escape a finished notification line, which Slack parses as mrkdwn; cut to the limit."""
    return notified(one_line(text), limit)


def notified(line: Shown, limit: int = 3000) -> str:
    """Do as ``notification`` with a line in which every character can be seen already."""
    escaped = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return clip(Shown(_LIVE.sub("…", escaped)), limit) or " "
